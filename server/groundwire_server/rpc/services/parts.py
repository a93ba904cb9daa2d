"""What the services that verify are made of; one set for calls, another for the background."""

from dataclasses import dataclass

from groundwire_server.rpc.calls import Calls
from groundwire_server.rpc.services.claim_finding import ClaimFinder
from groundwire_server.rpc.services.detection_requests import Defaults
from groundwire_server.rpc.services.evidence_marks import EvidenceMarks
from groundwire_server.text_work.pool import TextWorks
from groundwire_verifier.estimation import Estimator
from groundwire_verifier.verification import Verifier


@dataclass(frozen=True, slots=True)
class Parts:
    """What claims are found, planned and read with, and what calls are counted by.

    `texts` splits texts in processes of its own, `marks` knows what of evidence is none, and
    `defaults` are the settings' options.
    """

    estimator: Estimator
    verifier: Verifier
    calls: Calls
    texts: TextWorks
    marks: EvidenceMarks
    defaults: Defaults
    finder: ClaimFinder
