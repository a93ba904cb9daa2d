"""Named features: what the texts of a claim and its evidence tell beside the model's reading.

Names only, so that a calibration can hold weights for them. What their values are is the business
of `groundwire_verifier.text_features`, and how weights are found that of `feature_fit`.
"""

from enum import Enum


class Feature(Enum):
    """A number that two texts have, by its name. Of a question with its answer the claim is the
    answer, unless that is a bare yes or no.

    The number in a name is that of its definition. Who changes what a feature counts gives it the
    next one: a calibration that was fitted on the old counts is then refused, and not misread.
    """

    SENTENCE_COVERAGE = "sentence_coverage/1"
    """The share, in [0, 1], of the claim's words that stand in that one sentence of the evidence
    which has most of them."""
    COVERAGE = "coverage/1"
    """The share, in [0, 1], of the claim's words that stand anywhere in the evidence."""
    NAME_COVERAGE = "name_coverage/1"
    """The share, in [0, 1], of the claim's names that stand in the evidence; 1 if it has none. A
    name is a word with a capital letter that is not the claim's first: Hebrew has none."""
    UNSTATED_VALUES = "unstated_values/1"
    """How many numbers, amounts, dates and times of the claim the evidence does not state; 2 where
    they are more."""
    QUESTION_FORM = "question_form/1"
    """1 for a question with its answer ("Is it open? Yes."), 0 for a statement."""
    HEBREW = "hebrew/1"
    """1 for a claim in Hebrew, else 0."""
    EVIDENCE_LENGTH = "evidence_length/1"
    """The natural logarithm of 1 and the evidence's characters."""
    CLAIM_LENGTH = "claim_length/1"
    """The natural logarithm of 1 and the claim's distinct words."""


TRIED = (Feature.SENTENCE_COVERAGE, Feature.NAME_COVERAGE, Feature.UNSTATED_VALUES)
"""Those that are tried where nobody names any."""
