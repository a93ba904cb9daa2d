"""VerifyClaims on a real server with a scripted engine: reads, verdicts, options."""

from collections.abc import AsyncIterator

import pytest
from grpc import aio

from groundwire.v1 import hallucination_detection_pb2 as pb
from groundwire.v1 import verifier_backend_pb2 as backend_pb
from tests.scripted import Scripted, reason_of, scripted_server, violations_of
from tests.scripted_services.detection import (
    CONTRADICTS,
    believes,
    documents,
    stub_of,
    verify_claims,
)

HEIGHT, YEAR = "The tower is 330 m high.", "It opened in 1889."
TALL, OLD, GREEN = "The tower is tall.", "It is old.", "It is green."
EVIDENCE = documents(HEIGHT, YEAR)


@pytest.fixture
async def served() -> AsyncIterator[Scripted]:
    async with scripted_server() as served:
        served.engine.answer = believes({TALL: HEIGHT, OLD: YEAR}, frozenset({GREEN}))
        yield served


async def test_verdicts_keep_the_order_of_the_claims(served: Scripted) -> None:
    claims = {GREEN: ("S0",), TALL: ("S0",), OLD: ("S0",)}
    found = await verify_claims(served, claims, EVIDENCE)
    assert [v.verdict for v in found] == [
        pb.VERDICT_CONTRADICTED,
        pb.VERDICT_SUPPORTED,
        pb.VERDICT_MISCITED,  # S1 stays, and it is what the claim rests on
    ]


async def test_the_prior_is_read_without_the_cited_sources_only(served: Scripted) -> None:
    await verify_claims(served, {TALL: ("S0",)}, EVIDENCE)
    contexts = {
        p.partition("\n\nIs the")[0].partition("context:\n")[2] for p in served.engine.prompts
    }
    assert contexts == {
        f"[S0]\n{HEIGHT}\n\n[S1]\n{YEAR}",
        f"[S0]\n[EVIDENCE REMOVED]\n\n[S1]\n{YEAR}",
    }


async def test_a_claim_without_citations_is_read_without_any_source(served: Scripted) -> None:
    (found,) = await verify_claims(served, {TALL: ()}, EVIDENCE)
    assert found.citation_status == pb.CITATION_STATUS_NONE
    assert any(
        "[S0]\n[EVIDENCE REMOVED]\n\n[S1]\n[EVIDENCE REMOVED]\n" in p for p in served.engine.prompts
    )


async def test_ranges_of_a_context_are_cited_like_documents(served: Scripted) -> None:
    context = f"Facts. {HEIGHT} {YEAR}"
    start = context.index(HEIGHT)
    evidence = pb.Evidence(
        context=context,
        sources=[pb.Source(id="a", range=pb.Span(start=start, end=start + len(HEIGHT)))],
    )
    (found,) = await verify_claims(served, {TALL: ("a",)}, evidence)
    assert found.verdict == pb.VERDICT_SUPPORTED
    assert any(f"Facts. [EVIDENCE REMOVED] {YEAR}" in p for p in served.engine.prompts)


async def test_an_unknown_citation_has_a_status_of_its_own_and_is_not_read(
    served: Scripted,
) -> None:
    (found,) = await verify_claims(served, {TALL: ("S0", "S7")}, EVIDENCE)
    assert found.verdict == pb.VERDICT_NOT_VERIFIED
    assert found.reason == pb.VERDICT_REASON_UNKNOWN_CITATION
    assert found.citation_status == pb.CITATION_STATUS_UNKNOWN
    assert (list(found.cited_ids), list(found.unknown_ids)) == (["S0", "S7"], ["S7"])
    assert not found.grounded
    assert served.engine.prompts == []


