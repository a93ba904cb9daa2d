"""Texts of others inside of an instruction: each between two lines that it does not have."""

from collections.abc import Sequence

from groundwire_verifier.domain.types import TextPart

MIN_FENCE = 5


def fenced(lead: str, texts: Sequence[tuple[str, str]], ask: str) -> tuple[TextPart, ...]:
    """The parts of an instruction: our `lead`, each text of others behind its own heading, which
    is ours, and what is asked. A blank text is left out with its heading."""
    fence = "=" * MIN_FENCE
    while any(fence in text for _, text in texts):
        fence += "="
    parts = [TextPart(lead, is_ours=True)]
    for heading, text in texts:
        if text.strip():
            parts += [
                TextPart(f"{heading}{fence}\n", is_ours=True),
                TextPart(text, is_ours=False),
                TextPart(f"\n{fence}\n", is_ours=True),
            ]
    return (*parts, TextPart(ask, is_ours=True))
