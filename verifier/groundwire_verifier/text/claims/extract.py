"""The one entry point: a text into its claims.

Composes blocks, protected regions, citations, sentences, speech acts, confidence and clauses.
Does not judge claims, and knows no sources beyond their ids.

A claim's span holds its own characters. Citations at its ends are outside of it, and so is a
full stop that stands behind a citation (`It returns 42 [S0].`); citations within it are inside
of it. Words that state a confidence about the rest (`I think that ...`) are outside as well.
A citation belongs to the sentence that it stands in or behind; in a paragraph that starts with
one and does not end with one, it belongs to the sentence that it stands before. The citations of
a paragraph that holds nothing else belong to the sentence before it.
"""

import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice

from groundwire_verifier.domain.claims import (
    Citation,
    Claim,
    ClaimOptions,
    Ending,
    NonAssertive,
    Span,
)
from groundwire_verifier.text.claims.absences import (
    MAX_ABSENCE_WORDS,
    Piece,
    as_question,
    find_absences,
)
from groundwire_verifier.text.claims.answer_talk import (
    COUNTED,
    goes_on_in_names,
    is_bare_answer,
    is_open_line,
    is_talk,
    is_title,
    leads,
    points_below,
    qualifies,
)
from groundwire_verifier.text.claims.clauses import Part, split_clauses
from groundwire_verifier.text.claims.confidence import Hit, covers_all, decide, find_confidence
from groundwire_verifier.text.claims.frames import citation_frame, strip_frame
from groundwire_verifier.text.claims.markup.blocks import (
    MAX_TITLE_LINE_CHARACTERS,
    STEP_TITLES,
    Block,
    BlockKind,
    find_blocks,
    first_word,
    looks_like_code,
    names_a_part,
)
from groundwire_verifier.text.claims.markup.boundaries import find_sentences
from groundwire_verifier.text.claims.markup.canvas import Canvas
from groundwire_verifier.text.claims.markup.citation_places import attach, share
from groundwire_verifier.text.claims.markup.citations import CitationReader, TooManyIdsError
from groundwire_verifier.text.claims.markup.html import as_markdown
from groundwire_verifier.text.claims.markup.left_out import find_left_out
from groundwire_verifier.text.claims.speech_acts import Place, speech_act
from groundwire_verifier.text.claims.tables import (
    Columns,
    Value,
    columns_of,
    values_of,
    without_tick,
)
from groundwire_verifier.text.claims.wording import english as en
from groundwire_verifier.text.claims.wording.absences_elsewhere import OPPOSING, missing_in
from groundwire_verifier.text.claims.wording.elsewhere import NUMBERS_ELSEWHERE, VERBS_ELSEWHERE
from groundwire_verifier.text.claims.wording.english import NUMBERS
from groundwire_verifier.text.claims.wording.english_verbs import (
    is_finite,
    is_past,
    may_be_third,
)
from groundwire_verifier.text.claims.wording.hebrew import (
    OPEN_WORDS,
    PASTS,
    PREDICATES,
    PRONOUNS,
    QUESTION_WORDS,
)
from groundwire_verifier.text.claims.wording.sentence import (
    GENERIC,
    Sentence,
    language_of,
    latin_characters,
    read_words,
    rules_for,
    word_set,
)

DEFAULT_OPTIONS = ClaimOptions()
MAX_REPEATED_CHARACTERS = 300
"""A longer question or line is not repeated in what follows it."""

MAX_ROWS_AHEAD = 8
"""How many rows of a table are looked at before the first one is read."""

MAX_TITLE_CHARACTERS = 120
MAX_ITEM_CHARACTERS = 80
MAX_TITLE_WORDS_HE = 8
MAX_GENERIC_TITLE_CHARACTERS, MAX_MARKED_TITLE_CHARACTERS = 20, 40
"""Of a language without rules: what is longer may hold a verb; the second where it is marked."""

_ENDS = (".", "!", "…", "。", "！", "।", "۔")
_CALCULATING = frozenset("=≈<>≤≥→×÷")
_AMOUNTS = frozenset("%$€£¥₪")
_LINE_ENDS = (".", "!", "?", "…", ":", ";", ",", "：", "。")
_MARKS = " \t\r\n*_`\"”'’)]}"
_UNFINISHED = (",", "(", "[", "-", "–", "\u05be", "/", "=", "+")
SENTENCE_ENDS = (".", "!", "?", "…", ":", ";", "。", "！", "？", "।", "؟", "۔", "]", "】")
"""What a sentence ends with, a citation behind it included."""

_NUMBERED = re.compile(r"(?:[-*•] ?)?(?:\[[\w-]{1,32}\]|\([0-9]{1,3}\)|[0-9]{1,3}[.)])[:.]?")
_MARKER = re.compile(rf"[-*•]|{_NUMBERED.pattern}")
_FILES = (
    ".pdf", ".md", ".txt", ".doc", ".docx", ".odt", ".rtf", ".htm", ".html", ".csv", ".json",
    ".xls", ".xlsx", ".ppt", ".pptx", ".yml", ".yaml", ".xml",
)  # fmt: skip
_RELATIVE = re.compile(r"^(?:which|who) ")
DANGLING = word_set(
    "the a an its their his her my your our of from to with by at for into between during under "
    "about against and or but because although while whereas if that which who whose than as very "
    "until within per every via upon among "
    "בשעה תוך במשך לאחר לפני עד בגלל למרות בזכות לפי לגבי בעקבות אודות "
    "של את על עם אל מן בין כי או אבל אשר כדי ושל ואת ועם"
)
"""Words that no sentence without a mark at its end ends with, but one that was cut off."""

