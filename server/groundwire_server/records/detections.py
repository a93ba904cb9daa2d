"""A detection: the findings of one call, for metrics, logs, the audit record and feedback."""

import hashlib
import math
import secrets
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

from google.protobuf.message import Message

from groundwire_verifier.domain.urgency import Arrival
from groundwire_verifier.verdicts.types import ClaimVerdict
from groundwire_verifier.verification import Verification

ID_BYTES = 16


_OF_OUTPUTS = b"groundwireoutput"


def detection_id_of(output_id: str) -> str:
    """The id of the detection in an output, the same each time that it is read.

    It tells nobody that of the output, by which its result is had, and so it may be logged.
    """
    return hashlib.blake2b(output_id.encode(), digest_size=ID_BYTES, person=_OF_OUTPUTS).hexdigest()


@dataclass(frozen=True, slots=True)
class DetectionCall:
    """A detection that is being made: its method's name, its call's times, and its id.

    An id is 32 hexadecimal digits that nobody can guess and no other detection has.
    """

    method: str
    arrival: Arrival
    id: str = field(default_factory=partial(secrets.token_hex, ID_BYTES))

    @property
    def is_awaited(self) -> bool:
        """Whether somebody waits for it: all calls end at some time, work in the background not."""
        return self.arrival.deadline_s < math.inf


@dataclass(frozen=True, slots=True)
class Judged:
    """A verdict, and its index in the response; see `RecordFeedbackRequest.index`."""

    index: int
    verdict: ClaimVerdict


@dataclass(frozen=True, slots=True)
class Detection:
    """What one call found.

    `request` and the verdicts have texts, so only what the operator switched on may keep them.
    `owner` is whose it is, see `Caller.owner`.
    `outcomes` are names of what the call made of its verdicts: of each fact its decision and the
    reason, of a trace the status of each step and, last, of the answer, of a response the action
    and what became of each layer. Other calls have none. `confidence`, in [0, 1], is that of a
    response.
    `verification` is what all of it cost; its time is of the whole call, in seconds.
    `rejected` are the indexes of facts that are not to be stored: nobody keeps their texts.
    """

    call: DetectionCall
    request: Message = field(repr=False)
    judged: tuple[Judged, ...] = field(repr=False)
    verification: Verification = field(repr=False)
    total_s: float
    owner: str = field(repr=False)
    outcomes: tuple[str, ...] = ()
    confidence: float | None = None
    rejected: frozenset[int] = frozenset()

    @property
    def size_bytes(self) -> int:
        """About how much memory it takes: its request, and each text of its verdicts once."""
        verdicts = [judged.verdict for judged in self.judged]
        texts = [text for verdict in verdicts for text in (verdict.claim, verdict.context)]
        # Claims share contexts. By their identity, since to compare texts is to read them.
        sizes = {id(text): sys.getsizeof(text) for text in texts}
        return self.request.ByteSize() + sum(sizes.values())


Sink = Callable[[Detection], None]
"""Takes a detection. It must not wait."""
