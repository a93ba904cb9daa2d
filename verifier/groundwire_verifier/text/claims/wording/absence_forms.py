"""How people write that a text does not say something: one pattern a form, of words in lower case.

They are strings, since all together take a fifth of a second to compile: `compiled` makes a pattern
of one when it is first tried.

A pattern is matched from the beginning of a clause. Its group `x` is what the text does not say, or
`rest` the first character of it where it goes on to the end; a form without either does not tell. A
label stands before " : ".
"""

import re
from functools import cache

_NOUN = (
    r"(?:sources?|documents?|documentation|docs|passages?|texts?|context|(?:web|home)?pages?|"
    r"articles?|transcripts?|abstract|excerpts?|materials?|snippets?|files?|manuals?|handbooks?|"
    r"leaflets?|guides?|guidebooks?|brochures?|booklets?|pamphlets?|reports?|(?:web)?sites?|"
    r"catalogues?|catalogs?|(?:data)?sheets?|faqs?|papers?|stud(?:y|ies)|letters?|e-?mails?|"
    r"leases?|contracts?|agreements?|notes|menus?|timetables?|schedules?|polic(?:y|ies)|evidence|"
    r"results|(?:price )?lists?|programmes?|labels?|forms?|overviews?|statutes|"
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
    r"(?:(?:do|does|did|can|could)(?: also| still| itself)? not|don't|doesn't|didn't|cannot|can't|"
    r"couldn't|never|fails? to|failed to|(?:am|is|are|was|were) (?:not able|unable) to)"
)
_ADVERB = r"(?:(?:\w{1,20}ly|also|even|ever|itself|themselves|alone|yet) ){0,2}"
_CLAUSE = r"(?:how|what|when|where|who|whom|whose|which|why|whether|if)\b"
_SAY = (
    r"(?:says?|mentions?|states?|specif(?:y|ies)|tells?(?: me| us| you)?|names?|lists?|indicates?|"
    r"describes?|explains?|discloses?|reveals?|details?|clarif(?:y|ies)|makes? clear|comments? on|"
    r"refers? to|discuss(?:es)?|elaborates? on|goe?s? into"
    rf"|shows?(?= {_CLAUSE}))"
)
_MUCH = r"(?:(?:further|more|specific|explicit|direct|relevant|enough|sufficient|clear) ){0,2}"
_MENTION = rf"{_MUCH}(?:information|info|mention|details?)"
"""What only a text can lack. That there is `no evidence` may be a finding."""
_INFORMATION = (
    rf"{_MUCH}(?:information|info|mention|details?|data|indications?|references?|evidence|word|"
    r"answers?|figures?|statements?|anything|something|nothing)"
)
_ABOUT = (
    r"(?:at all )?(?:about|on|of|regarding|concerning|as to|for|with regard to|related to|"
    r"indicating|saying|stating)"
)
_TOLD = (
    r"(?:stated|mentioned|specified|given|named|listed|found|covered|provided|included|available|"
    r"described|reported|disclosed|answered|discussed|determined|confirmed|indicated|explained|"
    r"detailed|recorded|noted|shown|said|documented|addressed|contained)"
)
_PLAINLY = r"(?:stated|mentioned|specified|indicated|documented)"
_FIND = r"(?:find|see|locate|identify|spot|read)"
_KNOW = (
    r"(?:tell|say|determine|confirm|verify|know|answer|establish|work out|make out|judge|be sure)"
)
_I_NOT = rf"(?:(?:i|we) {_NOT}|(?:i'm|we're) (?:not able|unable) to) {_ADVERB}"
_THAT = r"(?: (?:(?:this|that|it|the|your)(?: question)?|so|for sure|for certain|more))?"
_PARTICULARS = (
    r"(?:hours|times?|prices?|dates?|names?|numbers?|address(?:es)?|deadlines?|figures?|reasons?|"
    r"explanations?|definitions?|instructions?|sources?|duration|dimensions?)"
)
"""What a text gives of something. `The policy gives no discount` says nothing of the text."""
_GIVEN = r"(?:given|listed|quoted|shown|provided|stated|mentioned|specified|indicated)"
_X = r"(?P<x>.{1,64}?)"
_REST = r"(?P<rest>\S)"
_ON = rf"(?:{_ABOUT} |(?={_CLAUSE}|that )){_REST}"
"""What information is about: `about parking`, `that dogs are allowed`."""

