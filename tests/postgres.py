"""A real PostgreSQL for tests and benches, which they can stop, kill, freeze and start."""

import contextlib
import os
import secrets
import shutil
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from tests.serving import free_port
from tests.small_disk import mount_disk, unmount_disk

POSTGRES = Path("/usr/lib/postgresql/15/bin")
NOBODY = 65534
GONE_S = 10.0


class Postgres:
    """A real PostgreSQL on loopback, which can be stopped, killed, frozen and started.

    Its data lie in `folder`.
    """

    def __init__(self, folder: Path) -> None:
        self.port = free_port()
        self.url = f"postgresql://groundwire@127.0.0.1:{self.port}/postgres"
        self.folder = folder

    def run(self, program: str, *flags: str) -> None:
        command = [str(POSTGRES / program), "-D", str(self.folder / "data"), *flags]
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
        log = str(self.folder / "log")
        self.run("pg_ctl", "-w", "-l", log, "-o", options, "start")

    def stop(self) -> None:
        self.run("pg_ctl", "-w", "-m", "immediate", "stop")

    def kill(self) -> None:
        """SIGKILL to all its processes: no word to anybody."""
        family = self._family()
        self._signal(family, signal.SIGKILL)
        psutil.wait_procs(family, timeout=GONE_S)

    @contextlib.contextmanager
    def frozen(self) -> Iterator[None]:
        """It answers nothing meanwhile, and keeps its connections."""
        family = self._family()
        self._signal(family, signal.SIGSTOP)
        try:
            yield
        finally:
            self._signal(family, signal.SIGCONT)

    def _family(self) -> list[psutil.Process]:
        first = (self.folder / "data" / "postmaster.pid").read_text().split()[0]
        main = psutil.Process(int(first))
        return [main, *main.children(recursive=True)]

    @staticmethod
    def _signal(family: list[psutil.Process], number: signal.Signals) -> None:
        for each in family:
            with contextlib.suppress(psutil.NoSuchProcess):
                each.send_signal(number)

    @property
    def is_there(self) -> bool:
        """Whether it runs: it ends by itself where its own journal finds no room."""
        with contextlib.suppress(subprocess.CalledProcessError):
            self.run("pg_ctl", "status")
            return True
        return False


@contextlib.contextmanager
def running_postgres() -> Iterator[Postgres]:
    """A database of its own; skips where PostgreSQL is not installed."""
    try:
        with postgres_on() as database:
            yield database
    except FileNotFoundError as error:
        pytest.skip(str(error))


@contextlib.contextmanager
def postgres_on(disk_size: str = "") -> Iterator[Postgres]:
    """A database of its own, on a file system of this size, if any.

    Raises FileNotFoundError where PostgreSQL is not installed, and OSError where nothing can be
    mounted.
    """
    if not (POSTGRES / "initdb").exists():
        raise FileNotFoundError(f"PostgreSQL is not at {POSTGRES}")
    # Beside pytest's folders, which only their owner may enter.
    folder = Path("/tmp", f"groundwire-postgres-{secrets.token_hex(4)}")  # noqa: S108
    if disk_size:
        mount_disk(folder, disk_size)
    else:
        folder.mkdir(mode=0o700)
    try:
        if os.geteuid() == 0:
            os.chown(folder, NOBODY, NOBODY)
        database = Postgres(folder)
        flags = ("-U", "groundwire", "-A", "trust", "--no-sync", "--wal-segsize=1")
        database.run("initdb", *flags)
        database.start()
        try:
            yield database
        finally:
            # A test that failed may have stopped it already.
            with contextlib.suppress(subprocess.CalledProcessError):
                database.stop()
    finally:
        if disk_size:
            unmount_disk(folder)
        shutil.rmtree(folder)
