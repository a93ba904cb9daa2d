"""How people write that a text does not say something: one pattern a form, of words in lower case.

They are strings, since all together take a fifth of a second to compile: `compiled` makes a pattern
of one when it is first tried.

A pattern is matched from the beginning of a clause. Its group `x` is what the text does not say, or
`rest` the first character of it where it goes on to the end; a form without either does not tell. A
label stands before " : ".
"""

import re
from functools import cache

from groundwire_verifier.text.claims.wording.sentence import Sentence, word_set

_NOUN = (
    r"(?:sources?|documents?|documentation|docs|passages?|texts?|context|(?:web|home)?pages?|"
    r"articles?|transcripts?|abstract|excerpts?|materials?|snippets?|files?|manuals?|handbooks?|"
    r"leaflets?|guides?|guidebooks?|brochures?|booklets?|pamphlets?|reports?|(?:web)?sites?|"
    r"catalogues?|catalogs?|(?:data)?sheets?|faqs?|papers?|stud(?:y|ies)|letters?|e-?mails?|"
    r"leases?|contracts?|agreements?|notes|menus?|timetables?|schedules?|polic(?:y|ies)|evidence|"
    r"results|(?:price )?lists?|programmes?|labels?|forms?|overviews?|statutes?|deeds?|rulings?|"
    r"judge?ments?|regulations?|recipes?|prescriptions?|statements?|ledgers?|logs?|extracts?|"
    r"knowledge base|records?|tables?|listings?|terms|minutes|invoices?|tickets?|specs?)"
)
_LEAD = r"(?:the|this|these|those|that|your|my|our|both|all|any|either|provided|given|available)"
_SOURCE = rf"(?:{_LEAD} (?:[\w'-]{{1,20}} ){{0,3}}?{_NOUN}|sources|documents)"
_OF = (
    r"(?: (?:that )?(?:you|i)(?:'ve)? (?:\w{1,20} )?\w{1,20}| at hand|"
    r" (?:provided|given|available|itself|themselves))"
)
_BY = (
    r"(?:anywhere )?(?:in|within|from|among|across|inside|based on|using|with|by|on) "
    rf"(?:any of |all of |either of )?{_SOURCE}{_OF}{{0,2}}"
)
_END = rf"(?: (?:{_BY}|here|anywhere|at all)){{0,2}}\Z"
_BE_NOT = r"(?:(?:is|are|was|were)(?: not|n't)|isn't|aren't|wasn't|weren't)"
_NOT = (
    r"(?:(?:do|does|did|can|could|have|has)(?: also| still| itself)? not|don't|doesn't|didn't|"
    r"cannot|can't|couldn't|haven't|hasn't|never|fails? to|failed to|"
    r"(?:am|is|are|was|were|have been|has been) (?:not able|unable) to|(?:was|were)n't able to)"
)
_ADVERB = r"(?:(?:\w{1,20}ly|also|even|ever|itself|themselves|alone|yet) ){0,2}"
_CLAUSE = r"(?:how|what|when|where|who|whom|whose|which|why|whether|if)\b"
_SAY = (
    r"(?:says?|mentions?|states?|specif(?:y|ies)|tells?(?: me| us| you)?|names?|lists?|indicates?|"
    r"describes?|explains?|discloses?|reveals?|details?|clarif(?:y|ies)|makes? clear|comments? on|"
    r"refers? to|discuss(?:es)?|elaborates? on|goe?s? into|spells? out|sets? out|lays? out|"
    r"touch(?:es)? on|speaks? (?:of|about|to)|address(?:es)?|answers?|"
    r"makes? (?:any )?(?:mention|reference) (?:of|to)"
    rf"|shows?(?= {_CLAUSE}))"
)
_MUCH = r"(?:(?:further|more|specific|explicit|direct|relevant|enough|sufficient|clear) ){0,2}"
_MENTION = rf"{_MUCH}(?:information|info|mention|details?)"
"""What only a text can lack. That there is `no evidence` may be a finding."""
_INFORMATION = (
    rf"{_MUCH}(?:information|info|mention|details?|data|indications?|references?|evidence|word|"
    r"answers?|figures?|statements?|clues?|hints?|guidance|anything|something|nothing)"
)
_ABOUT = (
    r"(?:at all )?(?:about|on|of|regarding|concerning|as to|for|with regard to|related to|"
    r"indicating|saying|stating|(?<=reference )to|(?<=references )to)"
)
_TOLD = (
    r"(?:stated|mentioned|specified|given|named|listed|found|covered|provided|included|available|"
    r"described|reported|disclosed|answered|discussed|determined|confirmed|indicated|explained|"
    r"detailed|recorded|noted|shown|said|documented|addressed|contained|gathered|inferred|"
    r"learn(?:ed|t)|derived|deduced|gleaned|read|seen|ascertained|established|worked out|made out|"
    r"spelt out|spelled out|set out|told)"
)
_PLAINLY = r"(?:stated|mentioned|specified|indicated|documented)"
_FIND = (
    r"(?:find|found|see|seen|saw|locate|located|identify|identified|spot|spotted|read|"
    r"c[ao]me (?:across|upon)|discover(?:ed)?|track(?:ed)? down|pin(?:ned)? down|retrieve|"
    r"encounter(?:ed)?)"
)
_KNOW = (
    r"(?:tell|say|determine|confirm|verify|know|answer|establish|work out|make out|judge|be sure|"
    r"find out|figure out|infer|gather|ascertain|deduce|be certain)"
)
_NOT_I = r"(?:could not|couldn't|cannot|can't|(?:was )?(?:unable|not able) to)"
"""The same without its subject, as in `I looked and could not find it`."""

