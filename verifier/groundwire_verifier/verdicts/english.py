"""Verdicts in English."""

from groundwire_verifier.domain.claims import NonAssertive
from groundwire_verifier.verdicts.types import Reason
from groundwire_verifier.verdicts.verdict_words import Counted, FactReasons, Reasons, Warnings

WARNINGS = Warnings(
    uncertain="The sources do not confirm this, probability {p1:.2f}.",
    unsupported="The sources do not support this.",
    contradicted="The sources say otherwise.",
    miscited="This rests on another source than the one it cites",
    prior_knowledge="This may be right, but it does not rest on the sources.",
    not_verified="This could not be verified.",
    unknown_citation="This cites a source that does not exist.",
    not_checked="This was not checked.",
    answer_of_thoughts="This is what the model thought: there is no answer in it.",
    answer_abstains="This answer says that the sources do not answer the question.",
    answer_without_claims="Nothing in this answer could be checked against the sources.",
    answer_not_grounded="Much of this answer needs a check: {bad}.",
    answer_partly_grounded="Parts of this answer need a check: {bad}.",
    answer_unread="This answer was not checked in full.",
    only_bad="the only statement that was checked is not grounded in the sources",
    one_bad="1 of {total} statements is not grounded in the sources",
    many_bad="{bad} of {total} statements are not grounded in the sources",
    of_which_uncertain="({count} uncertain)",
    skipped=Counted("1 more was not verified", "{count} more were not verified"),
    left_out="Not checked: {kinds}.",
    verified_share="{percent}% of the text was verified.",
    unverified={
        Reason.UNKNOWN_CITATION: Counted(
            "1 statement that cites a source that does not exist",
            "{count} statements that cite a source that does not exist",
        ),
        Reason.LABEL_MASS_BELOW_FLOOR: Counted(
            "1 statement that the model could not judge",
            "{count} statements that the model could not judge",
        ),
        NonAssertive.QUESTION: Counted("1 question", "{count} questions"),
        NonAssertive.INSTRUCTION: Counted("1 instruction", "{count} instructions"),
        NonAssertive.HEDGED: Counted("1 hedged statement", "{count} hedged statements"),
        NonAssertive.CODE: Counted("1 piece of code", "{count} pieces of code"),
        NonAssertive.HEADING: Counted("1 heading", "{count} headings"),
        NonAssertive.LEAD_IN: Counted(
            "1 remark about the answer", "{count} remarks about the answer"
        ),
        Reason.TOO_SHORT: Counted("1 short statement", "{count} short statements"),
        Reason.BEYOND_MAX_CLAIMS: Counted(
            "1 statement beyond the maximum", "{count} statements beyond the maximum"
        ),
        Reason.TOO_LONG: Counted(
            "1 statement that is too long", "{count} statements that are too long"
        ),
        Reason.OUT_OF_TIME: Counted(
            "1 statement for which there was no time",
            "{count} statements for which there was no time",
        ),
        Reason.BACKEND_FAILED: Counted(
            "1 statement that the model failed on",
            "{count} statements that the model failed on",
        ),
        Reason.INTERVAL_TOO_WIDE: Counted(
            "1 statement whose score is too uncertain",
            "{count} statements whose score is too uncertain",
        ),
        Reason.TOO_FEW_SAMPLES: Counted(
            "1 statement that the model answered too rarely",
            "{count} statements that the model answered too rarely",
        ),
        Reason.INCOMPLETE: Counted(
            "1 statement that is cut off", "{count} statements that are cut off"
        ),
    },
    unclaimed_lines=Counted("1 line without a statement", "{count} lines without a statement"),
    language_not_covered=(
        "The model's card does not cover the language of this answer ({language}): its "
        "verdicts are less sure."
    ),
)

