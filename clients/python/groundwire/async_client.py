"""The client for asyncio. What it shares with Client lies in the private modules."""

import asyncio
from collections.abc import Iterable
from typing import TYPE_CHECKING

from groundwire import _messages
from groundwire._async_detection import AsyncDetectionCalls
from groundwire._serving import ServingWait
from groundwire.errors import RpcFailedError
from groundwire.results import BatchResult, EstimateResult, ServerInfo
from groundwire.v1 import verifier_backend_pb2 as pb
from groundwire.v1.verifier_backend_pb2_grpc import VerifierBackendStub

if TYPE_CHECKING:
    from groundwire.v1.verifier_backend_pb2_grpc import VerifierBackendAsyncStub


class AsyncClient(AsyncDetectionCalls):
    """As Client, for asyncio: the same arguments, results and errors.

    It may be made anywhere, and belongs to the event loop of its first call.
    Cancelling the task that awaits a call cancels the call in the server too.
    """

    async def estimate(
        self,
        claim: str,
        context: str = "",
        *,
        backend: str = "",
        skip_result_cache: bool = False,
        split_long_context: bool = False,
        timeout_s: float | None = None,
    ) -> EstimateResult:
        """Reads the probability that one claim is true, as `Client.estimate`."""
        request = _messages.estimate_request(
            claim,
            context,
            backend,
            skip_result_cache=skip_result_cache,
            split_long_context=split_long_context,
        )
        call = self._stub().EstimateProbability
        return _messages.estimate_result(await self._call(call, request, timeout_s))

    async def batch_estimate(
        self,
        claims: Iterable[str],
        context: str = "",
        *,
        backend: str = "",
        skip_result_cache: bool = False,
        split_long_context: bool = False,
        timeout_s: float | None = None,
    ) -> BatchResult:
        """Reads many claims against one context, as `Client.batch_estimate`."""
        request = _messages.batch_request(
            claims,
            context,
            backend,
            skip_result_cache=skip_result_cache,
            split_long_context=split_long_context,
        )
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

    def _stub(self) -> "VerifierBackendAsyncStub":
        return VerifierBackendStub(self._opened())
