"""How well answers are split into claims: `python -m bench.extraction`.

Measured: the claims that `extract_claims` finds in labelled answers (`bench/data/extraction`),
against what people say that the answers assert. For each assertion, whether it has a claim of its
own, stands inside of a longer one, is cut, or is lost; for each span that asserts nothing, whether
it is taken for a claim; and which speech acts are mistaken for which. The rules were changed with
the develop part in sight, and never with the held-out part.

Not measured: what a claim's content says, and whether a model verifies it. No model is needed.
"""

import argparse
import json
import math
import sys
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import asdict, dataclass
from itertools import accumulate
from pathlib import Path

from bench.tools.common import (
    ROOT,
    BenchError,
    MissingDataError,
    bench_parser,
    describe_run,
    guarded,
    markdown_table,
    results_folder,
    write_results,
)
from groundwire_verifier.domain.claims import Claim, NonAssertive, Span
from groundwire_verifier.text.claims.extract import extract_claims

DATA = ROOT / "bench" / "data" / "extraction"
DEVELOP, HELD_OUT = "develop", "held-out"
PARTS = (DEVELOP, HELD_OUT)
MOST_LOST, MOST_TAKEN = 0.03, 0.10
"""Shares of the assertions and of the spans that assert nothing, at most, as targets."""

OWN, INSIDE, CUT, LOST = "own", "inside", "cut", "lost"
ASSERTION, NOTHING = "assertion", "no claim"
WORST_KINDS = 6
Z_95 = 1.96


@dataclass(frozen=True, slots=True)
class Assertion:
    """What an answer asserts at `span`. `hedged`: it says that it is unsure."""

    span: Span
    hedged: bool = False


@dataclass(frozen=True, slots=True)
class Other:
    """A span that asserts nothing, and what it does instead."""

    span: Span
    act: str


@dataclass(frozen=True, slots=True)
class Answer:
    """A labelled answer. `kind` is its form, such as `table`."""

    id: str
    part: str
    language: str
    kind: str
    text: str
    assertions: tuple[Assertion, ...]
    others: tuple[Other, ...]


@dataclass(frozen=True, slots=True)
class Scored:
    """What became of one answer's labels.

    `outcomes` has OWN, INSIDE, CUT or LOST for each assertion, `taken` whether each other span is
    taken for a claim. The labels found are names of NonAssertive, ASSERTION, or NOTHING.
    """

    answer: Answer
    outcomes: tuple[str, ...]
    assertion_labels: tuple[str, ...]
    taken: tuple[bool, ...]
    other_labels: tuple[str, ...]


def main() -> int:
    """Parse the flags, extract, score, write."""
    parser = bench_parser("bench.extraction", "How well answers are split into claims.")
    parser.add_argument("--part", choices=PARTS, help="only this part of the answers")
    parser.add_argument("--show", action="store_true", help="list the misses of the develop part")
    return guarded(lambda: _bench(parser.parse_args()))


def _bench(arguments: argparse.Namespace) -> None:
    run = describe_run(arguments.quick)
    parts = [arguments.part] if arguments.part else PARTS
    answers = [answer for part in parts for answer in read_part(part)]
    scored = [score(answer, extract_claims(answer.text)) for answer in answers]
    if arguments.show:
        print("\n".join(misses(scored)))
    folder = results_folder("extraction", arguments.out, run)
    data = {
        "run": asdict(run),
        "parts": [asdict(group) for group in by_part(scored)],
        "kinds": {part: [asdict(group) for group in by_kind(scored, part)] for part in parts},
        "speech_acts": {
            part: [
                {"labelled": truth, "found": found, "count": count}
                for (truth, found), count in sorted(confusion(scored, part).items())
            ]
            for part in parts
        },
    }
    text = ["# Claims of labelled answers", "", *run.lines(), "", report(scored)]
    write_results(folder, "extraction", data, "\n".join(text))