async def test_a_label_mass_below_the_floor_is_not_verified(served: Scripted) -> None:
    served.engine.answer = lambda _: (0.01, 0.01, 0.0)
    (found,) = await verify_claims(served, {TALL: ("S0",)}, EVIDENCE)
    assert found.verdict == pb.VERDICT_NOT_VERIFIED
    assert found.reason == pb.VERDICT_REASON_LABEL_MASS_BELOW_FLOOR
    assert not found.posterior.HasField("probability")
    assert not found.HasField("budget")


async def test_the_stance_is_asked_only_of_claims_with_a_low_posterior(served: Scripted) -> None:
    found = await verify_claims(served, {TALL: ("S0",), GREEN: ("S1",)}, EVIDENCE)
    assert [v.HasField("stance") for v in found] == [False, True]
    assert found[1].stance.no == pytest.approx(CONTRADICTS[1])
    assert sum("UNSURE" in prompt for prompt in served.engine.prompts) == 1


async def test_equal_claims_are_read_once_and_answered_each(served: Scripted) -> None:
    request = pb.VerifyClaimsRequest(
        claims=[pb.ClaimInput(text=GREEN, cited_ids=["S0"])] * 3, evidence=EVIDENCE
    )
    response = await stub_of(served).VerifyClaims(request)
    assert [v.verdict for v in response.verdicts] == [pb.VERDICT_CONTRADICTED] * 3
    assert len(served.engine.prompts) == response.run.usage.distinct_prompts == 3


async def test_the_confidence_of_a_claim_is_what_its_budget_asks_for(served: Scripted) -> None:
    request = pb.VerifyClaimsRequest(
        claims=[
            pb.ClaimInput(text=TALL, cited_ids=["S0"], confidence=0.5),
            pb.ClaimInput(text=TALL, cited_ids=["S0"]),
        ],
        evidence=EVIDENCE,
    )
    low, default = (await stub_of(served).VerifyClaims(request)).verdicts
    assert (low.confidence, default.confidence) == (0.5, 0.95)
    assert low.budget.required_bits < default.budget.required_bits
    assert low.budget.observed_bits == default.budget.observed_bits


async def test_attribution_names_what_carries_a_claim_and_what_decorates_it(
    served: Scripted,
) -> None:
    options = pb.VerifyOptions(attribute_citations=True)
    (found,) = await verify_claims(served, {TALL: ("S0", "S1")}, EVIDENCE, options)
    roles = {role.id: role.role for role in found.citation_roles}
    assert roles == {"S0": pb.ROLE_CARRIES, "S1": pb.ROLE_DECORATION}


async def test_two_sources_that_say_the_same_are_each_redundant(served: Scripted) -> None:
    options = pb.VerifyOptions(attribute_citations=True)
    evidence = documents(HEIGHT, HEIGHT + " Yes.")
    (found,) = await verify_claims(served, {TALL: ("S0", "S1")}, evidence, options)
    assert [role.role for role in found.citation_roles] == [pb.ROLE_REDUNDANT] * 2


async def test_the_marker_can_be_chosen(served: Scripted) -> None:
    options = pb.VerifyOptions(marker="(nothing here)")
    await verify_claims(served, {TALL: ("S0",)}, EVIDENCE, options)
    assert any("[S0]\n(nothing here)\n" in p for p in served.engine.prompts)


async def test_a_policy_is_named_and_told(served: Scripted) -> None:
    request = pb.VerifyClaimsRequest(
        claims=[pb.ClaimInput(text=TALL, cited_ids=["S0"])],
        evidence=EVIDENCE,
        options=pb.VerifyOptions(
            policy=pb.POLICY_GROUNDING_SCORE, thresholds=pb.Thresholds(min_evidence_use=0.2)
        ),
    )
    response = await stub_of(served).VerifyClaims(request)
    assert response.run.policy == pb.POLICY_GROUNDING_SCORE
    assert response.run.thresholds.min_evidence_use == 0.2
    assert response.run.thresholds.default_confidence == 0.95
    assert response.verdicts[0].reason == pb.VERDICT_REASON_SCORE_REACHED