_I_NOT = (
    rf"(?:(?:i|we) {_NOT} {_ADVERB}|(?:i'm|we're) (?:not able|unable) to {_ADVERB}|"
    r"(?:i have|i've|we have) (?:no (?:way|means) (?:of|to)|been unable to) |"
    rf"{_NOT_I} {_ADVERB}|"
    r"it(?:'s| is| was| has been|'s been| proved) (?:not (?:been )?possible|impossible)"
    r"(?: for me)? to )"
)
_THAT = r"(?: (?:(?:this|that|it|the|your)(?: question)?|so|for sure|for certain|more))?"
_PARTICULARS = (
    r"(?:hours|times?|prices?|dates?|names?|numbers?|address(?:es)?|deadlines?|figures?|reasons?|"
    r"explanations?|definitions?|instructions?|sources?|duration|dimensions?)"
)
"""What a text gives of something. `The policy gives no discount` says nothing of the text."""
_GIVEN = r"(?:given|listed|quoted|shown|provided|stated|mentioned|specified|indicated)"
_POINTED = (
    r"(?:(?:this|that|these|those|the|your|such|any|enough|sufficient|more) )?(?:\w{1,16} ){0,2}?"
    r"(?:information|info|details?|answers?|question|query|request|anything)"
)
_POINTER = rf"(?:{_POINTED}|this|that|it)"
_MY_NOT = (
    rf"(?:(?:i {_NOT}|{_NOT_I}) {_ADVERB}|i'm (?:not able|unable) to {_ADVERB}|"
    rf"i(?:'ve| have) been unable to |(?:i've|i have) not {_ADVERB}|"
    r"i have no (?:way|means) (?:of|to) )"
)
_OPEN = r"(?:open|unsaid|unanswered|unclear|undefined|unspecified|unstated|unresolved)"
_UNSAID = r"(?:unsaid|unanswered|unclear|undefined|unspecified|unstated|unresolved)"
"""How a text leaves what it does not say. A text may leave the door open."""
_X = r"(?P<x>.{1,64}?)"
_REST = r"(?P<rest>\S)"
_ON = rf"(?:{_ABOUT} |(?={_CLAUSE}|that )){_REST}"
"""What information is about: `about parking`, `that dogs are allowed`."""
_A_PARTICULAR = rf"(?=(?:the|any|its|an?) (?:\S{{1,20}} ){{0,3}}?{_PARTICULARS}(?!\w)){_REST}"
_NO_DEAL = (
    r"(?!(?:\S{1,20} ){1,3}?(?:leases?|contracts?|agreements?|polic(?:y|ies)|invoices?|tickets?|"
    r"terms|statutes?|deeds?|regulations?)\b)"
)
"""What a contract does not include it says: `the lease does not include the price of gas`."""

