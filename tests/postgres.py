"""A real PostgreSQL for tests, which they can stop and start."""

import contextlib
import os
import secrets
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.serving import free_port

POSTGRES = Path("/usr/lib/postgresql/15/bin")
NOBODY = 65534


class Postgres:
    """A real PostgreSQL on loopback, which can be stopped and started."""

    def __init__(self, folder: Path) -> None:
        self.port = free_port()
        self.url = f"postgresql://groundwire@127.0.0.1:{self.port}/postgres"
        self._folder = folder

    def run(self, program: str, *flags: str) -> None:
        command = [str(POSTGRES / program), "-D", str(self._folder), *flags]
        as_root = os.geteuid() == 0
        subprocess.run(
            command,
            check=True,
            capture_output=True,
            user=NOBODY if as_root else None,
            group=NOBODY if as_root else None,
            extra_groups=[] if as_root else None,
            cwd="/",
        )

    def start(self) -> None:
        options = f"-p {self.port} -k '' -h 127.0.0.1 -F"
        log = str(self._folder / "log")
        self.run("pg_ctl", "-w", "-l", log, "-o", options, "start")

    def stop(self) -> None:
        self.run("pg_ctl", "-w", "-m", "immediate", "stop")


@contextlib.contextmanager
def running_postgres() -> Iterator[Postgres]:
    """A database of its own; skips where PostgreSQL is not installed."""
    if not (POSTGRES / "initdb").exists():
        pytest.skip(f"PostgreSQL is not at {POSTGRES}")
    # Beside pytest's folders, which only their owner may enter.
    folder = Path("/tmp", f"groundwire-postgres-{secrets.token_hex(4)}")  # noqa: S108
    folder.mkdir(mode=0o700)
    if os.geteuid() == 0:
        os.chown(folder, NOBODY, NOBODY)
    database = Postgres(folder)
    database.run("initdb", "-U", "groundwire", "-A", "trust", "--no-sync")
    database.start()
    try:
        yield database
    finally:
        # A test that failed may have stopped it already.
        with contextlib.suppress(subprocess.CalledProcessError):
            database.stop()
        shutil.rmtree(folder)
