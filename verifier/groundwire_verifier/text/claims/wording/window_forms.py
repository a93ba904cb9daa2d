"""Talk about the window in which an answer is read: its buttons, what stands above or below.

A pattern is matched from the beginning of a clause, whose words are in lower case with a space
between them. What follows a place tells it from another one: `the button below`, not `the button
below the display`.
"""

import re

_PART = (
    r"(?:buttons?|links?|tables?|lists?|charts?|graphs?|images?|pictures?|figures?|diagrams?|forms?|"
    r"icons?|menus?|boxes|box|fields?|options?|sections?|steps|summary|overview|code|snippets?|"
    r"examples?|answers?|messages?|chat|attachments?|tabs?|panels?|cards?|map|widget)"
)
_PLACE = (
    r"(?:below|above|underneath|here|(?:on|to|in) the (?:right|left|sidebar)|"
    r"(?:in|at) the (?:\w{1,10} ){0,2}corner(?: of (?:this|the) (?:chat|page|screen|window))?)"
)
_ENDS = r"(?:\Z| (?:to|for|if|and|when|or|so|in order)\b[^0-9]{0,300}\Z)"
"""A number behind it says more than where to look."""
_THE = r"(?:(?:one|any|all|some) of )?(?:(?:the|this|these|that|those|my|a) )?"
_NAMED = rf"{_THE}(?:[\w'-]{{1,20}} ){{0,2}}?{_PART}(?: \d{{1,3}})?"
_TEXT = (
    r"(?:sources?|documents?|passages?|texts?|context|pages?|articles?|transcripts?|abstract|"
    r"excerpts?|materials?|snippets?|files?)"
)
_SOURCE = (
    rf"(?:the|this|these|your|my|both|a|an) (?:[\w'-]{{1,20}} ){{0,2}}?{_TEXT}"
    r"(?: you (?:\w{1,10} )?\w{1,12}| (?:provided|given|above|attached))?"
)
_POINT = (
    r"(?:see|use|click|tap|press|hit|select|choose|check|view|open|follow|refer to|look at|"
    r"consult|read|find|download|pick|fill in|fill out|(?:have|take) a look at)(?: on)?"
)
_YOU = r"(?:(?:please|just|simply|then|you (?:can|may|could)(?: also)?|you'll|you will) ){0,2}"
_USE = (
    r"(?:copy|save|download|share|print|export|sort|filter|expand|collapse|open|close|edit|"
    r"enlarge|zoom)"
)
_FROM_HE = (
    r"(?:על |מן |לפי |מתוך )?[המב]{0,2}(?:מקור|מסמכ|מסמך|טקסט|קטע|מאמר|כתבה|הקשר|דף|תמליל|חוזה)"
    r"\w{0,3}(?: [^0-9 ]{1,16}){0,2}\Z"
)
_PART_HE = (
    r"(?:כפתור|קישור|לינק|טבלה|רשימה|תרשים|גרף|תמונה|טופס|סמל|תפריט|אפשרויות|סעיף|שלבים|סיכום|תיבה)"
)
_PLACE_HE = r"ש?(?:למטה|למעלה|לעיל|להלן|מטה|כאן|הבאה?|הבאים|הבאות)"
_ENDS_HE = r"(?:\Z| (?:כדי|אם|על מנת|ו|ל)[^0-9]{0,300}\Z)"