def read_part(part: str) -> list[Answer]:
    """The labelled answers of a part. Raises MissingDataError and BenchError."""
    files = sorted((DATA / part).glob("*.jsonl"))
    if not files:
        raise MissingDataError(f"{DATA / part} holds no labelled answers")
    return [answer for path in files for answer in parse_answers(path, part)]


def parse_answers(path: Path, part: str) -> list[Answer]:
    """The answers of a file. Raises BenchError for a line that is none."""
    answers = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        try:
            answers.append(_answer(json.loads(line), part))
        except (KeyError, ValueError, TypeError) as error:
            raise BenchError(f"{path.name}, line {number}: no labelled answer: {error}") from error
    return answers


def _answer(row: dict[str, object], part: str) -> Answer:
    text, assertions, others = row["answer"], row["assertions"], row["other"]
    if not (isinstance(text, str) and isinstance(assertions, list) and isinstance(others, list)):
        raise TypeError("answer is a text, assertions and other are lists")
    asserted = place(text, [str(each["text"]) for each in assertions])
    rest = place(text, [str(each["text"]) for each in others])
    hedged = [bool(each.get("hedged")) for each in assertions]
    return Answer(
        id=str(row["id"]),
        part=part,
        language=str(row["language"]),
        kind=str(row["kind"]),
        text=text,
        assertions=tuple(map(Assertion, asserted, hedged)),
        others=tuple(map(Other, rest, (str(each["act"]) for each in others))),
    )


def place(text: str, pieces: Iterable[str]) -> list[Span]:
    """Where pieces of a text stand that are named in order; each behind the last where it can be.

    Whole words are preferred: a cell `3` is not the end of `2013`. Raises ValueError.
    """
    found: list[Span] = []
    last = Span(0, 0)
    for piece in pieces:
        starts = (last.end, last.start, 0)
        tries = [_find(text, piece, at, whole) for whole in (True, False) for at in starts]
        at = next((at for at in tries if at >= 0), -1)
        if at < 0 or not piece:
            raise ValueError(f"{piece!r} does not stand in the answer")
        last = Span(at, at + len(piece))
        found.append(last)
    return found


def _find(text: str, piece: str, first: int, whole: bool) -> int:
    at = text.find(piece, first)
    while whole and at >= 0 and _cuts_a_word(text, at, at + len(piece)):
        at = text.find(piece, at + 1)
    return at


def _cuts_a_word(text: str, start: int, end: int) -> bool:
    return any(
        0 < at < len(text) and text[at - 1].isalnum() and text[at].isalnum() for at in (start, end)
    )


class _Weights:
    """How many letters and digits two spans of a text share."""

    def __init__(self, text: str) -> None:
        self._before = list(accumulate((c.isalnum() for c in text), initial=0))

    def shared(self, one: Span, other: Span) -> int:
        start, end = max(one.start, other.start), min(one.end, other.end)
        return self._before[end] - self._before[start] if start < end else 0


def score(answer: Answer, claims: Sequence[Claim]) -> Scored:
    """What became of an answer's labels in these claims.

    An assertive claim covers an assertion if it holds half of its letters and digits or more. Each
    claim is the own one of one assertion at most. An assertion without a claim of its own is
    INSIDE if a claim of another covers it, CUT if claims only touch it, LOST if none does. A
    hedged assertion may have a claim that is hedged, too. A span that asserts nothing is taken if
    an assertive claim touches it that touches no assertion.
    """
    shared = _Weights(answer.text).shared
    touching: list[list[int]] = []
    covering: list[list[int]] = []
    for each in answer.assertions:
        allowed = {None, NonAssertive.HEDGED} if each.hedged else {None}
        touches = [
            i
            for i, claim in enumerate(claims)
            if claim.non_assertive in allowed and shared(claim.span, each.span)
        ]
        whole = shared(each.span, each.span)
        touching.append(touches)
        covering.append([i for i in touches if 2 * shared(claims[i].span, each.span) >= whole])
    owners = _pairs(covering)
    outcomes = [
        OWN if k in owners else INSIDE if covering[k] else CUT if touching[k] else LOST
        for k in range(len(answer.assertions))
    ]
    stray = [
        claim.span
        for claim in claims
        if claim.non_assertive is None
        and not any(shared(claim.span, each.span) for each in answer.assertions)
    ]

    def label(span: Span) -> str:
        most = max(claims, key=lambda claim: shared(claim.span, span), default=None)
        if most is None or not shared(most.span, span):
            return NOTHING
        return ASSERTION if most.non_assertive is None else most.non_assertive.name.lower()

    return Scored(
        answer=answer,
        outcomes=tuple(outcomes),
        assertion_labels=tuple(label(each.span) for each in answer.assertions),
        taken=tuple(any(shared(span, each.span) for span in stray) for each in answer.others),
        other_labels=tuple(label(each.span) for each in answer.others),
    )


