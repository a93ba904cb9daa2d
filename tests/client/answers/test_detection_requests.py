"""What the clients send to HallucinationDetection, and what they refuse to send."""

from collections.abc import Callable

import pytest

from groundwire import (
    CitationStyle,
    ClaimInput,
    ConfigurationError,
    Document,
    Evidence,
    ExtractOptions,
    Extractor,
    InvalidRequestError,
    Policy,
    Read,
    SourceRange,
    Strictness,
    Thresholds,
    Turn,
    TurnRole,
    VerifyOptions,
)
from groundwire._calls.answers import answer_request
from groundwire._calls.claims import extract_claims
from groundwire.v1 import hallucination_detection_pb2 as pb
from groundwire.v1 import verifier_backend_pb2 as backend_pb
from tests.client.scripted import AnyClient, ScriptedServer, collect, settle

HALF = "half \ud800"
DOCUMENTS = Evidence.documents([Document("S0", "zero", "Title"), Document("b", "one")])
DOCUMENTS_SENT = pb.Evidence(
    sources=[
        pb.Source(id="S0", document=pb.Document(text="zero", title="Title")),
        pb.Source(id="b", document=pb.Document(text="one")),
    ]
)
EXTRACT = ExtractOptions(
    citation_styles=(CitationStyle.CARET, CitationStyle.LENTICULAR),
    citation_prefixes=("S", ""),
    min_assertion_confidence=0.0,
    keep_compounds=True,
    extractor=Extractor.MODEL,
    known_ids=("b.pdf",),
)
EXTRACT_SENT = pb.ExtractOptions(
    citation_styles=[pb.CITATION_STYLE_CARET, pb.CITATION_STYLE_LENTICULAR],
    citation_prefixes=["S", ""],
    min_assertion_confidence=0.0,
    keep_compounds=True,
    extractor=pb.EXTRACTOR_MODEL,
    known_ids=["b.pdf"],
)
OPTIONS = VerifyOptions(
    policy=Policy.GROUNDING_SCORE,
    thresholds=Thresholds(max_gap_bits=0.0, min_evidence_use=0.25, max_contradicted=2),
    strictness=Strictness.LENIENT,
    marker="",
    attribute_citations=True,
    max_claims=7,
    max_contradicted=0,
    min_claim_characters=0,
    include_non_assertive=True,
    backend="other",
    skip_result_cache=True,
    split_long_context=True,
    skip_non_evidence=False,
    read=Read.PASSAGES,
)
OPTIONS_SENT = pb.VerifyOptions(
    policy=pb.POLICY_GROUNDING_SCORE,
    thresholds=pb.Thresholds(max_gap_bits=0.0, min_evidence_use=0.25, max_contradicted=2),
    strictness=backend_pb.STRICTNESS_LENIENT,
    marker="",
    attribute_citations=True,
    max_claims=7,
    max_contradicted=0,
    min_claim_characters=0,
    include_non_assertive=True,
    backend="other",
    skip_result_cache=True,
    split_long_context=True,
    skip_non_evidence=False,
    read=pb.READ_PASSAGES,
)
ANSWER_SENT = pb.VerifyAnswerRequest(
    answer="0.5",
    evidence=DOCUMENTS_SENT,
    question="why",
    extract=EXTRACT_SENT,
    options=OPTIONS_SENT,
    language="he",
    correct=True,
    turns=[
        pb.Turn(role=pb.TURN_ROLE_USER, text="how"),
        pb.Turn(role=pb.TURN_ROLE_TOOL, text="so", id="call-7", name="search"),
    ],
)
TURNS = (Turn(TurnRole.USER, "how"), Turn(TurnRole.TOOL, "so", "call-7", "search"))


async def test_a_text_is_sent_as_it_is(client: AnyClient, server: ScriptedServer) -> None:
    await settle(client.extract_claims("0.5", source_ids=iter(["a", "b"]), options=EXTRACT))

    assert server.received[0].request == pb.ExtractClaimsRequest(
        text="0.5", source_ids=["a", "b"], options=EXTRACT_SENT
    )


