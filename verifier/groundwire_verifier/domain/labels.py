"""Answer labels: which tokens mean YES or NO, and what they add up to."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from groundwire_verifier.domain.errors import UnusableModelError
from groundwire_verifier.domain.types import Label, LabelForm, Profile

SURFACE_FORMS = {
    Label.YES: ("YES", "Yes", "yes", " YES", " Yes", " yes"),
    Label.NO: ("NO", "No", "no", " NO", " No", " no"),
    Label.UNSURE: ("UNSURE", "Unsure", "unsure", " UNSURE", " Unsure", " unsure"),
}
"""The ways a model writes each label as the first word of its answer."""

Encode = Callable[[str], Sequence[int]]
FloatArray = npt.NDArray[np.float64]


def forms_of(profile: Profile) -> Mapping[Label, Sequence[str]]:
    """The words of a profile's model under what they mean for the claim."""
    if profile.is_in_own_words:
        return SURFACE_FORMS
    supports, denies = profile.yes, profile.no
    if profile.inverted:
        supports, denies = denies, supports
    return {Label.YES: supports, Label.NO: denies}


def find_label_forms(
    encode: Encode,
    decode: Callable[[int], str],
    answer_lead: str,
    forms_of_labels: Mapping[Label, Sequence[str]] = SURFACE_FORMS,
) -> tuple[LabelForm, ...]:
    """Find the token that starts each surface form of each label after `answer_lead`.

    `answer_lead` is the text that the prompt ends with. A form of several tokens counts by its
    first one, and only if that holds a letter: a bare space starts any word. Forms that start
    with the same token appear once.

    Raises UnusableModelError if YES or NO has no form left or they share a first token. UNSURE
    only loses the forms that it shares with them.
    """
    lead = list(encode(answer_lead))
    found: dict[int, LabelForm] = {}
    for label, texts in forms_of_labels.items():
        for text in texts:
            token_id = _first_of(encode(answer_lead + text), lead, encode(text))
            if not any(c.isalpha() for c in decode(token_id)):
                continue
            other = found.setdefault(token_id, LabelForm(label, text, token_id))
            if other.label is not label and label is not Label.UNSURE:
                raise UnusableModelError(
                    f"the tokeniser starts {text!r} and {other.text!r} with the same token "
                    f"({token_id}), so YES and NO cannot be told apart by the next token; "
                    "use another model"
                )
    forms = tuple(found.values())
    for label in (Label.YES, Label.NO):
        if not any(form.label is label for form in forms):
            raise UnusableModelError(
                f"the tokeniser has no token that starts a form of {label.value}; use another model"
            )
    return forms


def _first_of(joined: Sequence[int], lead: Sequence[int], alone: Sequence[int]) -> int:
    """The first token of a form, by its tokens behind the lead, those of the lead, and its own."""
    if list(joined[: len(lead)]) == list(lead) and len(joined) > len(lead):
        return joined[len(lead)]
    # The form merges with what stands before it; the prompt joins tokens, not text, so the form
    # on its own is what the model would write.
    return alone[0]


def label_log_probabilities(log_probs: FloatArray, forms: Sequence[LabelForm]) -> FloatArray:
    """Sum the probability of each label's forms.

    `log_probs` has shape (prompts, forms), in nats; the result has shape (prompts, 3) with the
    columns ln P(YES), ln P(NO) and ln P(UNSURE), in nats; a label without forms has minus infinity.
    """
    labels = np.array([form.label.value for form in forms])
    return np.stack(
        [np.logaddexp.reduce(log_probs[:, labels == label.value], axis=1) for label in Label],
        axis=1,
    )


def probability_and_mass(label_nats: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Turn ln P(YES), ln P(NO) into the probability of YES and the label mass.

    `label_nats` has shape (prompts, 2 or more); what is beyond NO is not looked at. Returns
    P(YES) / (P(YES) + P(NO)) and P(YES) + P(NO), each of shape (prompts,) and in [0, 1]. A prompt
    with no mass on either label has the probability NaN.
    """
    total = np.logaddexp(label_nats[:, 0], label_nats[:, 1])
    with np.errstate(invalid="ignore"):
        probability = np.exp(label_nats[:, 0] - total)
    return np.clip(probability, 0.0, 1.0), np.minimum(np.exp(total), 1.0)