_FORMS = (
    rf"{_YOU}{_POINT} (?:{_NAMED} {_PLACE}|{_THE}(?:following|above) {_PART}|{_PLACE}){_ENDS}",
    rf"{_YOU}scroll (?:up|down|back)\b",
    rf"{_YOU}(?:find|see|view) [^:]{{1,60}} {_PLACE}\Z",
    rf"(?:the|this|my) (?:[\w'-]{{1,20}} ){{0,3}}?{_PART} (?:is|are) "
    rf"(?:(?:shown|listed|given|attached|right) )?{_PLACE}\Z",
    r"(?:(?:please|just|so|and) ){0,2}(?:let me know|tell me|ask me|send me|show me|message me|"
    r"share (?:it|them|more) with me|write back|(?:reply|respond)(?: with| by| to this| here|\Z))"
    r"(?:\b|\Z)",
    r"(?:please )?(?:type|say|write|enter) [\w'-]{1,20} (?:to|for) "
    r"(?:continue|see|get|learn|more|go on|proceed)\b",
    rf"{_YOU}{_USE} (?:it|this|that|them|the (?:text|answer|response|result|reply)s?|{_NAMED})"
    rf"(?: {_PLACE})? (?:with|using|by|via|through|from) (?:clicking |tapping |pressing )?(?:on )?"
    r"the (?:[\w'-]{1,20} ){0,2}?(?:icon|button|arrow|link|menu|toolbar|handle)s?"
    r"(?: (?:above|below|beside|next to) (?:it|this))?\Z",
    r"(?:below|here|the following|what follows)(?: below)? (?:is|are|you(?:'ll| will| can)? "
    r"(?:find|see)|comes|follows) (?:(?:an?|the|my|some|your) )?(?:[\w'-]{1,20} ){0,2}?"
    r"(?:overview|summary|list|table|breakdown|comparison|explanation|outline|answer|steps|"
    r"examples?|recap|chart|details|response)(?:\Z| of\b[^0-9]{0,80}\Z)",
    r"(?:what an? (?:\w{1,12} )?(?:question|point|idea|topic|request)|no (?:worries|problem))\Z",
    # Where all of it is from, and what only points to a source.
    rf"(?:this|these|it|everything|(?:all|the|this|my) (?:\w{{1,20}} )?(?:details|information|data|"
    rf"figures|points|overview|answer|summary|list|table|response)) (?:(?:is|are|was|were) "
    rf"(?:all |only |solely )?(?:taken|drawn|based)|rests?) (?:on|from|in) {_SOURCE}\Z",
    rf"that(?:'s| is) all(?:\Z| {_SOURCE} (?:says?|has|have|states?)\b[^0-9]{{0,80}}\Z"
    r"| (?:i|we) (?:know|found|have(?=\Z| (?:found|for|on|about)\b)|can (?:say|tell|give|find|"
    r"offer|answer|confirm|share))\b[^0-9]{0,80}\Z)",
    rf"{_SOURCE} (?:covers?|answers?|says?|states?|confirms?|supports?|mentions?|addresse?s?) "
    r"(?:this|that|it|your \w{1,12})(?: \w{1,12}ly)?\Z",
    rf"(?:the|this) {_PART} (?:below|above) (?:shows|lists|gives|has|summari[sz]es|explains) "
    r"(?!that\b)[^0-9]{1,80}\Z",
    # Hebrew.
    r"(?:זה|זהו|אלה) (?:מה|כל|הכול) [^0-9]{0,60}" + _FROM_HE,
    r"(?:ה(?:מידע|פרטים|נתונים|סיכום|תשובה|נקודות)|הכול|זה|התשובה שלי) "
    r"(?:לקוח|מבוסס)(?:ה|ים|ות|ת)? (?:כול[והםן] )?" + _FROM_HE,
    r"(?:אפשר|ניתן|תוכלו|תוכל|תוכלי) (?:להעתיק|לשמור|להוריד|לשתף|להדפיס|למיין|להרחיב) "
    r"(?:אותו|אותה|אותם|את ה(?:טקסט|טבלה|תשובה|רשימה|תרשים)) (?:בעזרת|באמצעות|על ידי|עם|דרך) "
    r"ה(?:סמל|כפתור|לחצן|קישור|תפריט|חץ|חיצים)\Z",
    r"(?:להלן|למטה|הנה) (?:תמצאו )?(?:סקירה|סיכום|רשימה|טבלה|השוואה|פירוט|תשובה)"
    r"(?:\Z| (?:של|על)\b[^0-9]{0,80}\Z| ה[^0-9]{0,80}\Z)",
    r"(?:(?:אנא|נא|אפשר|ניתן|תוכלו|תוכל|תוכלי|מוזמנים) ){0,2}"
    r"(?:ל?(?:ראות|השתמש|לחוץ|בחור|עיין|הקיש)|ראו|ראה|ראי|השתמש[וי]?|לחצ[וי]|לחץ|הקיש[וי]|הקש|"
    r"בחר[וי]?|עיינ[וי]|עיין|פתח[וי]?|מלא[וי]?) (?:על |את )?"
    r"(?:ב?(?:אחת|אחד) מ)?[במלהש]{0,2}"
    rf"{_PART_HE}(?: \d{{1,3}})? ?{_PLACE_HE}"
    rf"{_ENDS_HE}",
    rf"(?:אנא |נא )?(?:לחצ[וי]|לחץ|הקיש[וי]|הקש) כאן{_ENDS_HE}",
    rf"ה{_PART_HE} ?{_PLACE_HE} (?:מציגה?|מראה|מפרטת?|מסכמת?|משווה|כוללת?|מכילה?) "
    r"[^0-9]{1,300}\Z",
    r"(?:אנא |נא )?גלל?(?:ו|י|ול)? (?:ל?מטה|ל?מעלה|חזרה)",
    r"(?:אפשר|ניתן|תוכלו|תוכל|תוכלי) (?:למצוא|לראות) [^:]{1,60} (?:למטה|למעלה|לעיל|להלן|כאן)\Z",
)

