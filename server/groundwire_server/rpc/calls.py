"""What every call of every service goes through: its time, its place, its span, its end."""

import asyncio
import contextlib
import math
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from typing import TypeVar

from google.protobuf.message import Message
from grpc import aio

from groundwire_server.access.callers import CALLER, CacheScope
from groundwire_server.records.detections import Detection, DetectionCall, Judged, Sink
from groundwire_server.rpc.accounts import Accounts
from groundwire_server.rpc.admission import Admission, DrainingError
from groundwire_server.rpc.status import CallStatus, CallTimeoutError
from groundwire_server.rpc.telemetry import Telemetry
from groundwire_verifier.domain.tasks import retrieve
from groundwire_verifier.domain.urgency import EVERYONE, Arrival, Tenant
from groundwire_verifier.verification import Verification

Context = aio.ServicerContext[Message, Message]
Request = TypeVar("Request")
Response = TypeVar("Response")

OpenMethod = Callable[[bytes, Callable[[Message], Awaitable[None]]], Awaitable[None]]
"""A method that anybody may call: it reads the bytes of a request, and sends its responses."""

PeerLeftError = aio.InternalError
"""What gRPC raises where a message cannot be sent or received, since its peer is gone."""

STATUS_TIMEOUT_S = 1.0
"""How long a call waits until its error is on its way. Behind messages that a peer does not read it
never is: then gRPC goes on holding it for the peer, but nothing of ours waits."""


_deadline_s: ContextVar[float] = ContextVar("deadline")
"""When the call that is being served ends, on the monotonic clock."""

_AT_ONCE = 0.0
"""A time of the loop's that is over."""


@dataclass(frozen=True, slots=True)
class Calls:
    """What services need to run calls. `max_call_s` bounds a call in seconds."""

    admission: Admission
    telemetry: Telemetry
    max_call_s: float
    cache_scope: CacheScope
    sinks: Sequence[Sink] = ()
    """What keeps detections where the operator switched that on."""
    accounts: Accounts | None = None
    """What tenants have used, where callers are told apart."""
    _bounds: set[asyncio.Timeout] = field(default_factory=set, init=False)

    def tenant_of(self, owner: str) -> Tenant:
        """Whose work is done that `owner` submitted."""
        return EVERYONE if self.accounts is None else self.accounts.of(owner).tenant

    def owner(self) -> str:
        """Whose call it is; see `Caller.owner`."""
        return CALLER.get().owner

    def arrival(self, within_s: float = math.inf) -> Arrival:
        """The times of the call that is being served: its request is here now.

        It has until its deadline or the server's own limit, which its request took a part of, and
        at most `within_s` seconds.
        """
        at_s = time.monotonic()
        tenant = EVERYONE if self.accounts is None else self.accounts.current.tenant
        return Arrival(at_s, min(_deadline_s.get(), at_s + within_s), tenant)

    def detecting(self, method: str, within_s: float = math.inf) -> DetectionCall:
        """Begin a detection, whose id the call's span has. For the times see `arrival`."""
        call = DetectionCall(method, self.arrival(within_s))
        if self.telemetry.spans is not None:
            self.telemetry.mark_span(call.id)
        return call

    def record(
        self,
        call: DetectionCall,
        request: Message,
        *,
        judged: tuple[Judged, ...],
        verification: Verification,
        outcomes: tuple[str, ...] = (),
        confidence: float | None = None,
        rejected: frozenset[int] = frozenset(),
    ) -> float:
        """Have a call's findings told, see `Detection`; how long it took, in seconds."""
        total_s = time.monotonic() - call.arrival.at_s
        owner = self.owner()
        detection = Detection(
            call, request, judged, verification, total_s, owner, outcomes, confidence, rejected
        )
        # After the answer, which nobody should wait longer for.
        asyncio.get_running_loop().call_soon(self.tell, detection)
        return total_s

    def tell(self, detection: Detection) -> None:
        """Count a detection, log it, and have it kept."""
        self.telemetry.record_detection(detection)
        if self.sinks:
            # Readings are many, and nobody keeps them.
            kept = replace(detection, verification=replace(detection.verification, readings={}))
            for sink in self.sinks:
                sink(kept)

    @contextlib.asynccontextmanager
    async def bounded(self, remaining_s: float | None) -> AsyncIterator[None]:
        """Bound all that a call does by the time until its deadline and the server's own limit.

        That includes receiving its request and sending its response, which wait for the peer.

        Raises CallTimeoutError, or DrainingError at the server's own end.
        """
        left_s = self.max_call_s if remaining_s is None else min(remaining_s, self.max_call_s)
        _deadline_s.set(time.monotonic() + left_s)
        bound = asyncio.timeout(left_s)
        try:
            async with bound:
                self._bounds.add(bound)
                yield
        except TimeoutError:
            if bound.when() == _AT_ONCE:
                raise DrainingError from None
            raise CallTimeoutError(
                f"the call took longer than the {left_s:.3g} s that it had; "
                "allow more time or send a smaller batch"
            ) from None
        finally:
            self._bounds.discard(bound)

    def end(self) -> None:
        """End all calls: the server cannot wait for them any longer."""
        for bound in self._bounds:
            if not bound.expired():
                bound.reschedule(_AT_ONCE)


async def to_its_end(operation: Awaitable[Response]) -> Response:
    """Wait for what gRPC does for a call; if the call ends before, that still goes on.

    Of an operation that is cancelled midway grpcio frees nothing (grpc/grpc#43360, open in 1.85.3).
    gRPC itself ends the operation as soon as the peer is gone.
    """
    running = asyncio.ensure_future(operation)
    running.add_done_callback(retrieve)
    return await asyncio.shield(running)


async def begin_response(context: aio.ServicerContext[Request, Response]) -> None:
    """Send what stands before the first message of a response; from now on nobody tries again.

    The first message would bring it along. But while that waits for its peer, gRPC takes it for not
    sent, and would refuse a status, which would bring it along once more.
    """
    await to_its_end(context.send_initial_metadata(()))


def sending(
    context: aio.ServicerContext[Request, Response],
) -> Callable[[Response], Awaitable[None]]:
    """Sends the messages of a response, after what stands before the first."""
    begun = False

    async def send(message: Response) -> None:
        nonlocal begun
        if not begun:
            await begin_response(context)
            begun = True
        await to_its_end(context.write(message))

    return send


async def end_call(context: aio.ServicerContext[Request, Response], status: CallStatus) -> None:
    """End a call with a status, and never wait longer than STATUS_TIMEOUT_S for its peer.

    Raises grpc.aio.AbortError once the status is on its way; else gRPC raises it when the handler
    returns, which it has to do at once.
    """

    async def abort() -> aio.AbortError | None:
        try:
            await context.abort(status.code, status.message, status.trailing_metadata())
        except aio.AbortError as error:
            return error
        except aio.BaseError:  # the peer has left
            return None

    aborting = asyncio.create_task(abort())
    done, _ = await asyncio.wait((aborting,), timeout=STATUS_TIMEOUT_S)
    if done and (error := aborting.result()) is not None:
        # Spans record it with all that it came from, and the text of a bug could repeat the text
        # of a request.
        raise error from None
