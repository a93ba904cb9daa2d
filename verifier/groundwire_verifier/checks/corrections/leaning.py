"""Claims of a corrected answer that lean on what its edits have changed.

What a pronoun means, or who does what a sentence without a subject tells, stands in a claim before
it: with another name there it says something else, which nobody has verified.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from groundwire_verifier.checks.answers import AnswerClaims
from groundwire_verifier.checks.corrections.correction import Edit, EditKind
from groundwire_verifier.checks.explanations.constituents import put
from groundwire_verifier.domain.claims import Claim, Span
from groundwire_verifier.text.claims.conversation import known_thing, leans_back, leans_on_value
from groundwire_verifier.text.claims.wording.sentence import is_english, language_of
from groundwire_verifier.verdicts.questions import ClaimTask
from groundwire_verifier.verdicts.types import Reason

MOST_LEANED_ON = 3
"""With how many claims before it one is read that leans on them."""
MOST_LEANING = 16
"""How many claims of an answer are read so."""
_CHANGING = frozenset(EditKind) - {EditKind.CITATION_CHANGED}
"""Edits after which a claim may not say the same."""
_NAMING = (EditKind.NAME_REPLACED, EditKind.WORD_REPLACED, EditKind.REWRITTEN)
"""Edits that put in another thing."""


@dataclass(frozen=True, slots=True)
class Made:
    """An edit, and where what it puts in stands in the corrected answer."""

    edit: Edit
    span: Span

    @property
    def stays(self) -> bool:
        """Whether something of its claim stays."""
        return self.edit.kind is not EditKind.SENTENCE_LEFT_OUT

    def stands_in(self, claim: Claim) -> bool:
        """Whether it stands in a claim of the corrected answer or in one of its citations."""
        spans = [claim.span, *(citation.span for citation in claim.citations)]
        return any(each.start <= self.span.end and self.span.start <= each.end for each in spans)


@dataclass(frozen=True, slots=True)
class Leaning:
    """A claim of the corrected answer that leans on what `edits` have changed.

    `task` is it together with the claims that it leans on; None where it cannot be read so.
    """

    claim: Claim
    task: ClaimTask | None
    edits: Sequence[Made]

    @property
    def changed(self) -> set[int]:
        """The claims with these edits of which something stays."""
        return {each.edit.claim for each in self.edits if each.stays}


def made_by(edits: Sequence[Edit]) -> list[Made]:
    """Where the edits stand in the corrected answer."""
    made: list[Made] = []
    moved = 0
    for edit in edits:
        start = edit.span.start + moved
        moved += len(edit.replacement) - (edit.span.end - edit.span.start)
        made.append(Made(edit, Span(start, start + len(edit.replacement))))
    return made


def leaning_on(found: AnswerClaims, made: Sequence[Made]) -> list[Leaning]:
    """The claims of a corrected answer that lean on what edits have changed.

    What a pronoun means, or who does what a sentence without a subject tells, stands in one of the
    claims before it. Where none is left it is what the question names.
    """
    changing = [each for each in made if each.edit.kind in _CHANGING]
    tasks = dict(zip(found.indexes, found.tasks, strict=True))
    claims = [each.claim for each in found.claims]
    leaning: list[Leaning] = []
    first, is_in_english = 0, is_english(found.answer)
    for i, claim in enumerate(claims) if changing else ():
        leans = leans_back(claim.content, is_in_english=is_in_english)
        if not leans:
            first = i
        begin = max(0, min(first, i - MOST_LEANED_ON))
        contents = [each.content for each in claims[begin:i]]
        kinds = _kinds(claim.content, contents, leans=leans, is_in_english=is_in_english)
        start, end = claims[begin].span.start if begin < i else 0, claim.span.start
        edits = [
            each
            for each in changing
            if each.edit.kind in kinds
            if start <= each.span.end and each.span.start < end + (not each.edit.replacement)
        ]
        verdict, task = found.claims[i].verdict, tasks.get(i)
        is_no_statement = verdict is not None and verdict.reason is Reason.NON_ASSERTIVE
        if not edits or is_no_statement or (task is not None and task.kind is not None):
            continue
        if task is not None and i == 0 and task.text != claim.content:
            continue
        before = claims[begin:i]
        changed = [c for c in before if any(e.stays and e.stands_in(c) for e in edits)] or before
        can_be_read = 0 < len(changed) <= MOST_LEANED_ON and len(leaning) < MOST_LEANING
        together = None
        if task is not None and can_be_read:
            together = _together(task, claim.content, [each.content for each in changed])
        leaning.append(Leaning(claim, together, edits))
    return leaning


def _kinds(
    content: str, before: Sequence[str], *, leans: bool, is_in_english: bool
) -> frozenset[EditKind]:
    """After which edits a claim may no longer say what it did. `leans` is what leans_back says."""
    kinds: frozenset[EditKind] = frozenset()
    if leans:
        kinds |= _CHANGING - {EditKind.VALUE_REPLACED}
    if leans_on_value(content):
        kinds |= _CHANGING
    elif not is_in_english and language_of(content) != "he":
        # Nobody knows by which words it would do so.
        kinds |= {EditKind.VALUE_REPLACED}
    thing = known_thing(content)
    # What a claim before it names in the same word is that.
    if thing and not any(thing in each.lower() for each in before):
        kinds |= frozenset(_NAMING)
    return kinds


def _together(task: ClaimTask, content: str, before: Sequence[str]) -> ClaimTask:
    """A claim behind those that it leans on, which other sources may carry."""
    whole = " ".join((*before, content))
    at = task.text.rfind(content)
    text = put(task.text, Span(at, at + len(content)), whole) if at >= 0 else whole
    return replace(task, text=text, cited_ids=(), own=whole if task.own else "")