WINDOW_ELSEWHERE = re.compile(
    r"(?:hier|unten|nachfolgend|nachstehend|im folgenden|im anschluss|voici|ci dessous|aquí|aqui|"
    r"a continuación|di seguito|ecco|abaixo|a seguir|hieronder)(?: (?:ist|sind|finden sie|findest "
    r"du|sehen sie|folgt|vous trouverez|está|encontrará|trova|está|vindt u|staat))? "
    r"(?:(?:eine?n?|die|der|un|une|le|la|una|il|uma?|o|een|het|de|kurze?|kleine|breve|petit) ){0,2}"
    r"(?:übersicht|überblick|zusammenfassung|tabelle|liste|antwort|aperçu|résumé|tableau|réponse|"
    r"resumen|tabla|lista|respuesta|riepilogo|tabella|riassunto|panoramica|resumo|tabela|resposta|"
    r"overzicht|samenvatting|tabel|lijst)\b[^0-9]{0,80}\Z"
)
"""The same in other languages: `Unten finden Sie eine Übersicht.`"""

_IF = (
    r"(?:si|s['’]\w++|se|wenn|falls|ob|sollten?|als(?= (?:je|jij|jullie|u)(?!\w))|of|если|إذا|إن|"
    r"(?:如果|如|若)\w*+)(?![\w-])"
)
_WORD = r"[^\W\d_]['’\w-]*+"
_NO_AND = (
    r"(?!(?:et|und|y|ed?|en|и|mais|aber|pero|ma|mas|maar|но|denn|car|pues|weil|porque|perché) "
    r"|want |و)"
)
_IF_ELSEWHERE = rf"{_IF}(?: {_NO_AND}{_WORD}){{0,14}}+"
"""A condition, without another clause that `and` joins to it."""

