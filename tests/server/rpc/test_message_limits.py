"""The limits on messages, on a real server: each with its status, reason and field."""

from collections.abc import AsyncIterator, Callable, Iterator

import pytest
from google.protobuf.descriptor import Descriptor
from google.protobuf.message import Message
from grpc import StatusCode, aio

from groundwire.v1 import hallucination_detection_pb2 as pb
from groundwire.v1 import memory_gate_pb2 as gate_pb
from groundwire.v1 import output_verification_pb2 as output_pb
from groundwire.v1 import response_assessment_pb2 as assessment_pb
from groundwire.v1 import similarity_pb2 as similarity_pb
from groundwire.v1 import trace_audit_pb2 as trace_pb
from groundwire.v1 import verifier_backend_pb2 as backend_pb
from groundwire_server.features.declarations import field_limits
from groundwire_server.rpc.status import MalformedRequestError
from groundwire_server.rpc.wire import MAX_CITATION_STYLES, MAX_MESSAGE_FIELDS, limited
from groundwire_verifier.checks.answers import MAX_PREFIXES
from groundwire_verifier.domain.errors import InvalidInputError
from groundwire_verifier.domain.types import Limits
from groundwire_verifier.verdicts.options import MAX_CITED_IDS
from tests.scripted import WAIT_LIMIT_S, Scripted, reason_of, scripted_server, violations_of
from tests.scripted_services.detection import documents, stub_of
from tests.steps import calls_in

CLAIMS, SOURCES = 20, 10
BACKEND, DETECTION = "/groundwire.v1.VerifierBackend/", "/groundwire.v1.HallucinationDetection/"
LIMITS = Limits(claims=1000, claim_tokens=512, text_characters=200_000)
DOCUMENT = pb.Source(id="S0", document=pb.Document(text="It rained."))
BIG = 1 << 20


@pytest.fixture
async def served() -> AsyncIterator[Scripted]:
    async with scripted_server(max_claims=CLAIMS, limits={"sources": SOURCES}) as served:
        yield served


async def refused(
    served: Scripted, method: str, data: bytes | Message
) -> tuple[StatusCode, str, list[str], str]:
    """Code, reason, fields and text of the error that these bytes get."""
    call: aio.UnaryUnaryMultiCallable[bytes, bytes] = served.channel.unary_unary(method)
    sent = data.SerializeToString() if isinstance(data, Message) else data
    with pytest.raises(aio.AioRpcError) as caught:
        await call(sent, timeout=WAIT_LIMIT_S)
    error = caught.value
    return error.code(), reason_of(error), list(violations_of(error)), str(error.details())


def message(number: int, data: bytes) -> bytes:
    """A field that holds a message, as it is on the wire."""
    size, length = len(data), b""
    while size > 127:
        length += bytes([size & 127 | 128])
        size >>= 7
    return bytes([number << 3 | 2]) + length + bytes([size]) + data