ENGLISH = (
    rf"{_SOURCE}{_OF}? {_ADVERB}{_NOT} {_ADVERB}{_SAY}"
    rf"(?:{_END}| (?:{_INFORMATION} )?(?:{_ABOUT} )?{_REST})",
    rf"{_SOURCE}{_OF}? {_ADVERB}{_NOT} {_ADVERB}"
    r"(?:contain|provide|give|include|offer|have|hold|show) "
    rf"(?:any |an )?{_INFORMATION}(?:{_END}| {_ON})",
    rf"{_SOURCE}{_OF}? {_ADVERB}{_NOT} {_ADVERB}(?:give|provide) {_A_PARTICULAR}",
    rf"{_NO_DEAL}{_SOURCE}{_OF}? {_ADVERB}{_NOT} {_ADVERB}(?:include|contain|show|have) "
    rf"{_A_PARTICULAR}",
    rf"{_SOURCE}{_OF}? {_ADVERB}{_NOT} {_ADVERB}(?:support|confirm|back) "
    r"(?:this|that|it)(?: up)?\Z",
    rf"{_SOURCE}{_OF}? {_ADVERB}"
    r"(?:contains?|provides?|gives?|has|have|includes?|offers?|holds?|"
    rf"makes?|says?|states?|mentions?) (?:no {_INFORMATION}|nothing(?: to say)?)"
    rf"(?:{_END}| {_ON})",
    rf"{_SOURCE}{_OF}? {_ADVERB}(?:says?|states?|mentions?|specif(?:y|ies)|lists?|indicates?|"
    rf"discloses?) no (?!{_INFORMATION}){_REST}",
    rf"{_SOURCE}{_OF}? {_ADVERB}(?:gives?|provides?|contains?|includes?|shows?|has|have) no "
    rf"(?=(?:\S{{1,20}} ){{0,3}}?{_PARTICULARS}(?!\w)){_REST}",
    rf"(?:n a|unknown|not known|not {_ADVERB}{_TOLD}(?: {_BY}| here)?)\Z",
    rf"nowhere (?:do|does|did) {_SOURCE}{_OF}? {_ADVERB}{_SAY} "
    rf"(?:{_INFORMATION} )?(?:{_ABOUT} )?{_REST}",
    rf"(?:the|an?|any) answers? (?:{_BE_NOT}|cannot be|(?:can|could) ?(?:not|n't) be|can't be) "
    rf"{_ADVERB}{_TOLD}(?: {_BY})?\Z",
    r"it (?:cannot|can't|can not|could not|couldn't) be (?!(?:seen|read)\Z)"
    rf"{_ADVERB}{_TOLD}(?: {_BY})?"
    rf"(?:{_END}| (?={_CLAUSE}){_REST})",
    rf"{_SOURCE}{_OF}? (?:is|are|remains?|stays?|keeps?|falls?) {_ADVERB}(?:silent|quiet|mute|mum)"
    rf"(?:\Z| (?:on|about|as to|regarding|concerning|over|when it comes to) {_REST})",
    rf"{_SOURCE}{_OF}? {_ADVERB}(?:leaves?|left) (?:it )?{_ADVERB}"
    rf"(?:{_UNSAID}|open(?= {_CLAUSE}| the (?:question|matter|issue)\b)) {_REST}",
    rf"{_SOURCE}{_OF}? {_ADVERB}(?:leaves?|left) "
    rf"(?:(?:the )?(?:question|matter|issue|point) (?:of )?)?(?P<x>.{{1,64}}?) {_UNSAID}\Z",
    rf"{_SOURCE}{_OF}? {_ADVERB}(?:leaves?|left) (?:the )?(?:question|matter|issue|point) (?:of )?"
    rf"{_X} open\Z",
    rf"{_X} (?:is|are|was|were) (?:left )?{_OPEN} (?:in|by) {_SOURCE}{_OF}?\Z",
    rf"{_SOURCE}{_OF}? {_ADVERB}(?:omits?|omitted|leaves? out|left out(?= the | how | what )|"
    rf"(?:withholds?|pass(?:es)? over|skips?)(?= {_CLAUSE}| the (?:question|matter|issue)\b)) "
    rf"(?:to (?:say|mention|state) )?{_REST}",
    rf"{_SOURCE}{_OF}? {_ADVERB}{_NOT} (?:allow|permit|let|enable|help) (?:(?:me|us|one|you) )?"
    rf"(?:to )?{_KNOW}(?:{_THAT}{_END}| (?={_CLAUSE}){_REST})",
    rf"(?:you|one|readers?|we) (?:will not|won't|would not|cannot|can't) {_FIND} "
    rf"(?=(?:the|any|an?|its|their|{_INFORMATION})\b|{_CLAUSE}){_X} {_BY}\Z",
    rf"(?:none of|neither of|neither|no|nothing in) (?:{_SOURCE}|{_NOUN}){_OF}? {_ADVERB}{_SAY}"
    rf"(?:{_END}| (?:{_INFORMATION} )?(?:{_ABOUT} )?{_REST})",
    rf"nothing{_OF} {_ADVERB}{_SAY}(?:{_END}| (?:{_ABOUT} )?{_REST})",
    rf"i (?:could|can|was able to) (?:only )?{_FIND} (?:neither|no) {_REST}",
    rf"(?:none of|neither of|neither|no) (?:{_SOURCE}|{_NOUN}){_OF}? (?:contains?|provides?|"
    rf"gives?|has|have|includes?) (?:any )?{_INFORMATION}(?:{_END}| {_ON})",
    rf"there(?:'s| is| are| was| were| isn't| aren't) (?:no |not any |any |not )?"
    rf"(?:{_MENTION}(?: {_BY})?|{_INFORMATION} {_BY})(?: {_TOLD})?(?:{_END}| {_ON})",
    rf"(?:no |not )?(?:{_MENTION}|nothing) (?:is|are|was|were) {_TOLD}"
    rf"(?: {_BY})?(?:{_END}| {_ON})",
    rf"no {_INFORMATION} {_ABOUT} {_X} (?:(?:is|are|was|were|can be|could be) {_TOLD}{_END}|"
    rf"{_BY}\Z)",
    rf"no {_INFORMATION} {_BY}(?:\Z| {_ON})",
    rf"no {_X} (?:is|are|was|were|can be|could be) {_TOLD} {_BY}\Z",
    rf"no {_X} (?:is|are) {_PLAINLY}\Z",
    rf"no mention (?:is|was) made(?: {_BY})? of {_REST}",
    rf"no (?P<x>(?:\S{{1,20}} ){{0,2}}?{_PARTICULARS}(?: (?:for|of) .{{1,40}}?)?)"
    rf" (?:is|are|was|were) {_GIVEN}\Z",
    rf"no (?=(?:\S{{1,20}} ){{0,2}}?{_PARTICULARS} (?:is|are|was|were) {_GIVEN} (?:for|of|on) )"
    rf"{_REST}",
    rf"it(?:'s not| is not| isn't| was not) {_ADVERB}{_TOLD}(?: {_BY})? (?={_CLAUSE}){_REST}",
    rf"it(?:'s| is| was) (?:not {_ADVERB}(?:clear|known)|un(?:clear|known|specified|stated)) "
    rf"{_BY} (?={_CLAUSE}){_REST}",
    rf"(?:it|this|that) {_BE_NOT} {_ADVERB}{_TOLD}(?: {_BY}| here)\Z",
    rf"{_X} (?:is|are) nowhere (?:to be found|{_TOLD})(?: {_BY})?\Z",
    rf"{_X} (?:{_BE_NOT}|(?:can|could)(?: not|n't) be|cannot be) {_ADVERB}{_TOLD} {_BY}\Z",
    rf"{_X} (?:is not|are not|isn't|aren't) {_ADVERB}{_PLAINLY}(?: here| anywhere)?\Z",
    rf"{_X} (?:is|are) (?:missing|absent) (?:in|from) {_SOURCE}{_OF}?\Z",
    rf"{_X} {_NOT} (?:appear|occur) {_BY}\Z",
    rf"{_I_NOT}{_FIND} (?:any )?{_INFORMATION}(?: {_BY})?(?:{_END}| {_ON})",
    rf"{_I_NOT}{_FIND} (?:any )?(?:{_INFORMATION} {_ABOUT} )?{_X}(?: {_BY})\Z",
    rf"(?:(?:i|we|i've|we've)(?: have)? )?(?:found|saw|seen|see|find|have|know) "
    rf"(?:no {_INFORMATION}|nothing)(?: {_BY})?(?:{_END}| {_ON})",
    rf"{_I_NOT}have (?:any )?(?:access to )?{_INFORMATION}(?: {_BY})?(?:{_END}| {_ON})",
    rf".{{0,64}}\b{_INFORMATION}(?: (?:{_BY}|here|for me|available|at hand)){{0,2}} to {_KNOW}"
    rf"(?:{_THAT}{_END}|(?: you)? (?={_CLAUSE}){_REST})",
    rf"{_I_NOT}{_KNOW} (?:you )?(?:for sure |for certain |with certainty |exactly )?(?:{_BY} )?"
    rf"(?={_CLAUSE}){_REST}",
    rf"{_I_NOT}{_KNOW}{_THAT}{_END}",
    # What only the one who answers says of itself.
    rf"{_MY_NOT}(?:{_FIND}|{_KNOW}|have(?: access to)?|provide|give(?: you)?|"
    r"(?:help|assist)(?: you)? with) "
    rf"(?P<x>{_POINTER})(?: (?:from|with|based on|to|by|in) .{{1,64}})?{_END}",
    rf"{_MY_NOT}(?:{_FIND}|{_KNOW}) (?=(?:the|an?|any|its|their|his|her) ){_REST}",
    r"(?:i have|i've)(?: got)? no (?:idea|clue|knowledge|record|way of knowing)"
    rf"(?:{_END}| (?:of |about )?{_REST})",
    rf"(?:i lack|(?:i am|i'm) (?:not aware|unaware) of|i have no access to) {_REST}",
    rf"{_X} (?:{_BE_NOT} (?:available|accessible|known|visible)|(?:is|are) (?:unavailable|"
    r"inaccessible|unknown)) to me\Z",
    rf"(?P<x>{_POINTED}) (?:{_BE_NOT} (?:known|available|accessible|at hand|included|provided|"
    rf"present|there)|(?:is|are) (?:missing|lacking|absent|unknown|unavailable)){_END}",
    rf"(?P<x>{_POINTER})(?: {_BE_NOT}|'s not) something (?:that )?i "
    rf"(?:know|have|(?:can|could)(?: {_KNOW}| (?:find|help|assist|provide|see))?)"
    rf"(?: you)?(?: (?:about|on|with|for)(?: (?:this|that|it|you))?)?{_END}",
    r"(?:your|this|that|the) (?:question|query) (?:cannot|can't|can not|could not|couldn't) be "
    rf"answered{_END}",
    r"(?P<x>[^:]{1,64}) : "
    rf"(?:n a|none {_PLAINLY}|(?:this is |is )?not {_ADVERB}{_TOLD})(?: {_BY}| here)?\Z",
)


