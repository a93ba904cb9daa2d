"""A report for programs: everything, under the names of the client's types.

Spans are characters of "answer". docs/verdicts.md explains the keys of a claim.
"""

import json
from dataclasses import asdict

from groundwire_server.reports.content import CheckedAnswer


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
        "claims": [claim.to_dict() for claim in report.claims],
        "summary": asdict(report.summary),
        "run": asdict(report.run),
        "correction": None if report.correction is None else asdict(report.correction),
    }