_DANGLING_ELSEWHERE = {
    "de": word_set(
        "der die den dem des eine einen einem einer eines und oder von vom für im zum zur "
        "sowie dass weil"
    ),
    "fr": word_set("le la les un une des du de et ou à au aux dans par avec que qui dont est sont"),
    "es": word_set("el la los las un una unos unas de del y o con por para que es son"),
    "it": word_set(
        "il lo la i gli le un una di del della dei delle e o con per che è sono nel nella"
    ),
    "pt": word_set("o a os as um uma de do da dos das e ou com por para que é são no na"),
    "nl": word_set("de het een en of van voor met dat die is zijn"),
    "ru": word_set("и в на с из от для что или"),
}
_HANGING = word_set(
    "includes include contains contain costs cost requires require comprises equals offers covers "
    "provides gives means allows states has have had is are was were must should would could can "
    "will may might "
    "כולל כוללת כוללים כוללות מכיל מכילה הוא היא הם הן ידי מ ל ש ו כ "
    "kostet beträgt enthält umfasst bietet ist sind war hat wird muss kann "
    "coûte comprend contient inclut doit cuesta incluye contiene debe costa include contiene "
    "custa inclui contém kost bevat omvat bedraagt heeft стоит включает содержит"
)
"""Verbs that say nothing yet: a sentence with no other verb was cut off behind one of them."""
_ASKING_BEFORE = en.WH | word_set("that as than if whether so like מה מי מהו מהי כמה איפה היכן איך")

_NUMBERS_HE = (
    "שני|שתי|שניים|שתיים|שלושה|שלוש|ארבעה|ארבע|חמישה|חמש|שישה|שש|שבעה|שבע|שמונה|תשעה|תשע|עשרה|עשר"
)
_COUNTING = re.compile(
    r"(?:^|\s)(?:(?:at (?:least|most)|up to|(?:more|less|fewer) than|the (?:next|first|last)"
    rf"|another|לפחות|לכל היותר|יותר מ-?|פחות מ-?)\s?(?:{'|'.join(NUMBERS)}|{_NUMBERS_HE})"
    r"|בין השעות)$",
    re.IGNORECASE,
)
"""What counts something that is not said any more: `at least three`."""

_NUMBER_WORDS = NUMBERS | frozenset(_NUMBERS_HE.split("|"))
_HAPPENING = word_set("opens starts ends falls rises launches leaves stops runs")
_STATING_HE = word_set(
    "סגור סגורה סגורים סגורות פתוח פתוחה פתוחים פתוחות נפתח נפתחת נסגר נסגרת עולה עולים נמשך נמשכת "
    "נמשכים כולל כוללת כוללים מתחיל מתחילה מסתיים מסתיימת תקף תקפה תקפים נמצא נמצאת מותר מותרת "
    "אסור אסורה זמין זמינה חייב חייבת מגיע מגיעה נמכר נמכרת ניתן ניתנת מכסה שוקל שוקלת מספיק מספיקה"
)
_DUALS_HE = word_set("שעתיים יומיים שבועיים חודשיים שנתיים פעמיים מאתיים אלפיים")
_PARTS_HE = word_set("פרק שלב סעיף חלק נספח טבלה איור יחידה שיעור צעד")
YEAR_DIGITS = 4
MIN_COUNTING_WORDS = 3
MIN_LABELLED_CHARACTERS = 12
"""A shorter item with a label says little without the line above it: `Pro: $9`."""
_PREDICATING_HE = PASTS | PREDICATES | PRONOUNS


def extract_claims(text: str, options: ClaimOptions = DEFAULT_OPTIONS) -> tuple[Claim, ...]:
    """Find the claims of a text, in order, with their citations and confidence.

    What asserts nothing (a question, an instruction, code) is a claim too, and says why. Thoughts
    and text struck out are no part of it.
    """
    return tuple(iterate_claims(text, options))


def iterate_claims(
    text: str, options: ClaimOptions = DEFAULT_OPTIONS, max_ids: int = sys.maxsize
) -> Iterator[Claim]:
    """The same, one at a time, for a caller who stops at a limit.

    Raises TooManyIdsError once the text's citations name more than `max_ids` ids, ranges written
    out, or once the claims so far do: a citation may belong to many of them.
    """
    ids_left = max_ids
    for claim in _claims(as_markdown(find_left_out(text).without(text)), options, max_ids):
        for citation in claim.citations:
            ids_left -= len(citation.ids)
        if ids_left < 0:
            raise TooManyIdsError
        yield claim