@cache
def compiled(form: str) -> re.Pattern[str]:
    """The pattern of a form."""
    return re.compile(form)


_THERE = (
    rf"(?: (?:through|over|into|in|at|for|of|all|both|it|them|this|everything|everywhere|carefully|"
    rf"twice|again|{_SOURCE}{_OF}?|(?:the|your|any|an?) [\w'-]{{1,20}}(?: [\w'-]{{1,20}})?))"
    r"{0,4}\Z"
)
SEARCHED_EN = re.compile(
    r"(?:i|we)(?:'ve| have)? (?:also |carefully )?(?:looked|searched|checked|tried|read|reviewed|"
    rf"scanned|went through|gone through){_THERE}"
)
"""What the one who answers did before: `I looked`, beside `but found nothing about pets`."""

BEFORE_EN = re.compile(
    r"(?:regrettably|sadly|as (?:to|for) .{1,40}"
    rf"|(?:going by|from|looking (?:at|through)) {_SOURCE}{_OF}?"
    r"|(?:after|having|despite)(?: (?:a|my|careful(?:ly)?|thorough(?:ly)?|close)){0,3}? "
    r"(?:read(?:ing)?|look(?:ed|ing)?|search(?:ed|ing)?|check(?:ed|ing)?|review(?:ed|ing)?|"
    rf"scan(?:ned|ning)?|going|gone){_THERE})\Z"
)
"""What a comma parts from an absence, and states nothing: `After reading it, I found no price.`"""

