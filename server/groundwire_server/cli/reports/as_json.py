"""A report for programs: everything, under the names of the client's types.

Spans are characters of "answer". Knows no words and no languages.
"""

import json
from dataclasses import asdict

from groundwire_server.cli.reports.content import CheckedAnswer


def json_report(checked: CheckedAnswer) -> str:
    """The report as one JSON object. The sources' own texts are left out."""
    report = checked.report
    value = {
        "answer": checked.answer,
        "question": checked.question,
        "sources": [
            {"id": source.id, "title": source.title, "characters": len(source.text)}
            for source in checked.sources
        ],
        "claims": [asdict(each) for each in report.claims],
        "summary": asdict(report.summary),
        "run": asdict(report.run),
    }
    return json.dumps(value, ensure_ascii=False, indent=2)
