"""A real gRPC server for the whole contract whose answers a test scripts, a step for each call."""

import inspect
import threading
from collections import deque
from collections.abc import AsyncIterable, Awaitable, Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, TypeVar, cast

import grpc
from google.protobuf import descriptor_pool
from google.protobuf.duration_pb2 import Duration
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass
from google.rpc import code_pb2, error_details_pb2, status_pb2
from grpc_status import rpc_status

from groundwire import AsyncClient, Client
from groundwire.v1 import hallucination_detection_pb2 as pb
from tests.client.plain_answers import PLAIN, draft_responses, stream_responses

AnyClient = Client | AsyncClient
# A message is the answer; a callable fails the call, or leaves it to the plain answer.
Step = Message | Callable[[grpc.ServicerContext], None]
Answer = TypeVar("Answer")
Piece = TypeVar("Piece")

HOLD_LIMIT_S = 30.0


async def settle(answer: Awaitable[Answer] | Answer) -> Answer:
    """The answer of either client: the blocking one has it, the other is awaited."""
    if inspect.isawaitable(answer):
        awaited: Answer = await answer
        return awaited
    return answer


async def collect(pieces: Iterable[Piece] | AsyncIterable[Piece]) -> list[Piece]:
    """All pieces of the stream of either client."""
    if isinstance(pieces, AsyncIterable):
        return [piece async for piece in pieces]
    return list(pieces)


async def next_piece(pieces: Iterator[Piece] | AsyncIterable[Piece]) -> Piece:
    """The next piece of the stream of either client."""
    if isinstance(pieces, AsyncIterable):
        return await anext(aiter(pieces))
    return next(pieces)


@dataclass(frozen=True, slots=True)
class Received:
    """One call as the server saw it."""

    request: Message
    metadata: Mapping[str, str]
    time_remaining_s: float


class Pieces:
    """A step that sends these messages, and takes the steps between them."""

    def __init__(self, *steps: Step) -> None:
        self.steps = steps

    def __call__(self, context: grpc.ServicerContext) -> None:
        raise NotImplementedError("these pieces are for VerifyAnswerStream")


class PiecesAtTheEnd(Pieces):
    """The same for VerifyDraft, once the text has come to its end."""


class PiecesAfterText(Pieces):
    """The same once some text has come."""


_HANDLERS: Mapping[tuple[bool, bool], Callable[..., Any]] = {
    (False, False): grpc.unary_unary_rpc_method_handler,
    (False, True): grpc.unary_stream_rpc_method_handler,
    (True, True): grpc.stream_stream_rpc_method_handler,
}


