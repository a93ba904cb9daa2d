"""The chaos runs: their rounds end, and they can find a fault."""

import asyncio
import json
import random
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from bench.tools.common import EXIT_FAILED
from groundwire import AsyncClient
from tests.scripted import scripted_process
from tests.soak.chaos import __main__ as chaos
from tests.soak.chaos import (
    asking,
    claims,
    client_clock,
    clock,
    crowds,
    disk,
    engine_gone,
    memory,
    network,
    server_gone,
)
from tests.soak.chaos.claims import CALLS, Tally, chance_of
from tests.soak.chaos.served import (
    WHOLE,
    Event,
    NotHereError,
    Round,
    Tools,
    most,
    record,
    serving,
)
from tests.soak.chaos.stores import database, redis_gone

QUICK = {event.name: event for event in (*redis_gone.EVENTS, *crowds.EVENTS)}
WITH_RIGHTS = {
    event.name: event for event in (*memory.EVENTS[1:], *disk.EVENTS[:1], *database.EVENTS)
}
WITH_PROGRAMS = {
    event.name: event for event in (*clock.EVENTS, *client_clock.EVENTS, *network.EVENTS[:-1])
}


async def played(event: Event, folder: Path) -> Tally:
    """One round, with few of what there are thousands of."""
    tools = Tools(folder, connections=50, peers=5)
    tally = Tally(event.name)
    # With this seed peers that read nothing go before their calls end: nobody waits for that.
    await chaos.play(tally, event, 1, tools, chance_of("2"))
    return tally


@pytest.mark.parametrize("name", QUICK)
async def test_a_round_ends_and_every_call_has_an_outcome(name: str, tmp_path: Path) -> None:
    tally = await played(QUICK[name], tmp_path)
    assert tally.rounds == 1
    assert tally.outcomes["whole"] >= CALLS
    assert tally.faults == []


@pytest.mark.parametrize("event", engine_gone.EVENTS, ids=lambda event: event.name)
async def test_every_call_has_an_outcome_where_engine_or_client_go(
    event: Event, tmp_path: Path
) -> None:
    tally = await played(event, tmp_path)
    assert tally.outcomes.total() == CALLS
    assert tally.faults == []


def test_an_untrue_claim_that_is_supported_is_at_fault() -> None:
    tally = Tally("x")
    said = [claims.judged([(claims.claim("Arden", number), "SUPPORTED")]) for number in (0, 1)]
    record(tally, said, WHOLE)
    assert tally.faults == [f"WRONG: {claims.claim('Arden', 1)}"]


async def test_a_server_that_is_killed_does_what_it_accepted_once_it_is_there_again(
    tmp_path: Path,
) -> None:
    tally = await played(*server_gone.EVENTS, tmp_path)
    assert tally.outcomes["output done"] > 0
    assert tally.faults == []


@pytest.mark.parametrize("name", WITH_RIGHTS)
async def test_a_round_that_needs_rights_ends_too(name: str, tmp_path: Path) -> None:
    try:
        tally = await played(WITH_RIGHTS[name], tmp_path)
    except NotHereError as error:
        pytest.skip(str(error))
    assert tally.outcomes["output done"] > 0
    assert tally.faults == []


@pytest.mark.parametrize("name", WITH_PROGRAMS)
async def test_what_needs_a_program_says_which(name: str, tmp_path: Path) -> None:
    with pytest.raises(NotHereError, match=r"is not here: .* --(toxiproxy|faketime)"):
        await played(WITH_PROGRAMS[name], tmp_path)


def test_an_outcome_that_the_event_does_not_explain_is_at_fault() -> None:
    tally = Tally("x")
    record(tally, ["whole", "UNAVAILABLE DRAINING", "ENDLESS", "WRONG: a claim"], WHOLE)
    assert tally.outcomes.total() == 4
    assert tally.faults == ["UNAVAILABLE DRAINING", "ENDLESS", "WRONG: a claim"]


async def test_a_call_without_an_end_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asking, "GRACE_S", 0.0)

    async def never() -> str:
        await asyncio.Event().wait()
        return "whole"

    assert await asking.outcome(never(), 0.01) == "ENDLESS"


async def test_what_never_is_again_is_at_fault_with_what_was_said_last(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(asking, "RECOVERY_S", 0.0)
    tally = Tally("x")

    async def once() -> str:
        return "UNAVAILABLE DRAINING"

    assert not await asking.until(tally, once, WHOLE, "a call after it")
    assert tally.faults == ["a call after it: UNAVAILABLE DRAINING"]


async def test_a_client_of_its_own_process_makes_the_calls_of_a_round() -> None:
    with serving({}) as served, client_clock.client_of(served.target, {}) as client:
        found = await asyncio.to_thread(_round_of, client)
    assert found["outcomes"]["whole"] == CALLS + client_clock.BLOCKING
    assert found["faults"] == []


def _round_of(client: "subprocess.Popen[str]") -> dict[str, Any]:
    client_clock.begin(client, "Arden")
    return dict(json.loads(client_clock.line_of(client)))


async def test_an_output_that_is_lost_is_at_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asking, "RECOVERY_S", 0.2)
    tally = Tally("x")
    with scripted_process({}) as target:
        async with AsyncClient(target) as client:
            await asking.check_outputs(tally, client, ["nowhere"])
    (fault,) = tally.faults
    assert fault.startswith("output not found")


def test_it_writes_a_table_and_what_it_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    @asynccontextmanager
    async def scene(_: Tools) -> AsyncIterator[Round]:
        async def one(tally: Tally, _: random.Random) -> None:
            record(tally, ["whole", "UNAVAILABLE"], WHOLE)
            most(tally, "slowest call, s", 1.234)

        yield one

    subjects = {"own": (Event("all goes", scene, 3),), "clock": clock.EVENTS[:1]}
    monkeypatch.setattr(chaos, "SUBJECTS", subjects)
    monkeypatch.setattr("sys.argv", ["chaos", "--out", str(tmp_path)])
    assert chaos.main() == EXIT_FAILED
    text = (tmp_path / "chaos.md").read_text()
    assert "| all goes | 3 | 6 | 3 | UNAVAILABLE 3 | 3 | slowest call, s 1.23 |" in text
    assert "- left out: the clock jumps by an hour: libfaketime is not here" in text
