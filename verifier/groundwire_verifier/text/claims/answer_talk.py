"""Talk about the answer itself: greetings, lines that announce, offers, and what sources leave out.

What is not surely one of them asserts something: `The tower is 330 m tall:` is a claim, and so is
whatever cites a source.
"""

import re
from itertools import pairwise

from groundwire_verifier.domain.claims import Span
from groundwire_verifier.text.claims import hebrew_talk
from groundwire_verifier.text.claims.markup.blocks import REFERENCE_TITLES
from groundwire_verifier.text.claims.wording import english as en
from groundwire_verifier.text.claims.wording import hebrew as he
from groundwire_verifier.text.claims.wording.absence_forms import denies
from groundwire_verifier.text.claims.wording.elsewhere import (
    ANSWERED_ELSEWHERE,
    NUMBERS_ELSEWHERE,
    UNTRUE,
)
from groundwire_verifier.text.claims.wording.english_verbs import (
    is_adverb,
    is_finite,
    is_past,
    may_be_third,
)
from groundwire_verifier.text.claims.wording.sentence import (
    GENERIC,
    Sentence,
    has_digit,
    latin_characters,
    read_words,
    rules_for,
    word_set,
)
from groundwire_verifier.text.claims.wording.window_forms import (
    ASKED_ELSEWHERE,
    OFFERS_ELSEWHERE,
    STATING_ELSEWHERE,
    WINDOW,
    WINDOW_ELSEWHERE,
)

MAX_GREETING_WORDS = 6
MAX_CRY_WORDS = 4
MAX_TALK_WORDS = 40
MAX_TITLE_WORDS = 14

_ANNOUNCEMENTS = REFERENCE_TITLES | {
    "in short", "in summary", "in brief", "to summarize", "to summarise", "to sum up",
    "for example", "for instance", "note", "notes", "answer", "summary", "that is",
    "in other words", "examples", "tl;dr", "tl dr",
    "לסיכום", "בקצרה", "לדוגמה", "למשל", "דוגמאות", "סיכום", "תשובה", "הערה", "כלומר",
}  # fmt: skip

_LINKS = {
    "in addition", "in detail", "in particular", "in general", "in fact", "in conclusion",
    "in any case", "in total", "in turn", "at a glance", "on the other hand", "on top of that",
    "for completeness", "for clarity", "for context", "after all", "אחרי הכול",
}  # fmt: skip
"""Lines that begin as one that limits does, and only go on."""

_NEXT_HE = word_set("הבא הבאה הבאים הבאות")
_POINTERS_HE = _NEXT_HE | word_set("להלן כך כדלקמן אלה אלו הנה לפניך לפניכם כאן נחשב נבדוק נסכם")
_OPENERS = word_set("here here's below these following")
_OPENERS_HE = word_set("הנה להלן")
_POINTING = (
    _OPENERS
    | _POINTERS_HE
    | word_set(
        "key main following follows i let answer summary example examples note points facts "
        "details steps step overview highlights information reasons ways tips options we i'll i've"
    )
)
"""Words of lines that only point to what is below them."""

_DANGLING = en.PREPOSITIONS | en.MODALS | en.DETERMINERS | word_set("to you must that")
"""Words that a line cannot end with unless it goes on below."""

_HOLDING = word_set(
    "includes include contains contain comprises comprise has have offers offer sells sell "
    "כולל כוללת כוללים כוללות מכיל מכילה מכילים"
)
"""Verbs that an item below completes: `The kit includes:`, `- a pump`."""

_COUNTS = word_set(
    "two three four five six seven eight nine ten eleven twelve dozen twenty thirty hundred "
    "שני שתי שניים שתיים שלושה שלוש ארבעה ארבע חמישה חמש שישה שש שבעה שבע שמונה תשעה תשע עשרה עשר"
)
_OPENING_COUNTS = word_set("there here here's below these i we consider יש ישנן ישנם")
COUNTED = word_set(
    "reasons ways steps options things points tips factors examples questions ideas methods "
    "possibilities aspects areas stages phases rules suggestions recommendations sections parts "
    "סיבות דרכים שלבים אפשרויות נקודות טיפים גורמים דוגמאות שאלות רעיונות שיטות היבטים כללים"
)
"""What an answer counts of itself: `There are three reasons:` announces."""

