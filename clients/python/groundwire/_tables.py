"""Claims as the rows of a table: of pandas, or of a notebook's page."""

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING

from groundwire.verdicts import AnswerClaim, Verdict, VerifiedClaim

if TYPE_CHECKING:
    from pandas import DataFrame

_COLOURS = {
    Verdict.SUPPORTED: "#2e7d32",
    Verdict.UNSUPPORTED: "#c62828",
    Verdict.CONTRADICTED: "#c62828",
    Verdict.MISCITED: "#b26a00",
    Verdict.PRIOR_KNOWLEDGE: "#b26a00",
}
"""The colour beside a verdict; of the others grey, since they say that nothing is known."""


def data_frame(claims: Sequence[VerifiedClaim]) -> "DataFrame":
    """A row a claim, in their order. Raises ImportError without pandas."""
    try:
        from pandas import DataFrame
    except ModuleNotFoundError as error:
        raise ImportError(
            "to_pandas needs pandas, which is not installed: pip install pandas", name="pandas"
        ) from error
    return DataFrame([_row(claim) for claim in claims])


def _row(claim: VerifiedClaim) -> dict[str, object]:
    row: dict[str, object] = {
        "content": claim.content,
        "verdict": str(claim.verdict),
        "reason": str(claim.reason),
        "grounded": claim.grounded,
        "p1": claim.p1,
        "p0": claim.p0,
        "confidence": claim.confidence,
        "required_bits": claim.required_bits,
        "observed_bits": claim.observed_bits,
        "gap_bits": claim.gap_bits,
        "cited_ids": claim.cited_ids,
        "carried_by": claim.carried_by,
        "unstated_values": claim.unstated_values,
        "reason_text": claim.reason_text,
        "warning": claim.warning,
    }
    if isinstance(claim, AnswerClaim):
        row |= {"start": claim.span.start, "end": claim.span.end, "language": claim.language}
    return row


def html_table(claims: Sequence[VerifiedClaim], caption: str) -> str:
    """A table as HTML, without scripts. No text of a claim or of a caption is read as HTML."""
    head = "".join(f"<th>{name}</th>" for name in ("", "verdict", "claim", "p1", "p0", "why"))
    rows = "".join(_html_row(number, claim) for number, claim in enumerate(claims, 1))
    return (
        f'<table><caption style="caption-side: top; text-align: start" dir="auto">'
        f"{escape(caption)}</caption><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"
    )


def _html_row(number: int, claim: VerifiedClaim) -> str:
    colour = _COLOURS.get(claim.verdict, "#757575")
    start = 'dir="auto" style="text-align: start"'
    numbers = "".join(f"<td>{'' if p is None else f'{p:.2f}'}</td>" for p in (claim.p1, claim.p0))
    return (
        f'<tr><td>{number}</td><td style="border-left: 4px solid {colour}">{claim.verdict}</td>'
        f"<td {start}>{escape(claim.content)}</td>{numbers}"
        f"<td {start}>{escape(claim.reason_text)}</td></tr>"
    )
