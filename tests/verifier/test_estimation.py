"""The use cases: what is refused and how it is named, and what a valid batch gives."""

from collections.abc import Sequence

import pytest

from groundwire_verifier.domain.checks import has_visible_character
from groundwire_verifier.domain.errors import (
    MAX_VIOLATIONS,
    InvalidInputError,
    InvalidReason,
)
from groundwire_verifier.domain.types import (
    Limits,
    NoProbabilityReason,
    Question,
    Template,
)
from groundwire_verifier.domain.urgency import WHENEVER
from groundwire_verifier.engine.local import LocalBackend
from groundwire_verifier.estimation import Estimator, FieldNames
from tests.scripted import ScriptedEngine

# A character is a token in these tests, and the claim's tokens count the space before it.
LIMITS = Limits(claims=30, claim_tokens=21, text_characters=2500)
CLAIM_CHARACTERS = LIMITS.claim_tokens - 1
WINDOW_TOKENS = 1024
FLOOR = 0.25
SINGLE = FieldNames(batch=False)

Found = list[tuple[str, InvalidReason]]


@pytest.fixture
def engine() -> ScriptedEngine:
    return ScriptedEngine(WINDOW_TOKENS)


@pytest.fixture
def estimator(backend: LocalBackend) -> Estimator:
    return Estimator({"local": backend}, LIMITS, label_mass_floor=FLOOR)


async def refused(
    estimator: Estimator, claims: Sequence[str], context: str = "", **more: object
) -> Found:
    fields = SINGLE if more.get("single") else FieldNames(batch=True)
    with pytest.raises(InvalidInputError) as caught:
        await estimator.plan(claims, context, str(more.get("backend", "")), fields)
    return [(v.field, v.reason) for v in caught.value.violations]


@pytest.mark.parametrize("claim", ["", " ", "\n\t", "\u00a0", "\u200b\u200f\u202e", "\x00\x7f"])
async def test_a_claim_without_a_visible_character_is_refused(
    estimator: Estimator, claim: str
) -> None:
    found = await refused(estimator, ["a", claim, "b"])
    assert found == [("claims[1]", InvalidReason.EMPTY_CLAIM)]


@pytest.mark.parametrize(
    ("text", "visible"),
    [
        ("a", True),
        ("\u200f\u05d0\u200e", True),  # a Hebrew letter between direction marks
        ("\u200fa", True),
        ("\u202e", False),
        ("\u2066\u2069", False),
        ("\ufeff", False),
        ("\u00ad", False),
        ("\x1b", False),
        ("\u2028", False),
        ("🙂", True),
        (".", True),
        ("\u0301", True),
    ],
)
def test_format_and_control_characters_are_not_visible(text: str, visible: bool) -> None:
    assert has_visible_character(text) is visible


async def test_a_claim_with_one_token_more_is_refused(estimator: Estimator) -> None:
    found = await refused(estimator, ["a", "a" * (CLAIM_CHARACTERS + 1)])
    assert found == [("claims[1]", InvalidReason.CLAIM_TOO_LONG)]


async def test_every_one_of_equal_claims_is_named(estimator: Estimator) -> None:
    long = "a" * (CLAIM_CHARACTERS + 1)
    found = await refused(estimator, [long, "a", long])
    assert [field for field, _ in found] == ["claims[0]", "claims[2]"]


async def test_the_context_may_fill_what_the_window_leaves(
    estimator: Estimator, backend: LocalBackend
) -> None:
    limit = LIMITS.context_tokens(backend.info)
    longest = Question("a" * CLAIM_CHARACTERS, "x" * limit, Template.YES_NO_UNSURE)
    (prompt,) = await backend.encode([longest])
    assert len(prompt.token_ids) == WINDOW_TOKENS - 1
    await estimator.plan([longest.claim], longest.context)
    found = await refused(estimator, ["a"], "x" * (limit + 1))
    assert found == [("context", InvalidReason.CONTEXT_TOO_LONG)]


