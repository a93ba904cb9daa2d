"""The claims of one trace on their way to the verifier."""

from collections.abc import Sequence
from dataclasses import replace

from groundwire_verifier.domain.errors import BackendUnavailableError, DeadlineUnreachableError
from groundwire_verifier.domain.evidence import Evidence
from groundwire_verifier.domain.urgency import Urgency
from groundwire_verifier.progress import VerificationPlan
from groundwire_verifier.session import Session
from groundwire_verifier.verdicts.options import VerifyOptions
from groundwire_verifier.verdicts.questions import ClaimTask
from groundwire_verifier.verdicts.types import ClaimVerdict
from groundwire_verifier.verification import VerificationInput


class TraceReader:
    """Has claims of one trace verified in a session, each batch on evidence of its own."""

    def __init__(self, session: Session, options: VerifyOptions) -> None:
        self.session = session
        # What the evidence leaves out was left out before.
        self.options = replace(options, skip_non_evidence=False)

    async def plan(
        self, tasks: Sequence[ClaimTask], evidence: Evidence, field: str
    ) -> VerificationPlan:
        """Tokenise claims and evidence, which stands in `field`. Raises as `Verifier.plan`."""
        batch = VerificationInput(tuple(tasks), evidence, self.options, field, "steps")
        return await self.session.plan(batch)

    async def verdicts(
        self, plan: VerificationPlan, urgency: Urgency | None = None
    ) -> tuple[ClaimVerdict, ...]:
        """The verdicts of a plan's claims; none if something went wrong before any was known.

        With the first that is known, the session's time begins to count.
        """

        def known(_: int, __: ClaimVerdict) -> None:
            self.session.limit.begin()

        try:
            done = await self.session.read(plan, known, urgency=urgency)
        except (BackendUnavailableError, DeadlineUnreachableError) as error:
            self.session.keep(error)
            return ()
        return done.verdicts
