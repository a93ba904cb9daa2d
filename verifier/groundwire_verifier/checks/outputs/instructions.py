"""What an agent is told so that it corrects itself, ready to be sent, one table a language.

It quotes the agent's own response and names sources. It never quotes a source: that would let who
wrote it speak to the agent.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from groundwire_verifier.checks.outputs.formats import FormatViolation
from groundwire_verifier.verdicts.types import (
    SKIPPED,
    AnswerClaim,
    ClaimVerdict,
    Reason,
    Verdict,
)

MAX_LISTED_CLAIMS = 50
MAX_QUOTED_CHARACTERS = 300
FALLBACK_LANGUAGE = "en"


@dataclass(frozen=True, slots=True)
class InstructionWords:
    """What an agent is told, in one language. The texts of `faults` may name {ids}."""

    lead: str
    rest: str
    more: str
    quote: str
    faults: Mapping[Verdict | Reason, str]
    format: str
    form_lead: str


WORDS: Mapping[str, InstructionWords] = {
    "en": InstructionWords(
        lead="Correct your last response. These statements in it do not stand on its sources:",
        rest="Keep the rest as it is, cite the source of each statement that you change, and add "
        "nothing that the sources do not say.",
        more="(and {count} more)",
        quote="\u201c{text}\u201d",
        faults={
            Verdict.UNCERTAIN: "the sources do not confirm it. Check it against them, or say "
            "that it is not certain.",
            Verdict.UNSUPPORTED: "the sources do not support it. Remove it, or say that it is not "
            "known.",
            Verdict.CONTRADICTED: "the sources say otherwise. Replace it by what they say.",
            Verdict.MISCITED: "it rests on another source than the one it cites. Cite {ids}.",
            Verdict.PRIOR_KNOWLEDGE: "it does not rest on the sources. Remove it, or say that it "
            "is general knowledge.",
            Verdict.NOT_VERIFIED: "it could not be verified. Check it against the sources.",
            Reason.UNKNOWN_CITATION: "there is no source {ids}. Cite one that exists, or remove "
            "the statement.",
        },
        form_lead="Correct the form of your last response, and keep what it says.",
        format="The form is not the one that was asked for: {text}.",
    ),
    "he": InstructionWords(
        lead="תקן את התשובה האחרונה שלך. הטענות הבאות בה אינן נשענות על המקורות:",
        rest="השאר את כל השאר כפי שהוא, ציין את המקור של כל טענה שתשנה, ואל תוסיף דבר שאינו כתוב "
        "במקורות.",
        more="(ועוד {count})",
        quote="„{text}”",
        faults={
            Verdict.UNCERTAIN: "המקורות אינם מאשרים זאת. בדוק זאת מולם, או אמור שהדבר אינו ודאי.",
            Verdict.UNSUPPORTED: "המקורות אינם תומכים בכך. מחק זאת, או אמור שהדבר אינו ידוע.",
            Verdict.CONTRADICTED: "המקורות אומרים אחרת. כתוב במקום זה את מה שהם אומרים.",
            Verdict.MISCITED: "הטענה נשענת על מקור אחר מזה שצוין. ציין את {ids}.",
            Verdict.PRIOR_KNOWLEDGE: "היא אינה נשענת על המקורות. מחק אותה, או אמור שזהו ידע כללי.",
            Verdict.NOT_VERIFIED: "לא ניתן היה לאמת את הטענה. בדוק אותה מול המקורות.",
            Reason.UNKNOWN_CITATION: "אין מקור בשם {ids}. ציין מקור קיים, או מחק את הטענה.",
        },
        form_lead="תקן את הצורה של התשובה האחרונה שלך, והשאר את תוכנה.",
        format="הצורה אינה זו שהתבקשה: {text}.",
    ),
}
"""Violations of a format are told in English, inside of a sentence in the language."""


def instruction(
    claims: Sequence[AnswerClaim], violations: Sequence[FormatViolation], language: str
) -> str:
    """What to tell the agent; empty where there is nothing to correct."""
    words = WORDS.get(language, WORDS[FALLBACK_LANGUAGE])
    faults = list(_faults(claims, words))
    lines: list[str] = []
    if faults:
        lines.append(words.lead)
        lines += (f"{i}. {text}" for i, text in enumerate(faults[:MAX_LISTED_CLAIMS], 1))
        if len(faults) > MAX_LISTED_CLAIMS:
            lines.append(words.more.format(count=len(faults) - MAX_LISTED_CLAIMS))
        lines.append(words.rest)
    elif violations:
        lines.append(words.form_lead)
    lines += (
        words.format.format(text=f"{each.pointer} {each.description}".strip())
        for each in violations
    )
    return "\n".join(lines)


def _faults(claims: Sequence[AnswerClaim], words: InstructionWords) -> Iterator[str]:
    for each in claims:
        verdict = each.verdict
        if verdict is None or verdict.grounded or verdict.reason in SKIPPED:
            continue
        fault = words.faults.get(verdict.reason) or words.faults[verdict.verdict]
        if verdict.verdict is Verdict.MISCITED and not _ids(verdict):
            fault = words.faults[Verdict.UNSUPPORTED]
        quoted = words.quote.format(text=_shortened(each.claim.content))
        yield f"{quoted}: {fault.format(ids=_ids(verdict))}"


def _ids(verdict: ClaimVerdict) -> str:
    """The sources that a fault is about."""
    if verdict.reason is Reason.UNKNOWN_CITATION:
        return ", ".join(f"[{i}]" for i in verdict.unknown_ids)
    return ", ".join(f"[{other.id}]" for other in verdict.other_sources if other.carries)


def _shortened(text: str) -> str:
    line = " ".join(text.split())
    if len(line) <= MAX_QUOTED_CHARACTERS:
        return line
    return line[: MAX_QUOTED_CHARACTERS - 1] + "\u2026"
