"""What tests of output verification share."""

from collections.abc import AsyncIterator, Mapping
from typing import TYPE_CHECKING

from groundwire.v1 import hallucination_detection_pb2 as detection_pb
from groundwire.v1 import output_verification_pb2 as pb
from groundwire.v1.output_verification_pb2_grpc import OutputVerificationStub
from tests.scripted import WAIT_LIMIT_S, Scripted

if TYPE_CHECKING:
    from groundwire.v1.output_verification_pb2_grpc import OutputVerificationAsyncStub

TOWER = "The tower has two floors."
RIVER = "The river rose in March."
FINAL = (
    pb.VERIFICATION_STATE_DONE,
    pb.VERIFICATION_STATE_SKIPPED,
    pb.VERIFICATION_STATE_FAILED,
)


def stub_of(served: Scripted) -> "OutputVerificationAsyncStub":
    return OutputVerificationStub(served.channel)


def user(text: str) -> detection_pb.Turn:
    return detection_pb.Turn(role=detection_pb.TURN_ROLE_USER, text=text)


def assistant(text: str) -> detection_pb.Turn:
    return detection_pb.Turn(role=detection_pb.TURN_ROLE_ASSISTANT, text=text)


def tool(text: str, id: str = "", name: str = "") -> detection_pb.Turn:
    return detection_pb.Turn(role=detection_pb.TURN_ROLE_TOOL, text=text, id=id, name=name)


def documents(texts: Mapping[str, str]) -> list[pb.ConversationDocument]:
    return [pb.ConversationDocument(id=key, text=text) for key, text in texts.items()]


async def submit(
    served: Scripted,
    response: str = TOWER,
    *turns: detection_pb.Turn,
    token: str = "",
    **fields: object,
) -> pb.VerificationStatus:
    """Submit an output; a tool has spoken before it, unless another conversation is given."""
    request = pb.SubmitVerificationRequest(
        response=response,
        turns=turns or [tool(f"I was told: {TOWER}")],
        **fields,  # type: ignore[arg-type]
    )
    answer = await stub_of(served).SubmitVerification(
        request, timeout=WAIT_LIMIT_S, metadata=bearer(token)
    )
    return answer.status


async def get(served: Scripted, own_id: str, token: str = "") -> pb.VerificationStatus:
    request = pb.GetVerificationRequest(id=own_id)
    answer = await stub_of(served).GetVerification(
        request, timeout=WAIT_LIMIT_S, metadata=bearer(token)
    )
    return answer.status


async def watched(
    served: Scripted, own_id: str, token: str = ""
) -> AsyncIterator[pb.VerificationStatus]:
    request = pb.WatchVerificationRequest(id=own_id)
    stream = stub_of(served).WatchVerification(
        request, timeout=WAIT_LIMIT_S, metadata=bearer(token)
    )
    async for answer in stream:
        yield answer.status


async def end_of(served: Scripted, own_id: str, token: str = "") -> pb.VerificationStatus:
    """The final status of an output."""
    statuses = [status async for status in watched(served, own_id, token)]
    assert statuses[-1].state in FINAL
    return statuses[-1]


async def until(
    served: Scripted, own_id: str, state: "pb.VerificationState"
) -> pb.VerificationStatus:
    """The first status in this state."""
    async for status in watched(served, own_id):
        if status.state == state:
            return status
    raise AssertionError("it was never in this state")


async def result_of(
    served: Scripted, response: str = TOWER, *turns: detection_pb.Turn, **fields: object
) -> pb.VerifiedOutput:
    """Submit an output, and wait for its result."""
    status = await submit(served, response, *turns, **fields)  # type: ignore[arg-type]
    last = await end_of(served, status.id)
    assert last.state == pb.VERIFICATION_STATE_DONE, last.state_text
    return last.result


def bearer(token: str) -> tuple[tuple[str, str], ...]:
    return (("authorization", f"Bearer {token}"),) if token else ()
