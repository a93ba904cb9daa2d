"""Bytes that are no request, and the field that the error names."""

import contextlib

import pytest
from google.protobuf.message import DecodeError, Message
from hypothesis import given
from hypothesis import strategies as st

from groundwire.v1 import hallucination_detection_pb2 as detection_pb
from groundwire.v1 import verifier_backend_pb2 as pb
from groundwire_server.features.declarations import field_limits
from groundwire_server.rpc.status import MalformedRequestError
from groundwire_server.rpc.wire import limited
from groundwire_verifier.domain.types import Limits

LIMITS = field_limits(Limits(claims=1000, claim_tokens=512, text_characters=200_000))
BATCH = pb.BatchEstimateRequest
BAD_UTF8 = [
    b"\xff",
    b"caf\xe9",
    b"\xc3",  # cut in the middle of a character
    b"\xed\xa0\x80",  # half of a surrogate pair
    b"\xc0\x80",  # longer than it needs to be
    b"\xf4\x90\x80\x80",  # beyond the last code point
]


def text_field(number: int, data: bytes) -> bytes:
    assert len(data) < 128
    return bytes([number << 3 | 2, len(data)]) + data


def number_field(number: int, value: int) -> bytes:
    assert value < 128
    return bytes([number << 3, value])


def parse_batch(data: bytes) -> Message:
    return limited(BATCH.FromString, LIMITS)(data)


def error_of(data: bytes, kind: type[Message] = BATCH) -> MalformedRequestError:
    with pytest.raises(MalformedRequestError) as caught:
        limited(kind.FromString, LIMITS)(data)
    return caught.value


def test_unknown_fields_are_ignored() -> None:
    data = text_field(1, b"a") + number_field(15, 7) + text_field(14, b"\xff")
    parsed = parse_batch(data)
    assert isinstance(parsed, BATCH)
    assert list(parsed.claims) == ["a"]


@pytest.mark.parametrize("bad", BAD_UTF8)
@pytest.mark.parametrize(("number", "field"), [(1, "claims[0]"), (2, "context"), (3, "backend")])
def test_text_that_is_not_utf8_is_named(number: int, field: str, bad: bytes) -> None:
    error = error_of(text_field(number, bad))
    assert (error.field, error.description) == (
        field,
        "is not valid UTF-8; send text encoded as UTF-8",
    )


def test_the_claim_is_named_by_its_index_among_the_claims() -> None:
    data = text_field(2, b"x") + text_field(1, b"a") + text_field(9, b"?") + text_field(1, b"\xff")
    assert error_of(data).field == "claims[1]"


def test_a_field_of_another_type_does_not_count_as_a_claim() -> None:
    data = number_field(1, 5) + text_field(1, b"a") + text_field(1, b"\xff")
    assert error_of(data).field == "claims[1]"


@pytest.mark.parametrize(
    "data",
    [
        b"\xff\xff\xff\xff",
        b"\x00",
        b"\x0a",  # a text without its length
        b"\x0a\x05ab",  # a text shorter than it says
        b"\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",  # a length that no message has
        b"\x0b",  # a group that never ends
        b"GET / HTTP/1.1\r\n\r\n",
    ],
)
def test_bytes_that_are_no_message_name_no_field(data: bytes) -> None:
    error = error_of(data)
    assert (error.field, str(error)) == (
        "",
        "the bytes are no groundwire.v1.BatchEstimateRequest message",
    )


def test_a_request_cut_short_is_malformed() -> None:
    data = BATCH(claims=["Ada moved."], context="a context").SerializeToString()
    assert error_of(data[:-3]).field == ""


def test_a_good_text_in_a_group_that_nobody_knows_is_no_field() -> None:
    data = b"\x7b" + text_field(1, b"\xff") + b"\x7c" + text_field(1, b"a")
    assert parse_batch(data) == BATCH.FromString(data)


PIECES = st.sampled_from(
    [
        text_field(1, b"a"),
        text_field(2, b"b"),
        number_field(1, 5),
        text_field(14, b"\xff"),
        b"\x7b",
        b"\x7c",
        b"\x0d1234",
        b"\x0912345678",
        b"\x8a\x00\x01c",  # a field's number in two bytes where one would do
        b"\x0a\x81\x00d",  # a length likewise
    ]
)


@given(st.lists(PIECES, max_size=12).map(b"".join), st.binary(max_size=3))
def test_what_protobuf_takes_is_never_refused(data: bytes, rest: bytes) -> None:
    try:
        expected = BATCH.FromString(data + rest)
    except DecodeError:
        error_of(data + rest)
    else:
        assert parse_batch(data + rest) == expected


@given(st.binary(max_size=60) | st.binary(max_size=20).map(lambda b: text_field(1, b)))
def test_no_bytes_raise_anything_else(data: bytes) -> None:
    with contextlib.suppress(MalformedRequestError):
        assert isinstance(parse_batch(data), BATCH)


def test_a_text_within_messages_is_named_by_its_path() -> None:
    request = detection_pb.VerifyAnswerRequest(
        answer="It rained.",
        evidence=detection_pb.Evidence(
            sources=[
                detection_pb.Source(id="S0", document=detection_pb.Document(text="Wet.")),
                detection_pb.Source(id="S1", document=detection_pb.Document(text="TEXT")),
            ]
        ),
    )
    data = request.SerializeToString().replace(b"TEXT", b"caf\xe9")
    error = error_of(data, detection_pb.VerifyAnswerRequest)
    assert error.field == "evidence.sources[1].document.text"
