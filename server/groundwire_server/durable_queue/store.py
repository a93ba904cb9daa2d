"""Where work is kept: a file of SQLite that only this user reads, or a database of PostgreSQL.

Knows addresses, files and connections. Does not know what is kept. An address may hold a password,
so it is never logged and in no error.
"""

import fcntl
import os
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
CONNECTIONS = 10
BUSY_TIMEOUT_MS = 5000
POSTGRES_TIMEOUT_S = 5
"""How long to wait for a connection, and for what was sent to arrive."""

STATEMENT_TIMEOUT_MS = 10_000


class _Cursor(Protocol):
    """What SQLite's connection is told."""

    isolation_level: str | None

    def execute(self, statement: str) -> object:
        """Run a statement."""


class Store:
    """A store, which this process alone uses if it is a file, until `close`."""

    def __init__(self, engine: sa.Engine, lock: int | None) -> None:
        self.engine = engine
        self._lock = lock

    @property
    def is_file(self) -> bool:
        """Whether it is a file of this machine: what is wrong with it does not pass by itself."""
        return self._lock is not None

    def close(self) -> None:
        """Close all connections, and let others use the file."""
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
