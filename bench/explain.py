"""How well explanations single out the wrong words of whole answers, and the sentence that decides.

Measured: answers written by hand (`shared/data/answers/answers.jsonl`), each sent with its question
and sources to a running server; the first ones without `explain`, too, for what it costs. Apart
from them, sentences of summaries with one place made wrong (`shared/data/more/bump.jsonl`). Words
are compared with those marked by hand, character by character: those of the explanation, of these
the ones singled out, so without claims that are marked whole, the whole of each claim that is not
borne out, and the unstated values alone. Wrong citations and false absences are no kind of words
that an explanation knows; they count in "all".

A correction is compared sentence by sentence. A wrong one is right where it is the one by hand,
shortened where it is gone or holds nothing that it did not have, and else got something else.
"""

import argparse
import json
import random
import re
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass

from bench.answers import (
    CALL_TIMEOUT_S,
    MAX_CLAIMS,
    QUICK_ANSWERS,
    SEED,
    LabelledAnswer,
    read_answers,
)
from bench.tools.common import (
    add_seconds_flag,
    begun_within,
    bench_parser,
    data_file,
    describe_run,
    guarded,
    markdown_table,
    results_folder,
    save_results,
    say,
)
from bench.tools.serving import add_server_flags, client_at, server_in_words
from groundwire import (
    AnswerClaim,
    AnswerReport,
    Client,
    Document,
    Evidence,
    PassageRelation,
    Span,
    Verdict,
    VerifyOptions,
)

ANSWERS, EDITS = "whole answers", "edits"
CHECKED = {"S", "C", "N"}
_SOURCE_ID = "S1"
_MARKS = re.compile(r"[\W_]*\Z")

NOT_BORNE_OUT = {Verdict.UNSUPPORTED, Verdict.UNCERTAIN, Verdict.CONTRADICTED}
PAIRS = 4
"""How many cases are asked for both ways, the same number of each set."""
FATES = ("right", "shortened", "something else", "as it was")
Cost = tuple[int, float]
"""Prompts, and seconds."""
METHODS = ("explanation", "singled out", "whole claims", "unstated values")


@dataclass(frozen=True, slots=True)
class WrongWords:
    """Words of an answer that are wrong, by hand; `passage` is the sentence that tells."""

    span: Span
    kind: str
    source_id: str = ""
    passage: str = ""


@dataclass(frozen=True, slots=True)
class Case:
    """An answer of a set, and what is known of it.

    `conflicts` has `sentence/source` of each source that disagrees, and `fixed` where each sentence
    stands with what it should be.
    """

    set_name: str
    answer: LabelledAnswer
    wrong: Sequence[WrongWords]
    conflicts: set[str]
    fixed: Sequence[tuple[Span, str]]


def read_cases(limit: int | None) -> list[Case]:
    """All cases, or so many of each set, the sets by turns. Raises MissingDataError, BenchError."""
    sets = [_answers(limit), _edits(limit)]
    placed = [(number, each) for cases in sets for number, each in enumerate(cases)]
    return [each for _, each in sorted(placed, key=lambda pair: pair[0])]


def _answers(limit: int | None) -> list[Case]:
    with data_file("answers/answers.jsonl").open(encoding="utf-8") as lines:
        rows = {row["id"]: row for row in map(json.loads, lines)}
    found = []
    for answer in read_answers(limit):
        row = rows[answer.id]
        starts = [sentence.span.start for sentence in answer.sentences]
        texts = [sentence.text for sentence in answer.sentences]
        for each in row["spans"]:
            texts[each["in"]] = texts[each["in"]].replace(each["text"], each["fix"], 1)
        wrong = [
            WrongWords(Span(place, place + len(each["text"])), each["kind"], each["by"],
                       each["passage"])
            for each in row["spans"]
            if (place := answer.text.find(each["text"], starts[each["in"]])) >= 0
        ]  # fmt: skip
        conflicts = {f"{starts[each['in']]}/{each['id']}" for each in row["conflicts"]}
        fixed = [
            (sentence.span, text)
            for sentence, text in zip(answer.sentences, texts, strict=True)
            if sentence.label.value in CHECKED
        ]
        found.append(Case(ANSWERS, answer, wrong, conflicts, fixed))
    return found