_LIMITS = en.CONDITIONALS | word_set(
    "only until since before after during within in on at for under over from between except "
    "רק עד מאז לפני אחרי במשך אם כאשר bis seit vor nach nur wenn jusqu'en depuis avant "
    "après si hasta desde antes después solo fino dopo se antes depois tot sinds voor als до после"
)
"""What opens a line that says when, where or for whom the items below it hold."""

_RELATIVES = word_set("that which who whom whose where when whereby")
_PARTICIPLES = word_set(
    "sunk shot hit hurt stolen broken driven fallen frozen hidden torn slain beaten eaten "
    "forbidden forgotten chosen withdrawn overthrown struck written"
)
"""Those that are no past form."""
_ANNOUNCED_WH = word_set("what how why")
"""What opens a clause that an answer announces: `Here is how it works:`."""

_CODE_NOUNS = word_set("query script code command function program formula template snippet")
"""What follows itself: `Below is a query that counts:`."""

_BINDERS = en.SUBORDINATORS - word_set("so as until before after since than once while")
_WH_OPENERS = en.WH | word_set("what's how's where's")

_SECOND_PERSON = word_set("you you'll you've you'd you're")
_FIRST_PERSON = word_set("i i'm i'll i'd i've")
_READING = word_set(
    "used relied find found see seen saw read checked looked searched gone went reviewed"
)
_NOT_DONE = word_set("haven't hadn't didn't")
_DONE = _READING | word_set("test tested run try tried verify verified include included check look")
_ERRING = word_set("mixed misread misunderstood confused overlooked mistaken")
_ANSWERING = word_set(
    "answer tell say find confirm verify help provide summarise summarize explain look check offer "
    "compare expand show list pull write translate walk dig focus assist draft determine identify "
    "guess elaborate suggest recommend search happy glad love"
)
"""What an answer says that it can or cannot do."""

_ADVISING = word_set("recommend suggest advise")
_REPORTING = word_set(
    "confirm say tell report found find see add note afraid sorry verify determine inform announce "
    "assure argue guess stress"
)
"""What an answer says before what is so: `I can confirm that it burned`."""
_SAYING = word_set("say confirm report afraid sorry inform announce assure")
"""Those of them that hardly have a thing behind them: `I found the details in the text`."""
_NO_VERBS = word_set("sometimes always across besides unless afterwards towards this thus less")
_NO_SUBJECTS_BEFORE = (
    en.PREPOSITIONS | en.PRONOUNS | en.DETERMINERS | word_set("and but so here there")
)
"""Words that no verb is."""
_JOINING = word_set("and but so because since as while although though whereas")
_ASKING = en.WH | en.CONDITIONALS | word_set("if whether whatever whenever how unless once")
"""Words that begin a question or a condition, which states nothing: `whether it burned`."""

_INFORMATION = word_set("access information mention details data answer evidence email question")
_YOU = word_set("you your")
_OPENINGS = (
    "here's", "here is", "here are", "you asked", "you quoted", "you mentioned", "your question",
    "see also", "i hope",
    "below you'll find", "below you will find",
)  # fmt: skip
_STATES = word_set("sorry able unable afraid happy glad here ready")
_WARM = word_set(
    "happy glad great good welcome nice lovely ah oh wow well cool awesome brilliant perfect "
    "excellent wonderful fantastic sure interesting"
)