WHERE_EN = re.compile(
    rf" (?:{_BY}|here|anywhere|at all)\Z| and (?:(?:do|does|did)(?: not|n't)|cannot|can't) "
)
"""What ends a clause and says where something is not."""

_DENIALS_EN = word_set(
    "not no none neither nothing never nowhere cannot silent missing absent fail fails failed "
    "unable unclear unknown unspecified unstated n insufficient quiet mute mum open unsaid "
    "unanswered undefined unresolved leave leaves left omit omits omitted pass passes skip skips "
    "withhold withholds lack lacking unaware unavailable inaccessible impossible"
)
"""A clause of one of these forms has one of these words, or one that ends in `n't`."""

_NOUN_HE = (
    r"(?:מקורות|מקור|מסמכים|מסמך|טקסטים|טקסט|קטעים|קטע|מאמר|כתבה|הקשר|עמוד|דף|תמליל|תקציר|חוזה|"
    r"מדריך|חוברת|עלון|דוח|דו\"ח|אתר|קטלוג|תקנון|הוראות|מכתב|תפריט|תיעוד|קבצים|קובץ|לוח הזמנים)"
)
_SOURCE_HE = rf"(?:אף |שום |כל )?ה?{_NOUN_HE}(?: ה\S{{1,20}})?"
_IN_HE = (
    rf"(?:ב|בתוך ה|מ|מה|מן ה|על פי ה|לפי ה|על סמך ה){_NOUN_HE}(?: (?:ה|ש)\S{{1,20}})?(?: בלבד)?"
)
_NOT_HE = r"(?:לא|אינו|אינה|אינם|אינן|איננו)"
_SAY_HE = (
    r"(?:מציינ?[םןיתו]{0,3}|מזכירה?|מזכירים|מפרטת?|מפרטים|קובעת?|קובעים|אומרת?|אומרים|מסבירה?|"
    r"מסבירים|מוסרת?|מוסרים|כותבת?|כותבים|מבהירה?|מבהירים|מגלה|מגלים|מונה|מונים|מתארת?|מתארים)"
)
_TOLD_HE = (
    r"(?:כתוב|כתובה|מצוין|מצוינת|צוין|צוינה|מוזכר|מוזכרת|מוזכרים|נזכר|נזכרת|נאמר|מופיע|מופיעה|"
    r"מופיעים|מופיעות|נמסר|נמסרה|מפורט|מפורטת|נמצא|נמצאה|נמצאים|נמצאות|נכלל|נכללת|נכללים|"
    r"נכללות|רשום|רשומה)"
)
_PARTICULARS_HE = (
    r"(?:שעות|שעה|מועד|מועדים|מחיר|מחירים|תאריך|תאריכים|שם|שמות|מספר|מספרי|כתובת|סיבה|הסבר|"
    r"הגדרה|הוראות|משך|מידות)"
)
_INFORMATION_HE = (
    r"(?:כל |שום |מספיק )?(?:"
    r"מילה|דבר|מידע|אזכור|פירוט|פרטים|נתונים|נתון|תשובה|התייחסות)"
)
_ABOUT_HE = rf"(?:(?:על|לגבי|אודות|בעניין|של|בנוגע) (?:ה?נושא )?|בנוגע ל|ל){_REST}"
_ANSWER_HE = r"(?:ה?(?:מידע|תשובה|נתון|נתונים|פרטים|פרט|שאלה)(?: ה?(?:זה|זו|הזה|הזאת|אלה|אלו))?)"
_FIND_HE = r"(?:למצוא|לאתר|לזהות|לגלות|לראות)"
_KNOW_HE = r"(?:לקבוע|לדעת|לומר|להסיק|לענות|להבין|ללמוד|לאשר|לברר|להשיב|לציין|להגיד|להכריע)"
_CLAUSE_HE = r"(?:האם|אם|מתי|כמה|מי|מה|איפה|היכן|איך|כיצד|למה|מדוע|איזה|איזו|אילו)"
_ONE_NOT_HE = r"(?:לא (?:ניתן|אפשר|היה ניתן)|אי אפשר)"
"""Whoever it is about: `אי אפשר לקבוע תור בשבת` says nothing of the sources."""
_ABLE_HE = (
    rf"(?:{_ONE_NOT_HE}(?= \S{{1,12}} (?:על |את )?(?:{_IN_HE}|{_CLAUSE_HE} |{_ANSWER_HE}))|"
    r"לא (?:יכול(?:ה|תי)?|נוכל|אוכל|הצלחתי|הצלחנו|הצליח לי|עלה בידי|היה באפשרותי)|"
    r"(?:אינני|איני|איננו|אין אני|אני לא|אנחנו לא) (?:יכול|יכולה|יכולים|מצליח|מצליחה|מסוגל|מסוגלת)|"
    r"אין (?:לי אפשרות|באפשרותי|ביכולתי|בידי)|קשה לי)"
)
_FOUND_HE = (
    rf"(?:לא (?:מצאתי|מצאנו|ראיתי|איתרתי|נתקלתי|זיהיתי|ניתן למצוא|נמצאו?|נמצאה)|"
    rf"(?:{_ONE_NOT_HE}|{_ABLE_HE}) {_FIND_HE})"
)

