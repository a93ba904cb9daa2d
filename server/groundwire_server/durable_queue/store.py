"""Where work is kept: a file of SQLite that only this user reads, or a database of PostgreSQL.

An address may hold a password, so it is never logged and in no error.
"""

import fcntl
import os
import threading
import time
from pathlib import Path
from typing import Protocol

import sqlalchemy as sa
from sqlalchemy import event
from sqlalchemy.exc import ArgumentError

from groundwire_server.config.credentials import is_loopback
from groundwire_server.config.sources import ConfigError

POSTGRES = ("postgresql://", "postgres://")
ENCRYPTED = ("require", "verify-ca", "verify-full")
SETTING = "output_verification_store"
CONNECTIONS = 11
BUSY_TIMEOUT_MS = 5000
POSTGRES_TIMEOUT_S = 5
"""How long to wait for a connection, and for what was sent to arrive."""

STATEMENT_TIMEOUT_MS = 10_000


LOCK = 0x67726F756E64
"""The number of the advisory lock that a server holds of its database."""


LOCK_WAIT_S = 2.0
"""How long the connection of a server that has just ended may take to give the lock back."""


class StoreInUseError(ConfigError):
    """Another server uses the store."""


class _Cursor(Protocol):
    """What SQLite's connection is told."""

    isolation_level: str | None

    def execute(self, statement: str) -> object:
        """Run a statement."""


class Store:
    """A store, which one server alone uses until `close`: a file from the start, a database from
    `own` on."""

    def __init__(self, engine: sa.Engine, lock: int | None) -> None:
        self.engine = engine
        self._lock = lock
        self._owning: sa.Connection | None = None
        self._changing = threading.Lock()
        self._is_closed = False

    @property
    def is_file(self) -> bool:
        """Whether it is a file of this machine: what is wrong with it does not pass by itself."""
        return self._lock is not None

    def own(self) -> None:
        """Take a database for this server, or see that it still has it.

        PostgreSQL gives the lock back with the connection that asked for it, however that ends.

        Raises StoreInUseError, and SQLAlchemyError where the database cannot be asked.
        """
        with self._changing:
            if self.is_file or self._is_closed or self._still_owns():
                return
            owning = self.engine.connect().execution_options(isolation_level="AUTOCOMMIT")
            try:
                if not _taken(owning):
                    raise StoreInUseError(
                        f"{SETTING}: another server uses this database: give each its own"
                    )
            except BaseException:
                owning.close()
                raise
            self._owning = owning

    def _still_owns(self) -> bool:
        if self._owning is None:
            return False
        try:
            self._owning.execute(sa.text("SELECT 1"))
        except sa.exc.SQLAlchemyError:
            self._disown()
        return self._owning is not None

    def _disown(self) -> None:
        if self._owning is not None:
            # Not back into the pool: what it holds goes with it.
            self._owning.invalidate()
            self._owning.close()
            self._owning = None

    def forget_deleted(self) -> None:
        """Take what was deleted out of SQLite's log, too. What PostgreSQL keeps of it, it sweeps.

        Raises SQLAlchemyError.
        """
        if self.is_file:
            with self.engine.connect().execution_options(
                isolation_level="AUTOCOMMIT"
            ) as connection:
                connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()

    def close(self) -> None:
        """Close all connections, and let others use the store."""
        with self._changing:
            self._is_closed = True
            self._disown()
        self.engine.dispose()
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None


def open_store(address: str, *, allow_plaintext: bool = False) -> Store:
    """The store at an address: a path, `sqlite:///PATH`, or a URL of PostgreSQL.

    Connects to nothing yet. Raises ConfigError, also where texts would leave the machine in plain
    text and that is not allowed.
    """
    if address.startswith(POSTGRES):
        return Store(_postgres(address, allow_plaintext=allow_plaintext), None)
    path = Path(address.removeprefix("sqlite:///")).expanduser()
    if "://" in address and not address.startswith("sqlite:///"):
        raise ConfigError(f"{SETTING}: give a path, or a URL that begins with postgresql://")
    return Store(_sqlite(path), _own(path))


def _postgres(address: str, *, allow_plaintext: bool) -> sa.Engine:
    try:
        url = sa.make_url(address).set(drivername="postgresql+psycopg")
    except (ArgumentError, ValueError):
        url = None
    if url is None or not url.database:
        # From None: the cause could repeat the address.
        raise ConfigError(
            f"{SETTING}: is no URL of a database, such as postgresql://user@host/database"
        ) from None
    here = not url.host or url.host.startswith("/") or is_loopback(f"{url.host}:0")
    if not (here or allow_plaintext or url.query.get("sslmode") in ENCRYPTED):
        raise ConfigError(
            f"{SETTING}: its host is not loopback, and texts could be read on the way: add "
            "sslmode=verify-full to the URL, or set allow_plaintext"
        )
    return sa.create_engine(
        url,
        # Values are texts of callers, which no error may repeat.
        hide_parameters=True,
        pool_size=CONNECTIONS,
        max_overflow=0,
        pool_timeout=POSTGRES_TIMEOUT_S,
        pool_pre_ping=True,
        connect_args={
            "application_name": "groundwire",
            "connect_timeout": POSTGRES_TIMEOUT_S,
            "tcp_user_timeout": POSTGRES_TIMEOUT_S * 1000,
            "options": f"-c statement_timeout={STATEMENT_TIMEOUT_MS}",
        },
    )


def _own(path: Path) -> int:
    """Make the file for this user only, and take it for this process. Gives its lock."""
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))
        path.chmod(0o600)
        lock = os.open(f"{path}.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise ConfigError(
            f"{SETTING}: {path} cannot be written ({error.strerror}): give this user the right to, "
            "or choose another place"
        ) from error
    try:
        # The kernel frees it with the process, however that ends.
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(lock)
        raise ConfigError(f"{SETTING}: another server uses {path}: give each its own") from None
    return lock


def _sqlite(path: Path) -> sa.Engine:
    engine = sa.create_engine(
        sa.URL.create("sqlite", database=str(path)),
        hide_parameters=True,
        pool_size=CONNECTIONS,
        max_overflow=0,
        pool_timeout=POSTGRES_TIMEOUT_S,
    )

    @event.listens_for(engine, "connect")
    def connected(connection: _Cursor, _: object) -> None:
        # As DBOS has it for SQLite: who begins to write waits for its turn at once.
        connection.isolation_level = "IMMEDIATE"
        for pragma in (
            f"busy_timeout={BUSY_TIMEOUT_MS}",
            "foreign_keys=ON",
            # Who reads does not wait for who writes, and a write is one flush to the disk.
            "journal_mode=WAL",
            "synchronous=FULL",
            # What is deleted is overwritten, since it is what somebody has said.
            "secure_delete=ON",
        ):
            connection.execute(f"PRAGMA {pragma}")

    return engine


def _taken(owning: sa.Connection) -> bool:
    """Take the lock of a database, waiting up to LOCK_WAIT_S for it."""
    end = time.monotonic() + LOCK_WAIT_S
    asked = sa.text("SELECT pg_try_advisory_lock(:lock)")
    while not (taken := bool(owning.scalar(asked, {"lock": LOCK}))) and time.monotonic() < end:
        time.sleep(0.05)
    return taken
