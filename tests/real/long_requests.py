"""Requests that the engine takes a while for, so that something can happen to it meanwhile."""

from groundwire import FactInput, GateReason
from groundwire.v1 import hallucination_detection_pb2 as pb

CLAIMS = 30
"""The most claims of `long_answer`."""
UNREAD = {GateReason.OUT_OF_TIME, GateReason.OVERLOADED, GateReason.BACKEND_UNAVAILABLE}
"""Why facts pass that nobody could read."""


def long_answer(title: str, claims: int) -> pb.VerifyAnswerRequest:
    """So many claims, each on one of CLAIMS sources, so that each has a long prompt of its own."""
    towns = [f"{title} {i}" for i in range(CLAIMS)]
    sources = [
        pb.Source(
            id=f"S{i}", document=pb.Document(text=f"The bridge of {town} is {i + 20} metres long. ")
        )
        for i, town in enumerate(towns)
    ]
    filler = pb.Document(text=f"{title} lies on a river that rises in the night. " * 10)
    answer = " ".join(
        f"The bridge of {town} is {i + 20} metres long [S{i}]."
        for i, town in enumerate(towns[:claims])
    )
    return pb.VerifyAnswerRequest(
        answer=answer,
        evidence=pb.Evidence(sources=[*sources, pb.Source(id="S900", document=filler)]),
        options=pb.VerifyOptions(max_claims=claims),
    )


def reasons_of(report: pb.VerifyAnswerResponse) -> list["pb.VerdictReason"]:
    """Why each claim of a report has its verdict."""
    return [claim.verdict.reason for claim in report.claims]


def long_facts(title: str) -> list[FactInput]:
    """Facts with long evidence, each with its own."""
    filler = "lies on a river that rises in the night. " * 30
    return [
        FactInput(f"The bridge of {title} {i} is long.", evidence=f"{title} {i} {filler}")
        for i in range(40)
    ]