def _claims(text: str, options: ClaimOptions, max_ids: int) -> Iterator[Claim]:
    held: list[Claim] = []
    loose: list[tuple[Citation, ...]] = []
    answer = _Answer(text, options, CitationReader(text, options.citations, max_ids))
    blocks = find_blocks(text)
    for i, block in enumerate(blocks):
        for group in answer.groups_of(block, blocks[i + 1 : i + 1 + MAX_ROWS_AHEAD]):
            if isinstance(group, tuple):
                loose.append(group)
                continue
            yield from _with_loose(held, loose)
            held, loose = answer.joined(held, group), []
    yield from _with_ending(_with_loose(held, loose), text)


def _with_ending(claims: list[Claim], text: str) -> list[Claim]:
    """The text's last claims; the last of them says how it ends."""
    if not claims or claims[-1].non_assertive in (NonAssertive.HEADING, NonAssertive.CODE):
        return claims
    last = claims[-1]
    behind = text[last.span.end :].strip(_MARKS)
    own = last.span.of(text).rstrip(_MARKS)
    if behind or own.endswith(SENTENCE_ENDS) or not own:
        return claims
    before, _, line = text[: last.span.start].rpartition("\n")
    dangles = _dangles(own, last.language, is_item=bool(_MARKER.fullmatch(line.strip())))
    before = before if _NUMBERED.fullmatch(line.strip()) else before + line
    behind_end = before.rstrip().endswith(SENTENCE_ENDS)
    if own.endswith(_UNFINISHED) or dangles or (behind_end and _COUNTING.search(own[-60:])):
        ending = Ending.CUT
    else:
        ending = Ending.OPEN if behind_end else Ending.WHOLE
    return [*claims[:-1], replace(last, ending=ending)]


def _names_a_file(line: str) -> bool:
    """Whether the number of a source and the name of its file stand alone in a line."""
    label = _NUMBERED.match(line.strip())
    name = line.strip()[label.end() :].strip() if label else ""
    return name.lower().endswith(_FILES) and " " not in name


def _dangles(own: str, language: str, *, is_item: bool) -> bool:
    """Whether the last word of a sentence without an end asks for another one."""
    sentence = read_words(
        own[-MAX_REPEATED_CHARACTERS:], Span(0, len(own[-MAX_REPEATED_CHARACTERS:]))
    )
    lowers = sentence.lowers
    if not lowers:
        return False
    generic = rules_for(language) == GENERIC
    words = _DANGLING_ELSEWHERE.get(language, frozenset()) if generic else DANGLING
    if own.rsplit(maxsplit=1)[-1].lower() in words:
        return True
    before = range(len(lowers) - 1)
    # `- Travel costs`, `- The trip costs`
    names = is_item and lowers[0] not in en.DETERMINERS | en.PRONOUNS
    if lowers[-1] not in _HANGING or not before or names:
        return False
    # `I know what it costs`, `It covers all costs`, `Yes, it is`.
    asked = not _ASKING_BEFORE.isdisjoint(lowers[:-1]) or lowers[-2] in en.PRONOUNS | en.DETERMINERS
    comma = sentence.first_comma < len(lowers)
    verbs = not generic and any(is_finite(sentence, i) or may_be_third(sentence, i) for i in before)
    return not (asked or comma or verbs)


def first_claims(
    text: str, options: ClaimOptions, count: int, max_ids: int
) -> tuple[Claim, ...] | None:
    """The first `count` claims, for a caller who has it done elsewhere.

    None if they cite more than `max_ids` ids.
    """
    try:
        return tuple(islice(iterate_claims(text, options, max_ids), count))
    except TooManyIdsError:
        return None


def _with_loose(claims: list[Claim], loose: list[tuple[Citation, ...]]) -> list[Claim]:
    """The last sentence's claims with the citations of the blocks that hold nothing else.

    The sentence's last claim gets those of all such blocks, its others those of the first one.
    """
    if not (claims and loose):
        return claims
    last = claims[-1]
    if last.non_assertive in (NonAssertive.HEADING, NonAssertive.CODE):
        return claims
    given = [c if c.citations else replace(c, citations=loose[0]) for c in claims[:-1]]
    return [*given, replace(last, citations=(*last.citations, *chain.from_iterable(loose)))]


@dataclass(frozen=True, slots=True)
class _Lead:
    """A line that says what the items below it are of.

    It may state something, head them as a title does, or deny or limit what they say.
    """

    line: str = ""
    states: bool = False
    heads: bool = False
    qualifies: bool = False

    def lets_stand(self, item: "_Statement", content: str) -> bool:
        """Whether an item below says enough by itself, and nothing else than with the line."""
        if not self.states or self.qualifies:
            return False
        says = content.count(" ") >= MIN_COUNTING_WORDS and (self.heads or item.is_clause())
        return says or (": " in content and len(content) > MIN_LABELLED_CHARACTERS)

    def over(self, claim: Claim) -> Claim:
        """An item that says little without the line: `The north pool`, `- opens at 7`."""
        content = claim.content
        apart = content.endswith((".", "!")) or len(content) > MAX_ITEM_CHARACTERS
        if claim.non_assertive or (apart and not self.qualifies):
            return claim
        if len(self.line) > MAX_TITLE_CHARACTERS:
            return claim
        joint = "," if ": " in content else ":"
        return replace(claim, content=f"{self.line}{joint} {content}")