def _edits(limit: int | None) -> list[Case]:
    """Right sentences in which one place was made wrong, of those that have their right twin.

    That is the one on the same text from which they differ least; nothing tells the wrong words but
    the difference.
    """
    with data_file("more/bump.jsonl").open(encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    rights: dict[str, list[str]] = defaultdict(list)
    for row in rows:
        if row["label"] == 1:
            rights[row["context"]].append(row["claim"])
    found = []
    for row in rows:
        claim, twins = row["claim"], rights[row["context"]]
        if row["label"] == 1 or not twins:
            continue
        place, twin = min(
            ((differing(claim, twin), twin) for twin in twins),
            key=lambda pair: pair[0].end - pair[0].start,
        )
        words = place.of(claim).split()
        if not words or 2 * len(words) > len(claim.split()):
            continue
        source = Document(id=_SOURCE_ID, text=row["context"])
        answer = LabelledAnswer(row["id"], "en", "", claim, (source,), ())
        kind = row["meta"]["reasoning"].removesuffix(" Error").casefold()
        whole = [(Span(0, len(claim)), twin)]
        found.append(Case(EDITS, answer, [WrongWords(place, kind)], set(), whole))
    if limit is None or limit >= len(found):
        return found
    return random.Random(SEED).sample(found, limit)  # noqa: S311 - a sample, not a secret


def differing(text: str, other: str) -> Span:
    """The words of a text between those that both texts begin and end with, without marks behind
    them."""
    places = [match.span() for match in re.finditer(r"\S+", text)]
    ours, theirs = text.split(), other.split()
    first = _alike(ours, theirs)
    last = _alike(ours[first:][::-1], theirs[first:][::-1])
    if first + last == len(ours):
        return Span(0, 0)
    start, end = places[first][0], places[len(ours) - 1 - last][1]
    marks = _MARKS.search(text, start, end)
    return Span(start, end if marks is None else max(start, marks.start()))


def _alike(ours: Iterable[str], theirs: Iterable[str]) -> int:
    """How many words two rows of words begin with that are the same."""
    count = 0
    for one, other in zip(ours, theirs, strict=False):
        if one != other:
            break
        count += 1
    return count


@dataclass(frozen=True, slots=True)
class Explained:
    """An answer of a set with what is wrong in it and what was found.

    `marked` are the characters that each method marks. `exact` says of each wrong words whether the
    explanation has a span of just these, and `met` whether a passage that decides holds the one
    by hand. `conflicts` are those named by hand, those found, and those of both. `costs` are the
    prompts and the seconds without an explanation and with it, where both were asked for.
    `corrected` counts sentences by whether they were wrong and what became of them: one of FATES.
    """

    set_name: str
    wrong: Sequence[WrongWords]
    marked: dict[str, set[int]]
    exact: Sequence[bool]
    met: Sequence[bool]
    conflicts: tuple[int, int, int]
    corrected: Counter[tuple[bool, str]]
    costs: tuple[Cost, Cost] | None


def main() -> int:
    """Parse the flags, measure, write."""
    parser = bench_parser("explain", "The words and sentences that explanations single out.")
    add_server_flags(parser)
    parser.add_argument("--limit", type=int, metavar="N", help="so many answers, drawn by a seed")
    add_seconds_flag(parser, "answer")
    return guarded(lambda: _bench(parser.parse_args()))


def _bench(arguments: argparse.Namespace) -> None:
    run = describe_run(arguments.quick)
    cases = read_cases(arguments.limit or (QUICK_ANSWERS if arguments.quick else None))
    found: list[Explained] = []
    folder = results_folder("explain", arguments.out, run)
    text = ""
    with client_at(arguments.target, arguments.model, CALL_TIMEOUT_S) as client:
        server = server_in_words(client.server_info(), arguments.target)
        head = ["# What explanations single out", "", *run.lines(), f"- server: {server}"]
        for number, case in enumerate(begun_within(arguments.seconds, cases), start=1):
            costs = _costs(client, case.answer) if number <= PAIRS else None
            found.append(_explained(client, case, costs))
            asked = f"- cases: {number} of {len(cases)}"
            text = "\n".join([*head, asked, *sections(found)])
            rows = [each.costs for each in found if each.costs is not None]
            data = {"run": asdict(run), "server": server, "cases": number, "costs": rows}
            save_results(folder, "explain", data, text)
            say(f"{number} of {len(cases)} cases")
    print(text)
    say(f"written to {folder}")


def _costs(client: Client, answer: LabelledAnswer) -> tuple[Cost, Cost]:
    """Without an explanation and with it; both on evidence that the engine has seen before."""
    _verified(client, answer, explain=False)
    found: list[Cost] = []
    for explain in (False, True):
        began_s = time.monotonic()
        report = _verified(client, answer, explain=explain)
        found.append((report.run.usage.distinct_prompts, time.monotonic() - began_s))
    return found[0], found[1]


def _explained(client: Client, case: Case, costs: tuple[Cost, Cost] | None) -> Explained:
    answer, wrong, conflicts = case.answer, case.wrong, case.conflicts
    report = _verified(client, answer, explain=True, correct=True)
    spans = [each for claim in report for each in claim.unsupported_spans]
    told = {
        f"{sentence.span.start}/{conflict.passage.source_id}"
        for claim in report
        for conflict in claim.conflicts
        for sentence in answer.sentences
        if sentence.span.start <= claim.span.start < sentence.span.end
    }
    return Explained(
        set_name=case.set_name,
        wrong=wrong,
        marked={
            "explanation": _characters(each.span for each in spans),
            "singled out": _characters(each.span for each in spans if each.kind is not None),
            "whole claims": _characters(c.span for c in report if c.verdict in NOT_BORNE_OUT),
            "unstated values": _characters(
                span for claim in report for span in _values(claim, answer.text)
            ),
        },
        exact=[any(each.span == one.span for each in spans) for one in wrong],
        met=[_is_met(one, report) for one in wrong],
        conflicts=(len(conflicts), len(told), len(conflicts & told)),
        corrected=Counter(_fate(answer.text, report, span, text) for span, text in case.fixed),
        costs=costs,
    )


def _fate(answer: str, report: AnswerReport, span: Span, right: str) -> tuple[bool, str]:
    """Whether a sentence was wrong, and what became of it."""
    assert report.correction is not None
    own = span.of(answer)
    became = own
    for edit in reversed(report.correction.edits):
        if edit.span.start < span.end and span.start < edit.span.end:
            start = max(0, edit.span.start - span.start)
            became = (
                became[:start] + edit.replacement + became[max(0, edit.span.end - span.start) :]
            )
    words, left = own.split(), " ".join(became.split())
    if left == " ".join(right.split()):
        fate = "right"
    elif left == " ".join(words):
        fate = "as it was"
    else:
        shorter = all(word.strip(".,;:") in own for word in left.split())
        fate = "shortened" if shorter and len(left) < len(own) else "something else"
    return own != right, fate


def _verified(
    client: Client, answer: LabelledAnswer, *, explain: bool, correct: bool = False
) -> AnswerReport:
    """The report on an answer, read anew."""
    return client.verify_answer(
        answer.text,
        Evidence.documents(answer.documents),
        question=answer.question,
        correct=correct,
        options=VerifyOptions(max_claims=MAX_CLAIMS, explain=explain, skip_result_cache=True),
    )


def _values(claim: AnswerClaim, answer: str) -> Iterable[Span]:
    for value in claim.unstated_values:
        at = answer.find(value, claim.span.start, claim.span.end)
        if at >= 0:
            yield Span(at, at + len(value))


def _is_met(wrong: WrongWords, report: AnswerReport) -> bool:
    """Whether a passage that speaks against a claim of these words is the one by hand."""
    said = " ".join(wrong.passage.split())
    return any(
        passage.relation is PassageRelation.CONTRADICTS
        and passage.source_id == wrong.source_id
        and (said in (text := " ".join(passage.text.split())) or text in said)
        for claim in report
        if claim.span.start < wrong.span.end and wrong.span.start < claim.span.end
        for passage in claim.deciding_passages
    )


def _characters(spans: Iterable[Span]) -> set[int]:
    return {place for span in spans for place in range(span.start, span.end)}


def sections(found: Sequence[Explained]) -> list[str]:
    """The tables of each set, in markdown."""
    sets = {name: [e for e in found if e.set_name == name] for name in (ANSWERS, EDITS)}
    return [
        line
        for name, own in sets.items()
        if own
        for line in ("", f"## {name.capitalize()} ({len(own)})", "", *report(own))
    ]


def report(found: Sequence[Explained]) -> list[str]:
    """The tables of one set."""
    kinds = sorted({one.kind for each in found for one in each.wrong})
    told = [one for each in found for one in each.wrong if one.passage]
    met = [m for each in found for one, m in zip(each.wrong, each.met, strict=True) if one.passage]
    by_hand, named, both = (sum(each.conflicts[i] for each in found) for i in range(3))
    return [
        markdown_table(
            ["marked", "precision", "recall", "F1"],
            [[method, *_agreement(found, method)] for method in METHODS],
        ),
        "",
        markdown_table(
            ["kind", "wrong words", *(f"recall of {method}" for method in METHODS), "exact"],
            [_row(found, name) for name in (*kinds, "all")],
        ),
        "",
        *(
            [f"- the sentence that decides, by hand, among those told: {sum(met)} of {len(told)}"]
            if told
            else []
        ),
        *(
            [f"- sources that disagree: {by_hand} by hand, {named} told, {both} of them rightly"]
            if by_hand
            else []
        ),
        f"- without and with an explanation: {_cost(found)}",
        "",
        markdown_table(
            ["sentences", *FATES],
            [
                [name, *(str(sum(e.corrected[is_wrong, fate] for e in found)) for fate in FATES)]
                for name, is_wrong in (("wrong", True), ("right", False))
            ],
        ),
        "",
        _else(found),
    ]


def _else(found: Sequence[Explained]) -> str:
    fates = Counter[str]()
    for each in found:
        for (_, fate), count in each.corrected.items():
            fates[fate] += count
    changed = sum(fates.values()) - fates["as it was"]
    return (
        f"- of {changed} sentences that were changed {fates['something else']} got something else; "
        "at most 1 in 50 may"
    )


def _agreement(found: Sequence[Explained], method: str) -> list[str]:
    hits = marked = wanted = 0
    for each in found:
        wrong = _characters(one.span for one in each.wrong)
        hits += len(wrong & each.marked[method])
        marked += len(each.marked[method])
        wanted += len(wrong)
    f1 = 2 * hits / (marked + wanted) if marked + wanted else 0.0
    return [_share(hits, marked), _share(hits, wanted), f"{f1:.2f}"]


def _row(found: Sequence[Explained], kind: str) -> list[str]:
    rows = [
        (one, exact, each)
        for each in found
        for one, exact in zip(each.wrong, each.exact, strict=True)
        if kind in {one.kind, "all"}
    ]
    size = sum(one.span.end - one.span.start for one, _, _ in rows)
    recalls = [
        _share(
            sum(len(_characters([one.span]) & each.marked[method]) for one, _, each in rows), size
        )
        for method in METHODS
    ]
    return [kind, str(len(rows)), *recalls, str(sum(exact for _, exact, _ in rows))]


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.2f}" if whole else "-"


def _cost(found: Sequence[Explained]) -> str:
    pairs = [each.costs for each in found if each.costs is not None]
    means = [[sum(pair[way][i] for pair in pairs) / len(pairs) for way in (0, 1)] for i in (0, 1)]
    (prompts, more_prompts), (seconds, more_seconds) = means
    return (
        f"{prompts:.0f} and {more_prompts:.0f} prompts, {seconds:.1f} and {more_seconds:.1f} s an "
        f"answer, over {len(pairs)} of them"
    )


if __name__ == "__main__":
    sys.exit(main())
