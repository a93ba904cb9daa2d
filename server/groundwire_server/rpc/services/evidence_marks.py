"""Which sentences of a request's evidence are none: found in a process that can be killed."""

from groundwire_server.text_work.pool import TextTimeoutError, TextWorks
from groundwire_verifier.claims.non_evidence import find_non_evidence
from groundwire_verifier.domain.evidence import Evidence, NonEvidence
from groundwire_verifier.domain.threads import in_thread
from groundwire_verifier.verdicts.options import evidence_took_too_long


async def marked(texts: TextWorks, evidence: Evidence, field: str) -> tuple[NonEvidence, ...]:
    """The questions and instructions in evidence that stands in `field`.

    Raises InvalidInputError if that takes too long.
    """
    try:
        found = await texts.for_text(evidence.context).run(
            find_non_evidence, evidence.passage_texts
        )
    except TextTimeoutError as error:
        raise evidence_took_too_long(field, error.limit_s) from None
    return await in_thread(evidence.non_evidence, found)