HEBREW = (
    rf"{_SOURCE_HE} {_NOT_HE} {_SAY_HE}(?:\Z| (?:את )?{_REST})",
    r"(?:(?:זה |הדבר )?לא (?:צוין|צוינה|ידוע|ידועה|נאמר|כתוב|נמסר)|אין מידע)\Z",
    rf"{_SOURCE_HE} {_NOT_HE} (?:תומך|תומכת|תומכים|מאשר|מאשרת|מאשרים) (?:בכך|בזה|בזאת|זאת|זה)\Z",
    rf"אין ב{_NOUN_HE} (?=(?:\S{{1,20}} )?{_PARTICULARS_HE}(?!\w)){_REST}",
    rf"ב{_NOUN_HE} אין (?=(?:\S{{1,20}} )?{_PARTICULARS_HE}(?!\w)){_REST}",
    rf"{_SOURCE_HE} {_NOT_HE} מתייחס(?:ת|ים|ות)? {_REST}",
    rf"(?:אף )?(?:אחד|אחת) {_IN_HE} {_NOT_HE} (?:{_SAY_HE}|מתייחס(?:ת)?)"
    rf"(?:\Z| (?:את )?{_REST})",
    rf"(?:{_IN_HE} {_ONE_NOT_HE}|(?:{_IN_HE} )?{_ABLE_HE}) {_KNOW_HE}(?: {_IN_HE})?"
    rf"(?: (?:ש|כי )?{_IN_HE})?(?:\Z| (?:על |את )?(?P<x>{_ANSWER_HE})(?: .{{1,40}})?\Z"
    rf"| (?:את )?{_REST})",
    rf"{_ONE_NOT_HE} {_KNOW_HE} (?:את |על )?{_X} {_IN_HE}\Z",
    rf"{_SOURCE_HE} (?:שותק|שותקת|שותקים|שותקות|מתעלם|מתעלמת|מתעלמים|פוסחת?|מדלגת?)"
    rf"(?:\Z| (?:על |לגבי |בנוגע ל|בעניין |באשר ל|מ)?{_REST})",
    rf"{_SOURCE_HE} (?:משאיר|מותיר|השאיר|הותיר)(?:ה|ים|ות|ו)? (?:פתוחה?|ללא מענה|לא ברור|עמום) "
    rf"(?:את )?{_REST}",
    rf"{_SOURCE_HE} (?:משמיט|משמיטה|משמיטים|השמיט|השמיטה) (?:את )?{_REST}",
    rf"{_SOURCE_HE} {_NOT_HE} (?:כולל|מכיל|מספק|נותן)(?:ת|ה|ים)? {_INFORMATION_HE}"
    rf"(?:\Z| {_ABOUT_HE})",
    rf"(?!ה?(?:חוזה|תקנון) ){_SOURCE_HE} {_NOT_HE} (?:כולל|מכיל|מספק|נותן)(?:ת|ה|ים)? (?:את )?"
    rf"(?=ה?{_PARTICULARS_HE}(?!\w)){_REST}",
    rf"אין (?:{_IN_HE} )?{_INFORMATION_HE}(?: {_IN_HE})?(?:\Z| {_ABOUT_HE})",
    rf"{_IN_HE} אין {_INFORMATION_HE}(?:\Z| {_ABOUT_HE})",
    rf"{_FOUND_HE} (?:{_IN_HE} )?{_INFORMATION_HE}(?: {_IN_HE})?(?:\Z| {_ABOUT_HE})",
    rf"{_FOUND_HE} (?:את )?{_X} {_IN_HE}\Z",
    rf"{_FOUND_HE} {_IN_HE} (?:את )?{_REST}",
    rf"{_IN_HE} {_NOT_HE} {_TOLD_HE}(?:\Z| {_REST})",
    rf"{_NOT_HE} {_TOLD_HE} {_IN_HE}(?:\Z| {_REST})",
    rf"{_X} (?:{_NOT_HE} {_TOLD_HE}|(?:נעדר|חסר)(?:ת|ה|ים|ות)?) {_IN_HE}\Z",
    rf"לא ברור {_IN_HE} (?={_CLAUSE_HE} ){_REST}",
    rf"(?:אינני|איני|אני לא) (?:יודע|יודעת|בטוח|בטוחה)(?:\Z| (?:את |על )?(?P<x>{_ANSWER_HE})\Z| "
    rf"{_REST})",
    r"(?:לא ידוע לי|אין לי מושג|אין לי ידיעה|לא ברור לי)"
    r"(?:\Z| (?:על |את |לגבי )?(?=\S{1,20})(?P<rest>\S))",
    rf"(?P<x>{_ANSWER_HE}) {_NOT_HE} (?:זמין|זמינה|זמינים|נגיש|נגישה|מצוי|מצויה|ידוע|ידועה|קיים|"
    rf"נמצא|נמצאת|נמצאים|בידי|ברשותי)(?: (?:לי|בידי|ברשותי|{_IN_HE}))?\Z",
    rf"{_X} {_NOT_HE} (?:זמין|זמינה|זמינים|נגיש|נגישה|ידוע|ידועה|ידועים|מוכר|מוכרת) לי\Z",
    rf"(?P<x>{_ANSWER_HE}(?: \S{{1,20}})?) (?:חסר|חסרה|חסרים|חסרות)(?: {_IN_HE})?\Z",
    rf"{_FOUND_HE} ב?{_INFORMATION_HE} (?:של |על |ל|לגבי ){_REST}",
    rf"(?:לא (?:מצאתי|איתרתי|ראיתי|נתקלתי ב)|{_ABLE_HE} {_FIND_HE}) ?"
    rf"(?:(?:את )?(?P<x>{_ANSWER_HE})(?: .{{1,40}})?\Z|(?:את )?{_REST})",
    rf"אין (?:לי|ברשותי|בידי) (?:גישה ל)?{_INFORMATION_HE}(?: כדי .{{1,40}})?(?:\Z| {_ABOUT_HE})",
    rf"(?P<x>[^:]{{1,64}}) : (?:לא {_TOLD_HE}|אין (?:מידע|נתון|נתונים|פירוט))(?: {_IN_HE})?\Z",
)

