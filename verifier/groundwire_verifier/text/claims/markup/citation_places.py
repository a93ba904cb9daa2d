"""What stands around a citation, and which part of the text it belongs to.

What is written around a citation and means nothing without it, as in `(see [S0])`, is left out of
the content with it. One that is a word of its sentence, as in `[S0] says the tower is tall.` or
`the claim in [S0]`, stays. A citation belongs to the sentence that it stands in or behind; in a
block that starts with one and does not end with one, to the sentence that it stands before.
"""

import re
from collections.abc import Sequence

from groundwire_verifier.domain.claims import Citation, Span
from groundwire_verifier.text.claims.wording import citing
from groundwire_verifier.text.claims.wording.sentence import word_set

WINDOW = 48
"""How far before a citation its wrapping is looked for."""

_OPENINGS = (
    (
        re.compile(rf"[(（]\s?(?:{citing.LABEL}\s?:?\s?)?\Z", re.IGNORECASE),
        re.compile(r"\s?(?:による|より)?[)）]"),
    ),
    (re.compile(r"\[\Z"), re.compile(r"\]")),
    (re.compile(r"\*\*\Z"), re.compile(r"\*\*")),
    (re.compile(r"\*\Z"), re.compile(r"\*")),
    (re.compile(r"_\Z"), re.compile(r"_")),
    (re.compile(r"<sup>\Z"), re.compile(r"</sup>")),
)
_CARET = re.compile(r"\^\Z")
_TARGET = re.compile(r"\([^()\s]{1,2000}+\)")
_BETWEEN = re.compile(
    r"\s?(?:[,;&،、，]|and|or|und|oder|et|ou|y|e|o|en|of|и|или|و|和|与|と|ו-?|או)?\s?\Z"
)
_LINE_START = re.compile(r"(?:\A|\n)[ \t>]*+\Z")
_LABEL = re.compile(r"[ \t]?(?::|[-–—](?=\s))[ \t]?")
_SOURCE_LABEL = re.compile(
    rf"(?:\A|[.!?\n])\s{{0,{WINDOW}}}+({citing.LABEL}\s?:\s?)\Z", re.IGNORECASE
)
_LEAD_IN = re.compile(
    r"(?<=[^\s.!?…:])(?:"
    rf",?\s{{1,4}}(?:{citing.BEHIND_AT_THE_END}|(?P<anywhere>{citing.BEHIND_ANYWHERE}))"
    rf"|\s{{0,2}}[,;–—-]\s{{0,4}}{citing.BEHIND_A_COMMA}"
    rf"|[،，、]\s{{0,4}}{citing.BEHIND_A_WIDE_COMMA}"
    r")(?:\s{1,4}(?:the\s{1,4})?(?:sources?|documents?))?\s{0,4}\Z",
    re.IGNORECASE,
)
"""What leads to a citation behind a statement, and says nothing without it: `anywhere`, or where
nothing follows that belongs to it."""
_BEHIND_LEAD_IN = re.compile(r"\s{0,4}(?:[.!?…,;:)。，،]|\n|\Z)")
_END = re.compile(r"[^\S\n]*+(?:\.[^\S\n]*+)?(?:\n|\Z)")


def cuts_of(text: str, within: Span, citations: Sequence[Citation]) -> list[Span]:
    """The citations of a block as what is cut out of it, in order and without overlap."""
    cuts: list[Span] = []
    for i, run in enumerate(runs := runs_of(text, citations)):
        low = cuts[-1].end if cuts else within.start
        high = runs[i + 1].start if i + 1 < len(runs) else within.end
        cuts.append(_widen(text, run, Span(low, high), within))
    return cuts


def runs_of(text: str, citations: Sequence[Citation]) -> list[Span]:
    """Citations that only a comma or `and` stands between are cut out as one."""
    runs: list[Span] = []
    for citation in citations:
        span = citation.span
        if runs and span.start - runs[-1].end <= 6:
            between = text[runs[-1].end : span.start]
            if "\n" not in between and _BETWEEN.match(between):
                runs[-1] = Span(runs[-1].start, span.end)
                continue
        runs.append(span)
    return runs


def _widen(text: str, run: Span, limits: Span, within: Span) -> Span:
    start, end = run.start, run.end
    for _ in range(4):
        before = text[max(limits.start, start - WINDOW) : start]
        if text[end : end + 1] == "(" and (target := _TARGET.match(text, end, limits.end)):
            end = target.end()
            continue
        for opening, closing in _OPENINGS:
            found = opening.search(before)
            behind = closing.match(text, end, limits.end) if found else None
            if found and behind:
                start, end = start - len(found.group()), behind.end()
                break
        else:
            break
    if _CARET.search(text[max(limits.start, start - 1) : start]):
        start -= 1
    before = text[max(limits.start, start - WINDOW) : start]
    opens = start - len(before) == within.start or "\n" in before
    if opens and _LINE_START.search(before):
        label = _LABEL.match(text, end, limits.end)
        end = label.end() if label else end
    named = _SOURCE_LABEL.search(before)
    whole = named and (named.start() > 0 or start - len(before) == within.start)
    if named and whole and _END.match(text, end, within.end):
        start -= len(named.group(1))
    leading = _lead_in(text, Span(start, end), limits.start, within.end)
    if leading and text[start - leading] in ",،，" and text[end : end + 1] in (",", "،", "，"):
        # `The fee, according to [S0], is due.`
        end += 1
    return Span(start - leading, end)


def _lead_in(text: str, run: Span, first: int, last: int) -> int:
    """The characters before a citation behind a statement that only lead to it, from `first` on;
    `last` is the end of its block."""
    before = text[max(first, run.start - WINDOW) : run.start]
    found = _LEAD_IN.search(before)
    if not found or not (found["anywhere"] or _BEHIND_LEAD_IN.match(text, run.end, last)):
        return 0
    return len(before) - found.start()