class _Answer:
    """What one block of a text has to know of those before it."""

    def __init__(self, text: str, options: ClaimOptions, reader: CitationReader) -> None:
        self._text = text
        self._options = options
        self._reader = reader
        self._columns = Columns()
        self._stem = ""
        self._lead = _Lead()
        self._over: list[tuple[int, _Lead]] = []
        self._in_step = False

    def groups_of(
        self, block: Block, followers: Sequence[Block]
    ) -> Iterator[list[Claim] | tuple[Citation, ...]]:
        """The claims of each sentence, or the citations of a block that holds no sentence."""
        text = self._text
        follower = followers[0] if followers else None
        inner = block.span.of(text)
        if block.kind is BlockKind.CODE or looks_like_code(inner.split("\n")):
            self._stem = ""
            yield list(_code(text, block))
            return
        canvas = Canvas.of_block(text, block, self._reader, self._options.languages)
        if follower is not None and follower.header == block.span:
            rows = [each.span.of(text) for each in followers if each.header == block.span]
            self._columns = columns_of(canvas, rows)
        values = values_of(canvas, self._columns, self._options.languages) if block.header else []
        if values:
            yield list(_row(canvas, block, values, self._options))
            return
        language = language_of(inner, self._options.languages)
        if all(map(_names_a_file, inner.strip().split("\n"))):
            # `[1] mast.pdf` under an answer says which source a number is.
            block = replace(block, kind=BlockKind.REFERENCE)
        elif block.kind is BlockKind.REFERENCE and not _is_entry(canvas, language):
            block = replace(block, kind=BlockKind.PARAGRAPH)
        elif not canvas.citations and _is_title_line(canvas, block, follower, language):
            block = replace(block, kind=BlockKind.HEADING)
        if block.kind is BlockKind.HEADING:
            self._in_step = first_word(inner) in STEP_TITLES
        elif self._in_step and block.kind is BlockKind.PARAGRAPH:
            block = replace(block, ordered=True)
        stem, lead = self._above(block)
        pairs = sentence_places(canvas, block, language)
        if not pairs and canvas.citations:
            yield canvas.citations
        for (place, own), citations in zip(pairs, attach(canvas.citations, pairs), strict=True):
            statement = _Statement(
                canvas, block, place, own, citations, self._options, follower is not None
            )
            completes = stem and not (goes_on_in_names(stem) and statement.is_clause())
            whole = statement.whole()
            found = [_behind_stem(stem, whole)] if completes else list(statement.claims())
            if lead.line and not (completes or lead.lets_stand(statement, whole.content)):
                found = [lead.over(each) for each in found]
            self._look_below(block, found, whole.content)
            yield found
            stem, lead = "", _Lead()

    def _look_below(self, block: Block, found: Sequence[Claim], line: str) -> None:
        """Keep a title within a list, or a line that says what the items below it are of."""
        if len(found) != 1:
            return
        kind = found[0].non_assertive
        # `Not included:`, but not `I do not know the price, but here is what I found:`
        lacks = kind is NonAssertive.ABSENCE and "," not in line
        heading = kind is NonAssertive.HEADING or (lacks and not line.endswith(SENTENCE_ENDS))
        below = kind in (NonAssertive.LEAD_IN, None) or heading or lacks
        if not ((heading and block.indent) or (below and leads(f"{line}:" if heading else line))):
            return
        line = line.rstrip(": *_：")
        heads = heading or " " not in line
        states = (kind is None) != points_below(line) or heads
        lead = _Lead(line, states, heads, qualifies(read_words(line, Span(0, len(line)))))
        if not block.indent:
            self._lead = lead
            return
        outer = self._over[-1][1] if self._over else self._lead
        line = f"{outer.line}: {line}" if outer.qualifies else line
        within = replace(outer, line=line, qualifies=outer.qualifies or lead.qualifies)
        self._over.append((block.indent, within))

    def _above(self, block: Block) -> tuple[str, "_Lead"]:
        """The open line that an item completes, and what it stands below; both may be empty.

        A title of a list within the list stands above the items that are further in.
        """
        if block.kind is not BlockKind.ITEM and not block.indent:
            self._stem, self._lead = "", _Lead()
            self._over = []
            return "", _Lead()
        # A number takes one column more than a dash.
        while self._over and self._over[-1][0] + block.ordered >= block.indent:
            self._over.pop()
        lead = self._over[-1][1] if self._over else self._lead
        return self._stem if block.kind is BlockKind.ITEM else "", lead

    def joined(self, before: Sequence[Claim], group: list[Claim]) -> list[Claim]:
        """A sentence's claims with what they need of the sentence before them."""
        if len(group) != 1:
            return group
        (claim,) = group
        if claim.non_assertive is not NonAssertive.LEAD_IN:
            return group
        if is_open_line(claim.content) and len(claim.content) <= MAX_REPEATED_CHARACTERS:
            self._stem = claim.content.rstrip(": ")
        question = before[-1] if before else None
        if (
            question is not None
            and question.non_assertive is NonAssertive.QUESTION
            and is_bare_answer(claim.content)
            and len(question.content) <= MAX_REPEATED_CHARACTERS
        ):
            content = f"{question.content} {claim.content}"
            return [replace(claim, content=content, non_assertive=None)]
        return group