POINTERS = {
    "en": re.compile(rf"{_POINTER}\Z"),
    "he": re.compile(rf"{_ANSWER_HE}\Z|כך\Z|זה\Z|זאת\Z"),
}
"""What points to what was asked, and names nothing, by language."""

NOT_TOLD = re.compile(
    r"(?:information |details )?not (?:\w{1,20}ly )?"
    rf"(?:{_PLAINLY}|(?!covered|included|contained|provided){_TOLD} {_BY}){_END}"
    rf"|(?:מידע ש)?(?:לא|אינו|אינה|אינם) (?!נכלל){_TOLD_HE}(?: {_IN_HE})?\Z"
)
"""What stands before a colon and a list of what is missing: `Not stated in the lease: the rent`.

What a contract does not cover or include it says itself: `Not covered by the policy: floods`.
"""

WHERE_HE = re.compile(rf" {_IN_HE}\Z")

_DENIALS = _DENIALS_EN | word_set(
    "לא אין אי אינו אינה אינם אינן איננו אינני איני שותק שותקת שותקים שותקות מתעלם מתעלמת מתעלמים "
    "פוסח פוסחת מדלג מדלגת קשה נעדר נעדרת נעדרים נעדרות "
    "משאיר משאירה משאירים מותיר מותירה מותירים השאיר השאירה הותיר הותירה "
    "משמיט משמיטה משמיטים השמיט השמיטה חסר חסרה חסרים חסרות"
)


def denies(sentence: Sentence) -> bool:
    """Whether a sentence has a word that denies something, in English or in Hebrew."""
    lowers = sentence.lowers
    return not _DENIALS.isdisjoint(lowers) or any(word.endswith("n't") for word in lowers)