async def test_claims_are_sent_as_they_are(client: AnyClient, server: ScriptedServer) -> None:
    claims: list[str | ClaimInput] = ["0.5", ClaimInput("0.75", ("S0", "b"), 0.0)]

    await settle(client.verify_claims(iter(claims), DOCUMENTS, options=OPTIONS))

    assert server.received[0].request == pb.VerifyClaimsRequest(
        claims=[
            pb.ClaimInput(text="0.5"),
            pb.ClaimInput(text="0.75", cited_ids=["S0", "b"], confidence=0.0),
        ],
        evidence=DOCUMENTS_SENT,
        options=OPTIONS_SENT,
    )


async def test_an_answer_is_sent_as_it_is(client: AnyClient, server: ScriptedServer) -> None:
    await settle(
        client.verify_answer(
            "0.5",
            DOCUMENTS,
            question="why",
            language="he",
            turns=iter(TURNS),
            correct=True,
            extract=EXTRACT,
            options=OPTIONS,
        )
    )

    assert server.received[0].request == ANSWER_SENT


async def test_a_stream_is_asked_for_with_the_same_request(
    client: AnyClient, server: ScriptedServer
) -> None:
    await collect(
        client.verify_answer_stream(
            "0.5",
            DOCUMENTS,
            question="why",
            language="he",
            turns=iter(TURNS),
            correct=True,
            extract=EXTRACT,
            options=OPTIONS,
        )
    )

    assert server.received[0].request == pb.VerifyAnswerStreamRequest(request=ANSWER_SENT)


async def test_what_is_left_out_is_not_sent(client: AnyClient, server: ScriptedServer) -> None:
    await settle(client.verify_answer("0.5", "context"))

    assert server.received[0].request == pb.VerifyAnswerRequest(
        answer="0.5", evidence=pb.Evidence(context="context")
    )


async def test_an_option_that_is_left_out_is_not_sent(
    client: AnyClient, server: ScriptedServer
) -> None:
    await settle(client.verify_claims(["0.5"], "context", options=VerifyOptions()))

    request = server.received[0].request
    assert isinstance(request, pb.VerifyClaimsRequest)
    assert request.options == pb.VerifyOptions()


async def test_a_context_is_sent_with_its_ranges(client: AnyClient, server: ScriptedServer) -> None:
    evidence = Evidence.context("context", [SourceRange("a", 0, 3), SourceRange("a", 4, 7)])

    await settle(client.verify_claims(["0.5"], evidence))

    request = server.received[0].request
    assert isinstance(request, pb.VerifyClaimsRequest)
    assert request.evidence == pb.Evidence(
        sources=[
            pb.Source(id="a", range=pb.Span(start=0, end=3)),
            pb.Source(id="a", range=pb.Span(start=4, end=7)),
        ],
        context="context",
    )


def test_texts_alone_are_documents_with_numbered_ids() -> None:
    assert Evidence.documents(iter(["a", "b"])).sources == (
        Document("S0", "a"),
        Document("S1", "b"),
    )


def test_texts_by_id_are_documents() -> None:
    assert Evidence.documents({"x": "a", "y": "b"}).sources == (
        Document("x", "a"),
        Document("y", "b"),
    )


def test_one_text_is_not_taken_for_many_documents() -> None:
    with pytest.raises(TypeError, match=r"use Evidence\.context\(\)"):
        Evidence.documents("a text")


async def test_one_claim_is_not_taken_for_many(client: AnyClient) -> None:
    with pytest.raises(TypeError, match="a list with one claim"):
        await settle(client.verify_claims("a claim", "context"))


async def test_a_list_is_not_taken_for_evidence(client: AnyClient) -> None:
    with pytest.raises(TypeError, match=r"use Evidence\.documents\(\)"):
        await settle(client.verify_claims(["0.5"], ["context"]))  # type: ignore[arg-type]


def test_one_id_is_not_taken_for_many() -> None:
    with pytest.raises(TypeError, match="source_ids must be many texts"):
        extract_claims("text", "S0", None)