_ANYTIME = (
    r"(?:bitte|gerne?|jederzeit|weiter|dabei|hierzu|dazu|à tout moment|encore|davantage|plus|"
    r"autre chose|más|algo más|en cualquier momento|cuando quieras|altro|ancora|in qualsiasi "
    r"momento|quando vuoi|mais|algo mais|a qualquer momento|verder|altijd|gerust|graag|"
    r"(?:des|vos|tes|d['’]autres) questions|en (?:algo|esto)|con (?:esto|algo)|a ayudar|ajudar|"
    r"в любое время|ещё|еще|вам|тебе|с этим|أي سؤال|أي أسئلة|في أي وقت)(?!\w)"
)
OFFERS_ELSEWHERE = re.compile(
    rf"(?:{_IF_ELSEWHERE}, )?(?:"
    r"(?:ich|wir)? ?(?:helfe|stehe)n?(?: (?:ich|wir))?(?: (?:ihnen|dir|euch))?"
    r"(?: (?:gerne?|jederzeit)){0,2} (?:weiter|zur verfügung)"
    r"|lass(?:en sie|t)? (?:es )?(?:mich|uns)(?: (?:gerne?|bitte|einfach))? wissen"
    r"|(?:n['’]hésite[zs]? pas à (?:me |nous |m['’])(?:contacter|demander|solliciter|poser)"
    r"|(?:dites|faites)[ -](?:le[ -])?(?:moi|nous)(?: savoir)?|je reste à (?:votre|ta) disposition)"
    r"|no dude[sn]? en (?:preguntar|contactar|consultar|escribir|decír|pedír)(?:me|nos|lo){0,2}"
    r"|(?:avísame|avíseme|hazme saber|hágame saber|házmelo saber|dime"
    r"|estoy aquí para ayudar\w{0,4})"
    r"|espero que (?:(?:esto|eso) )?(?:te|le|os|les) (?:ayude|sirva)"
    r"|non esitare a (?:chieder|contattar|scriver)\w{0,5}|fammi sapere|mi faccia sapere"
    r"|(?:resto|sono) (?:a (?:tua |sua )?disposizione|qui per aiutar\w{0,4})"
    r"|não hesite em (?:perguntar|contatar|contactar|pedir)|me avise|avise[ -]me|me diga"
    r"|espero ter ajudado|estou (?:à disposição|aqui para ajudar)"
    r"|spero (?:di esser\w{1,4} stat[oa]|che (?:questo )?(?:ti|vi|le)? ?(?:sia|aiuti))(?: utile)?"
    r"|j'espère que (?:cela|ça|ceci) (?:vous |t')(?:aide|aidera|est utile)"
    r"|ich hoffe,? (?:das|dies) (?:hilft(?: (?:ihnen|dir))?|(?:ihnen|dir) hilft|war hilfreich)"
    r"|espero que (?:isso|isto) (?:te |o )?ajude|hopelijk helpt dit"
    r"|надеюсь,? это (?:помо\w{1,5}|вам поможет)"
    r"|(?:[^,。]{0,40}(?:たら|れば|場合は),? ?)?お気軽に"
    r"(?:お問い合わせ|ご質問|お尋ね|ご連絡)(?:ください|下さい)"
    r"|laat (?:het )?(?:me|mij|ons)(?: gerust)? weten"
    r"|aarzel niet om (?:te vragen|contact op te nemen)"
    r"|ik help (?:je|u) graag(?: verder)?"
    r"|дайте (?:мне )?знать|сообщите мне|обращайтесь(?=,|\Z)|буду рада? помочь"
    r"|لا تتردد في (?:السؤال|التواصل|سؤالي|طرح)|(?:أخبرني|أعلمني)(?= إ[ذن]|\Z)"
    r"|(?:请|欢迎)?随时(?:告诉|告知|联系|问)我?"
    rf")(?: {_ANYTIME}){{0,3}}+(?:,? {_IF_ELSEWHERE})?\Z",
    re.IGNORECASE,
)
"""What an answer ends with: an offer, or a request to hear more.

Behind one stands when and with what, in words that name nothing: `N'hésitez pas à me contacter à
tout moment`, not `Sono a disposizione due camere`.
"""

STATING_ELSEWHERE = re.compile(
    r"(?<= )(?:(?:qui|dont|où|che|cui|cuyo|quien(?:es)?|door|durch|pel[oa]s?|som|"
    r"التي|الذي|الذين|اللذين|اللتين)(?!\w)|par (?!exemple|rapport)|por (?!favor|e[jx]emplo)|"
    r"qu[ei] |qu')"
    r"|(?<=[ts][oaie] )d(?:a|al|alla|agli|alle|ai|all)(?!\w)"
    r"(?! (?:document|font|test|contest|articol|file)\w*)"
    # Dutch writes no comma before it.
    r"|(?<!\w)(?:zijn|is|volgen|volgt|staan|staat)(?: [^\W\d_]+){1,4}? (?:die|dat) "
)
"""What such a line says of what it announces: a relative clause, or who did it."""