def _pairs(covering: Sequence[Sequence[int]]) -> Collection[int]:
    """The assertions that can each have a covering claim of their own, as many as can be."""
    owner: dict[int, int] = {}

    def settle(assertion: int, seen: set[int]) -> bool:
        for claim in covering[assertion]:
            if claim in seen:
                continue
            seen.add(claim)
            if claim not in owner or settle(owner[claim], seen):
                owner[claim] = assertion
                return True
        return False

    for assertion in range(len(covering)):
        settle(assertion, set())
    return set(owner.values())


def wilson(count: int, total: int) -> tuple[float, float]:
    """The 95 % interval of a share, by Wilson's score; all of [0, 1] of nothing."""
    if not total:
        return 0.0, 1.0
    share, z2 = count / total, Z_95**2
    middle = share + z2 / (2 * total)
    reach = Z_95 * math.sqrt(share * (1 - share) / total + z2 / (4 * total**2))
    scale = 1 + z2 / total
    return max(0.0, (middle - reach) / scale), min(1.0, (middle + reach) / scale)


@dataclass(frozen=True, slots=True)
class Figures:
    """The counts of a group of answers."""

    name: str
    answers: int
    assertions: int
    own: int
    inside: int
    cut: int
    lost: int
    others: int
    taken: int

    @property
    def faults(self) -> float:
        """How bad it is, to rank kinds: the share lost, and the share taken."""
        return self.lost / max(1, self.assertions) + self.taken / max(1, self.others)


def figures(scored: Collection[Scored], name: str) -> Figures:
    """Count a group."""
    outcomes = Counter(outcome for each in scored for outcome in each.outcomes)
    return Figures(
        name=name,
        answers=len(scored),
        assertions=outcomes.total(),
        own=outcomes[OWN],
        inside=outcomes[INSIDE],
        cut=outcomes[CUT],
        lost=outcomes[LOST],
        others=sum(len(each.taken) for each in scored),
        taken=sum(sum(each.taken) for each in scored),
    )


def by_part(scored: Sequence[Scored]) -> list[Figures]:
    """The figures of each part, whole and by language."""
    parts = [p for p in PARTS if any(each.answer.part == p for each in scored)]
    found = []
    for part in parts:
        inside = [each for each in scored if each.answer.part == part]
        found.append(figures(inside, part))
        for language in sorted({each.answer.language for each in inside}):
            own = [each for each in inside if each.answer.language == language]
            found.append(figures(own, f"{part}, {language}"))
    return found


def by_kind(scored: Sequence[Scored], part: str) -> list[Figures]:
    """The figures of each kind of answer of a part, the worst first."""
    inside = [each for each in scored if each.answer.part == part]
    kinds = sorted({each.answer.kind for each in inside})
    groups = [figures([s for s in inside if s.answer.kind == kind], kind) for kind in kinds]
    return sorted(groups, key=lambda group: -group.faults)


