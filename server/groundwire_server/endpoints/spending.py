"""What may be spent on an endpoint in a day, kept in a file so that no restart begins a new day.

A call is written down before it is sent, so that a process which is killed has spent no more than
the file says. All servers of one cache folder share what may be spent.
"""

import contextlib
import sqlite3
import threading
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

from groundwire_server.config.sources import ConfigError, expanded
from groundwire_verifier.domain.errors import BackendUnreachableError, SpendingLimitError

FILE_NAME = "spending.sqlite"
LOCK_TIMEOUT_S = 1.0

_CREATE = (
    "CREATE TABLE IF NOT EXISTS spent"
    " (day TEXT, endpoint TEXT, calls INTEGER, tokens INTEGER, PRIMARY KEY (day, endpoint))"
)
_ADD = (
    "INSERT INTO spent VALUES (:day, :endpoint, :calls, :tokens) ON CONFLICT DO UPDATE"
    " SET calls = calls + :calls, tokens = max(0, tokens + :tokens)"
)
_READ = "SELECT calls, tokens FROM spent WHERE day = ? AND endpoint = ?"


def _now() -> datetime:
    return datetime.now(UTC)


class Spending:
    """Counts the calls and the tokens of one endpoint in a day of UTC.

    `most_calls` and `most_tokens` bound them; None bounds nothing. Where neither is set, nothing is
    written. Raises ConfigError if the file cannot be used.
    """

    def __init__(
        self,
        endpoint: str,
        folder: Path,
        most_calls: int | None,
        most_tokens: int | None,
        now: Callable[[], datetime] = _now,
    ) -> None:
        self._endpoint = endpoint
        self._most_calls, self._most_tokens = most_calls, most_tokens
        self._now = now
        self._lock = threading.Lock()
        self._file: sqlite3.Connection | None = None
        if most_calls is None and most_tokens is None:
            return
        folder = expanded(folder, "cache_dir")
        path = folder / FILE_NAME
        try:
            folder.mkdir(parents=True, exist_ok=True)
            # Each statement is a transaction of its own; another process may hold the file shortly.
            self._file = sqlite3.connect(
                path, timeout=LOCK_TIMEOUT_S, isolation_level=None, check_same_thread=False
            )
            # Written without waiting for the disk: a kill loses nothing, a power cut little.
            self._file.execute("PRAGMA journal_mode=WAL")
            self._file.execute("PRAGMA synchronous=NORMAL")
            self._file.execute(_CREATE)
        except (OSError, sqlite3.Error) as error:
            raise ConfigError(
                f"calls_a_day and tokens_a_day are kept in {path}, which cannot "
                f"be used ({type(error).__name__}): set cache_dir to a folder that can be written"
            ) from error

    @property
    def is_counted(self) -> bool:
        """Whether anything is bounded, and so written down."""
        return self._file is not None

    def reserve(self, tokens: int) -> None:
        """Count a call of about so many tokens, before it is sent.

        Raises SpendingLimitError, or BackendUnreachableError if it cannot be written down.
        """
        if self._file is None:
            return
        with self._written(self._file) as file:
            file.execute("BEGIN IMMEDIATE")
            try:
                self._check(file, tokens)
                self._add(file, calls=1, tokens=tokens)
            except BaseException:
                file.execute("ROLLBACK")
                raise
            file.execute("COMMIT")

    def settle(self, tokens: int) -> None:
        """Add what a call took beyond what was reserved for it; negative if it took less."""
        if self._file is not None and tokens:
            with self._written(self._file) as file:
                self._add(file, calls=0, tokens=tokens)

    def close(self) -> None:
        if self._file is not None:
            self._file.close()

    def _check(self, file: sqlite3.Connection, tokens: int) -> None:
        found = file.execute(_READ, (self._day(), self._endpoint)).fetchone()
        calls, spent = found or (0, 0)
        for what, setting, total, most in (
            ("calls", "calls_a_day", calls + 1, self._most_calls),
            ("tokens", "tokens_a_day", spent + tokens, self._most_tokens),
        ):
            if most is not None and total > most:
                raise SpendingLimitError(
                    f"the endpoint {self._endpoint} has spent what it may in a day: {most:,} {what}"
                    f" ({setting}); it goes on at 00:00 UTC",
                    self._left_s(),
                )

    def _add(self, file: sqlite3.Connection, *, calls: int, tokens: int) -> None:
        row = {"day": self._day(), "endpoint": self._endpoint, "calls": calls, "tokens": tokens}
        file.execute(_ADD, row)

    @contextlib.contextmanager
    def _written(self, file: sqlite3.Connection) -> Iterator[sqlite3.Connection]:
        try:
            # Embeddings are asked for in threads of their own.
            with self._lock:
                yield file
        except sqlite3.Error as error:
            # What cannot be counted is not spent.
            raise BackendUnreachableError(
                f"what is spent on the endpoint {self._endpoint} cannot be written down "
                f"({type(error).__name__}), so it is not called"
            ) from error

    def _day(self) -> str:
        return self._now().astimezone(UTC).date().isoformat()

    def _left_s(self) -> float:
        now = self._now().astimezone(UTC)
        midnight = (now + timedelta(days=1)).replace(hour=0, minute=0, second=0, microsecond=0)
        return (midnight - now).total_seconds()
