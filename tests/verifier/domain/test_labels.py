"""Which tokens count as an answer, and what their log-probabilities add up to."""

import math
from collections.abc import Sequence

import numpy as np
import pytest

from groundwire_verifier.domain.errors import UnusableModelError
from groundwire_verifier.domain.labels import (
    find_label_forms,
    label_log_probabilities,
    probability_and_mass,
)
from groundwire_verifier.domain.prompts import PromptEncoder
from groundwire_verifier.domain.types import Label, LabelForm
from groundwire_verifier.engine.hf_tokenizer import HfTokenizer
from tests.scripted import CharacterTokenizer

FORMS = (
    LabelForm(Label.YES, "YES", 10),
    LabelForm(Label.NO, "NO", 20),
    LabelForm(Label.YES, "Yes", 11),
)


class WordTokenizer:
    """Numbers words and spaces as they come, so a label can be made of any tokens."""

    def __init__(self, *words: str) -> None:
        self.words = sorted(words, key=len, reverse=True)

    def encode(self, text: str) -> list[int]:
        ids = []
        while text:
            word = next((w for w in self.words if text.startswith(w)), text[0])
            ids.append(self.words.index(word) if word in self.words else 1000 + ord(word))
            text = text[len(word) :]
        return ids

    def encode_texts(self, texts: Sequence[str]) -> list[list[int]]:
        return [self.encode(text) for text in texts]

    def decode(self, token_id: int) -> str:
        return self.words[token_id] if token_id < 1000 else chr(token_id - 1000)


def test_every_form_is_found_on_the_embedded_models_tokeniser(hf_tokenizer: HfTokenizer) -> None:
    lead = PromptEncoder.for_tokenizer(hf_tokenizer).answer_lead
    forms = find_label_forms(hf_tokenizer.encode_template, hf_tokenizer.decode_token, lead)
    assert {(f.label.value, f.text) for f in forms} == {
        *(("YES", text) for text in ("YES", "Yes", "yes", " YES", " Yes", " yes")),
        *(("NO", text) for text in ("NO", "No", "no", " NO", " No", " no")),
        *(
            ("UNSURE", text)
            for text in ("UNSURE", "Unsure", "unsure", " UNSURE", " Unsure", " unsure")
        ),
    }


def test_no_two_forms_have_the_same_token(hf_tokenizer: HfTokenizer) -> None:
    forms = find_label_forms(hf_tokenizer.encode_template, hf_tokenizer.decode_token, "\n")
    assert len({f.token_id for f in forms}) == len(forms)


def test_a_bare_space_never_counts() -> None:
    tokenizer = CharacterTokenizer()
    forms = find_label_forms(tokenizer.encode_template, tokenizer.decode_token, "\nAnswer:")
    assert [chr(f.token_id) for f in forms] == ["Y", "y", "N", "n", "U", "u"]


def test_labels_that_start_with_the_same_token_are_refused() -> None:
    tokenizer = WordTokenizer("▁a", "YES", "NO")
    # Both capitalised forms begin with one marker token, as in tokenisers that mark case.
    with pytest.raises(UnusableModelError, match=r"same token.*cannot be told apart"):
        find_label_forms(
            lambda text: tokenizer.encode(text.replace("Yes", "▁aes").replace("No", "▁ao")),
            tokenizer.decode,
            "",
        )


def test_a_label_without_a_token_of_its_own_is_refused() -> None:
    tokenizer = WordTokenizer("Yes", "YES", "yes")
    with pytest.raises(UnusableModelError, match="no token that starts a form of NO"):
        find_label_forms(
            lambda text: tokenizer.encode(text.replace("N", "1").replace("n", "1")),
            tokenizer.decode,
            ":",
        )


def test_a_form_that_merges_with_the_lead_is_taken_on_its_own() -> None:
    tokenizer = WordTokenizer(":", ":Yes", "Yes", "YES", "yes", "NO", "No", "no")
    forms = find_label_forms(tokenizer.encode, tokenizer.decode, ":")
    assert "Yes" in [tokenizer.decode(f.token_id) for f in forms]
    assert ":Yes" not in [tokenizer.decode(f.token_id) for f in forms]


def test_the_forms_of_a_label_are_summed() -> None:
    read = np.log([[0.2, 0.3, 0.1], [0.5, 0.25, 0.125]])
    np.testing.assert_allclose(
        np.exp(label_log_probabilities(read, FORMS)),
        [[0.3, 0.3, 0.0], [0.625, 0.25, 0.0]],
        rtol=1e-12,
    )


def test_sums_hold_where_probabilities_underflow() -> None:
    summed = label_log_probabilities(np.array([[-1000.0, -2000.0, -1000.0]]), FORMS)
    np.testing.assert_allclose(summed, [[-1000.0 + math.log(2.0), -2000.0, -math.inf]], rtol=1e-15)


@pytest.mark.parametrize(
    ("label_nats", "probability", "mass"),
    [
        ((0.0, -math.inf), 1.0, 1.0),
        ((-math.inf, 0.0), 0.0, 1.0),
        ((-math.inf, -math.inf), math.nan, 0.0),
        ((0.0, 0.0), 0.5, 1.0),
        ((-2000.0, -2000.0), 0.5, 0.0),
    ],
)
def test_extremes(label_nats: tuple[float, float], probability: float, mass: float) -> None:
    found_probability, found_mass = probability_and_mass(np.array([label_nats]))
    assert found_probability[0] == pytest.approx(probability, nan_ok=True)
    assert found_mass[0] == mass