SAYING = word_set(
    "says states reports notes shows confirms explains mentions indicates claims agree agrees say "
    "state report note show confirm explain mention indicate"
)
"""Verbs behind which a source's statement stands as a clause."""

_VERB = re.compile(
    r"\s++(?:both |all |also |each )?(?:"
    + "|".join(sorted(SAYING))
    + r"|suggests?|argues?|denies|deny|"
    r"describes?|contradicts?|disputes?|contains?|disagrees?|does|do|did|is|are|was|were|has|have|"
    r"cannot|can|lists?|gives?|provides?|supports?|refers?|covers?"
    r"|אומר|אומרת|מציין|מציינת|קובע|קובעת)\b"
)
_OBJECT_OF = re.compile(
    r"\b(?:in|to|of|from|by|per|on|with|and|see|like|than|for|as)\s{1,8}+$", re.IGNORECASE
)
"""Words that are nothing without the noun behind them."""
_HEBREW_LED = re.compile(r"(?<!\w)[בלמכו]{1,2}-$")
_SENTENCE_END = re.compile(r"[.!?。！？\n]")
_GOES_ON = re.compile(r"(?:[,،]?\s|['’])?(?=[^\W\d_])")
_HAN_OR_KANA = re.compile("[\u3040-\u30ff\u3400-\u9fff]")
MOST_LEADING_WORDS, MOST_LEADING_HAN = 4, 6
"""Of a language without rules: words, or characters of a script without spaces, that may lead to a
citation in their sentence, so that it is nothing without it."""


def find_subjects(
    text: str, within: Span, citations: Sequence[Citation], *, by_form: bool = False
) -> list[Citation]:
    """The citations that begin a sentence before a verb, or that a preposition leads to; and those
    without brackets.

    A preposition counts only where the sentence goes on behind the citation: at its end, as in
    `what it is made of [S0].`, the preposition is the sentence's own. `by_form`: of a language
    without rules all that stand near the beginning of a sentence which goes on count.
    """
    if not citations:
        return []
    found: list[Citation] = []
    at = 0
    for run in runs_of(text, citations):
        members = at
        while at < len(citations) and citations[at].span.end <= run.end:
            at += 1
        before = text[max(within.start, run.start - 4) : run.start].rstrip()
        starts = not before or before.endswith((".", "!", "?"))
        subject = starts and _VERB.match(text, run.end, within.end)
        spoken = text[run.start].isalpha() or text[run.start].isdecimal()
        led = _OBJECT_OF.search(text, max(within.start, run.start - 8), run.start)
        if _lead_in(text, run, within.start, within.end):
            continue
        behind = text[run.end : run.end + 1]
        led_he = _HEBREW_LED.search(text, max(within.start, run.start - 4), run.start)
        word = (led and behind == " ") or (led_he and behind in (" ", ","))
        if subject or spoken or word or (by_form and _leads_on(text, run, within)):
            found += citations[members:at]
    return found


def _leads_on(text: str, run: Span, within: Span) -> bool:
    """Whether few words stand before a citation in its sentence, and more behind it."""
    first = max(within.start, run.start - WINDOW)
    *ends, lead = _SENTENCE_END.split(text[first : run.start])
    behind = _GOES_ON.match(text, run.end, within.end)
    begins = ends or first == within.start
    if not begins or behind is None or any(map(str.isdigit, lead)):
        return False
    lead = lead.strip()
    if not lead:
        following = text[behind.end() : behind.end() + 1]
        return following.islower() or (not behind.group() and not _HAN_OR_KANA.match(following))
    has_spaces = " " in text[run.end : run.end + WINDOW]
    return lead.count(" ") < MOST_LEADING_WORDS and (has_spaces or len(lead) <= MOST_LEADING_HAN)


def attach(
    citations: Sequence[Citation], sentences: Sequence[tuple[Span, Span]]
) -> list[list[Citation]]:
    """Give each sentence its citations.

    `sentences` are pairs: the place up to the next sentence, and the characters of its own.
    """
    given: list[list[Citation]] = [[] for _ in sentences]
    behind: list[list[Citation]] = [[] for _ in sentences]
    leads = False
    at = 0
    for citation in citations:
        while at + 1 < len(sentences) and sentences[at][0].end <= citation.span.start:
            at += 1
        if at >= len(sentences):
            break
        _, own = sentences[at]
        leads = leads or (at == 0 and citation.span.end <= own.start)
        (behind if citation.span.start >= own.end else given)[at].append(citation)
    shift = leads and len(sentences) > 1 and not behind[-1]
    for i, found in enumerate(behind):
        given[i + 1 if shift and i + 1 < len(given) else i] += found
    return [sorted(found, key=lambda c: c.span.start) for found in given]


def share(
    citations: Sequence[Citation], parts: Sequence[Span], sentence: Span
) -> list[list[Citation]]:
    """Give each part of a sentence its citations.

    What stands in or directly behind a part but the last one is that part's own; what stands
    before or behind the whole sentence is of all parts that have none of their own.
    """
    outer = [c for c in citations if not sentence.start <= c.span.start < sentence.end]
    inner = [c for c in citations if sentence.start <= c.span.start < sentence.end]
    bounds = [part.start for part in parts[1:]] + [sentence.end]
    own = []
    first = 0
    for bound in bounds:
        last = first
        while last < len(inner) and inner[last].span.start < bound:
            last += 1
        own.append(inner[first:last])
        first = last
    return [found or list(outer) for found in own]
