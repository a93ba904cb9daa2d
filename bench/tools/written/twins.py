"""Labelled rows of whole answers: each sentence, and its wrong twin, on the answer's sources.

The answers are in the shared data (`answers/twins.jsonl`). A row is what the server would ask: the
sources as it joins documents, or bare; the claim as it takes it from the sentence, and half of them
with the answer's question.
"""

import json
import random
from collections.abc import Iterator, Mapping
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from bench.tools.common import ROOT
from groundwire_verifier.domain.claims import CitationSyntax, ClaimOptions, as_answer
from groundwire_verifier.domain.evidence import Document, Evidence
from groundwire_verifier.text.claims.extract import extract_claims

TWINS_FILE = "answers/twins.jsonl"
HEADED, PLAIN = "answers", "answers_plain"
"""The sets that are made of the file: sources under headings, and bare ones in another order."""
QUESTION_SHARE = TITLE_SHARE = 0.5
"""How often claims are asked with their answer's question, and bare sources have their titles."""
_LABELS = {"C": "contradiction", "N": "neutral"}


def twin_records(data: Path, name: str) -> Iterator[dict[str, Any]]:
    """The rows of one of both sets, from the folder of the shared data, in the others' form.

    `meta` has, beside the fields of written rows, `answer` (its id, by which no two parts of the
    rows share one) and, under headings, `source_spans`. Raises OSError.
    """
    with (data / TWINS_FILE).open(encoding="utf-8") as lines:
        for line in lines:
            yield from _rows(json.loads(line), name)


def _rows(answer: Mapping[str, Any], name: str) -> Iterator[dict[str, Any]]:
    chance = random.Random(f"{name}/{answer['id']}")  # noqa: S311 - a fixed choice, not a secret
    evidence = _evidence(answer["sources"], name, chance)
    ids = frozenset(source["id"] for source in answer["sources"])
    spans = [[each.span.start, each.span.end] for each in evidence.ranges]
    seen: set[str] = set()
    for right, wrong, of_wrong, kind in answer["pairs"]:
        question = answer["question"] if chance.random() < QUESTION_SHARE else ""
        for sentence, label3 in ((right, "entailment"), (wrong, _LABELS[of_wrong])):
            claim = _claim(sentence, ids)
            if not claim or claim in seen:
                continue
            seen.add(claim)
            meta = {
                "label3": label3,
                "kind": kind,
                "lang": answer["lang"],
                "domain": answer["domain"],
                "form": "answer",
                "answer": answer["id"],
                "source_spans": spans if name == HEADED else [],
            }
            yield {
                "id": f"{name}-{answer['id']}-{len(seen)}",
                "context": evidence.context,
                "claim": as_answer(question, claim) if question.strip() else claim,
                "label": int(label3 == "entailment"),
                "source": name,
                "split": answer["split"],
                "meta": meta,
            }


def _evidence(sources: list[Mapping[str, str]], name: str, chance: random.Random) -> Evidence:
    if name == HEADED:
        return Evidence.of_documents(
            [Document(each["id"], each["text"], each.get("title", "")) for each in sources]
        )
    titled = chance.random() < TITLE_SHARE
    texts = [
        f"{each['title']}\n{each['text']}" if titled and each.get("title") else each["text"]
        for each in chance.sample(sources, k=len(sources))
    ]
    return Evidence.of_context("\n\n".join(texts))


@lru_cache(maxsize=2**16)
def _claim(sentence: str, ids: frozenset[str]) -> str:
    """What the server judges of a sentence: without citations and marks, as one claim."""
    options = ClaimOptions(CitationSyntax(known_ids=ids), split_compounds=False)
    return " ".join(claim.content for claim in extract_claims(sentence, options))


KIND_GROUPS = ROOT / "bench" / "data" / "kind_groups.json"
OTHER_KIND = "kinds without a group"


@cache
def kind_groups() -> Mapping[str, str]:
    groups = json.loads(KIND_GROUPS.read_text(encoding="utf-8"))
    return {kind: group for group, kinds in groups.items() for kind in kinds}
