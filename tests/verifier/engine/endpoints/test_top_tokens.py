"""Labels in a list of the most likely tokens: sums, and bounds for what fell out of it."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundwire_verifier.domain.errors import ImplausibleAnswerError
from groundwire_verifier.domain.labels import SURFACE_FORMS
from groundwire_verifier.domain.types import Bounds, Label, LabelNats
from groundwire_verifier.engine.endpoints.top_tokens import ListedToken, read_labels, started_forms

ALL_FORMS = [form for forms in SURFACE_FORMS.values() for form in forms]
WORDS = [*ALL_FORMS, "Y", "N", "Ye", "maybe", " the", "\n", "Nothing", "<think>", "U"]


def read(tokens: dict[str, float]) -> tuple[LabelNats, Bounds]:
    """What these probabilities by token say."""
    return read_labels([ListedToken(text, math.log(p)) for text, p in tokens.items()])


def test_the_forms_of_a_label_are_summed() -> None:
    nats, _ = read({"YES": 0.3, " yes": 0.2, "No": 0.1, " NO": 0.05, "maybe": 0.01})
    assert math.exp(nats.yes) == pytest.approx(0.5)
    assert math.exp(nats.no) == pytest.approx(0.15)


@pytest.mark.parametrize(
    ("token", "label"),
    [("Y", Label.YES), ("\u0120Yes", Label.YES), ("\u2581no", Label.NO), ("\nNO", Label.NO)],
)
def test_the_start_of_a_form_and_the_marks_of_tokenisers_are_understood(
    token: str, label: Label
) -> None:
    assert set(started_forms(token)) == {label}


@pytest.mark.parametrize("token", ["Nothing", "Yesterday", "nope", "", " ", "1", "**", "UNKNOWN"])
def test_what_starts_no_form_counts_for_no_label(token: str) -> None:
    assert started_forms(token) == {}


def test_a_label_that_fell_out_of_the_list_has_its_bound_and_is_never_zero() -> None:
    nats, bounds = read({"YES": 0.9, "the": 0.05, "maybe": 0.001})
    # Six forms of NO, each at most as likely as the last of the list.
    assert 0.0 < math.exp(nats.no) <= 6 * 0.001 + 1e-12
    assert bounds.probability.low == pytest.approx(0.9 / (0.9 + 6 * 0.001))
    assert bounds.probability.high == 1.0


def test_what_is_not_listed_has_no_more_than_what_is_left_together() -> None:
    _, bounds = read({"YES": 0.98, "maybe": 0.015})
    # Six forms could have .09, but only .005 is left.
    assert bounds.probability.low == pytest.approx(0.98 / 0.985)
    assert bounds.label_mass.low == pytest.approx(0.98)
    assert bounds.label_mass.high == pytest.approx(0.985)


@pytest.mark.parametrize(
    "nats",
    [{"YES": 0.0}, {"YES": 0.0, "NO": -9999.0}, {"YES": -1e-9, "the": -30.0, "a": -math.inf}],
)
def test_however_sure_the_model_is_no_label_is_zero(nats: dict[str, float]) -> None:
    found, bounds = read_labels([ListedToken(text, value) for text, value in nats.items()])
    assert math.isfinite(found.no)
    assert bounds.probability.low < 1.0


@pytest.mark.parametrize("nats", [0.7, math.nan, math.inf])
def test_a_probability_above_1_or_no_number_is_refused(nats: float) -> None:
    with pytest.raises(ImplausibleAnswerError, match="above 0 or no number"):
        read_labels([ListedToken("YES", -0.5), ListedToken("NO", nats)])


def test_probabilities_of_more_than_1_together_are_refused() -> None:
    with pytest.raises(ImplausibleAnswerError, match="more than 1"):
        read({"YES": 0.8, "NO": 0.7})


@pytest.mark.parametrize("nats", [[], [-9999.0], [-math.inf]])
def test_a_list_without_a_probability_is_refused(nats: list[float]) -> None:
    with pytest.raises(ImplausibleAnswerError, match="no token with a probability"):
        read_labels([ListedToken("YES", value) for value in nats])


@given(
    st.dictionaries(st.sampled_from(WORDS), st.floats(0.001, 1.0), min_size=2),
    st.integers(1, 20),
)
def test_the_whole_truth_lies_within_what_a_part_of_it_tells(
    weights: dict[str, float], top: int
) -> None:
    total = sum(weights.values()) * 1.0001
    shares = {token: weight / total for token, weight in weights.items()}
    starts = {token: started_forms(token) for token in shares}
    # Of one form there is one token that starts it.
    forms = [form for found in starts.values() for each in found.values() for form in each]
    if len(forms) != len(set(forms)):
        return
    yes = sum(p for token, p in shares.items() if Label.YES in starts[token])
    no = sum(p for token, p in shares.items() if Label.NO in starts[token])
    kept = dict(sorted(shares.items(), key=lambda item: -item[1])[:top])
    nats, bounds = read(kept)
    if yes + no > 0.0:
        assert bounds.probability.low - 1e-9 <= yes / (yes + no) <= bounds.probability.high + 1e-9
    assert bounds.label_mass.low - 1e-9 <= yes + no <= bounds.label_mass.high + 1e-9
    point = math.exp(nats.yes) / max(math.exp(nats.yes) + math.exp(nats.no), 1e-300)
    if bounds.label_mass.low > 0.0:
        assert bounds.probability.low - 1e-9 <= point <= bounds.probability.high + 1e-9
