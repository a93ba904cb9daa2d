"""The fuzz over the wire: a few requests that reach every service."""

import random

import pytest

from tests.soak.fuzz.corpus_files import read_corpus
from tests.soak.fuzz.request_targets import methods
from tests.soak.fuzz.wire import WireFigures, attack
from tests.soak.fuzz.wire_messages import GivenIds, inputs

SENT = 1200
RARELY_DONE = {"RecordFeedback"}
"""Takes the id of one of the latest answers, and of a claim in it that was judged."""


@pytest.fixture(scope="module")
def found() -> WireFigures:
    ids: GivenIds = {"id": [], "detection_id": []}
    made = inputs(read_corpus("request_bytes"), random.Random(1), ids)
    return attack(made, SENT, lambda: False, ids)


def test_what_is_sent_over_the_wire_reaches_the_services(found: WireFigures) -> None:
    assert found.faults == ()
    # That is what a service answers that is switched off.
    assert "FAILED_PRECONDITION" not in found.statuses


@pytest.mark.parametrize("method", sorted(path.rpartition("/")[2] for path in methods()))
def test_no_method_refuses_nearly_all_that_is_sent(found: WireFigures, method: str) -> None:
    counts = found.by_method[method]
    assert counts.get("OK", 0) > sum(counts.values()) * (0 if method in RARELY_DONE else 0.03)