async def test_the_usage_counts_what_was_read(served: Scripted) -> None:
    request = pb.VerifyClaimsRequest(claims=[pb.ClaimInput(text=TALL)], evidence=EVIDENCE)
    usage = (await stub_of(served).VerifyClaims(request)).run.usage
    lengths = [len(prompt) for prompt in served.engine.prompts]
    assert usage.prompt_tokens == sum(lengths)
    # The scripted engine has one cached token a prompt.
    assert usage.computed_tokens == usage.prompt_tokens - len(lengths)
    assert max(lengths) <= usage.minimal_tokens < usage.prompt_tokens


def document(source_id: str, text: str) -> pb.Source:
    return pb.Source(id=source_id, document=pb.Document(text=text))


@pytest.mark.parametrize(
    ("field", "reason", "change"),
    [
        ("evidence", "INVALID_SOURCE", {"evidence": pb.Evidence()}),
        (
            "evidence.sources[1].id",
            "INVALID_SOURCE",
            {"evidence": pb.Evidence(sources=[document("a", "x"), document("a", "y")])},
        ),
        (
            "evidence.sources[0].id",
            "INVALID_SOURCE",
            {"evidence": pb.Evidence(sources=[document(" a", "x")])},
        ),
        (
            "evidence.sources[0].document.text",
            "EMPTY_TEXT",
            {"evidence": pb.Evidence(sources=[document("a", " \u200b")])},
        ),
        (
            "evidence.sources[0]",
            "INVALID_SOURCE",
            {"evidence": pb.Evidence(sources=[pb.Source(id="a")])},
        ),
        (
            "evidence.sources[0]",
            "INVALID_SOURCE",
            {"evidence": pb.Evidence(sources=[document("a", "x")], context="y")},
        ),
        (
            "evidence.sources[0].range",
            "INVALID_SOURCE",
            {
                "evidence": pb.Evidence(
                    context="abc", sources=[pb.Source(id="a", range=pb.Span(start=1, end=4))]
                )
            },
        ),
        ("evidence.context", "EMPTY_TEXT", {"evidence": pb.Evidence(context=" ")}),
        (
            "evidence.sources[0].range",
            "INVALID_SOURCE",
            {
                "evidence": pb.Evidence(
                    context="a  b", sources=[pb.Source(id="a", range=pb.Span(start=1, end=3))]
                )
            },
        ),
        (
            "evidence.sources[0].id",
            "INVALID_SOURCE",
            {"evidence": pb.Evidence(sources=[document("S0\x07", "x")])},
        ),
        (
            "claims",
            "TOO_MANY_CLAIMS",
            {
                "claims": [pb.ClaimInput(text=TALL, cited_ids=map(str, range(100)))] * 50,
                "options": pb.VerifyOptions(attribute_citations=True),
            },
        ),
        ("claims", "EMPTY_BATCH", {"claims": []}),
        ("claims[0].text", "EMPTY_CLAIM", {"claims": [pb.ClaimInput(text=" ")]}),
        ("claims[0].text", "CLAIM_TOO_LONG", {"claims": [pb.ClaimInput(text="a" * 600)]}),
        (
            "claims[1].confidence",
            "INVALID_OPTION",
            {"claims": [pb.ClaimInput(text="a"), pb.ClaimInput(text="b", confidence=1.5)]},
        ),
        (
            "options.thresholds.min_evidence_use",
            "INVALID_OPTION",
            {"options": pb.VerifyOptions(thresholds=pb.Thresholds(min_evidence_use=float("nan")))},
        ),
        (
            "options.thresholds.max_gap_bits",
            "INVALID_OPTION",
            {"options": pb.VerifyOptions(thresholds=pb.Thresholds(max_gap_bits=-1))},
        ),
        ("options.marker", "INVALID_OPTION", {"options": pb.VerifyOptions(marker="x" * 201)}),
        ("options.policy", "INVALID_OPTION", {"options": pb.VerifyOptions(policy=99)}),  # type: ignore[arg-type]
        ("options.backend", "UNKNOWN_BACKEND", {"options": pb.VerifyOptions(backend="other")}),
        ("options.max_claims", "INVALID_OPTION", {"options": pb.VerifyOptions(max_claims=0)}),
        (
            "options.thresholds.max_contradicted",
            "INVALID_OPTION",
            {"options": pb.VerifyOptions(max_contradicted=-1)},
        ),
    ],
)
async def test_bad_input_is_refused_with_its_field(
    served: Scripted, field: str, reason: str, change: dict[str, object]
) -> None:
    fields: dict[str, object] = {"claims": [pb.ClaimInput(text=TALL)], "evidence": EVIDENCE}
    request = pb.VerifyClaimsRequest(**{**fields, **change})  # type: ignore[arg-type]
    with pytest.raises(aio.AioRpcError) as caught:
        await stub_of(served).VerifyClaims(request)
    assert reason_of(caught.value) == reason
    assert next(iter(violations_of(caught.value))) == field
    assert served.engine.prompts == []


