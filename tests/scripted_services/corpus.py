"""What tests of a corpus share: a corpus in memory, and a scripted model that can read it."""

from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from datetime import date
from typing import TYPE_CHECKING

from groundwire.v1 import corpus_verification_pb2 as pb
from groundwire.v1.corpus_verification_pb2_grpc import CorpusVerificationStub
from groundwire_verifier.checks.corpus.passages import EvidenceProvider, Passage
from groundwire_verifier.domain.titles import stems
from tests.scripted import WAIT_LIMIT_S, Scripted, scripted_server

if TYPE_CHECKING:
    from groundwire.v1.corpus_verification_pb2_grpc import CorpusVerificationAsyncStub

GIL = "Python 3.12 did not remove the GIL. It brought a lock for each subinterpreter."
PEP = "PEP 703 makes the GIL optional. The default build keeps the lock."
REMOVED = "Python 3.12 completely removed the GIL."
OPTIONAL = "PEP 703 makes the GIL optional."
SAYS_YES, SAYS_NO, IS_UNSURE = (0.95, 0.03, 0.02), (0.02, 0.95, 0.03), (0.05, 0.1, 0.85)


def passage(text: str, document: str = "notes.md", **fields: object) -> Passage:
    """A passage that is a whole document."""
    given: dict[str, object] = {"similarity": 0.8, **fields}
    return Passage(document, document, text, 0, len(text), **given)  # type: ignore[arg-type]


class MemoryCorpus:
    """Passages in memory: those that share a word with a claim, the likest first."""

    def __init__(self, *passages: Passage) -> None:
        self.passages = list(passages)
        self.asked: list[tuple[str, int]] = []

    async def retrieve(self, claim: str, top_k: int) -> Sequence[Passage]:
        self.asked.append((claim, top_k))
        wanted = stems(claim)
        found = [p for p in self.passages if wanted & stems(p.text)]
        return sorted(found, key=lambda p: -len(wanted & stems(p.text)))[:top_k]


def python_corpus() -> MemoryCorpus:
    """What is known of the GIL."""
    return MemoryCorpus(
        passage(GIL, "gil.md", dated=date(2020, 1, 1)), passage(PEP, "pep-703.md", title="PEP 703")
    )


def reads(prompt: str) -> tuple[float, ...]:
    """A model that reads the texts above."""
    claim = prompt.partition("\nClaim: ")[2].removesuffix("\nAnswer:")
    context = prompt.partition("\nClaim: ")[0]
    if claim == OPTIONAL and OPTIONAL in context:
        return SAYS_YES
    if claim == REMOVED and "did not remove" in context:
        return SAYS_NO
    return IS_UNSURE


def analyzing(
    corpora: Mapping[str, EvidenceProvider] | None = None, **changes: object
) -> AbstractAsyncContextManager[Scripted]:
    """A scripted server with these corpora; the one about Python, if none are given."""
    given = {"python": python_corpus()} if corpora is None else corpora
    settings = {"epistemic_risk_enabled": True, **changes}
    return scripted_server(corpora=given, **settings)  # type: ignore[arg-type]


def stub_of(served: Scripted) -> "CorpusVerificationAsyncStub":
    return CorpusVerificationStub(served.channel)


async def analyze(
    served: Scripted, text: str, corpus: str = "python", **fields: object
) -> pb.AnalyzeTextResponse:
    request = pb.AnalyzeTextRequest(text=text, corpus=corpus, **fields)  # type: ignore[arg-type]
    return await stub_of(served).AnalyzeText(request, timeout=WAIT_LIMIT_S)


def verdicts(response: pb.AnalyzeTextResponse) -> list[str]:
    """Verdict and reason of each claim."""
    return [
        f"{pb.EvidenceVerdict.Name(each.verdict)[17:]}/{pb.EvidenceReason.Name(each.reason)[16:]}"
        for each in response.claims
    ]


def relations(claim: pb.ClaimAnalysis) -> list[str]:
    return [pb.Relation.Name(each.relation)[9:] for each in claim.evidence]