@pytest.mark.parametrize(
    ("field", "build"),
    [
        ("text", lambda: extract_claims(HALF, (), None)),
        ("source_ids[1]", lambda: extract_claims("", ("a", HALF), None)),
        (
            "options.citation_prefixes[0]",
            lambda: extract_claims("", (), ExtractOptions(citation_prefixes=(HALF,))),
        ),
        ("answer", lambda: answer_request("", HALF, "")),
        ("question", lambda: answer_request("", "", "", question=HALF)),
        ("evidence.context", lambda: answer_request("", "", HALF)),
        (
            "evidence.sources[1].document.text",
            lambda: answer_request("", "", Evidence.documents(["a", HALF])),
        ),
        (
            "evidence.sources[0].document.title",
            lambda: answer_request("", "", Evidence.documents([Document("a", "", HALF)])),
        ),
        (
            "evidence.sources[0].id",
            lambda: answer_request("", "", Evidence.context("", [SourceRange(HALF, 0, 1)])),
        ),
        (
            "extract.citation_prefixes[0]",
            lambda: answer_request("", "", "", extract=ExtractOptions(citation_prefixes=(HALF,))),
        ),
        (
            "options.marker",
            lambda: answer_request("", "", "", options=VerifyOptions(marker=HALF)),
        ),
        (
            "options.backend",
            lambda: answer_request("", "", "", options=VerifyOptions(backend=HALF)),
        ),
        ("request.answer", lambda: answer_request("request.", HALF, "")),
        (
            "request.evidence.sources[2].document.text",
            lambda: answer_request("request.", "", Evidence.documents(["a", "b", HALF])),
        ),
    ],
)
def test_text_that_is_not_unicode_names_its_field(field: str, build: Callable[[], object]) -> None:
    with pytest.raises(InvalidRequestError) as caught:
        build()

    assert caught.value.reason == "MALFORMED_REQUEST"
    assert [violation.field for violation in caught.value.violations] == [field]


@pytest.mark.parametrize(
    ("field", "claim"),
    [("claims[1].text", HALF), ("claims[1].cited_ids[0]", ClaimInput("a", (HALF,)))],
)
async def test_a_claim_that_is_not_unicode_names_its_field(
    client: AnyClient, field: str, claim: str | ClaimInput
) -> None:
    with pytest.raises(InvalidRequestError) as caught:
        await settle(client.verify_claims(["0.5", claim], "context"))

    assert [violation.field for violation in caught.value.violations] == [field]


@pytest.mark.parametrize(
    ("field", "options"),
    [
        ("options.policy", VerifyOptions(policy=Policy.UNKNOWN)),
        ("options.max_claims", VerifyOptions(max_claims=2**31)),
        ("options.max_contradicted", VerifyOptions(max_contradicted=2**31)),
        (
            "options.thresholds.max_contradicted",
            VerifyOptions(thresholds=Thresholds(max_contradicted=2**31)),
        ),
        ("options.min_claim_characters", VerifyOptions(min_claim_characters=-(2**31) - 1)),
    ],
)
async def test_an_option_that_cannot_be_written_names_its_field(
    client: AnyClient, field: str, options: VerifyOptions
) -> None:
    with pytest.raises(InvalidRequestError) as caught:
        await settle(client.verify_answer("0.5", "context", options=options))

    assert caught.value.reason == "INVALID_OPTION"
    assert [violation.field for violation in caught.value.violations] == [field]


async def test_a_range_that_cannot_be_written_names_its_field(client: AnyClient) -> None:
    evidence = Evidence.context("context", [SourceRange("a", 0, 2**31)])

    with pytest.raises(InvalidRequestError) as caught:
        await settle(client.verify_claims(["0.5"], evidence))

    assert caught.value.reason == "INVALID_SOURCE"
    assert caught.value.violations[0].field == "evidence.sources[0].range.end"


def test_a_stream_checks_its_request_before_it_begins(client: AnyClient) -> None:
    with pytest.raises(InvalidRequestError):
        client.verify_answer_stream(HALF, "context")


def test_a_stream_checks_its_timeout_before_it_begins(client: AnyClient) -> None:
    with pytest.raises(ConfigurationError, match="timeout_s"):
        client.verify_answer_stream("0.5", "context", timeout_s=0)
