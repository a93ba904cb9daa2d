"""What a model wrote of a passage, as quotes and claims: nothing of it is believed yet."""

import json
from dataclasses import dataclass

from groundwire_verifier.checks.model_claims.extraction import Fallback, UnusableAnswerError

MAX_CLAIM_CHARACTERS = 1000


@dataclass(frozen=True, slots=True)
class Written:
    """A claim that a model wrote, and the words of the text that it says it stands on."""

    quote: str
    claim: str


def read_answer(answer: str) -> list[Written | None]:
    """The claims of an answer; None for one that has not the form that was asked for.

    Words around the JSON are passed over. Raises UnusableAnswerError.
    """
    begins, ends = answer.find("{"), answer.rfind("}")
    if begins < 0:
        raise UnusableAnswerError(Fallback.MALFORMED)
    try:
        found: object = json.loads(answer[begins : ends + 1])
    except (ValueError, RecursionError):
        is_whole = answer.rstrip().rstrip("`").rstrip().endswith("}")
        raise UnusableAnswerError(Fallback.MALFORMED if is_whole else Fallback.CUT_SHORT) from None
    claims = found.get("claims") if isinstance(found, dict) else None
    if not isinstance(claims, list):
        raise UnusableAnswerError(Fallback.MALFORMED)
    return [_written(claim) for claim in claims]


def _written(claim: object) -> Written | None:
    if not isinstance(claim, dict):
        return None
    quote, text = claim.get("quote"), claim.get("claim")
    if not isinstance(quote, str) or not isinstance(text, str):
        return None
    text = " ".join(text.split())
    return Written(quote, text) if 0 < len(text) <= MAX_CLAIM_CHARACTERS else None
