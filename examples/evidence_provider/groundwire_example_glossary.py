"""An evidence provider: a glossary in a JSON file, whose entries are passages.

The package registers `make_provider` as the entry point `glossary` of the group
`groundwire.evidence_providers`, in its pyproject.toml. Install it beside the server, and name it:

    pip install ./examples/evidence_provider
    GLOSSARY=glossary.json groundwire serve --retrieval-corpora terms=provider:glossary

A real one asks a search engine or a database. It has one method, may be asked for several claims
at one time, and raises whatever it likes where it cannot answer: the call then fails, and nothing
is called grounded.
"""

import json
import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from groundwire_verifier.checks.corpus.passages import Passage

VARIABLE = "GLOSSARY"
_WORD = re.compile(r"\w+")


class Glossary:
    """Implements `groundwire_verifier.checks.corpus.passages.EvidenceProvider`."""

    def __init__(self, entries: Mapping[str, str]) -> None:
        """Definitions by the term that they define."""
        self._entries = entries

    async def retrieve(self, claim: str, top_k: int) -> Sequence[Passage]:
        """The entries whose terms stand in the claim, the longest term first."""
        words = _WORD.findall(claim.lower())
        said = f" {' '.join(words)} "
        found = [term for term in self._entries if f" {term.lower()} " in said]
        found.sort(key=len, reverse=True)
        return [self._passage(term) for term in found[:top_k]]

    def _passage(self, term: str) -> Passage:
        text = self._entries[term]
        # Without vectors there is no similarity: it was found by its words.
        return Passage(term, term, text, 0, len(text), similarity=None, title=term)


def make_provider() -> Glossary:
    """What the server calls once, at its start."""
    path = Path(os.environ.get(VARIABLE, "glossary.json"))
    return Glossary(json.loads(path.read_text(encoding="utf-8")))
