"""The Python client of Groundwire, a server that verifies claims against evidence.

    from groundwire import Client

    with Client("127.0.0.1:50051") as client:
        for each in client.verify_answer("The sky is blue.", "..."):
            print(each.verdict.verdict, each.claim.content)

It needs grpcio and protobuf, and nothing else.
"""

from groundwire._settings import TLS
from groundwire.async_client import AsyncClient
from groundwire.claims import (
    Citation,
    CitationStyle,
    Claim,
    ConfidenceSource,
    ExtractOptions,
    ExtractResult,
    NonAssertiveReason,
    Span,
)
from groundwire.client import Client
from groundwire.errors import (
    CallCancelledError,
    ClientClosedError,
    ConfigurationError,
    DeadlineExceededError,
    ErrorReason,
    FieldViolation,
    GroundwireError,
    InternalError,
    InvalidRequestError,
    InvalidResponseError,
    QueueFullError,
    ResourceExhaustedError,
    RpcFailedError,
    UnauthenticatedError,
    UnavailableError,
)
from groundwire.evidence import Document, Evidence, SourceRange
from groundwire.notebook import CheckedClaim, verify_claim, verify_claims
from groundwire.policies import ClaimInput, Policy, Removal, Thresholds, VerifyOptions
from groundwire.reports import (
    AnswerClaim,
    AnswerEvent,
    AnswerReport,
    AnswerSummary,
    ClaimKnown,
    ClaimsFound,
    FoundClaim,
    Run,
    SharedUsage,
    VerifyResult,
)
from groundwire.results import (
    BatchResult,
    Estimate,
    EstimateResult,
    LabelForm,
    Limits,
    NoProbabilityReason,
    ServerInfo,
    ServerState,
    Source,
    Timing,
    Usage,
)
from groundwire.verdicts import (
    Budget,
    CitationRole,
    CitationStatus,
    ClaimVerdict,
    Envelope,
    RemovalPrior,
    Role,
    Stance,
    Verdict,
    VerdictReason,
)

__all__ = [
    "TLS",
    "AnswerClaim",
    "AnswerEvent",
    "AnswerReport",
    "AnswerSummary",
    "AsyncClient",
    "BatchResult",
    "Budget",
    "CallCancelledError",
    "CheckedClaim",
    "Citation",
    "CitationRole",
    "CitationStatus",
    "CitationStyle",
    "Claim",
    "ClaimInput",
    "ClaimKnown",
    "ClaimVerdict",
    "ClaimsFound",
    "Client",
    "ClientClosedError",
    "ConfidenceSource",
    "ConfigurationError",
    "DeadlineExceededError",
    "Document",
    "Envelope",
    "ErrorReason",
    "Estimate",
    "EstimateResult",
    "Evidence",
    "ExtractOptions",
    "ExtractResult",
    "FieldViolation",
    "FoundClaim",
    "GroundwireError",
    "InternalError",
    "InvalidRequestError",
    "InvalidResponseError",
    "LabelForm",
    "Limits",
    "NoProbabilityReason",
    "NonAssertiveReason",
    "Policy",
    "QueueFullError",
    "Removal",
    "RemovalPrior",
    "ResourceExhaustedError",
    "Role",
    "RpcFailedError",
    "Run",
    "ServerInfo",
    "ServerState",
    "SharedUsage",
    "Source",
    "SourceRange",
    "Span",
    "Stance",
    "Thresholds",
    "Timing",
    "UnauthenticatedError",
    "UnavailableError",
    "Usage",
    "Verdict",
    "VerdictReason",
    "VerifyOptions",
    "VerifyResult",
    "verify_claim",
    "verify_claims",
]