_ASKED = (
    r"(?: (?:haben|hatten|habt|hast|hebt|hebben|heeft|had|mich|mir|bitte|gerade|eben|zuvor)){0,3}"
)
_USE_ELSEWHERE = (
    r"(?:gehen|befolgen|beachten|wissen|kennen|unternehmen|machen|tun|stellen|prüfen|verwenden|nutzen|"
    r"wählen|suivre|faire|savoir|connaître|utiliser|choisir|poser|vérifier|consulter|seguir|hacer|"
    r"saber|conocer|usar|utilizar|elegir|considerar|consultar|seguire|fare|sapere|conoscere|usare|"
    r"scegliere|considerare|consultare|fazer|conhecer|escolher|volgen|zetten|nemen|weten|kennen|"
    r"gebruiken|kiezen|doen|stellen|сделать|знать|выполнить|использовать|выбрать|задать)"
)
ASKED_ELSEWHERE = re.compile(
    r" (?:ce qu'|(?:ce que|lo que|quello che|o que|то, что)(?!\w))(?: ?il faut \w{1,20})?"
    r"|(?:,? (?:(?:nach|über|von) )?(?:d(?:ie|as|en(?:en)?|er(?:en)?|em)|was) "
    rf"(?-i:Sie|[Dd]u|[Ii]hr){_ASKED} (?:(?:an|er|nach|ge)?(?:frag|wünsch|such|woll|will|nannt|"
    rf"erwähn|forder|brauch|benötig)\w*|{_USE_ELSEWHERE} (?:soll|müss|muss|könn|kann)\w*)"
    r"| que (?:vous|tu)(?: (?:m['’])?(?:avez|as|aviez))?"
    r" (?:(?:demand|cherch|mentionn|souhait|voul|cit)\w*"
    rf"|(?:dev|pouv|peu|dois)\w* {_USE_ELSEWHERE})"
    r"| que (?:usted |tú |me )?(?:(?:ha|has|había|me) )?"
    r"(?:(?:ped|pid|solicit|busc|mencion|quer|quier|quis|pregunt|necesit)\w*"
    rf"|(?:deb|pued|podr|pod)\w* {_USE_ELSEWHERE})"
    r"| che (?:mi )?(?:(?:hai|avete|ha) )?(?:(?:richies|chies|cerca|menziona|volu|vole|vuoi)\w*"
    rf"|(?:puoi|devi|dovresti|potresti) {_USE_ELSEWHERE})"
    r"| que (?:vocês? |me )?(?:(?:ped|solicit|procur|mencion|quer|quis|pergunt|precis)\w*"
    rf"|(?:pod|dev)\w* {_USE_ELSEWHERE})"
    rf"|,? (?:die|dat) (?:u|je|jij|jullie){_ASKED}"
    r" (?:(?:vroeg|gevraagd|zocht|gezocht|noemde|genoemd|wilde|wou)\w*"
    rf"|(?:moet|kun|kan|zou)\w* {_USE_ELSEWHERE})"
    r"|,? котор\w+ (?:вы|ты) (?:(?:прос|спр[ао]|запр|искал|упом|хот)\w*"
    rf"|(?:мож|долж)\w* {_USE_ELSEWHERE})"
    rf"| (?:التي|الذي|الذين) (?:طلبت|سألت|ذكرت|تحتاج)\w*){_ASKED}(?= ?\Z)",
    re.IGNORECASE,
)
"""What such a line says of what was asked or is of use, and what opens a clause that it announces.

It ends the line: a deed with an object or another verb behind it is a statement.
"""

WINDOW = re.compile("|".join(f"(?:{form})" for form in _FORMS))
