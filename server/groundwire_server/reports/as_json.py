"""Reports for programs: everything, under the names of the client's types.

Spans are characters of "answer". docs/verdicts.md explains the keys of a claim.
"""

import json
from dataclasses import asdict

from groundwire import ResponseAssessment
from groundwire_server.reports.analysis_content import AnalyzedText
from groundwire_server.reports.content import CheckedAnswer


def json_report(checked: CheckedAnswer) -> str:
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


def analysis_json(analyzed: AnalyzedText) -> str:
    """Everything, under the names of the client's types. Spans are characters of "text"."""
    value = {"text": analyzed.text, **asdict(analyzed.analysis)}
    return json.dumps(value, ensure_ascii=False, indent=2, default=str)


def assessment_json(found: ResponseAssessment) -> str:
    """All of an assessment but its readings of claims, with names as the contract has them."""
    claims = [
        {
            "content": claim.content,
            "verdict": claim.verdict,
            "reason": claim.reason,
            "p1": claim.p1,
            "p0": claim.p0,
            "gap_bits": claim.gap_bits,
        }
        for claim in found.claims
    ]
    shown = {
        "is_likely_hallucination": found.is_likely_hallucination,
        "confidence": found.confidence,
        "suggested_action": found.suggested_action,
        "reasons": [asdict(reason) for reason in found.reasons],
        "layers": [asdict(layer) for layer in found.layers],
        "common_sense": None if found.common_sense is None else asdict(found.common_sense),
        "claims": claims,
        "user_text": asdict(found.user_text),
        "language": found.language,
        "model": found.run.model,
        "backend": found.run.backend,
        "detection_id": found.detection_id,
        "total_s": found.run.timing.total_s,
    }
    return json.dumps(shown, ensure_ascii=False, indent=2)
