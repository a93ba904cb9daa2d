"""The fuzz over the wire: a few requests that reach every service."""

import random

from tests.soak.fuzz.corpus_files import read_corpus
from tests.soak.fuzz.wire import attack
from tests.soak.fuzz.wire_messages import GivenIds, inputs

SENT = 80


def test_what_is_sent_over_the_wire_reaches_the_services() -> None:
    ids: GivenIds = {"id": [], "detection_id": []}
    made = inputs(read_corpus("request_bytes"), random.Random(1), ids)
    found = attack(made, SENT, lambda: False, ids)
    assert found.faults == ()
    # That is what a service answers that is switched off.
    assert "FAILED_PRECONDITION" not in found.statuses
    assert found.statuses["OK"] > SENT / 8