REASONS = Reasons(
    read="probability {p1} with the sources, {p0} without",
    needed="{needed} is needed",
    needed_with_gap="{needed} is needed, of which {bits} bits may be missing",
    needed_score="a grounding score above {least} is needed, and it is {score}",
    closed_book=", and without any source {probability}",
    stance=(
        "; asked whether the sources say so, the model answers YES {yes}, NO {no}, UNSURE {unsure}"
    ),
    carried_by_others="other sources carry the claim, none of them alone",
    carried_by="another source carries the claim: {named}",
    alone="{id} alone gives {probability}",
    not_confirmed="not confirmed: {why}",
    decided={
        Reason.INTERVAL_TOO_WIDE: (
            "{read}, but it was not read exactly: with the sources it lies in {p1_range}, without "
            "in {p0_range}; more samples, or a backend that tells more log-probabilities, would "
            "decide"
        ),
        Reason.INCOMPLETE: (
            "{read}{stance}; but the answer ends with it, and without the mark that its other "
            "sentences end with"
        ),
        Reason.BUDGET_COVERED: "{read}; {asked}",
        Reason.BUDGET_EXCEEDED: "{read}; {asked}",
        Reason.SCORE_REACHED: "{read}; {asked}",
        Reason.SCORE_MISSED: "{read}; {asked}",
        Reason.LOW_POSTERIOR: "{read}; {asked}{stance}",
        Reason.MODEL_SAYS_NO: "{read}{stance}",
        Reason.FALSE_ABSENCE: (
            "asked whether they say what it says is missing, P(true) is {not_p1} with the sources "
            "and {not_p0} without: they say it"
        ),
        Reason.UNSTATED_CODE: "{read}; but no source has {code}",
        Reason.CELL_SAYS_OTHERWISE: "{read}; but a table says: {cell}",
        Reason.EVIDENCE_AGAINST: "{read}: the sources speak against it",
        Reason.EVIDENCE_UNUSED: "{read}: the sources have to add more than {least_use}",
        Reason.HIGH_PRIOR: (
            "{read}{closed_book}; {asked}: true or not, it does not rest on the sources"
        ),
        Reason.OTHER_SOURCE: "{read} those it cites{closed_book}: {carriers}",
        Reason.CORROBORATED: (
            "probability {cited_alone} with the cited sources alone{closed_book}; {asked}; others "
            "say the same{named}"
        ),
    },
    unread={
        Reason.UNKNOWN_CITATION: "no source has the cited id: {detail}",
        Reason.LABEL_MASS_BELOW_FLOOR: ("the model did not answer YES or NO (label mass {detail})"),
        Reason.NON_ASSERTIVE: "not an assertion: {detail}",
        Reason.TOO_SHORT: "shorter than {detail} characters",
        Reason.TOO_LONG: "longer than {detail} tokens",
        Reason.BEYOND_MAX_CLAIMS: "beyond the first {detail} claims",
        Reason.OUT_OF_TIME: "not read before the call had to be answered",
        Reason.BACKEND_FAILED: "not read before the engine failed",
        Reason.TOO_FEW_SAMPLES: "only {detail} answers came back, too few to tell a probability",
        Reason.INCOMPLETE: "the answer ends in the middle of it",
    },
    kinds={
        NonAssertive.QUESTION: "a question",
        NonAssertive.INSTRUCTION: "an instruction",
        NonAssertive.HEDGED: "hedged: its confidence is below the floor of an assertion",
        NonAssertive.CODE: "code",
        NonAssertive.HEADING: "a heading",
        NonAssertive.LEAD_IN: (
            "talk about the answer: a greeting, or a line that announces what follows"
        ),
        NonAssertive.ABSENCE: "that the sources do not say something",
    },
)

FACT_REASONS = FactReasons(
    carried="the evidence carries it: {why}",
    not_carried="the evidence does not carry it: {why}",
    says_otherwise="the evidence says otherwise: {why}",
    below_minimum="the evidence carries it with a confidence of {confidence}, below {least}",
    let_through="let through, marked: {why}",
    out_of_time="not read before the decision was due",
    overloaded="not read, since the server had too much to do",
    backend_failed="not read, since the backend failed",
    stored_unverified="{why}: to be stored unverified, with {factor} times its confidence",
)
