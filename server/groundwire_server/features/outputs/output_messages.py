"""Messages of the OutputVerification service to inputs, and reviews to messages."""

from groundwire.v1 import hallucination_detection_pb2 as detection_pb
from groundwire.v1 import output_verification_pb2 as pb
from groundwire_server.features.detection import detection_messages as messages
from groundwire_server.features.detection import detection_requests as requests
from groundwire_server.features.detection.claim_finding import extraction_message
from groundwire_server.features.detection.messages import message
from groundwire_verifier.checks.outputs.conversation import Conversation
from groundwire_verifier.checks.outputs.formats import JsonFormat, ListFormat, StatedFormat
from groundwire_verifier.checks.outputs.review import OutputInput, OutputReview
from groundwire_verifier.domain.evidence import Document
from groundwire_verifier.verification import Verification, Verifier

FINAL = {
    pb.VERIFICATION_STATE_DONE,
    pb.VERIFICATION_STATE_SKIPPED,
    pb.VERIFICATION_STATE_FAILED,
}
"""States that nothing follows."""


def output_input(
    request: pb.SubmitVerificationRequest,
    backend: str,
    defaults: requests.Defaults,
    verifier: Verifier,
) -> OutputInput:
    """An output to verify, by `backend` where it names none.

    Raises InvalidInputError for an unknown choice.
    """
    options = detection_pb.VerifyOptions()
    options.CopyFrom(request.options)
    options.backend = options.backend or backend
    return OutputInput(
        response=request.response,
        conversation=_conversation(request),
        format=_format(request.format),
        question=request.question,
        extract=requests.extract_options(request.extract, "extract"),
        options=requests.verify_options(options, defaults, verifier, "options"),
    )


def as_answer(request: pb.SubmitVerificationRequest) -> detection_pb.VerifyAnswerRequest:
    """The same as an answer on the same evidence, which has the same claims and verdicts.

    Raises InvalidInputError for an unknown role.
    """
    return detection_pb.VerifyAnswerRequest(
        answer=request.response,
        evidence=detection_pb.Evidence(
            sources=[
                detection_pb.Source(
                    id=each.id, document=detection_pb.Document(text=each.text, title=each.title)
                )
                for each in _conversation(request).sources
            ]
        ),
        question=request.question,
        extract=request.extract,
        options=request.options,
        turns=request.turns,
    )


def _conversation(request: pb.SubmitVerificationRequest) -> Conversation:
    return Conversation(
        tuple(requests.turn(turn, f"turns[{i}]") for i, turn in enumerate(request.turns)),
        tuple(Document(each.id, each.text, each.title) for each in request.documents),
    )


def verified_output(
    value: OutputReview,
    read: Verification,
    flag_threshold_bits: float,
    detection_id: str,
    total_s: float,
) -> pb.VerifiedOutput:
    report = detection_pb.VerifyAnswerResponse(
        claims=[messages.answer_claim(claim) for claim in value.claims],
        summary=messages.summary(value.summary),
        run=messages.run(detection_id, read, total_s),
        extraction=extraction_message(value.extraction),
    )
    return message(
        pb.VerifiedOutput,
        value,
        report=report,
        risk_bits=value.risk.bits,
        unread_claims=value.risk.unread_claims,
        flag_threshold_bits=flag_threshold_bits,
    )


def failed(reason: str, text: str) -> pb.VerificationStatus:
    """The status of what can never be verified. `reason` is a name of ErrorReason."""
    return pb.VerificationStatus(
        state=pb.VERIFICATION_STATE_FAILED,
        failure_reason=f"ERROR_REASON_{reason}",
        state_text=text,
    )


def _format(message: pb.StatedFormat) -> StatedFormat:
    kind: JsonFormat | ListFormat | None = None
    match message.WhichOneof("kind"):
        case "json":
            kind = JsonFormat(message.json.schema)
        case "list":
            given = message.list
            kind = ListFormat(
                given.min_items if given.HasField("min_items") else 1,
                given.max_items if given.HasField("max_items") else None,
            )
    most = message.max_characters if message.HasField("max_characters") else None
    return StatedFormat(kind, most)