_TO_LOOK_UP = word_set("details information reference convenience context")
_SOURCES = word_set(
    "source sources document documents passage passages text texts context page pages article "
    "articles transcript transcripts abstract excerpt excerpts material materials snippet snippets "
    "file files"
)
_TOLD = word_set(
    "stated mentioned given specified named listed found covered provided included available "
    "described reported disclosed answered discussed determined confirmed verified"
)
_DRAWN = word_set("taken drawn based rests")
_POINTED_AT = (
    _TOLD
    | _DRAWN
    | word_set("requested related outlined summarised summarized sorted grouped ordered arranged")
)
"""Participles that say only where something is from: `the changes mentioned in the report`."""
_NEEDED = word_set("used needed required involved asked offered")
"""Those that do so at the end of a line: `the documents used`."""
_HANDLED = (
    _READING
    | _TOLD
    | _NEEDED
    | word_set(
        "wanted requested sent gave shared uploaded attached pasted quoted cited submitted wrote "
        "drafted prepared put compiled collected gathered picked selected chose raised told"
    )
)
"""What a reader did who asks, and a writer who answers: `the points you raised`."""
_OF_READER = word_set(
    "want need asked like see find do know think mean get choose use follow ask take try consider "
    "check read expect recommend suggest propose search look requested will can be have"
)
"""What a reader does with what an answer announces: `the steps you can follow`."""
_TO_WRITER = word_set("me us for about in with on through earlier above below here so to today")
"""What may go on behind such a deed; else its object does: `the notes you gave the spy`."""
_QUOTED = word_set("extracted quoted supported used cited gathered collected")
"""Those that do so before a source."""
_OF_USE = _NEEDED | word_set("help matter apply relevant useful important")
_SOFTENERS = word_set(
    "overall personally sorry unfortunately but and so however also still apologies מצטער מצטערת "
    "אבל לצערי אך"
)
_APOLOGIES = word_set("sorry apologies")
_INTERJECTIONS = word_set(
    "absolutely sure certainly yes no ok okay well right hi hello hey כן לא בטח כמובן"
)
"""Words that a comma sets off before what is said: `Absolutely, I can help with that.`"""

_YES_OR_NO = word_set(
    "yes no כן לא ja nein nee oui non sí si sì não nao sim nej nei kyllä ei tak nie ano ne igen "
    "nem da nu evet hayır có không ya tidak ναι όχι да нет так ні نعم لا بله خیر हाँ नहीं 是 不是 "
    "否 有 没有 はい いいえ 네 아니요"
)
_GENERIC_OPENERS = word_set(
    "hier voici voilà aquí aqui ecco här her tässä oto zde tady tu íme iată işte đây berikut "
    "folgende folgendes εδώ вот ось ето إليك فيما اینجا यहाँ"
)
"""Words that open a line which only announces: `Hier sind die Punkte:`."""

_APART = frozenset(",;:—–，、،")
MAX_GENERIC_CRY_CHARACTERS, MAX_GENERIC_LEAD_CHARACTERS = 16, 20
"""Of a language without rules: the letters of a short cry, and of a line that only announces."""

_MARKER = re.compile(r"[qa][0-9]{0,2}")
"""What counts questions and answers: `Q1.`"""


def is_talk(sentence: Sentence, language: str, *, cited: bool, before_more: bool) -> bool:
    """Whether a sentence talks about the answer.

    `cited` tells whether it names a source, `before_more` whether more of the answer follows.
    """
    if rules_for(language) == GENERIC:
        return not cited and _is_generic_talk(sentence)
    if ends_in_colon(sentence):
        opening = " ".join(sentence.lowers[:MAX_GREETING_WORDS])
        short = len(sentence.words) <= MAX_GREETING_WORDS
        return (short and opening in _ANNOUNCEMENTS) or (
            not cited and _announces(sentence, language, before_more)
        )
    if len(sentence.words) == 1 and _MARKER.fullmatch(sentence.lower(0)):
        return True
    if cited or len(sentence.words) > MAX_TALK_WORDS or sentence.words[0].inside:
        return False
    return all(says_itself(part, language) for part in _clauses(sentence))


def _is_generic_talk(sentence: Sentence) -> bool:
    """Whether a sentence of a language without rules is a short cry or a line that announces.

    What holds a figure says something, and so does a longer line.
    """
    if has_digit(word.text for word in sentence.words):
        return False
    said = " ".join(sentence.lowers)
    written = "".join(
        "," * (not _APART.isdisjoint(word.gap)) + " " + word.text for word in sentence.words[1:]
    )
    written = ASKED_ELSEWHERE.sub("", written)
    # German and Russian set a relative clause off by a comma.
    states = "," in written[1:] or STATING_ELSEWHERE.search(
        f" {sentence.lower(0)}{written}".lower()
    )
    states = states or ANSWERED_ELSEWHERE.search(said)
    if sentence.lower(0) in _GENERIC_OPENERS and states:
        return False
    if WINDOW_ELSEWHERE.match(said) or OFFERS_ELSEWHERE.match(f"{sentence.lower(0)}{written}"):
        return True
    if not NUMBERS_ELSEWHERE.isdisjoint(sentence.lowers):
        return False
    size = sum(latin_characters(word.text) for word in sentence.words)
    if not ends_in_colon(sentence):
        cry = sentence.tail.strip().startswith(("!", "！"))
        # Not `Hunde verboten!`
        return cry and size <= MAX_GENERIC_CRY_CHARACTERS and UNTRUE.isdisjoint(sentence.lowers)
    return size <= MAX_GENERIC_LEAD_CHARACTERS or sentence.lower(0) in _GENERIC_OPENERS