async def test_a_text_beyond_the_characters_is_never_tokenised(
    backend: LocalBackend, monkeypatch: pytest.MonkeyPatch
) -> None:
    estimator = Estimator({"local": backend}, LIMITS, label_mass_floor=FLOOR)
    with monkeypatch.context() as patch:
        patch.delattr(LocalBackend, "encode")
        long = "a" * (LIMITS.text_characters + 1)
        assert await refused(estimator, ["a", long], long) == [
            ("claims[1]", InvalidReason.CLAIM_TOO_LONG),
            ("context", InvalidReason.CONTEXT_TOO_LONG),
        ]


async def test_a_text_may_have_as_many_characters_as_the_limit(backend: LocalBackend) -> None:
    limits = Limits(claims=1, claim_tokens=21, text_characters=20)
    plan = await Estimator({"local": backend}, limits).plan(["a" * 20], "x" * 20)
    assert plan.prompts[0].context_tokens == 20


async def test_violations_are_listed_whole_and_in_order(estimator: Estimator) -> None:
    long = "x" * (LIMITS.text_characters + 1)
    assert await refused(estimator, ["", "a", long], long, backend="other") == [
        ("backend", InvalidReason.UNKNOWN_BACKEND),
        ("claims[0]", InvalidReason.EMPTY_CLAIM),
        ("claims[2]", InvalidReason.CLAIM_TOO_LONG),
        ("context", InvalidReason.CONTEXT_TOO_LONG),
    ]


@pytest.mark.parametrize("claim", ["", "a" * (CLAIM_CHARACTERS + 1)])
async def test_an_error_lists_only_so_many_violations(estimator: Estimator, claim: str) -> None:
    found = await refused(estimator, [claim] * LIMITS.claims)
    assert [field for field, _ in found] == [f"claims[{i}]" for i in range(MAX_VIOLATIONS)]


@pytest.mark.parametrize(
    ("claims", "context"),
    [
        (["zebra" * 5], "okapi"),
        (["zebra" * 600], "okapi"),
        (["zebra"], "okapi" * 300),
        (["zebra", ""], "okapi"),
    ],
)
async def test_an_error_never_repeats_the_text(
    estimator: Estimator, claims: list[str], context: str
) -> None:
    with pytest.raises(InvalidInputError) as caught:
        await estimator.plan(claims, context)
    said = [str(caught.value), *(v.description for v in caught.value.violations)]
    assert not any("zebra" in text or "okapi" in text for text in said)


async def test_a_label_mass_below_the_floor_gives_no_probability(
    backend: LocalBackend, engine: ScriptedEngine
) -> None:
    engine.answers = {"lost": (0.2, 0.04), "none": (0.0, 0.0)}
    estimator = Estimator({"local": backend}, LIMITS, label_mass_floor=FLOOR)
    batch = await estimator.read(await estimator.plan(["lost", "none", "ok"], ""), {}, WHENEVER)
    assert [e.probability for e in batch.estimates] == [None, None, pytest.approx(0.75)]
    below = NoProbabilityReason.LABEL_MASS_BELOW_FLOOR
    assert [e.reason for e in batch.estimates] == [below, below, None]
    assert [e.label_mass for e in batch.estimates] == pytest.approx([0.24, 0.0, 0.8])


async def test_a_label_mass_at_the_floor_gives_a_probability(
    backend: LocalBackend, engine: ScriptedEngine
) -> None:
    engine.answers = {"sure": (1.0, 0.0)}
    estimator = Estimator({"local": backend}, LIMITS, label_mass_floor=1.0)
    batch = await estimator.read(await estimator.plan(["sure"], ""), {}, WHENEVER)
    assert batch.estimates[0].probability == 1.0


async def test_no_mass_at_all_gives_no_probability_even_without_a_floor(
    backend: LocalBackend, engine: ScriptedEngine
) -> None:
    engine.answers = {"none": (0.0, 0.0)}
    estimator = Estimator({"local": backend}, LIMITS, label_mass_floor=0.0)
    (estimate,) = (await estimator.read(await estimator.plan(["none"], ""), {}, WHENEVER)).estimates
    assert (estimate.probability, estimate.label_mass) == (None, 0.0)
    assert estimate.reason is NoProbabilityReason.LABEL_MASS_BELOW_FLOOR
