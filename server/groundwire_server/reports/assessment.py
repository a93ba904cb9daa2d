"""An assessment for a terminal, and as JSON.

Every action is a word as well as a colour.
"""

import json
from dataclasses import asdict

from rich.console import Console
from rich.table import Table
from rich.text import Text

from groundwire import LayerReport, ResponseAssessment, SuggestedAction
from groundwire_server.reports.content import one_line

_STYLES = {
    SuggestedAction.NONE: "green",
    SuggestedAction.VERIFY: "yellow",
    SuggestedAction.WARN: "bold yellow",
    SuggestedAction.BLOCK: "bold red",
    SuggestedAction.UNKNOWN: "magenta",
}


def as_json(found: ResponseAssessment) -> str:
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


def print_assessment(found: ResponseAssessment, console: Console) -> None:
    """Print the action with its reasons, then a row for each layer."""
    sure = "unknown" if found.confidence is None else f"{found.confidence:.2f}"
    style = _STYLES[found.suggested_action]
    console.print(Text.assemble((found.suggested_action, style), f"  confidence {sure}"))
    for reason in found.reasons:
        # Text: brackets in it are no markup.
        console.print(Text(f"- {one_line(reason.text)}"))
    table = Table("layer", "state", "score", "time")
    for layer in found.layers:
        score = "" if layer.score is None else f"{layer.score:.2f}"
        time = f"{1000 * layer.duration_s:.1f} ms" if layer.duration_s else ""
        table.add_row(layer.layer, _state(layer), score, time)
    console.print(table)


def _state(layer: LayerReport) -> str:
    state = str(layer.state) if layer.reason is None else f"{layer.state}: {layer.reason}"
    return f"{state}, {layer.cut_characters:,} characters cut" if layer.cut_characters else state
