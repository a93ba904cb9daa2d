"""A server that reads claims as their own numbers, for tests of `groundwire calibrate`."""

import grpc

from groundwire.v1 import hallucination_detection_pb2 as detection_pb
from groundwire.v1 import verifier_backend_pb2 as pb
from groundwire_verifier.domain.evidence import DEFAULT_MARKER
from tests.client.plain_answers import batch_response, claims_response
from tests.client.scripted import ScriptedServer


class Reader(ScriptedServer):
    """Reads each claim as its own probability, and as `prior` once its context is removed.

    Asked for a stance it says NO to each claim below 0.5, by as much as that lacks to 1. `calls`
    counts the batches that it was asked, `stances` the claims whose stance it was.
    """

    prior = "0.01"
    calls = 0
    stances = 0

    def BatchEstimate(
        self, request: pb.BatchEstimateRequest, context: grpc.ServicerContext
    ) -> pb.BatchEstimateResponse:
        self.calls += 1
        if request.context != DEFAULT_MARKER:
            return self._answer(request, context, lambda: batch_response(*request.claims))
        return batch_response(*[self.prior] * len(request.claims))

    def VerifyClaims(
        self, request: detection_pb.VerifyClaimsRequest, context: grpc.ServicerContext
    ) -> detection_pb.VerifyClaimsResponse:
        self.stances += len(request.claims)
        response = claims_response(*(claim.text for claim in request.claims))
        for claim, verdict in zip(request.claims, response.verdicts, strict=True):
            no = 1 - float(claim.text)
            if no > 0.5:
                verdict.verdict = detection_pb.VERDICT_CONTRADICTED
                verdict.reason = detection_pb.VERDICT_REASON_MODEL_SAYS_NO
                verdict.stance.CopyFrom(detection_pb.Stance(no=no, unsure=1 - no, label_mass=0.9))
        return self._answer(request, context, lambda: response)