def sentence_places(canvas: Canvas, block: Block, language: str) -> list[tuple[Span, Span]]:
    """Where each sentence of a block stands, and its own characters."""
    whole = block.kind in (BlockKind.HEADING, BlockKind.ROW, BlockKind.REFERENCE)
    masked = canvas.masked
    places = []
    for sentence in [Span(0, len(masked))] if whole else find_sentences(masked, language):
        place = Span(canvas.start + sentence.start, canvas.start + sentence.end)
        own = canvas.own(place)
        if own is not None:
            places.append((place, own))
    return places


def _behind_stem(stem: str, claim: Claim) -> Claim:
    """An item that goes on from the line above: `You must:`, `- give notice`."""
    first = claim.content[:1]
    first = first if goes_on_in_names(stem) else first.lower()
    content = f"{stem} {first}{claim.content[1:]}"
    return replace(claim, content=content if content.endswith((".", "!", "?")) else content + ".")


def _row(
    canvas: Canvas, block: Block, values: Sequence[Value], options: ClaimOptions
) -> Iterator[Claim]:
    """The claims of a row: one for each of its values."""
    spans = [value.span for value in values]
    whole = Span(spans[0].start, spans[-1].end)
    shared = share(canvas.citations, spans, whole)
    for value, citations in zip(values, shared, strict=True):
        statement = _Statement(canvas, block, value.cell, value.cell, citations, options)
        yield statement.as_value(value)


def _is_title_line(canvas: Canvas, block: Block, follower: Block | None, language: str) -> bool:
    """Whether a line without an end and without a verb stands over what follows it."""
    nested = (
        block.kind is BlockKind.ITEM
        and follower is not None
        and follower.kind is BlockKind.ITEM
        and follower.indent > block.indent
    )
    line = block.span.of(canvas.text)
    bold = line.startswith("**") and line.endswith("**") and line.count("**") == 2
    over = follower is not None and (
        block.kind is BlockKind.PARAGRAPH
        or (
            (bold or follower.span.start - block.span.end <= 1)
            and block.ordered
            and follower.kind is BlockKind.PARAGRAPH
        )
    )
    if not (nested or over) or block.span.end - block.span.start > MAX_TITLE_CHARACTERS:
        return False
    if (
        "\n" in line
        or not _CALCULATING.isdisjoint(line)
        or line.rstrip("*_ \r").endswith(_LINE_ENDS)
        or (
            ": " in canvas.masked
            and not (names_a_part(line) or _is_over_title(canvas.text, block, follower))
        )
    ):
        return False
    return _is_title(canvas, Span(block.span.start, block.span.end), language)


def _is_over_title(text: str, block: Block, follower: Block | None) -> bool:
    """Whether an empty line and a short line without an end follow: `Rome: the end`, `The siege`.

    The lines of a list of labels follow each other, or have colons of their own.
    """
    if follower is None or follower.kind not in (BlockKind.PARAGRAPH, BlockKind.HEADING):
        return False
    below = follower.span.of(text).strip("*_ \r")
    apart = text.count("\n", block.span.end, follower.span.start) > 1
    plain = "\n" not in below and ": " not in below and not below.endswith(_LINE_ENDS)
    return apart and plain and len(below) <= MAX_TITLE_LINE_CHARACTERS


def _is_title(canvas: Canvas, place: Span, language: str, *, marked: bool = False) -> bool:
    """Whether words hold no verb, as far as can be seen; `marked`: as those of a title are."""
    words = read_words(canvas.masked, Span(place.start - canvas.start, place.end - canvas.start))
    if rules_for(language) == GENERIC:
        short = _is_short(canvas.content(place), marked=marked)
        return short and not _states_elsewhere(words)
    if words.lowers[:1] and words.lowers[0].isdigit():
        # `1. Background`, but not `1889 - opened` nor `1889`.
        if len(words.words) == 1 or words.words[1].gap.strip() not in ("", ".", ")"):
            return False
        words = words.from_word(1)
    if not words.words:
        return False
    if _states_value(words, language):
        return False
    if language == "he":
        asks = words.lowers[0] in QUESTION_WORDS | OPEN_WORDS
        plain = asks or _PREDICATING_HE.isdisjoint(words.lowers)
        return plain and len(words.words) <= MAX_TITLE_WORDS_HE
    return is_title(words)