def confusion(scored: Iterable[Scored], part: str) -> Counter[tuple[str, str]]:
    """How often a labelled act is found as which."""
    pairs: Counter[tuple[str, str]] = Counter()
    for each in scored:
        if each.answer.part != part:
            continue
        truths = ("hedged" if a.hedged else ASSERTION for a in each.answer.assertions)
        pairs.update(zip(truths, each.assertion_labels, strict=True))
        acts = (other.act for other in each.answer.others)
        pairs.update(zip(acts, each.other_labels, strict=True))
    return pairs


def report(scored: Sequence[Scored]) -> str:
    """The figures in words and tables."""
    parts = by_part(scored)
    lines = [
        "A claim that asserts covers an assertion if it holds half of its letters and digits. "
        "*Own*: it has such a claim to itself. *Inside*: only one of another assertion covers it. "
        "*Cut*: claims only touch it. *Lost*: none does. *Taken*: of the spans that assert "
        "nothing, those that a claim stands on which stands on no assertion. In brackets: 95 % "
        "intervals (Wilson).",
        "",
        f"Wanted: at most {MOST_LOST:.0%} lost, at most {MOST_TAKEN:.0%} taken.",
        "",
        _table(parts),
    ]
    for part in dict.fromkeys(each.answer.part for each in scored):
        kinds = by_kind(scored, part)
        worst = [kind.name for kind in kinds[:WORST_KINDS] if kind.faults > 0]
        lines += ["", f"## Kinds, {part}", ""]
        lines += [f"Worst: {', '.join(worst) or 'none'}.", "", _table(kinds)]
        lines += ["", f"## Speech acts, {part}", "", "Labelled, and found as:", ""]
        lines.append(_confusion_table(confusion(scored, part)))
    return "\n".join(lines)


def _table(groups: Iterable[Figures]) -> str:
    header = [
        "",
        "answers",
        "assertions",
        "own",
        "inside",
        "cut",
        "lost",
        "assert nothing",
        "taken",
    ]
    return markdown_table(
        header,
        [
            [
                group.name,
                str(group.answers),
                str(group.assertions),
                _share(group.own, group.assertions),
                _share(group.inside, group.assertions),
                _share(group.cut, group.assertions),
                _share(group.lost, group.assertions, interval=True),
                str(group.others),
                _share(group.taken, group.others, interval=True),
            ]
            for group in groups
        ],
    )


def _share(count: int, total: int, *, interval: bool = False) -> str:
    if not total:
        return "-"
    low, high = wilson(count, total)
    between = f" ({100 * low:.1f} to {100 * high:.1f})" if interval else ""
    return f"{count}: {100 * count / total:.1f} %{between}"


def _confusion_table(pairs: Counter[tuple[str, str]]) -> str:
    rows = sorted({truth for truth, _ in pairs}, key=lambda t: (t not in (ASSERTION, "hedged"), t))
    columns = sorted({found for _, found in pairs}, key=lambda f: (f != ASSERTION, f))
    return markdown_table(
        ["labelled", *columns],
        [[truth, *(str(pairs[truth, found] or "") for found in columns)] for truth in rows],
    )


def misses(scored: Iterable[Scored]) -> list[str]:
    """A line for each label of the develop part that was not met."""
    lines = []
    for each in scored:
        answer = each.answer
        if answer.part != DEVELOP:
            continue
        for assertion, outcome, label in zip(
            answer.assertions, each.outcomes, each.assertion_labels, strict=True
        ):
            if outcome != OWN:
                text = assertion.span.of(answer.text)
                lines.append(f"{outcome:7} {answer.id} {answer.kind} [{label}] {text!r}")
        for other, taken in zip(answer.others, each.taken, strict=True):
            if taken:
                text = other.span.of(answer.text)
                lines.append(f"taken   {answer.id} {answer.kind} [{other.act}] {text!r}")
    return lines


if __name__ == "__main__":
    sys.exit(main())