ENGLISH = (
    rf"{_SOURCE}{_OF}? {_ADVERB}{_NOT} {_ADVERB}{_SAY}"
    rf"(?:{_END}| (?:{_INFORMATION} )?(?:{_ABOUT} )?{_REST})",
    rf"{_SOURCE}{_OF}? {_ADVERB}{_NOT} {_ADVERB}"
    r"(?:contain|provide|give|include|offer|have|hold|show) "
    rf"(?:any |an )?{_INFORMATION}(?:{_END}| {_ON})",
    rf"{_SOURCE}{_OF}? {_ADVERB}{_NOT} (?:give|provide) "
    r"(?P<x>(?:the|any|its|an?) (?:\S{1,20} ){0,3}\S{1,20})\Z",
    rf"{_SOURCE}{_OF}? {_ADVERB}"
    r"(?:contains?|provides?|gives?|has|have|includes?|offers?|holds?|"
    rf"makes?|says?|states?|mentions?) (?:no )?{_INFORMATION}(?:{_END}| {_ON})",
    rf"{_SOURCE}{_OF}? {_ADVERB}(?:says?|states?|mentions?|specif(?:y|ies)|lists?|indicates?|"
    rf"discloses?) no (?!{_INFORMATION}){_REST}",
    rf"{_SOURCE}{_OF}? {_ADVERB}(?:gives?|provides?|contains?|includes?|shows?|has|have) no "
    rf"(?=(?:\S{{1,20}} ){{0,3}}?{_PARTICULARS}(?!\w)){_REST}",
    r"(?:n a|unknown|not known)\Z",
    rf"nowhere (?:do|does|did) {_SOURCE}{_OF}? {_ADVERB}{_SAY} "
    rf"(?:{_INFORMATION} )?(?:{_ABOUT} )?{_REST}",
    rf"(?:the|an?|any) answers? (?:{_BE_NOT}|cannot be|(?:can|could) ?(?:not|n't) be|can't be) "
    rf"{_ADVERB}{_TOLD}(?: {_BY})?\Z",
    rf"it (?:cannot|can't|can not|could not|couldn't) be {_ADVERB}{_TOLD}(?: {_BY})?"
    rf"(?:{_END}| (?={_CLAUSE}){_REST})",
    rf"{_SOURCE}{_OF}? (?:is|are|remains?|stays?) silent(?:\Z| (?:on|about|as to) {_REST})",
    rf"(?:none of|neither of|neither|no|nothing in) (?:{_SOURCE}|{_NOUN}){_OF}? {_ADVERB}{_SAY}"
    rf"(?:{_END}| (?:{_INFORMATION} )?(?:{_ABOUT} )?{_REST})",
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
    rf"{_X} (?:{_BE_NOT}|(?:can|could)(?: not|n't) be|cannot be) {_ADVERB}{_TOLD} {_BY}\Z",
    rf"{_X} (?:is not|are not|isn't|aren't) {_ADVERB}{_PLAINLY}(?: here| anywhere)?\Z",
    rf"{_X} (?:is|are) (?:missing|absent) (?:in|from) {_SOURCE}{_OF}?\Z",
    rf"{_X} {_NOT} (?:appear|occur) {_BY}\Z",
    rf"{_I_NOT}{_FIND} (?:any )?(?:{_INFORMATION} {_ABOUT} )?{_X} {_BY}\Z",
    rf"{_I_NOT}{_FIND} (?:any )?{_INFORMATION}(?: {_BY})?(?:{_END}| {_ON})",
    rf"(?:i|we|i've|we've)(?: have)? (?:found|saw|seen|see|find|have) (?:no )?{_INFORMATION}"
    rf"(?: {_BY})?(?:{_END}| {_ON})",
    rf"{_I_NOT}have (?:any )?{_INFORMATION}(?: {_BY})?(?:{_END}| {_ON})",
    rf".{{0,64}}\b{_INFORMATION}(?: {_BY})? to {_KNOW}"
    rf"(?:{_THAT}{_END}|(?: you)? (?={_CLAUSE}){_REST})",
    rf"{_I_NOT}{_KNOW} (?:you )?(?:{_BY} )?(?={_CLAUSE}){_REST}",
    rf"{_I_NOT}{_KNOW}{_THAT}{_END}",
    r"(?P<x>[^:]{1,64}) : "
    rf"(?:n a|none {_PLAINLY}|(?:this is |is )?not {_ADVERB}{_TOLD})(?: {_BY}| here)?\Z",
)


@cache
def compiled(form: str) -> re.Pattern[str]:
    """The pattern of a form."""
    return re.compile(form)


WHERE_EN = re.compile(rf" (?:{_BY}|here|anywhere|at all)\Z")
"""What ends a clause and says where something is not."""

DENIALS_EN = frozenset(
    [
        "not",
        "no",
        "none",
        "neither",
        "nothing",
        "never",
        "nowhere",
        "cannot",
        "silent",
        "missing",
        "absent",
        "fail",
        "fails",
        "failed",
        "unable",
        "unclear",
        "unknown",
        "unspecified",
        "unstated",
        "n",
        "insufficient",
    ]
)
"""A clause of one of these forms has one of these words, or one that ends in `n't`."""

