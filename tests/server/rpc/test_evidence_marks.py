"""Marks of evidence: found once for each caller, and no more kept than there is room for."""

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import TypeVar, TypeVarTuple, Unpack

import pytest

from groundwire_server.features.detection.evidence_marks import RANGE_CHARACTERS, EvidenceMarks
from groundwire_server.text_work.pool import TextWork, TextWorks
from groundwire_verifier.domain.claims import NonAssertive
from groundwire_verifier.domain.evidence import Document, Evidence

T = TypeVar("T")
Ts = TypeVarTuple("Ts")

ASKS = Evidence.of_documents([Document("S0", "The tower is open. When was it built?", "")])
TELLS = Evidence.of_documents([Document("S0", "The tower is open. It was built in 1889.", "")])


class CountedWork(TextWork):
    """Counts what is asked of it."""

    asked = 0

    async def run(self, work: Callable[[Unpack[Ts]], T], *args: *Ts) -> T:
        self.asked += 1
        return await super().run(work, *args)


@pytest.fixture
async def work() -> AsyncIterator[CountedWork]:
    work = CountedWork(1, 10.0)
    yield work
    await work.close()


async def test_evidence_is_marked_once_for_a_caller(work: CountedWork) -> None:
    marks = EvidenceMarks(TextWorks(work, work))
    first = await marks.of(ASKS, "evidence", "salt")
    assert [mark.kind for mark in first] == [NonAssertive.QUESTION]
    assert await marks.of(ASKS, "evidence", "salt") == first
    assert work.asked == 1


async def test_another_caller_and_another_evidence_learn_nothing_of_it(work: CountedWork) -> None:
    marks = EvidenceMarks(TextWorks(work, work))
    for evidence, salt in ((ASKS, "one"), (ASKS, "another"), (TELLS, "one")):
        await marks.of(evidence, "evidence", salt)
    assert work.asked == 3


async def test_what_is_there_at_one_time_has_one_place(work: CountedWork) -> None:
    marks = EvidenceMarks(TextWorks(work, work))
    await asyncio.gather(*(marks.of(ASKS, "evidence", "salt") for _ in range(3)))
    asked = work.asked
    await marks.of(ASKS, "evidence", "salt")
    assert work.asked == asked


async def test_what_was_asked_longest_ago_makes_room(work: CountedWork) -> None:
    room = len(TELLS.context) + 2 * RANGE_CHARACTERS
    marks = EvidenceMarks(TextWorks(work, work), room)
    for evidence in (TELLS, ASKS, TELLS):
        await marks.of(evidence, "evidence", "salt")
    assert work.asked == 3
