"""What tests of verification share: a scripted model that knows what its evidence says."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from google.protobuf.message import Message

from groundwire.v1 import hallucination_detection_pb2 as pb
from groundwire.v1.hallucination_detection_pb2_grpc import HallucinationDetectionStub
from tests.scripted import WAIT_LIMIT_S, Scripted

if TYPE_CHECKING:
    from groundwire.v1.hallucination_detection_pb2_grpc import HallucinationDetectionAsyncStub

BELIEVED = (0.97, 0.02, 0.0)
DOUBTED = (0.02, 0.97, 0.0)
CONTRADICTS = (0.05, 0.9, 0.05)
CANNOT_SAY = (0.05, 0.1, 0.85)


def believes(
    evidence_of: Mapping[str, str], contradicted: frozenset[str] = frozenset()
) -> Callable[[str], tuple[float, ...]]:
    """A model that believes a claim exactly if the text that `evidence_of` has is in its context.

    Asked for YES, NO or UNSURE, it says NO to what is `contradicted`, and else UNSURE.
    """

    def answer(prompt: str) -> tuple[float, ...]:
        context, _, question = prompt.partition("\n\nIs the following")
        if not question:
            claim = prompt.partition("\nClaim: ")[2]
            known = any(claim.startswith(one) for one in contradicted)
            return CONTRADICTS if known else CANNOT_SAY
        claim = question.partition("\nClaim: ")[2].removesuffix("\nAnswer:")
        wanted = evidence_of.get(claim)
        return BELIEVED if wanted is not None and wanted in context else DOUBTED

    return answer


def documents(*texts: str) -> pb.Evidence:
    """Documents with the ids S0, S1, ..."""
    return pb.Evidence(
        sources=[
            pb.Source(id=f"S{i}", document=pb.Document(text=text)) for i, text in enumerate(texts)
        ]
    )


def stub_of(served: Scripted) -> "HallucinationDetectionAsyncStub":
    return HallucinationDetectionStub(served.channel)


async def start_texts(served: Scripted) -> None:
    """Have the process started that splits texts, which the first call with one waits for."""
    request = pb.ExtractClaimsRequest(text="The river rose.")
    await stub_of(served).ExtractClaims(request, timeout=WAIT_LIMIT_S)


async def verify_answer(
    served: Scripted, answer: str, evidence: pb.Evidence, **fields: Message | str | bool
) -> pb.VerifyAnswerResponse:
    request = pb.VerifyAnswerRequest(answer=answer, evidence=evidence, **fields)  # type: ignore[arg-type]
    return await stub_of(served).VerifyAnswer(request, timeout=WAIT_LIMIT_S)


async def verify_claims(
    served: Scripted,
    claims: Mapping[str, tuple[str, ...]],
    evidence: pb.Evidence,
    options: pb.VerifyOptions | None = None,
) -> list[pb.ClaimVerdict]:
    """The verdicts of claims with the ids that they cite."""
    request = pb.VerifyClaimsRequest(
        claims=[pb.ClaimInput(text=text, cited_ids=ids) for text, ids in claims.items()],
        evidence=evidence,
        options=options,
    )
    return list((await stub_of(served).VerifyClaims(request, timeout=WAIT_LIMIT_S)).verdicts)
