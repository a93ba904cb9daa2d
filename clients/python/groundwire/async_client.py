"""The client for asyncio. What it shares with Client lies in the private modules."""

import asyncio
from collections.abc import Iterable
from types import TracebackType
from typing import TYPE_CHECKING, Self, TypeVar

import grpc

from groundwire import _messages
from groundwire._failures import failure
from groundwire._serving import ServingWait
from groundwire._settings import (
    DEFAULT_MAX_MESSAGE_BYTES,
    DEFAULT_TARGET,
    DEFAULT_TIMEOUT_S,
    TLS,
    Options,
    make_settings,
)
from groundwire.errors import (
    CallCancelledError,
    ClientClosedError,
    InternalError,
    RpcFailedError,
)
from groundwire.results import BatchResult, EstimateResult, ServerInfo
from groundwire.v1 import verifier_backend_pb2 as pb
from groundwire.v1.verifier_backend_pb2_grpc import VerifierBackendStub

if TYPE_CHECKING:
    from groundwire.v1.verifier_backend_pb2_grpc import VerifierBackendAsyncStub

Request = TypeVar("Request")
Response = TypeVar("Response")


class AsyncClient:
    """As Client, for asyncio: the same arguments, results and errors.

    It may be made anywhere, and belongs to the event loop of its first call.
    Cancelling the task that awaits a call cancels the call in the server too.
    """

    def __init__(
        self,
        target: str = DEFAULT_TARGET,
        *,
        token: str | None = None,
        timeout_s: float = DEFAULT_TIMEOUT_S,
        tls: TLS | None = None,
        allow_plaintext: bool = False,
        max_message_bytes: int = DEFAULT_MAX_MESSAGE_BYTES,
        options: Options = (),
    ) -> None:
        """Checks the arguments, which are those of `Client`; the first call connects.

        Raises:
            ConfigurationError: an argument cannot be used.
        """
        self._settings = make_settings(
            target,
            token=token,
            timeout_s=timeout_s,
            tls=tls,
            allow_plaintext=allow_plaintext,
            max_message_bytes=max_message_bytes,
            options=options,
        )
        self._channel: grpc.aio.Channel | None = None
        self._closed = False

    async def estimate(
        self, claim: str, context: str = "", *, backend: str = "", timeout_s: float | None = None
    ) -> EstimateResult:
        """Reads the probability that one claim is true, as `Client.estimate`."""
        request = _messages.estimate_request(claim, context, backend)
        call = self._stub().EstimateProbability
        return _messages.estimate_result(await self._call(call, request, timeout_s))

    async def batch_estimate(
        self,
        claims: Iterable[str],
        context: str = "",
        *,
        backend: str = "",
        timeout_s: float | None = None,
    ) -> BatchResult:
        """Reads many claims against one context, as `Client.batch_estimate`."""
        request = _messages.batch_request(claims, context, backend)
        response = await self._call(self._stub().BatchEstimate, request, timeout_s)
        return _messages.batch_result(response, len(request.claims))

    async def server_info(self, *, timeout_s: float | None = None) -> ServerInfo:
        """Tells which model answers, and the limits, as `Client.server_info`."""
        request = pb.GetServerInfoRequest()
        response = await self._call(self._stub().GetServerInfo, request, timeout_s)
        return _messages.server_info(response)

    async def wait_until_serving(self, timeout_s: float) -> ServerInfo:
        """Waits until the server's state is SERVING, as `Client.wait_until_serving`."""
        wait = ServingWait(timeout_s, self._settings.timeout_s)
        request = pb.GetServerInfoRequest()
        while True:
            call_s = wait.next_call_s()
            try:
                response = await self._call(
                    self._stub().GetServerInfo, request, call_s, wait_for_ready=True
                )
            except RpcFailedError as error:
                wait.failed(error)
            else:
                info = _messages.server_info(response)
                if wait.is_over(info):
                    return info
            await asyncio.sleep(wait.pause_s())

    async def close(self) -> None:
        """Closes the channel. Calls in flight raise CallCancelledError."""
        self._closed = True
        if self._channel is not None:
            await self._channel.close()

    async def __aenter__(self) -> Self:
        """The client itself, which the end of the block closes."""
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Closes the client."""
        await self.close()

    def _stub(self) -> "VerifierBackendAsyncStub":
        if self._closed:
            raise ClientClosedError("the client was closed")
        if self._channel is None:
            # Not earlier: a channel is bound to the event loop that it is made in.
            self._channel = self._open()
        return VerifierBackendStub(self._channel)

    def _open(self) -> grpc.aio.Channel:
        settings = self._settings
        if settings.credentials is None:
            return grpc.aio.insecure_channel(settings.target, settings.options)
        return grpc.aio.secure_channel(settings.target, settings.credentials, settings.options)

    async def _call(
        self,
        method: "grpc.aio.UnaryUnaryMultiCallable[Request, Response]",
        request: Request,
        timeout_s: float | None,
        wait_for_ready: bool = False,
    ) -> Response:
        try:
            response = await method(
                request,
                timeout=self._settings.call_timeout_s(timeout_s),
                metadata=self._settings.call_metadata(),
                wait_for_ready=wait_for_ready,
            )
        except grpc.RpcError as error:
            raise failure(error) from error
        except asyncio.CancelledError as error:
            task = asyncio.current_task()
            if self._closed and task is not None and not task.cancelling():
                # It is the call that was cancelled, not the task that awaits it.
                raise CallCancelledError(
                    "the client was closed", grpc.StatusCode.CANCELLED
                ) from error
            raise
        if response is None:
            # All that grpc.aio does with bytes that it cannot read is to log them.
            raise InternalError("the answer cannot be read", grpc.StatusCode.INTERNAL)
        return response
