"""What every report is made of: an answer, its sources, and what the server said of it."""

from dataclasses import dataclass

from groundwire import AnswerReport, Document, Verdict

_REPLACED = {code: 0x2400 + code for code in range(0x20) if chr(code) not in "\n\t"}
_REPLACED |= {0x7F: 0x2421} | dict.fromkeys(range(0x80, 0xA0), 0xFFFD)
# Overrides and isolates of direction: they could show a verdict's words in another order.
_REPLACED |= dict.fromkeys((*range(0x202A, 0x202F), *range(0x2066, 0x206A)), 0xFFFD)


@dataclass(frozen=True, slots=True)
class CheckedAnswer:
    """An answer with all that is needed to report on it."""

    answer: str
    """The text that the spans of the claims point into."""
    question: str
    """What was answered; empty: not known."""
    sources: tuple[Document, ...]
    """Its sources, in the order in which the server saw them."""
    report: AnswerReport
    """The server's report on it."""


def visible(text: str) -> str:
    """The text with its control characters replaced one by one, so that spans still fit.

    They can steer a terminal and turn what stands around them, and a page cannot hold all of them.
    """
    return text.translate(_REPLACED)


def one_line(text: str) -> str:
    """The visible text on one line, for a cell of a table."""
    return " ".join(visible(text).split())


SEVERITY = (
    Verdict.SUPPORTED,
    Verdict.UNCERTAIN,
    Verdict.MISCITED,
    Verdict.PRIOR_KNOWLEDGE,
    Verdict.NOT_VERIFIED,
    Verdict.UNKNOWN,
    Verdict.UNSUPPORTED,
    Verdict.CONTRADICTED,
)
"""The verdicts, from the most harmless to the gravest."""


MAX_REVIEWED = 10
"""Most claims that a report names as those to look at first."""


def to_review(report: AnswerReport) -> tuple[int, ...]:
    """The indexes of the claims to look at first, likeliest wrong first."""
    return report.summary.review_order[:MAX_REVIEWED]


def counts(report: AnswerReport) -> dict[Verdict, int]:
    """How many claims have each verdict. A verdict that no claim has is left out."""
    found = [each.verdict for each in report.claims]
    return {verdict: found.count(verdict) for verdict in SEVERITY if verdict in found}