def ends_in_colon(sentence: Sentence) -> bool:
    """Whether it announces what follows, or states something and goes on below."""
    return sentence.tail.rstrip(" *_").endswith((":", "："))


def is_open_line(content: str) -> bool:
    """Whether a line such as `You must:` is a clause that each item below it completes."""
    last = content.rstrip(": *_").rpartition(" ")[2].lower()
    return content.endswith(":") and last in en.MODALS | {"to"} | _HOLDING


def leads(content: str) -> bool:
    """Whether a line such as `Staff by branch:` says what the items below it are of."""
    words = content.rstrip(": *_").lower().split()
    sentence = read_words(content, Span(0, len(content)))
    # `Key points:`, but not `Reasons for the delay:`
    pointing = en.PREPOSITIONS.isdisjoint(words[1:-1]) and not {*words}.isdisjoint(_POINTING)
    pointing = pointing and _only_announces(sentence) and not qualifies(sentence)
    named = len(words) > 1 or not _ANNOUNCEMENTS.union(_POINTING).issuperset(words)
    return content.rstrip("*_ ").endswith((":", "：")) and named and not pointing


def qualifies(line: Sentence) -> bool:
    """Whether a line denies what stands below it, or says when it holds: `Until 2019:`."""
    lowers = line.lowers
    limited = bool(lowers) and lowers[0] in _LIMITS
    if limited:
        # Not `From the text:`, `For more details:`
        of_texts = lowers[0] in en.PREPOSITIONS | {"if"} and lowers[-1] in _SOURCES | _TO_LOOK_UP
        limited = not of_texts and " ".join(lowers) not in _ANNOUNCEMENTS | _LINKS
    return limited or denies(line) or not UNTRUE.isdisjoint(lowers)


def points_below(content: str) -> bool:
    """Whether a line begins with a word for what follows it: `Here are the drugs that failed:`."""
    opening = content.partition(" ")[0].lower()
    return opening in _OPENERS | _OPENERS_HE | _GENERIC_OPENERS


def _only_announces(sentence: Sentence) -> bool:
    """Whether a line that points to what follows says nothing of it.

    `Here are the key points`, `here is what I found`; not `here are the drugs that failed`.
    """
    lowers = sentence.lowers
    if lowers[:1] and lowers[0] in _OPENERS_HE:
        return not any(map(hebrew_talk.states_of_it, lowers[1:], lowers[2:], (*lowers[3:], "")))
    if not _NEXT_HE.isdisjoint(lowers):
        # `השלבים הבאים`, but not `התרופות הבאות נכשלו` and `מותר במקרים הבאים`
        return lowers[-1] in _NEXT_HE and (lowers[0], *lowers)[-2][0] not in "בלמ"
    if any(":" in word.gap for word in sentence.words[1:]):
        return False
    first = next((i for i in range(len(lowers)) if lowers[i] not in _OPENERS | en.BE), 0)
    told = frozenset(lowers[first:])
    counts = has_digit(told)
    person = next((i for i, word in enumerate(lowers) if word in _FIRST_PERSON | _SECOND_PERSON), 0)
    if not told.isdisjoint(_ANNOUNCED_WH & {*lowers[first : first + 1]}):
        owns = lowers[first] == "what" and sentence.lower(person) == "you"
        return not (counts or owns) or (person > 0 and not _tells_a_deed(sentence, person))
    if person:
        return not _tells_a_deed(sentence, person)
    if "your" in told:
        # `a plan that fits your needs`, not `your orders that failed`
        return not any(is_past(behind) and word in _RELATIVES for word, behind in pairwise(lowers))
    if "without" in told and (counts or not _COUNTS.isdisjoint(told)):
        return False
    head = first + (lowers[first : first + 1] != () and lowers[first] in en.DETERMINERS)
    if not _CODE_NOUNS.isdisjoint(lowers[head : head + 1]) and "who" not in told:
        return not any(is_past(word) or word in en.BE for word in lowers[head + 1 :])
    # `some tips that can help`
    of_use = lowers[-1] in _OF_USE | _POINTED_AT
    tail = 3 if lowers[-2:-1] and lowers[-2] in en.MODALS | en.BE else 2
    end = len(lowers) - tail * (of_use and lowers[-tail:][0] in ("that", "which"))
    return not any(_states_of_it(sentence, i) for i in range(first + 1, end))