_NOUN_HE = (
    r"(?:מקורות|מקור|מסמכים|מסמך|טקסטים|טקסט|קטעים|קטע|מאמר|כתבה|הקשר|עמוד|דף|תמליל|תקציר|חוזה|"
    r"מדריך|חוברת|עלון|דוח|דו\"ח|אתר|קטלוג|תקנון|הוראות|מכתב|תפריט|תיעוד|קבצים|קובץ|לוח הזמנים)"
)
_SOURCE_HE = rf"(?:אף |שום |כל )?ה?{_NOUN_HE}(?: ה\S{{1,20}})?"
_IN_HE = rf"(?:ב|בתוך ה|מ|מה|מן ה|על פי ה|לפי ה|על סמך ה){_NOUN_HE}(?: (?:ה|ש)\S{{1,20}})?"
_NOT_HE = r"(?:לא|אינו|אינה|אינם|אינן|איננו)"
_SAY_HE = (
    r"(?:מציינ?[םןיתו]{0,3}|מזכירה?|מזכירים|מפרטת?|מפרטים|קובעת?|קובעים|אומרת?|אומרים|מסבירה?|"
    r"מסבירים|מוסרת?|מוסרים|כותבת?|כותבים)"
)
_TOLD_HE = (
    r"(?:כתוב|כתובה|מצוין|מצוינת|צוין|צוינה|מוזכר|מוזכרת|מוזכרים|נזכר|נזכרת|נאמר|מופיע|מופיעה|"
    r"מופיעים|נמסר|נמסרה|מפורט|מפורטת)"
)
_PARTICULARS_HE = (
    r"(?:שעות|שעה|מועד|מועדים|מחיר|מחירים|תאריך|תאריכים|שם|שמות|מספר|מספרי|כתובת|סיבה|הסבר|"
    r"הגדרה|הוראות|משך|מידות)"
)
_INFORMATION_HE = r"(?:כל |שום |מספיק )?(?:מידע|אזכור|פירוט|פרטים|נתונים|נתון|תשובה|התייחסות)"
_ABOUT_HE = rf"(?:(?:על|לגבי|אודות|בעניין|של) (?:ה?נושא )?|בנוגע ל|ל){_REST}"
_FOUND_HE = r"(?:לא (?:מצאתי|מצאנו|הצלחתי למצוא|ניתן למצוא|נמצאו?|נמצאה))"

HEBREW = (
    rf"{_SOURCE_HE} {_NOT_HE} {_SAY_HE}(?:\Z| (?:את )?{_REST})",
    r"(?:לא (?:צוין|צוינה|ידוע|ידועה|נאמר|כתוב|נמסר)|אין מידע)\Z",
    rf"אין ב{_NOUN_HE} (?=(?:\S{{1,20}} )?{_PARTICULARS_HE}(?!\w)){_REST}",
    rf"ב{_NOUN_HE} אין (?=(?:\S{{1,20}} )?{_PARTICULARS_HE}(?!\w)){_REST}",
    rf"{_SOURCE_HE} {_NOT_HE} מתייחס(?:ת|ים|ות)? {_REST}",
    rf"(?:אף )?(?:אחד|אחת) {_IN_HE} {_NOT_HE} (?:{_SAY_HE}|מתייחס(?:ת)?)"
    rf"(?:\Z| (?:את )?{_REST})",
    rf"(?:לא ניתן|אי אפשר|לא אפשר) (?:לקבוע|לדעת|לומר|להסיק|לענות|להבין) {_IN_HE}"
    rf"(?:\Z| {_REST})",
    rf"{_SOURCE_HE} {_NOT_HE} (?:כולל|מכיל|מספק|נותן)(?:ת|ה|ים)? {_INFORMATION_HE}"
    rf"(?:\Z| {_ABOUT_HE})",
    rf"אין (?:{_IN_HE} )?{_INFORMATION_HE}(?: {_IN_HE})?(?:\Z| {_ABOUT_HE})",
    rf"{_IN_HE} אין {_INFORMATION_HE}(?:\Z| {_ABOUT_HE})",
    rf"{_FOUND_HE} (?:{_IN_HE} )?{_INFORMATION_HE}(?: {_IN_HE})?(?:\Z| {_ABOUT_HE})",
    rf"{_FOUND_HE} (?:את )?{_X} {_IN_HE}\Z",
    rf"{_FOUND_HE} {_IN_HE} (?:את )?{_REST}",
    rf"{_IN_HE} {_NOT_HE} {_TOLD_HE}(?:\Z| {_REST})",
    rf"{_NOT_HE} {_TOLD_HE} {_IN_HE}(?:\Z| {_REST})",
    rf"{_X} {_NOT_HE} {_TOLD_HE} {_IN_HE}\Z",
    rf"(?:אינני|איני|אני לא) (?:יודע|יודעת) {_REST}",
    rf"(?P<x>[^:]{{1,64}}) : (?:לא {_TOLD_HE}|אין (?:מידע|נתון|נתונים|פירוט))(?: {_IN_HE})?\Z",
)

WHERE_HE = re.compile(rf" {_IN_HE}\Z")

DENIALS_HE = frozenset(["לא", "אין", "אינו", "אינה", "אינם", "אינן", "איננו", "אינני", "איני"])
