"""The client that blocks. What it shares with AsyncClient lies in the private modules."""

import time
from collections.abc import Iterable

from groundwire import _messages
from groundwire._detection import DetectionCalls
from groundwire._serving import ServingWait
from groundwire.errors import RpcFailedError
from groundwire.results import BatchResult, EstimateResult, ServerInfo
from groundwire.v1 import verifier_backend_pb2 as pb


class Client(DetectionCalls):
    """A client of one Groundwire server, over one channel. Threads may share it.

    A call that finds the server UNAVAILABLE is tried up to four times, about
    0.2, 0.4 and 0.8 s apart; nothing else is tried again. Retries have a budget,
    which all clients of a process share for one target: after four or five
    failures in a row there are none until calls have succeeded, ten for each.
    Every call has a time-out, retries included. Calls raise the exceptions of
    `groundwire.errors`.
    """

    def estimate(
        self,
        claim: str,
        context: str = "",
        *,
        backend: str = "",
        skip_result_cache: bool = False,
        split_long_context: bool = False,
        timeout_s: float | None = None,
    ) -> EstimateResult:
        """Reads the probability that one claim is true, given a context.

        Args:
            claim: the statement to judge, with at least one visible character.
            context: the evidence to judge it by.
            backend: one of `ServerInfo.backends`; empty: the server's default.
            skip_result_cache: compute the reading anew, whatever the server's result cache holds.
            split_long_context: read a context that is too long in chunks; `Estimate.chunk` names
                the one that supports the claim most.
            timeout_s: in seconds, above 0; None: the client's.

        Raises:
            RpcFailedError: the call failed; its subclass says how.
            InvalidResponseError: the answer breaks the contract.
            ConfigurationError: `timeout_s` cannot be used.
            ClientClosedError: the client was closed.
        """
        request = _messages.estimate_request(
            claim,
            context,
            backend,
            skip_result_cache=skip_result_cache,
            split_long_context=split_long_context,
        )
        return _messages.estimate_result(
            self._call(self._stub.EstimateProbability, request, timeout_s)
        )

    def batch_estimate(
        self,
        claims: Iterable[str],
        context: str = "",
        *,
        backend: str = "",
        skip_result_cache: bool = False,
        split_long_context: bool = False,
        timeout_s: float | None = None,
    ) -> BatchResult:
        """Reads many claims against one context; the answers keep the order of the claims.

        Args and errors are those of `estimate`. `claims` holds 1 to
        `Limits.max_claims` statements; one str is a TypeError. A batch is run
        whole or refused whole.
        """
        request = _messages.batch_request(
            claims,
            context,
            backend,
            skip_result_cache=skip_result_cache,
            split_long_context=split_long_context,
        )
        response = self._call(self._stub.BatchEstimate, request, timeout_s)
        return _messages.batch_result(response, len(request.claims))

    def server_info(self, *, timeout_s: float | None = None) -> ServerInfo:
        """Tells which model answers, and the limits; also while the server loads.

        `timeout_s` and the errors are those of `estimate`.
        """
        request = pb.GetServerInfoRequest()
        return _messages.server_info(self._call(self._stub.GetServerInfo, request, timeout_s))

    def wait_until_serving(self, timeout_s: float) -> ServerInfo:
        """Waits until the server's state is SERVING, and returns what it says then.

        The server need not run yet. `timeout_s` is in seconds, above 0.

        Raises:
            UnavailableError: it does not serve in time, or its engine has failed.
            UnauthenticatedError: the token is wrong, which waiting does not mend.
            RpcFailedError: another failure that waiting does not mend.
        """
        wait = ServingWait(timeout_s, self._settings.timeout_s)
        request = pb.GetServerInfoRequest()
        while True:
            call_s = wait.next_call_s()
            try:
                response = self._call(
                    self._stub.GetServerInfo, request, call_s, wait_for_ready=True
                )
            except RpcFailedError as error:
                wait.failed(error)
            else:
                info = _messages.server_info(response)
                if wait.is_over(info):
                    return info
            time.sleep(wait.pause_s())
