"""The labelled rows of the shared data, and the calls that ask about them."""

import json
import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.tools.common import BenchError, data_file
from bench.tools.written.twins import HEADED, PLAIN, TWINS_FILE, twin_records
from groundwire import ClaimInput, Evidence, SourceRange, Span
from groundwire_verifier.numbers.baseline import word_overlap

SETS = ("fm2", "halueval_qa", "attributionbench", "factscore", "summedits", "hebnli")
MORE_SETS = (
    "more/bbq",
    "more/boolq",
    "more/bump",
    "more/cad_nli",
    "more/condaqa",
    "more/conjnli",
    "more/covid_qa",
    "more/fib_xsum",
    "more/folio",
    "more/heq",
    "more/med",
    "more/mnli",
    "more/pubmedqa",
    "more/scone",
    "more/sharc",
    "more/snli",
    "more/swap_wiki",
    "more/tabfact",
    "more/tatqa",
    "more/timeqa",
    "more/xquad_en",
)
"""Sets of the shared data that no figure in the docs is a mean of."""
WRITTEN_SETS = (
    "written/written_en",
    "written/written_he",
    "written/written_eu",
    "written/written_world",
    "written/written_cross",
    HEADED,
    PLAIN,
)
"""Those that were written against word overlap, and the twins of whole answers in both forms."""
ALL_SETS = SETS + MORE_SETS + WRITTEN_SETS
_HEBREW = ("hebnli", "more/heq")
SPLITS = ("dev", "train")
SEED = 20


@dataclass(frozen=True, slots=True)
class Row:
    """One claim on one context, with the label that people gave it.

    `spans` are what the claim cites: those that the data names, or else the whole context.
    `context_number` tells the contexts of a set apart. `contradicted` is None where the data does
    not say whether the context speaks against the claim. `kind` is what was changed or done, or
    empty; `language` is "a-b" where the claim is not in the context's.
    """

    id: str
    context: str
    context_number: int
    claim: str
    supported: bool
    spans: tuple[Span, ...]
    contradicted: bool | None = None
    kind: str = ""
    language: str = "en"

    @property
    def word_overlap(self) -> float:
        """The share of the claim's words that are in the context, in [0, 1]."""
        return word_overlap(self.claim, self.context)


@dataclass(frozen=True, slots=True)
class Call:
    """Rows on one context that are asked in one call."""

    rows: tuple[Row, ...]

    @property
    def evidence(self) -> Evidence:
        """The context, with a source for each set of spans that a row cites."""
        ranges = [
            SourceRange(name, span.start, span.end)
            for spans, name in self._names().items()
            for span in spans
        ]
        return Evidence.context(self.rows[0].context, ranges)

    @property
    def claims(self) -> list[ClaimInput]:
        """The claims in the order of the rows; each cites its own spans."""
        names = self._names()
        return [ClaimInput(row.claim, (names[row.spans],)) for row in self.rows]

    def _names(self) -> dict[tuple[Span, ...], str]:
        distinct = dict.fromkeys(row.spans for row in self.rows)
        return {spans: f"gold{i or ''}" for i, spans in enumerate(distinct)}


def read_rows(name: str, split: str) -> list[Row]:
    """The rows of a set's split. Raises MissingDataError and BenchError."""
    if name in (HEADED, PLAIN):
        numbers: dict[str, int] = {}
        made = twin_records(data_file(TWINS_FILE).parents[1], name)
        return [_row(found, numbers) for found in made if found["split"] == split]
    language = "he" if name in _HEBREW else "en"
    return parse_rows(data_file(f"{name}.jsonl"), split, language)


def parse_rows(path: Path, split: str, language: str = "en") -> list[Row]:
    """The rows of a file's split, in its order. Raises BenchError for a row that is no row.

    `language` is that of rows that do not name theirs.
    """
    numbers: dict[str, int] = {}
    rows = []
    with path.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, start=1):
            try:
                found = json.loads(line)
                if found["split"] == split:
                    rows.append(_row(found, numbers, language))
            except (KeyError, TypeError, ValueError, RecursionError) as error:
                raise BenchError(f"{path}, line {number} is no labelled row: {error!r}") from error
    if len({row.id for row in rows}) < len(rows):
        raise BenchError(f"{path} has rows of one id")
    return rows


def _row(found: dict[str, object], numbers: dict[str, int], language: str = "en") -> Row:
    context, meta, label = str(found["context"]), found["meta"], found["label"]
    if not isinstance(meta, dict) or label not in (0, 1):
        raise ValueError("meta is no object, or the label is not 0 or 1")
    cited = meta.get("cited_spans") or meta.get("source_spans") or [(0, len(context))]
    spans = tuple(sorted((Span(start, end) for start, end in cited), key=lambda s: s.start))
    if not all(0 <= span.start < span.end <= len(context) for span in spans):
        raise ValueError("a span is not in the context")
    return Row(
        id=str(found["id"]),
        context=context,
        context_number=numbers.setdefault(context, len(numbers)),
        claim=str(found["claim"]),
        supported=bool(label),
        spans=spans,
        contradicted=_contradicted(label == 1, meta),
        kind=str(meta.get("kind", "")),
        language=str(meta.get("lang", language)),
    )


def _contradicted(supported: bool, meta: Mapping[str, Any]) -> bool | None:
    if supported:
        return False
    return bool(meta["label3"] == "contradiction") if "label3" in meta else None


def choose(rows: Sequence[Row], limit: int | None) -> list[Row]:
    """At least `limit` rows with all rows on their contexts, which a fixed seed chooses."""
    if limit is None:
        return list(rows)
    contexts = sorted({row.context_number for row in rows})
    random.Random(SEED).shuffle(contexts)  # noqa: S311 - a fixed choice, not a secret
    chosen: set[int] = set()
    count = 0
    for number in contexts:
        if count >= limit:
            break
        chosen.add(number)
        count += sum(row.context_number == number for row in rows)
    return [row for row in rows if row.context_number in chosen]


def calls_for(rows: Iterable[Row], max_claims: int) -> list[Call]:
    """All rows in calls: those on one context together, at most `max_claims` in each."""
    groups: dict[str, list[Row]] = {}
    for row in rows:
        groups.setdefault(row.context, []).append(row)
    return [
        Call(tuple(group[start : start + max_claims]))
        for group in groups.values()
        for start in range(0, len(group), max_claims)
    ]
