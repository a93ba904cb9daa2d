"""What a report shows of an answer that was put right: text, edits, what it comes to."""

from dataclasses import dataclass

from groundwire import Edit
from groundwire_server.reports.content import CheckedAnswer, one_line, visible
from groundwire_server.reports.numbers import probability, summary_text
from groundwire_server.reports.phrases import ReportWords


@dataclass(frozen=True, slots=True)
class CorrectedText:
    """The corrected answer; empty where nothing of it could stay. `notes` say what it comes to."""

    text: str
    edits: tuple[str, ...]
    notes: tuple[str, ...]


def corrected_text(checked: CheckedAnswer, words: ReportWords) -> CorrectedText | None:
    """The correction of an answer in words; None if none was asked for."""
    correction = checked.report.correction
    if correction is None:
        return None
    notes = []
    if not correction.edits:
        notes.append(words.corrected_unchanged)
    elif not correction.corrected_answer:
        notes.append(words.corrected_nothing)
    elif correction.summary is not None:
        notes.append(summary_text(correction.summary, words))
    if correction.untried_claims:
        numbers = ", ".join(str(index + 1) for index in correction.untried_claims)
        notes.append(words.corrected_untried.format(numbers=numbers))
    return CorrectedText(
        text=visible(correction.corrected_answer) if correction.edits else "",
        edits=tuple(_edit(each, checked.answer, words) for each in correction.edits),
        notes=tuple(notes),
    )


def _edit(edit: Edit, answer: str, words: ReportWords) -> str:
    """One edit: its claim, what it does, what stood there, what stands there, what carries it."""
    old, new = one_line(edit.span.of(answer)), one_line(edit.replacement)
    carried = ", ".join(
        part
        for part in (
            one_line(edit.source_id),
            "" if edit.probability is None else probability(edit.probability),
        )
        if part
    )
    what = words.replaced.format(old=old, new=new) if new else f"\u201c{old}\u201d"
    told = f"{words.claim} {edit.claim_index + 1}, {words.edits[edit.kind]}: {what}"
    return f"{told} ({carried})" if carried else told
