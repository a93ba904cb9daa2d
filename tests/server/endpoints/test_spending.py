"""What may be spent in a day, and that no restart forgets it."""

import asyncio
import sqlite3
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from groundwire_server.config.sources import ConfigError
from groundwire_server.endpoints.spending import FILE_NAME, Spending
from groundwire_verifier.domain.errors import BackendUnreachableError, SpendingLimitError

NOON = datetime(2026, 11, 23, 12, 0, tzinfo=UTC)


class Calendar:
    def __init__(self) -> None:
        self.now = NOON

    def __call__(self) -> datetime:
        return self.now


def spending(
    folder: Path,
    calls: int | None = None,
    tokens: int | None = None,
    now: Calendar | None = None,
    endpoint: str = "external",
) -> Spending:
    return Spending(endpoint, folder, calls, tokens, now or Calendar())


def test_the_calls_of_a_day_have_an_end(tmp_path: Path) -> None:
    spent = spending(tmp_path, calls=2)
    spent.reserve(10)
    spent.reserve(10)
    with pytest.raises(SpendingLimitError, match=r"2 calls \(calls_a_day\)") as caught:
        spent.reserve(10)
    assert caught.value.retry_s == 12 * 3600


async def test_calls_from_other_threads_are_counted_too(tmp_path: Path) -> None:
    spent = spending(tmp_path, calls=2)
    await asyncio.to_thread(spent.reserve, 10)
    await asyncio.to_thread(spent.settle, 5)
    spent.reserve(10)
    with pytest.raises(SpendingLimitError):
        await asyncio.to_thread(spent.reserve, 10)


def test_the_tokens_of_a_day_have_an_end(tmp_path: Path) -> None:
    spent = spending(tmp_path, tokens=100)
    spent.reserve(60)
    with pytest.raises(SpendingLimitError, match=r"100 tokens \(tokens_a_day\)"):
        spent.reserve(41)
    spent.reserve(40)


def test_what_a_call_took_counts_and_not_what_was_thought(tmp_path: Path) -> None:
    spent = spending(tmp_path, tokens=100)
    spent.reserve(90)
    spent.settle(-80)
    spent.reserve(85)
    spent.settle(20)
    with pytest.raises(SpendingLimitError):
        spent.reserve(1)


def test_a_restart_forgets_nothing(tmp_path: Path) -> None:
    # Not closed, as a process that is killed closes nothing.
    spending(tmp_path, calls=1).reserve(1)
    with pytest.raises(SpendingLimitError):
        spending(tmp_path, calls=1).reserve(1)


def test_servers_of_one_folder_share_what_may_be_spent(tmp_path: Path) -> None:
    first, second = spending(tmp_path, calls=3), spending(tmp_path, calls=3)
    for spent in (first, second, first):
        spent.reserve(1)
    for spent in (first, second):
        with pytest.raises(SpendingLimitError):
            spent.reserve(1)


def test_each_endpoint_has_its_own(tmp_path: Path) -> None:
    spending(tmp_path, calls=1).reserve(1)
    spending(tmp_path, calls=1, endpoint="haiku").reserve(1)


def test_the_next_day_of_utc_begins_anew(tmp_path: Path) -> None:
    calendar = Calendar()
    spent = spending(tmp_path, calls=1, now=calendar)
    spent.reserve(1)
    calendar.now = NOON + timedelta(hours=11, minutes=59)
    with pytest.raises(SpendingLimitError) as caught:
        spent.reserve(1)
    assert caught.value.retry_s == 60
    calendar.now = NOON + timedelta(hours=12)
    spent.reserve(1)


def test_a_refused_call_is_not_counted(tmp_path: Path) -> None:
    spent = spending(tmp_path, calls=5, tokens=10)
    for _ in range(20):
        with pytest.raises(SpendingLimitError):
            spent.reserve(11)
    for _ in range(5):
        spent.reserve(2)


def test_a_file_that_cannot_be_used_is_found_at_the_start(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).write_text("no database at all, but long enough to be looked at")
    with pytest.raises(ConfigError, match="set cache_dir"):
        spending(tmp_path, calls=1)


def test_what_cannot_be_written_down_is_not_spent(tmp_path: Path) -> None:
    spent = spending(tmp_path, calls=10)
    other = sqlite3.connect(tmp_path / FILE_NAME)
    other.execute("DROP TABLE spent")
    other.commit()
    with pytest.raises(BackendUnreachableError, match="cannot be written down"):
        spent.reserve(1)
