"""A report for programs: everything, under the names of the client's types.

Spans are characters of "answer". docs/verdicts.md explains the keys of a claim.
"""

import json
from dataclasses import asdict

from groundwire import AnswerClaim
from groundwire_server.cli.reports.content import CheckedAnswer


def json_report(checked: CheckedAnswer) -> str:
    """The report as one JSON object."""
    return json.dumps(json_value(checked), ensure_ascii=False, indent=2)


def json_value(checked: CheckedAnswer) -> dict[str, object]:
    """The same before it is written. The sources' own texts are left out."""
    report = checked.report
    return {
        "answer": checked.answer,
        "question": checked.question,
        "sources": [
            {"id": source.id, "title": source.title, "characters": len(source.text)}
            for source in checked.sources
        ],
        "claims": [_flat(claim) for claim in report.claims],
        "summary": asdict(report.summary),
        "run": asdict(report.run),
    }


def _flat(claim: AnswerClaim) -> dict[str, object]:
    """A claim as one object, with what a reader looks for first at its beginning."""
    first = {
        "content": claim.content,
        "verdict": claim.verdict,
        "p1": claim.p1,
        "p0": claim.p0,
        "gap_bits": claim.gap_bits,
    }
    return first | asdict(claim)
