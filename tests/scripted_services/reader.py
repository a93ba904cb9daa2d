"""A server that reads claims as their own numbers, for tests of `groundwire calibrate`."""

import grpc

from groundwire.v1 import verifier_backend_pb2 as pb
from groundwire_verifier.domain.evidence import DEFAULT_MARKER
from tests.client.scripted import ScriptedServer, batch_response


class Reader(ScriptedServer):
    """Reads each claim as its own probability, and as `prior` once its context is removed.

    `calls` counts the batches that it was asked.
    """

    prior = "0.01"
    calls = 0

    def BatchEstimate(
        self, request: pb.BatchEstimateRequest, context: grpc.ServicerContext
    ) -> pb.BatchEstimateResponse:
        self.calls += 1
        if request.context != DEFAULT_MARKER:
            return super().BatchEstimate(request, context)
        return batch_response(*[self.prior] * len(request.claims))