def _tells_a_deed(sentence: Sentence, person: int) -> bool:
    """Whether it tells what the reader or the writer did, beside asking and answering.

    `Here are the clerks you promoted`, `the ring you found in 1950`; not `the file you sent`.
    """
    verb = person + 1
    while sentence.lower(verb) in ("have", "had", "never", "also") or is_adverb(
        sentence.lower(verb)
    ):
        verb += 1
    while sentence.lower(verb) in en.MODALS and sentence.lower(verb + 1):
        verb += 1
    word = sentence.lower(verb)
    if word not in _HANDLED:
        does = is_past(word) or word in _PARTICIPLES or sentence.lower(person) == "you"
        return does and word not in en.MODALS | _OF_READER
    behind = sentence.lower(verb + 1)
    if sentence.lower(person) == "you" and behind and behind not in _TO_WRITER | {"and", "or"}:
        return True
    if behind == "to" and sentence.lower(verb + 2) not in ("me", "us"):
        return True
    later = sentence.lowers[verb:]
    return any(when[0].isdigit() and before in en.PREPOSITIONS for before, when in pairwise(later))


def _states_of_it(sentence: Sentence, at: int) -> bool:
    """Whether a word begins or ends what is said of what stands before it: a relative clause,
    with its word or without, or a participle."""
    before, word, behind = (sentence.lower(i) for i in (at - 1, at, at + 1))
    if word in _RELATIVES:
        return bool(behind)
    if word in en.DETERMINERS | en.PRONOUNS:
        # `the war the king lost`
        joined = before in en.PREPOSITIONS | en.BE | _ANNOUNCED_WH or sentence.words[at].gap != " "
        joined = joined or before in ("and", "or", "all") or before.endswith("ing")
        return not (joined or is_finite(sentence, at - 1))
    if word in _POINTED_AT or not (is_finite(sentence, at) or word in _PARTICIPLES):
        return False
    # `a rundown of what happened`, `the steps involved`, `facts supported by the sources`
    from_source = word in _QUOTED and not _SOURCES.isdisjoint(sentence.lowers[at:])
    if before in _ANNOUNCED_WH or (word in _NEEDED and not behind) or from_source:
        return False
    # `a detailed summary`
    ends = not behind or behind in en.PREPOSITIONS | en.DETERMINERS or is_adverb(behind)
    return ends or word in en.AUXILIARIES


def goes_on_in_names(stem: str) -> bool:
    """Whether the items below an open line are things: `The kit includes`, not `You must`."""
    return stem.rpartition(" ")[2].lower() in _HOLDING


def is_bare_answer(content: str) -> bool:
    """Whether it says yes or no to a question and nothing more."""
    return content.strip(".!。！ ").lower() in _YES_OR_NO


def _clauses(sentence: Sentence) -> list[Sentence]:
    """The sentence cut before each clause that may be talk by itself, and behind greetings."""
    cuts = [0]
    for i in range(1, len(sentence.words)):
        gap = sentence.words[i].gap
        joined = sentence.lower(i) in ("but", "and", "so", "אבל", "אך") and "," in gap
        if joined or any(c in gap for c in ";!—–"):
            cuts.append(i)
    ends = [*cuts[1:], len(sentence.words)]
    return [sentence.up_to(end).from_word(start) for start, end in zip(cuts, ends, strict=True)]


