"""The results of a batch job on disk, and what is known of the job that they are of.

Results are lines at the end of one file, which is the only record of what is done: what a kill
leaves is whole lines and at most one torn one. Beside it lie the rows that were rejected and the
description of the job.
"""

import fcntl
import json
import os
import time
from array import array
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from types import TracebackType
from typing import IO, Self

import numpy as np

from groundwire_server.batch.plan import Numbers
from groundwire_server.batch.tally import Result, Tally
from groundwire_server.config.sources import ConfigError

JOB_VERSION = 1
SYNC_S = 5.0
"""Seconds after which results are forced to the disk, for a machine that goes down. What a killed
process has written is there anyway."""


@dataclass(frozen=True, slots=True)
class Job:
    """What makes a result one of this job. `made_with` is empty until a model is known.

    `losses` says of rows, by their numbers, how often the engine failed while they were under way.
    """

    rows_digest: str
    options: Mapping[str, object]
    made_with: Mapping[str, str]
    version: int = JOB_VERSION
    losses: Mapping[str, int] = field(default_factory=dict)


class Output:
    """The file of the results, which one process has at a time. Leave it with `with`."""

    def __init__(self, path: Path) -> None:
        """Open or make it. Raises ConfigError if it cannot be, or another run writes it."""
        self.path = path
        self.tally = Tally()
        self._done = array("Q")
        self._job: Job | None = None
        self._synced_s = time.monotonic()
        self._file = _locked(path)

    @property
    def rejected_path(self) -> Path:
        """Where the rows are written that are none."""
        return self.path.with_name(f"{self.path.name}.rejected.jsonl")

    @property
    def spool_path(self) -> Path:
        """Where the rows of a Parquet file lie while the job runs."""
        return self.path.with_name(f"{self.path.name}.rows")

    @property
    def job_path(self) -> Path:
        return self.path.with_name(f"{self.path.name}.job.json")

    @property
    def done(self) -> Numbers:
        """The numbers of the rows that have a result."""
        return np.frombuffer(self._done, dtype=np.uint64)

    def write_rejected(self, write: Callable[[IO[bytes]], None]) -> None:
        """Write the file of rejected rows anew, whole or not at all."""
        _replace(self.rejected_path, write)

    def begin(self, job: Job) -> None:
        """Take up the job where it stopped, or begin it. Raises ConfigError for another job."""
        known = self._known_job()
        if known is None:
            if self.path.stat().st_size:
                raise ConfigError(
                    f"--out: {self.path} is there already, and not of a batch job: name another"
                )
            self._describe(job)
            return
        if known.rows_digest != job.rows_digest:
            raise ConfigError(
                f"--out: {self.path} has results of other rows: the input has changed. "
                "Name another file, or remove it"
            )
        _raise_if_other(self.path, known.options, job.options)
        self._job = known
        self._read_results()

    def made_with(self, versions: Mapping[str, str]) -> None:
        """Say what the results are made with. Raises ConfigError if earlier ones were not."""
        job = self._begun()
        if not job.made_with:
            self._describe(replace(job, made_with=dict(versions)))
        elif job.made_with != versions:
            _raise_if_other(self.path, job.made_with, versions)

    @property
    def suspects(self) -> Numbers:
        """The numbers of rows that were under way when an engine failed."""
        return np.array(list(self._begun().losses), dtype=np.uint64)

    def count_loss(self, numbers: Sequence[int]) -> Mapping[int, int]:
        """The engine failed while these rows were under way; gives how often by now, for each."""
        job = self._begun()
        counts = {number: job.losses.get(str(number), 0) + 1 for number in numbers}
        told = {str(number): count for number, count in counts.items()}
        self._describe(replace(job, losses={**job.losses, **told}))
        return counts

    def write(self, result: Result) -> None:
        """Add the result of a row. Raises OSError, after which what was torn is cut off."""
        line = json.dumps(result, ensure_ascii=False).encode() + b"\n"
        size = self._file.tell()
        try:
            self._write_whole(line)
        except OSError:
            os.ftruncate(self._file.fileno(), size)
            raise
        self.tally.add(result)
        if time.monotonic() - self._synced_s > SYNC_S:
            self._sync()

    def close(self) -> None:
        """Force what was written to the disk, and let another run have it."""
        try:
            self._sync()
        finally:
            self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def _begun(self) -> Job:
        if self._job is None:
            raise ValueError("the job has not begun")
        return self._job

    def _write_whole(self, line: bytes) -> None:
        # Without a buffer a write may take a part only, such as before a disk is full.
        left = memoryview(line)
        while left:
            left = left[self._file.write(left) :]

    def _sync(self) -> None:
        os.fsync(self._file.fileno())
        self._synced_s = time.monotonic()

    def _known_job(self) -> Job | None:
        try:
            text = self.job_path.read_text(encoding="utf-8")
        except FileNotFoundError:
            return None
        try:
            job = Job(**json.loads(text))
        except (ValueError, TypeError) as error:
            raise ConfigError(f"{self.job_path} does not describe a batch job") from error
        if job.version != JOB_VERSION:
            raise ConfigError(f"{self.job_path} is of another version of this command")
        return job

    def _describe(self, job: Job) -> None:
        text = json.dumps(asdict(job), ensure_ascii=False, indent=2) + "\n"
        _replace(self.job_path, lambda file: file.write(text.encode()))
        self._job = job

    def _read_results(self) -> None:
        """Count what is there, and cut off a line that was not written whole."""
        whole = 0
        with self.path.open("rb") as lines:
            for number, line in enumerate(lines, start=1):
                if not line.endswith(b"\n"):
                    break
                try:
                    result = json.loads(line)
                    self.tally.add(result)
                    self._done.append(result["row"])
                except (ValueError, TypeError, KeyError, OverflowError) as error:
                    raise ConfigError(
                        f"{self.path}, line {number} is no result: remove this line and those "
                        "behind it, and their rows are done again"
                    ) from error
                whole += len(line)
        os.ftruncate(self._file.fileno(), whole)
        self._file.seek(whole)


def _locked(path: Path) -> IO[bytes]:
    try:
        # Without a buffer: a line that was written is the system's, whatever becomes of us.
        file = os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT, 0o666), "r+b", buffering=0)
    except OSError as error:
        raise ConfigError(f"--out: {path} cannot be written: {error.strerror}") from error
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        file.close()
        raise ConfigError(f"--out: another run writes {path}") from error
    return file


def _replace(path: Path, write: Callable[[IO[bytes]], object]) -> None:
    """Write a file beside, then put it in the place of the old one."""
    beside = path.with_name(f"{path.name}.new")
    with beside.open("wb") as file:
        write(file)
        file.flush()
        os.fsync(file.fileno())
    beside.replace(path)


def _raise_if_other(path: Path, then: Mapping[str, object], now: Mapping[str, object]) -> None:
    for name in sorted(then.keys() | now.keys()):
        if then.get(name) != now.get(name):
            raise ConfigError(
                f"--out: the results in {path} were made with {name} {then.get(name)!r}, and not "
                f"{now.get(name)!r}: name another file, or go on as it was begun"
            )