def _states_value(words: Sentence, language: str) -> bool:
    """Whether a line says how much something is, by a word that may be a verb, or a noun.

    `Admission costs 90 euros`, `האחריות נמשכת תשע שנים`; not `Annual costs 2026`.
    """
    lowers = words.lowers
    values = [
        i
        for i, word in enumerate(lowers)
        if word[0].isdigit() or word in _NUMBER_WORDS or word.lstrip("בלמ") in _NUMBER_WORDS
    ]
    if language == "he":
        # A definite subject and its predicate; or what is counted, and is no part of the answer.
        stated = lowers[0][0] == "ה" and lowers[1:2] and lowers[1] in _STATING_HE
        counted = [
            i
            for i in values
            if i + 1 < len(lowers) and lowers[i + 1][0] != "ה" and lowers[i + 1] not in COUNTED
        ]
        plain = len(lowers) >= MIN_COUNTING_WORDS and lowers[0] not in _PARTS_HE
        counts = bool(counted) or not _DUALS_HE.isdisjoint(lowers[1:])
        return bool(stated) or (plain and counts)
    last = values[-1] if values else 0
    for i in range(1, last):
        word = words.words[i]
        tied = lowers[i - 1] in en.DETERMINERS | en.PREPOSITIONS | {"and", "or"}
        verb = word.lower in en.THIRD | en.PLURAL_VERBS or is_past(word.lower)
        # `The library closes at five`: of one thing, at a time.
        verb = verb or (
            lowers[0] in en.DETERMINERS
            and word.lower.endswith("s")
            and not lowers[i - 1].endswith("s")
            and lowers[i + 1] in ("at", "until", "till")
        )
        # `Annual costs 2026` is of a year.
        year = last == i + 1 == len(lowers) - 1 and len(lowers[last]) == YEAR_DIGITS
        named = year and word.lower in en.THIRD - en.SURE_THIRD and word.lower not in _HAPPENING
        if verb and not (tied or named or word.inside):
            return True
    return False


def _states_elsewhere(words: Sentence) -> bool:
    """Whether a line of a language without rules holds a common verb, or counts."""
    lowers = frozenset(words.lowers)
    verb = not VERBS_ELSEWHERE.isdisjoint(words.lowers[1:-1])
    return verb or (
        len(words.words) > MIN_COUNTING_WORDS and not NUMBERS_ELSEWHERE.isdisjoint(lowers)
    )


def _is_short(content: str, *, marked: bool) -> bool:
    """Whether a line of a language without rules is too short for a statement, and no figure."""
    most = MAX_MARKED_TITLE_CHARACTERS if marked else MAX_GENERIC_TITLE_CHARACTERS
    figure = any(map(str.isdigit, content))
    return not figure and not content.endswith(_ENDS) and latin_characters(content) <= most


def _is_entry(canvas: Canvas, language: str) -> bool:
    """Whether a footnote or an entry of a list of sources asserts nothing, since it has no verb."""
    if rules_for(language) == GENERIC:
        return not canvas.masked.rstrip().endswith(_ENDS)
    words = read_words(canvas.masked, Span(0, len(canvas.masked)))
    if language == "he":
        return _PREDICATING_HE.isdisjoint(words.lowers)
    return not any(is_finite(words, i) for i in range(len(words.words)))


def _code(text: str, block: Block) -> Iterator[Claim]:
    lines = block.span.of(text).split("\n")
    if block.kind is BlockKind.CODE:
        # The opening fence always stands there; the closing one may be missing.
        lines = lines[1:-1] if lines[-1].strip("`~ \t\r>") == "" else lines[1:]
    code = "\n".join(lines).strip()
    inner = block.span.of(text)
    start = block.span.start + len(inner) - len(inner.lstrip())
    if any(c.isalnum() for c in code):
        yield Claim(
            content=code,
            span=Span(start, start + len(inner.strip())),
            citations=(),
            confidence=None,
            non_assertive=None if _is_calculation(code) else NonAssertive.CODE,
            language="en",
        )


def _is_calculation(code: str) -> bool:
    """Whether it has a result and no name: `7500 - 6489 = 1011`."""
    return "=" in code and not any(c.isalpha() for c in code)