def _announces(sentence: Sentence, language: str, before_more: bool) -> bool:
    """Whether a line that ends in a colon says nothing that the lines below do not say."""
    if before_more and sentence.lowers[-1] in _HOLDING:
        return True
    if language == "he":
        if sentence.lower(0) in _OPENERS_HE and not _only_announces(sentence):
            return False
        if _counts(sentence) and _POINTERS_HE.isdisjoint(sentence.lowers):
            return False
        plain = (he.PASTS | he.PREDICATES | he.PRONOUNS).isdisjoint(sentence.lowers)
        return not _POINTERS_HE.isdisjoint(sentence.lowers) or (before_more and plain)
    lowers = sentence.lowers
    if lowers[0] in _OPENERS and not _only_announces(sentence):
        return False
    if lowers[0] in _OPENERS | _WH_OPENERS:
        return True
    if lowers[-1] in _DANGLING or _first_person(sentence):
        return True
    if is_title(sentence):
        return True
    # `There are several reasons:`; a number or a name would be a statement.
    named = any(not word.text.islower() for word in sentence.words[1:])
    return before_more and not (named or _counts(sentence))


def _counts(sentence: Sentence) -> bool:
    """Whether it says how many things there are: `The museum has three floors:`."""
    lowers = sentence.lowers
    # `בין שני הכרטיסים` is of two that are known.
    counts = any(
        lowers[i] in _COUNTS and not lowers[i + 1].startswith("ה") for i in range(len(lowers) - 1)
    )
    # `The process has three stages:` is one of a process.
    of_itself = not (_OPENING_COUNTS | _COUNTS).isdisjoint(lowers[:1]) or "following" in lowers
    return counts and not (of_itself and not COUNTED.isdisjoint(lowers))


def is_title(sentence: Sentence) -> bool:
    """Whether a line is a noun phrase, as far as can be seen: `Key points:`, not `Whales eat:`."""
    words = sentence.words
    if sentence.lower(0) in _WH_OPENERS:
        return True
    if len(words) > MAX_TITLE_WORDS or sentence.lower(0) in en.PRONOUNS:
        return False
    bound = next((i for i in range(1, len(words)) if words[i].lower in _BINDERS), len(words))
    # `Frequently asked questions`: without a subject before it, no verb.
    first = 2 if is_adverb(sentence.lower(0)) and len(words) > 2 else 0
    if any(is_finite(sentence, i) for i in range(first, bound)):
        return False
    return not any(_may_be_plural_verb(sentence, i + 1) for i in range(bound - 1))


def _may_be_plural_verb(sentence: Sentence, at: int) -> bool:
    """Whether a word may be the verb of a plural: `Whales eat`, not `singles winners`."""
    noun, word = sentence.words[at - 1], sentence.words[at]
    plain = noun.text.islower() or (at == 1 and noun.text[1:].islower())
    plural = plain and noun.lower.endswith("s") and noun.text.isalpha()
    if not plural or noun.lower in en.PREPOSITIONS or word.gap != " ":
        return False
    function = en.PREPOSITIONS | {"and", "or"}
    return word.text.islower() and not word.lower.endswith("s") and word.lower not in function


def says_itself(sentence: Sentence, language: str) -> bool:
    """Whether a clause greets, offers, points, or says what the sources leave out."""
    said = " ".join(sentence.lowers)
    if sentence.lower(0) in _OPENERS | _OPENERS_HE and not _only_announces(sentence):
        return False
    if WINDOW.match(said) and not _joins_statement(sentence):
        return True
    if sentence.behind_label == 1 and said.startswith(("source", "reference")):
        return not _SOURCES.isdisjoint(sentence.lowers[1:])
    if language == "he":
        return hebrew_talk.says_itself(sentence, _behind_openers(sentence))
    count = len(sentence.words)
    plain = not any(is_finite(sentence, i) for i in range(1, count))
    if sentence.lower(sentence.lower(0) == "my") in _APOLOGIES and plain:
        return True
    sentence = main_clause(sentence)
    opening = " ".join(sentence.lowers[:MAX_GREETING_WORDS])
    if len(sentence.words) < MAX_GREETING_WORDS and opening in en.GREETINGS:
        return True
    beside = _states_beside(sentence)
    if opening.startswith(en.CLOSINGS) and not beside:
        return True
    pointed = sentence.lower(0) in _OPENERS
    if opening.startswith(_OPENINGS) and sentence.lower(2) not in ("where", "when"):
        return pointed or not beside
    thanks = sentence.lower(0) in ("hope", "thanks", "thank") and sentence.lower(1) not in en.BE
    # `Hope Street is closed`
    thanks = thanks and not (opening.startswith("hope") and sentence.words[1].text[0].isupper())
    # `Thanks to vaccines we live longer`
    thanks = thanks and (sentence.lower(1) != "to" or sentence.lower(2) == "you")
    if thanks and not beside:
        return True
    if (
        sentence.lower(0) in _WARM
        and not sentence.behind_label
        and not any(is_finite(sentence, i) for i in range(len(sentence.words)))
        and not _has_plural_subject(sentence)
    ):
        return True
    if sentence.lower(0) == "this" and "not" in sentence.lowers[1:4]:
        return sentence.lowers[-1] == "advice"
    return _first_person(sentence) and not _tells_that(sentence)