CASES: dict[str, tuple[str, Message, str, str, int]] = {
    "claims of an estimate": (
        BACKEND + "BatchEstimate",
        backend_pb.BatchEstimateRequest(claims=["a"] * (CLAIMS + 1)),
        "claims",
        "TOO_MANY_CLAIMS",
        CLAIMS,
    ),
    "claims to verify": (
        DETECTION + "VerifyClaims",
        pb.VerifyClaimsRequest(claims=[pb.ClaimInput(text="a")] * (CLAIMS + 1)),
        "claims",
        "TOO_MANY_CLAIMS",
        CLAIMS,
    ),
    "cited ids": (
        DETECTION + "VerifyClaims",
        pb.VerifyClaimsRequest(
            claims=[pb.ClaimInput(), pb.ClaimInput(cited_ids=["S0"] * (MAX_CITED_IDS + 1))]
        ),
        "claims[1].cited_ids",
        "INVALID_SOURCE",
        MAX_CITED_IDS,
    ),
    "sources": (
        DETECTION + "VerifyAnswer",
        pb.VerifyAnswerRequest(evidence=pb.Evidence(sources=[DOCUMENT] * (SOURCES + 1))),
        "evidence.sources",
        "INVALID_SOURCE",
        SOURCES,
    ),
    "sources of a stream": (
        DETECTION + "VerifyAnswerStream",
        pb.VerifyAnswerStreamRequest(
            request=pb.VerifyAnswerRequest(evidence=pb.Evidence(sources=[DOCUMENT] * 11))
        ),
        "request.evidence.sources",
        "INVALID_SOURCE",
        SOURCES,
    ),
    "ids of a text": (
        DETECTION + "ExtractClaims",
        pb.ExtractClaimsRequest(text="a", source_ids=["S0"] * (SOURCES + 1)),
        "source_ids",
        "INVALID_SOURCE",
        SOURCES,
    ),
    "ids beside those of the sources": (
        DETECTION + "VerifyAnswer",
        pb.VerifyAnswerRequest(extract=pb.ExtractOptions(known_ids=["b"] * (SOURCES + 1))),
        "extract.known_ids",
        "INVALID_SOURCE",
        SOURCES,
    ),
    "styles": (
        DETECTION + "ExtractClaims",
        pb.ExtractClaimsRequest(
            options=pb.ExtractOptions(
                citation_styles=[pb.CITATION_STYLE_CARET] * (MAX_CITATION_STYLES + 1)
            )
        ),
        "options.citation_styles",
        "INVALID_OPTION",
        MAX_CITATION_STYLES,
    ),
    "contexts of a comparison": (
        "/groundwire.v1.Similarity/CheckSimilarity",
        similarity_pb.CheckSimilarityRequest(contexts=["a"] * (SOURCES + 1)),
        "contexts",
        "INVALID_SOURCE",
        SOURCES,
    ),
    "prefixes": (
        DETECTION + "VerifyAnswer",
        pb.VerifyAnswerRequest(
            extract=pb.ExtractOptions(citation_prefixes=["S"] * (MAX_PREFIXES + 1))
        ),
        "extract.citation_prefixes",
        "INVALID_OPTION",
        MAX_PREFIXES,
    ),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
async def test_too_many_values_are_refused_with_their_field_and_the_limit(
    served: Scripted, case: tuple[str, Message, str, str, int]
) -> None:
    method, request, field, reason, most = case
    code, found, fields, text = await refused(served, method, request)
    assert (code, found, fields) == (StatusCode.INVALID_ARGUMENT, reason, [field])
    assert f"holds more than {most:,} " in text


async def test_values_of_a_message_that_came_in_parts_count_together(served: Scripted) -> None:
    half = pb.VerifyAnswerRequest(
        evidence=pb.Evidence(sources=[DOCUMENT] * (SOURCES // 2 + 1))
    ).SerializeToString()
    assert len(pb.VerifyAnswerRequest.FromString(half + half).evidence.sources) > SOURCES
    _, reason, fields, _ = await refused(served, DETECTION + "VerifyAnswer", half + half)
    assert (reason, fields) == ("INVALID_SOURCE", ["evidence.sources"])


async def test_fields_that_the_contract_does_not_know_are_limited(served: Scripted) -> None:
    unknown = b"\x78\x00" * (MAX_MESSAGE_FIELDS + 1)
    code, reason, fields, text = await refused(served, BACKEND + "BatchEstimate", unknown)
    assert (code, reason) == (StatusCode.INVALID_ARGUMENT, "MALFORMED_REQUEST")
    assert fields == [""]
    assert f"{MAX_MESSAGE_FIELDS:,} fields" in text


@pytest.mark.parametrize(
    ("method", "request_", "field"),
    [
        (
            "VerifyClaims",
            pb.VerifyClaimsRequest(
                claims=[pb.ClaimInput(text="a", cited_ids=["S0", "x" * 257])],
                evidence=documents("It rained."),
            ),
            "claims[0].cited_ids[1]",
        ),
        (
            "ExtractClaims",
            pb.ExtractClaimsRequest(text="It rained.", source_ids=["x" * 257]),
            "source_ids[0]",
        ),
        (
            "VerifyAnswer",
            pb.VerifyAnswerRequest(
                answer="It rained.",
                evidence=documents("It rained."),
                extract=pb.ExtractOptions(known_ids=["b.pdf", "x" * 257]),
            ),
            "extract.known_ids[1]",
        ),
    ],
)
async def test_an_id_that_no_source_can_have_is_refused(
    served: Scripted, method: str, request_: Message, field: str
) -> None:
    code, reason, fields, text = await refused(served, DETECTION + method, request_)
    assert (code, reason) == (StatusCode.INVALID_ARGUMENT, "INVALID_SOURCE")
    assert fields == [field]
    assert "the limit is 256" in text


async def test_an_id_without_a_character_is_found_nowhere_and_refused(served: Scripted) -> None:
    options = pb.ExtractOptions(known_ids=["b.pdf", ""])
    request_ = pb.ExtractClaimsRequest(text="It rained.", options=options)
    code, _, fields, text = await refused(served, DETECTION + "ExtractClaims", request_)
    assert (code, fields) == (StatusCode.INVALID_ARGUMENT, ["options.known_ids[1]"])
    assert "leave it out" in text


def repeated_fields(descriptor: Descriptor) -> Iterator[str]:
    """All repeated fields of a message and of the messages in it."""
    for field in descriptor.fields:
        if field.is_repeated:
            yield field.full_name
        if field.message_type is not None:
            yield from repeated_fields(field.message_type)


def test_every_repeated_field_of_every_request_has_a_limit() -> None:
    requests = [
        method.input_type
        for file in (
            backend_pb.DESCRIPTOR,
            pb.DESCRIPTOR,
            gate_pb.DESCRIPTOR,
            output_pb.DESCRIPTOR,
            trace_pb.DESCRIPTOR,
            similarity_pb.DESCRIPTOR,
            assessment_pb.DESCRIPTOR,
        )
        for service in file.services_by_name.values()
        for method in service.methods
    ]
    wanted = {name for request in requests for name in repeated_fields(request)}
    assert wanted == field_limits(LIMITS).counts.keys()


HOSTILE: dict[str, tuple[type[Message], Callable[[int], bytes]]] = {
    "empty claims": (pb.VerifyClaimsRequest, lambda size: b"\x0a\x00" * (size // 2)),
    "empty claims and a bad byte": (
        pb.VerifyClaimsRequest,
        lambda size: b"\x0a\x00" * (size // 2) + b"\x1a\x03\x52\x01\xff",
    ),
    "empty texts": (backend_pb.BatchEstimateRequest, lambda size: b"\x0a\x00" * (size // 2)),
    "empty ranges": (
        pb.VerifyClaimsRequest,
        lambda size: message(2, b"\x0a\x02\x1a\x00" * (size // 4)),
    ),
    "packed styles": (
        pb.ExtractClaimsRequest,
        lambda size: message(3, message(1, b"\x01" * size)),
    ),
    "styles one by one": (
        pb.ExtractClaimsRequest,
        lambda size: message(3, b"\x08\x01" * (size // 2)),
    ),
    "options again and again": (
        pb.ExtractClaimsRequest,
        lambda size: message(3, b"\x0a\x01\x01") * (size // 5),
    ),
    "empty cited ids": (pb.VerifyClaimsRequest, lambda size: message(1, b"\x12\x00" * (size // 2))),
    "source ids": (pb.ExtractClaimsRequest, lambda size: b"\x12\x00" * (size // 2)),
    "a source that changes": (
        pb.VerifyClaimsRequest,
        lambda size: message(2, message(1, b"\x12\x00\x1a\x00" * (size // 4))),
    ),
    "unknown fields": (pb.VerifyClaimsRequest, lambda size: b"\x78\x00" * (size // 2)),
    "empty steps": (trace_pb.AuditTraceRequest, lambda size: b"\x0a\x00" * (size // 2)),
    "an unknown group": (pb.VerifyClaimsRequest, lambda size: b"\x7b" * size),
}


@pytest.mark.parametrize(("kind", "hostile"), HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_message_costs_no_more_than_the_largest_good_one(
    kind: type[Message], hostile: Callable[[int], bytes]
) -> None:
    largest = pb.VerifyClaimsRequest(
        claims=[pb.ClaimInput(text="It rained.", cited_ids=["S0"] * 8, confidence=0.5)] * 1000,
        evidence=pb.Evidence(sources=[DOCUMENT] * 1000),
    ).SerializeToString()
    limits = field_limits(LIMITS)
    good = limited(pb.VerifyClaimsRequest.FromString, limits)
    good(largest)
    parse = limited(kind.FromString, limits)
    data = hostile(BIG)

    def refused_parse(data: bytes) -> None:
        with pytest.raises((MalformedRequestError, InvalidInputError)):
            parse(data)

    work = calls_in(lambda: refused_parse(data))
    assert work < 5 * calls_in(lambda: good(largest))
    # Past the limit the size of the message plays no part.
    assert calls_in(lambda: refused_parse(hostile(2 * BIG))) < 1.1 * work + 100


async def test_a_response_beyond_a_message_names_the_field_to_shorten() -> None:
    async with scripted_server(max_message_bytes=20_000) as served:
        text = "It rained. " * 1000
        request = pb.ExtractClaimsRequest(text=text)
        code, reason, fields, words = await refused(served, DETECTION + "ExtractClaims", request)
        assert (code, reason) == (StatusCode.RESOURCE_EXHAUSTED, "RESPONSE_TOO_LARGE")
        assert fields == ["text"]
        assert "the limit is 20,000" in words


async def test_a_stream_whose_report_is_too_large_ends_with_a_reason() -> None:
    async with scripted_server(max_message_bytes=20_000) as served:
        request = pb.VerifyAnswerRequest(
            answer="It rained. " * 1000, evidence=documents("It rained.")
        )
        stream = stub_of(served).VerifyAnswerStream(pb.VerifyAnswerStreamRequest(request=request))
        with pytest.raises(aio.AioRpcError) as caught:
            [piece async for piece in stream]
        assert caught.value.code() is StatusCode.RESOURCE_EXHAUSTED
        assert reason_of(caught.value) == "RESPONSE_TOO_LARGE"
        assert list(violations_of(caught.value)) == ["request.answer"]


async def test_the_limits_are_told(served: Scripted) -> None:
    limits = (await served.info()).limits
    unset = {field.name for field in limits.DESCRIPTOR.fields} - {
        field.name for field, _ in limits.ListFields()
    }
    assert unset == set()
    assert (limits.max_claims, limits.max_sources) == (CLAIMS, SOURCES)
    assert limits.max_message_fields == MAX_MESSAGE_FIELDS
    assert (limits.max_cited_ids, limits.max_citation_prefixes) == (MAX_CITED_IDS, MAX_PREFIXES)