class ScriptedServer(grpc.GenericRpcHandler):
    """Takes the next step of its script for each call of any method; without one, answers plainly.

    Plainly means that a claim is read as its own probability: "0.25" has 0.25, and "none" has no
    probability. Each word of a text is a claim, and so is each step; a claim is its own p1, and p0
    is 0.25. From 0.5 it is supported and grounded, a fact is accepted, and "none" is not verified.
    A class above answers a method by one of its own of that name.
    """

    def __init__(
        self,
        credentials: grpc.ServerCredentials | None = None,
        address: str = "127.0.0.1:0",
    ) -> None:
        self.received: list[Received] = []
        self._script: deque[Step] = deque()
        self._pool = ThreadPoolExecutor(4)
        self._server = grpc.server(self._pool, [self], options=[("grpc.so_reuseport", 0)])
        if credentials is None:
            port = self._server.add_insecure_port(address)
        else:
            port = self._server.add_secure_port(address, credentials)
        self.target = f"127.0.0.1:{port}"
        self._server.start()

    def script(self, *steps: Step) -> None:
        """Adds steps, one for each coming call."""
        self._script.extend(steps)

    def stop(self) -> None:
        """Stops at once and waits until it is done."""
        self._server.stop(None).wait()
        self._pool.shutdown()

    def service(self, handler_call_details: grpc.HandlerCallDetails) -> Any:  # noqa: ANN401
        """What answers a method of the contract."""
        _, service, name = str(handler_call_details.method).split("/")
        method = descriptor_pool.Default().FindServiceByName(service).methods_by_name[name]

        def plainly(request: Message, context: grpc.ServicerContext) -> Message:
            return self._answer(request, context, lambda: PLAIN[name](request))

        return _HANDLERS[method.client_streaming, method.server_streaming](
            getattr(self, name, plainly),
            request_deserializer=GetMessageClass(method.input_type).FromString,
            response_serializer=lambda message: message.SerializeToString(),
        )

    def VerifyAnswerStream(
        self, request: pb.VerifyAnswerStreamRequest, context: grpc.ServicerContext
    ) -> Iterator[pb.VerifyAnswerStreamResponse]:
        step = self._next_step(request, context)
        if not isinstance(step, Pieces):
            if callable(step):
                step(context)
            step = Pieces(*stream_responses(request.request.answer))
        for piece in step.steps:
            if isinstance(piece, Message):
                yield cast(pb.VerifyAnswerStreamResponse, piece)
            else:
                piece(context)

    def VerifyDraft(
        self, requests: Iterator[pb.VerifyDraftRequest], context: grpc.ServicerContext
    ) -> Iterator[pb.VerifyDraftResponse]:
        """Plainly: a verdict for each word of the whole text, in its order, and the report."""
        step = self._next_step(next(requests), context)
        if callable(step) and not isinstance(step, Pieces):
            step(context)
        yield pb.VerifyDraftResponse(ready=pb.DraftReady())
        if isinstance(step, PiecesAtTheEnd):
            next(request for request in requests if request.HasField("end"))
        if isinstance(step, PiecesAfterText):
            next(request for request in requests if request.text)
        if isinstance(step, Pieces):
            for piece in step.steps:
                if isinstance(piece, Message):
                    yield cast(pb.VerifyDraftResponse, piece)
                else:
                    piece(context)
            return
        text = ""
        for request in requests:
            text += request.text
            if request.HasField("end"):
                yield from draft_responses(text)
                return

    def _answer(
        self, request: Message, context: grpc.ServicerContext, plain: Callable[[], Answer]
    ) -> Answer:
        """The answer that the script has, or the plain one."""
        step = self._next_step(request, context)
        if isinstance(step, Message):
            return cast(Answer, step)
        if step is not None:
            step(context)
        return plain()

    def _next_step(self, request: Message, context: grpc.ServicerContext) -> Step | None:
        metadata = {str(key): str(value) for key, value in context.invocation_metadata()}
        self.received.append(Received(request, metadata, context.time_remaining()))
        return self._script.popleft() if self._script else None


class Hold:
    """A step that keeps its call until the client gives it up."""

    def __init__(self) -> None:
        self.entered = threading.Event()
        self.given_up = threading.Event()

    def __call__(self, context: grpc.ServicerContext) -> None:
        context.add_callback(self.given_up.set)
        self.entered.set()
        self.given_up.wait(HOLD_LIMIT_S)


def failing(
    code: grpc.StatusCode,
    reason: str | None = None,
    message: str = "the message",
    *,
    domain: str = "groundwire",
    details: tuple[Message, ...] = (),
) -> Step:
    """A step that fails the call, with an ErrorInfo where there is a reason."""
    status = status_pb2.Status(code=code_pb2.Code.Value(code.name), message=message)
    infos = [] if reason is None else [error_details_pb2.ErrorInfo(reason=reason, domain=domain)]
    for detail in (*details, *infos):
        status.details.add().Pack(detail)

    def fail(context: grpc.ServicerContext) -> None:
        context.abort_with_status(rpc_status.to_status(status))

    return fail


def bad_request(**descriptions: str) -> Message:
    """A google.rpc.BadRequest with one violation for each field."""
    violations = [
        error_details_pb2.BadRequest.FieldViolation(field=field, description=description)
        for field, description in descriptions.items()
    ]
    return cast(Message, error_details_pb2.BadRequest(field_violations=violations))


def retry_after(seconds: int, nanos: int = 0) -> Message:
    """A google.rpc.RetryInfo."""
    delay = Duration(seconds=seconds, nanos=nanos)
    return cast(Message, error_details_pb2.RetryInfo(retry_delay=delay))