def _states_beside(sentence: Sentence) -> bool:
    """Whether words of thanks or of what was asked hold a number, or a statement beside them:
    `Thanks to the dam, the town was saved.`"""
    clause = range(sentence.first_comma + 1, len(sentence.words))
    says = _joins_statement(sentence) or any(may_be_third(sentence, i) for i in clause)
    return says or has_digit(sentence.lowers) or _says_of_it(sentence, sentence.first_comma)


def _has_plural_subject(sentence: Sentence) -> bool:
    """Whether the second word may be a subject of the third: `Great whales migrate south`, not
    `Great points on the lease`."""
    noun, behind = sentence.lower(1), sentence.lower(2)
    plural = noun.endswith("s") and not noun.endswith(("ss", "'s")) and noun not in _NO_VERBS
    return plural and behind.isalpha() and behind not in _NO_SUBJECTS_BEFORE


def _joins_statement(sentence: Sentence) -> bool:
    """Whether a mark or a conjunction joins a statement on something else to talk: `I read the
    lease and the fee doubled`, not `I read the lease and found it`."""
    for at in range(1, len(sentence.words)):
        apart = not (sentence.words[at].inside or _APART.isdisjoint(sentence.words[at].gap))
        if not (apart or sentence.lower(at) in _JOINING):
            continue
        if apart and sentence.lower(at) in _RELATIVES:
            return True
        first = at + (sentence.lower(at) in _JOINING)
        speaks = sentence.lower(first) in _FIRST_PERSON | _SECOND_PERSON
        if not (speaks or is_finite(sentence, min(first, len(sentence.words) - 1))) and _states(
            sentence, first
        ):
            return True
    return False


def _states(sentence: Sentence, first: int) -> bool:
    """Whether a clause with a finite verb begins at a word, before one that asks."""
    for i in range(first, len(sentence.words)):
        if sentence.lower(i) in _ASKING:
            return False
        if i > first and (is_finite(sentence, i) or _takes_object(sentence, i)):
            return True
    return False


def _takes_object(sentence: Sentence, at: int) -> bool:
    """Whether a third-person form stands before what it is said of: `hits the mark`, not `more
    details on fees`."""
    behind = sentence.words[at + 1] if at + 1 < len(sentence.words) else None
    goes_on = behind is not None and behind.gap == " " and behind.lower not in en.PREPOSITIONS
    return goes_on and may_be_third(sentence, at)


def _says_of_it(sentence: Sentence, at: int) -> bool:
    """Whether a pronoun has its verb right behind it: `it works`, `it's cheap`."""
    subject, _, short = sentence.lower(at).partition("'")
    at += is_adverb(sentence.lower(at + 1))
    verb = sentence.lower(at + 1)
    third = verb.endswith("s") and len(verb) > len("its") and verb not in _NO_VERBS
    says = bool(short) or third or (bool(verb) and is_finite(sentence, at + 1))
    return says and subject in en.PRONOUNS - _FIRST_PERSON - _SECOND_PERSON