async def test_a_context_beyond_the_window_names_the_evidence(served: Scripted) -> None:
    options = pb.VerifyOptions(read=pb.READ_WHOLE)
    with pytest.raises(aio.AioRpcError) as caught:
        await verify_claims(served, {TALL: ()}, documents("x" * 4000), options)
    assert reason_of(caught.value) == "CONTEXT_TOO_LONG"
    assert "evidence" in violations_of(caught.value)


async def test_the_estimates_say_where_they_are_from(served: Scripted) -> None:
    (found,) = await verify_claims(served, {TALL: ("S0",)}, EVIDENCE)
    assert found.posterior.source == backend_pb.ESTIMATE_SOURCE_MODEL
    assert found.prior.label_mass == pytest.approx(0.99)


async def test_values_that_the_cited_sources_do_not_state_stand_beside_the_verdict(
    served: Scripted,
) -> None:
    claims = {
        "The tower is 330 m high.": ("S0",),
        "The tower is 340 m high.": ("S0",),
        "The tower, 330 m high, opened in 1889.": ("S0",),
        "It opened in 1889, at 330 m.": (),
    }
    found = await verify_claims(served, claims, EVIDENCE)
    unstated = [list(each.unstated_values) for each in found]
    assert unstated == [[], ["340 m"], ["1889"], []]


async def test_a_title_states_a_value_too(served: Scripted) -> None:
    source = pb.Source(id="S0", document=pb.Document(text="It is tall.", title="Towers of 1889"))
    (found,) = await verify_claims(
        served, {"It opened in 1889.": ("S0",)}, pb.Evidence(sources=[source])
    )
    assert not found.unstated_values


async def test_a_value_that_follows_from_stated_ones_is_named_with_them(served: Scripted) -> None:
    staff = {"S0": "Staff: 14.", "S1": "Staff: 21.", "S2": "Staff: 9."}
    evidence = pb.Evidence(
        sources=[pb.Source(id=i, document=pb.Document(text=text)) for i, text in staff.items()]
    )
    claims = {"They employ 44 people.": tuple(staff), "They employ 45 people.": tuple(staff)}
    right, wrong = await verify_claims(served, claims, evidence)
    (derived,) = right.derived_values
    assert (derived.value, derived.operation) == ("44", pb.DERIVED_OPERATION_SUM)
    assert list(derived.operands) == ["14", "21", "9"]
    assert not right.unstated_values
    assert not wrong.derived_values
    assert list(wrong.unstated_values) == ["45"]


async def test_a_claim_that_was_not_read_has_no_unstated_values(served: Scripted) -> None:
    (found,) = await verify_claims(served, {"It opened in 1850.": ("S7",)}, EVIDENCE)
    assert found.reason == pb.VERDICT_REASON_UNKNOWN_CITATION
    assert not found.unstated_values