@dataclass(frozen=True, slots=True)
class _Statement:
    """One sentence on its way to its claims."""

    canvas: Canvas
    block: Block
    place: Span
    own: Span
    citations: list[Citation]
    options: ClaimOptions
    before_more: bool = False
    is_part: bool = False
    """Whether it stood in a sentence beside something else."""

    def whole(self) -> Claim:
        """The sentence as one claim."""
        content = self.canvas.content(Span(self.own.start, self.place.end))
        if self.block.kind in (BlockKind.ROW, BlockKind.HEADING):
            content = content.strip("| ")
        if self.is_part:
            content = content.strip(" ,;:—–-(")
            unopened = content.count(")") > content.count("(")
            content = content.rstrip(").") if unopened else content
            content = _as_sentence(_RELATIVE.sub("it ", content))
        language = language_of(content, self.options.languages)
        return Claim(
            content=without_tick(content, language),
            span=self.own,
            citations=tuple(self.citations),
            confidence=None,
            non_assertive=None,
            language=language,
        )

    def _language_of_own(self) -> str:
        return language_of(self.own.of(self.canvas.text), self.options.languages)

    def is_clause(self) -> bool:
        """Whether the sentence has a verb of its own, as far as can be seen."""
        return not _is_title(self.canvas, self.own, self._language_of_own(), marked=True)

    def as_value(self, value: Value) -> Claim:
        """The claim of a table's cell."""
        claim = replace(self.whole(), span=value.span, content=value.content)
        language = language_of(value.content, self.options.languages)
        claim = replace(claim, language=language)
        start = self.canvas.start
        within = Span(value.cell.start - start, value.cell.end - start)
        sentence = read_words(self.canvas.masked, within, start)
        talks = sentence.words and is_talk(
            sentence, claim.language, cited=bool(self.citations), before_more=False
        )
        if talks and not is_bare_answer(self.canvas.content(value.cell)):
            return replace(claim, non_assertive=NonAssertive.LEAD_IN)
        hits = [] if rules_for(language) == GENERIC else find_confidence(sentence)
        return self._with_confidence(claim, hits)

    def claims(self) -> Iterator[Claim]:
        """The sentence's claims."""
        canvas, start = self.canvas, self.canvas.start
        whole = self.whole()
        content = whole.content
        heading = self.block.kind is BlockKind.HEADING
        if not heading and self._is_bold_heading(whole.language):
            yield replace(whole, non_assertive=NonAssertive.HEADING)
            return
        if not heading and canvas.is_code(self.own) and not _is_calculation(content):
            yield replace(whole, non_assertive=NonAssertive.CODE)
            return
        within = Span(self.own.start - start, self.place.end - start)
        sentence = read_words(canvas.masked, within, start)
        generic = rules_for(whole.language) == GENERIC
        hits = [] if generic else find_confidence(sentence)
        first, skip = (0, 0) if generic else strip_frame(sentence, hits)
        first = first or citation_frame(sentence, self.citations)
        statement = sentence.from_word(first)
        place = Place(self.before_more, self.block.ordered)
        act = speech_act(statement, whole.language, place, cited=bool(self.citations))
        if act is None and self.block.kind is BlockKind.REFERENCE:
            act = NonAssertive.LEAD_IN
        if heading and not self._heads_more_than_a_title(statement, act):
            yield replace(whole, non_assertive=NonAssertive.HEADING)
            return
        # `How long it lasts is not stated.` begins as a question does.
        may_lack = act in (None, NonAssertive.LEAD_IN) or (
            act is NonAssertive.QUESTION and statement.ends_as_statement
        )
        if may_lack and not (self.is_part or generic):
            pieces = find_absences(statement, whole.language)
            if pieces:
                yield from self._around_absences(whole, statement, pieces)
                return
        if act is None and generic:
            found = list(self._absences_elsewhere(whole, statement))
            if found:
                yield from found
                return
        if act is not None:
            yield replace(whole, non_assertive=act)
            return
        if content.endswith(":"):
            whole = replace(whole, content=content.rstrip(": ") + ".")
        if first or skip:
            whole = self._from(whole, statement.words[0].start + skip)
        splits = self.options.split_compounds and self.block.kind is not BlockKind.ROW
        splits = splits and not generic
        parts = split_clauses(statement, whole.language) if splits else []
        if len(parts) < 2:
            yield self._with_confidence(whole, hits, partly=not covers_all(sentence, hits))
            return
        yield from self._parts(whole, statement, parts, hits, first)

    def _absences_elsewhere(self, whole: Claim, statement: Sentence) -> Iterator[Claim]:
        """The claims of a sentence of a language without rules that is an absence, or begins so.

        Behind a comma and `but` it may state something.
        """
        lacking = missing_in(whole.content, whole.language)
        if lacking is not None:
            yield replace(whole, non_assertive=NonAssertive.ABSENCE, missing=lacking)
            return
        words, count = statement.words[:MAX_ABSENCE_WORDS], len(statement.words)
        for i in range(1, 0 if self.is_part else len(words) - 1):
            if "," in words[i].gap and words[i].lower in OPPOSING:
                place = Span(words[0].start, words[i - 1].end)
                if missing_in(self.canvas.content(place), whole.language) is not None:
                    absence = Piece(0, i, 0, states=False)
                    rest = Piece(i, count, i + 1, states=True)
                    yield from self._around_absences(whole, statement, [absence, rest])
                    return

    def _around_absences(
        self, whole: Claim, statement: Sentence, pieces: list[Piece]
    ) -> Iterator[Claim]:
        """The claims of a sentence that says that the sources do not say something."""
        words = statement.words
        ends = [*(words[each.first].start for each in pieces[1:]), whole.span.end]
        places = [
            Span(words[each.body].start + each.skip, end)
            for each, end in zip(pieces, ends, strict=True)
        ]
        spans = [self.canvas.own(place) or place for place in places]
        shared = share(self.citations, spans, whole.span)
        for piece, span, citations in zip(pieces, spans, shared, strict=True):
            if piece.states:
                part = replace(self, place=span, own=span, citations=citations, is_part=True)
                yield from part.claims()
                continue
            missing = ""
            if piece.missing[1]:
                first, last = words[piece.missing[0]], words[piece.missing[1] - 1]
                place = self.canvas.widen(Span(first.start + piece.missing[2], last.end))
                missing = as_question(self.canvas.content(place), whole.language)
            if len(pieces) > 1:
                part = replace(self, place=span, own=span, is_part=True)
                whole = replace(part.whole(), ending=whole.ending)
            missing = missing or missing_in(whole.content, whole.language) or ""
            yield replace(
                whole,
                citations=tuple(citations),
                non_assertive=NonAssertive.ABSENCE,
                missing=missing,
            )

    def _from(self, whole: Claim, start: int) -> Claim:
        """The claim without what stands before `start`."""
        span = self.canvas.widen(Span(start, start))
        span = Span(min(span.start, start), whole.span.end)
        content = self.canvas.content(Span(span.start, self.place.end))
        return replace(whole, span=span, content=_capitalised(content))

    def _parts(
        self,
        whole: Claim,
        statement: Sentence,
        parts: list[Part],
        hits: list[Hit],
        offset: int,
    ) -> Iterator[Claim]:
        spans = [self._span_of(statement, part) for part in parts]
        spans[0] = Span(whole.span.start, spans[0].end)
        spans[-1] = Span(spans[-1].start, whole.span.end)
        shared = share(self.citations, spans, whole.span)
        framing = [hit for hit in hits if hit.last <= offset]
        for part, span, citations in zip(parts, spans, shared, strict=True):
            own = [h for h in hits if offset + part.first <= h.first < offset + part.last]
            content = self._content_of(statement, part, span)
            claim = replace(whole, span=span, content=content, citations=tuple(citations))
            yield self._with_confidence(claim, own or framing)

    def _span_of(self, statement: Sentence, part: Part) -> Span:
        words = statement.words
        start = words[part.first].start
        if part.skip:
            start += part.skip
        else:
            start = self.canvas.widen(Span(start, start)).start
        final = words[part.last - 1]
        last = Span(final.start, final.end)
        end = self.canvas.widen(last).end
        return Span(start, max(end, last.end))

    def _content_of(self, statement: Sentence, part: Part, span: Span) -> str:
        words = statement.words
        rest = span if part.body is None else Span(words[part.body].start, span.end)
        content = self.canvas.content(rest)
        if part.subject is not None:
            first, last = part.subject
            place = Span(words[first].start, words[last - 1].end)
            subject = self.canvas.content(self.canvas.widen(place))
            if words[last].gap.startswith("."):
                subject += "."
            content = f"{subject} {content}"
        return _as_sentence(content)

    def _with_confidence(self, claim: Claim, hits: list[Hit], *, partly: bool = False) -> Claim:
        """The claim as sure as it says; `partly`: a clause of it does not say so of itself."""
        confidence = decide(hits)
        floor = self.options.min_assertion_confidence
        hedged = confidence is not None and confidence.value < floor and not partly
        return replace(
            claim,
            confidence=confidence,
            non_assertive=NonAssertive.HEDGED if hedged else None,
        )

    def _heads_more_than_a_title(self, statement: Sentence, act: NonAssertive | None) -> bool:
        """Whether words that are marked as a heading hold a verb, a label with a figure, a share
        or a price, or tell how much to do."""
        if act is not None:
            return _tells_how_much(statement, act)
        text = self.canvas.text
        line = text[text.rfind("\n", 0, self.own.start) + 1 : self.own.start]
        own = self.own.of(text)
        _, _, value = own.partition(": ")
        figure = any(c.isdigit() for c in value) or (
            not _AMOUNTS.isdisjoint(own) and any(c.isdigit() for c in own)
        )
        marked = "#" in line or self._is_underlined()
        return marked and (figure or self.is_clause())

    def _is_underlined(self) -> bool:
        """Whether a rule stands below, and words are not apart in the cells of a table."""
        text = self.canvas.text
        begin = text.find("\n", self.own.end) + 1
        end = text.find("\n", begin)
        below = text[begin : end if end >= 0 else len(text)] if begin else ""
        return (
            bool(below.strip()) and not below.strip("=-|: \t\r") and "|" not in self.whole().content
        )

    def _is_bold_heading(self, language: str) -> bool:
        """Whether bold words stand alone, or before the text that they are the title of."""
        text = self.own.of(self.canvas.text)
        inner = text[2:-2].rstrip()
        bold = text.startswith("**") and text.endswith("**") and "**" not in inner
        # Nobody cites a source for a title.
        if not bold or self.citations or inner.endswith(("!", "?")):
            return False
        alone = self.own.start == self.block.span.start and self.own.end == self.block.span.end
        if (":" in inner and not alone) or any(c.isdigit() for c in inner.partition(":")[2]):
            return False
        if inner.endswith(".") and inner.count(" ") >= MAX_TITLE_WORDS_HE:
            return False
        # Below other lines with labels it has no mark of a list.
        bare = self.block.kind is BlockKind.PARAGRAPH or (
            self.block.kind is BlockKind.ITEM and not self.block.indent and self.before_more
        )
        if alone and (inner.endswith(".") or not bare):
            return False
        if alone and language == "he":
            within = Span(self.own.start - self.canvas.start, self.own.end - self.canvas.start)
            words = read_words(self.canvas.masked, within)
            return not (words.words and _states_value(words, language))
        return _is_title(self.canvas, self.own, language, marked=True)


def _tells_how_much(sentence: Sentence, act: NonAssertive) -> bool:
    """Whether a sentence is an instruction with a number, behind a label such as `Step 2:`."""
    words = sentence.lowers[sentence.behind_label :]
    numbers = any(word in NUMBERS or any(map(str.isdigit, word)) for word in words)
    return act is NonAssertive.INSTRUCTION and numbers


def _as_sentence(content: str) -> str:
    end = "" if content.endswith((".", "!", "…")) else "."
    return _capitalised(content) + end


def _capitalised(content: str) -> str:
    word = content.split(maxsplit=1)[0].rstrip(",.").replace("'", "").replace("’", "")
    return content[0].upper() + content[1:] if word.isalpha() and word.islower() else content