def _tells_that(sentence: Sentence) -> bool:
    """Whether the one who answers tells what is so, or how much of something to take: `I can
    confirm that it burned`, `I recommend 40 mg`; not `I cannot confirm that ...`."""
    lowers = sentence.lowers
    told = next((i for i, word in enumerate(lowers) if word in _REPORTING), len(lowers))
    before = lowers[:told]
    denies = not {"not", "cannot", "unable"}.isdisjoint(before)
    denies = denies or any(word.endswith("n't") for word in before)
    opens = told + 1 + (sentence.lower(told + 1) in _YOU and told + 2 < len(lowers))
    opens += sentence.lower(opens) == "that" and opens + 1 < len(lowers)
    speaks = sentence.lower(opens) in _FIRST_PERSON | _SECOND_PERSON
    states = _states(sentence, opens) or _states(sentence, told + 1) or _says_of_it(sentence, opens)
    if not (denies or speaks) and states:
        return True
    if not denies and _joins_statement(sentence):
        return True
    # `I'd say the lease ends in May`
    says = sentence.lower(told) in _SAYING and _ASKING.isdisjoint(lowers[opens:])
    ends = range(opens + 2, len(lowers))
    if says and not (denies or speaks) and any(may_be_third(sentence, i) for i in ends):
        return True
    advises = not _ADVISING.isdisjoint(lowers[1:4])
    counted = lowers if advises else () if denies else lowers[told:]
    return has_digit(counted) or (advises and not _COUNTS.isdisjoint(counted))


def main_clause(sentence: Sentence) -> Sentence:
    """The sentence without a conjunction, a regret, or a condition before its main clause."""
    first = _behind_openers(sentence)
    if first == len(sentence.words):
        return sentence
    sentence = sentence.from_word(first)
    label = sentence.behind_label
    if label and sentence.lower(label) in _FIRST_PERSON and "note" in sentence.lowers[:label]:
        sentence = sentence.from_word(label)
    opening = " ".join(sentence.lowers[:3])
    if sentence.lower(0) in en.CONDITIONALS or opening.startswith(("based on", "as an ai")):
        comma = sentence.first_comma
        return sentence.from_word(comma) if comma < len(sentence.words) else sentence
    return sentence


def _behind_openers(sentence: Sentence) -> int:
    """The first word behind regrets, conjunctions and what a comma sets off, or their number."""
    count = len(sentence.words)
    first = 0
    while first < count:
        comma = first + 1 < count and "," in sentence.words[first + 1].gap
        # `You're right, I misread it.`
        agreed = sentence.lowers[first : first + 2] == ("you're", "right")
        if agreed and first + 2 < count and "," in sentence.words[first + 2].gap:
            first += 2
        elif sentence.lower(first) in _SOFTENERS or (
            comma and sentence.lower(first) in _INTERJECTIONS
        ):
            first += 1
        else:
            break
    return first


def _first_person(sentence: Sentence) -> bool:
    """Whether the answer speaks of itself: `I can't tell ...`, `I have only seen ...`."""
    opening = sentence.lower(0)
    if opening not in _FIRST_PERSON or sentence.words[0].text == "i":
        return False
    at = 1
    while is_adverb(sentence.lower(at)) or sentence.lower(at) in ("only", "very", "so", "really"):
        at += 1
    near = frozenset(sentence.lowers[at : at + 5])
    # `I haven't tested it`, `I'm not a doctor`; `I cannot claim a refund` may be the reader.
    lowers = sentence.lowers
    if "not" in lowers[1:3] and (opening == "i'm" or lowers[1] == "am"):
        role = lowers[lowers.index("not") + 1 :][:1]
        return role in (("a",), ("an",)) or not _STATES.isdisjoint(near)
    if lowers[1:2] and lowers[1] in _NOT_DONE and not _DONE.isdisjoint(near):
        return True
    if not _ERRING.isdisjoint(near) or lowers[at : at + 2] == ("left", "out"):
        return True
    if opening == "i'm" or sentence.lower(at) == "am":
        return not _STATES.isdisjoint(near)
    willing = opening in ("i'll", "i'd") or sentence.lower(at) in en.MODALS
    if willing and not (_ANSWERING.isdisjoint(near) and _YOU.isdisjoint(sentence.lowers)):
        return True
    if sentence.lower(at) in _ADVISING:
        return True
    if opening == "i'd" or sentence.lower(at) == "would":
        # An opinion or a wish: `I'd go for the second one.`
        return "have" not in near
    # `I have read the abstract`, `I found no mention`; not `I have read a novel`.
    informed = not _INFORMATION.isdisjoint(sentence.lowers[at:])
    named = informed or not _SOURCES.isdisjoint(sentence.lowers[at:])
    return (named and not _READING.isdisjoint(near)) or (informed and "have" in near)
