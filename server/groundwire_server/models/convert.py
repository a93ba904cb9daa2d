"""Turn a GGUF file into the folder of a model, and check such a folder.

The conversion runs as a process of its own, from `conversion.py` beside this file. In the
server's process it would leave torch with threads already started, and an engine forked after
that can hang. `convert_in_child` makes a folder that vLLM can load, `seal` gives it a manifest,
and `verify` compares the two. Where the file is from is in `groundwire_server.models.sources`;
where folders belong, and who else is at work on them, in `groundwire_server.models.store`.
"""

import hashlib
import json
import subprocess
import sys
from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from groundwire_server.config.extras import how_to_install
from groundwire_server.models.child import run_child
from groundwire_server.models.disk import flush
from groundwire_server.models.sources import (
    ModelStoreError,
    Source,
    file_sha256,
)

# Raise it whenever the conversion writes something else from the same source: prepared models of
# another recipe are then no longer used.
RECIPE_VERSION = 1
INT8_VERSION = 1
"""The same for what `quantize` writes."""

MANIFEST_NAME = "manifest.json"
ADAPTER_WEIGHTS = "adapter_model.safetensors"
ADAPTER_CONFIG = "adapter_config.json"

CONVERSION_LIMIT_S = 900
SCRIPT = Path(__file__).with_name("conversion.py")
QUANTIZE = "groundwire_server.models.quantize"
_KEY_LENGTH_CHARS = 12

_LIBRARIES = ("accelerate", "gguf", "safetensors", "tokenizers", "torch", "transformers")
# Readable by all: a model prepared by root while an image is built is served by another user.
_FILE_MODE = 0o644


class ConversionError(ModelStoreError):
    """The process that converts the weights failed."""


class BrokenFolderError(Exception):
    """A model folder is not what its manifest says; the text names the first difference."""


@dataclass(frozen=True)
class EmbeddedModel:
    """A model of the catalogue: the GGUF file that it is made from, and what is merged into it."""

    name: str
    source: Source
    file_name: str
    source_sha256: str
    prepared_size_bytes: int  # about
    licence: str
    adapter: Path | None = None
    """A folder with a LoRA adapter that is merged into the weights."""
    left_out_layers: tuple[int, ...] = ()
    """The layers of the GGUF file that it does without, counted from 0."""
    short_name: str | None = None
    """Another name for it, wherever a model is named."""
    int8_of: "EmbeddedModel | None" = None
    """The model that this one is the int8 copy of."""

    @property
    def original(self) -> "EmbeddedModel":
        """The one that this is the int8 copy of, or else itself."""
        return self.int8_of or self

    @property
    def card(self) -> Path | None:
        """The folder with its figures and calibration; None of a model that was not trained."""
        return None if self.adapter is None else self.adapter.with_name(self.name)

    @cached_property
    def adapter_sha256(self) -> str:
        """The SHA-256 over all that is merged: weights and their scale. Empty without one."""
        if self.adapter is None:
            return ""
        hashes = [file_sha256(self.adapter / name) for name in (ADAPTER_CONFIG, ADAPTER_WEIGHTS)]
        return hashlib.sha256(":".join(hashes).encode()).hexdigest()

    @property
    def key(self) -> str:
        """What tells these weights, converted by this recipe, from all others: 12 hex digits."""
        shorter = f"without/{self.left_out_layers}" if self.left_out_layers else ""
        copied = f"int8/{INT8_VERSION}" if self.int8_of else ""
        parts = (str(RECIPE_VERSION), self.source_sha256, self.adapter_sha256, shorter, copied)
        made_of = ":".join(part for part in parts if part)
        return hashlib.sha256(made_of.encode()).hexdigest()[:_KEY_LENGTH_CHARS]


@dataclass(frozen=True)
class FileRecord:
    """One file of a model folder, as it was when the folder was sealed."""

    size_bytes: int
    sha256: str


@dataclass(frozen=True)
class Manifest:
    """What a model folder holds and what it was made from."""

    name: str
    recipe_version: int
    source_sha256: str
    files: Mapping[str, FileRecord]
    library_versions: Mapping[str, str]
    key: str
    """The EmbeddedModel's: what it was made with."""

    @property
    def size_bytes(self) -> int:
        """The size of all files but the manifest itself."""
        return sum(record.size_bytes for record in self.files.values())


_MANIFEST = TypeAdapter(Manifest)


def convert_in_child(
    gguf: Path,
    target: Path,
    adapter: Path | None,
    left_out_layers: Collection[int] = (),
    *,
    script: Path = SCRIPT,
) -> None:
    """Run the conversion as a process of its own and keep all it says off the terminal."""
    # -P: the script's folder would otherwise come first on the path and hide other modules.
    command = [sys.executable, "-P", str(script), str(gguf), str(target)]
    if adapter is not None:
        command += ("--adapter", str(adapter))
    if left_out_layers:
        command += ("--left-out-layers", *map(str, left_out_layers))
    _run(command, gguf.name)


def quantize_in_child(source: Path, target: Path) -> None:
    """Write the int8 copy of a model's folder, as a process of its own."""
    _run([sys.executable, "-m", QUANTIZE, str(source), str(target)], source.name)


def _run(command: list[str], name: str) -> None:
    try:
        status, words = run_child(command, CONVERSION_LIMIT_S)
    except subprocess.TimeoutExpired:
        raise ConversionError(
            f"The conversion of {name} was ended after {CONVERSION_LIMIT_S} s."
            " Start again when the machine is less busy."
        ) from None
    if status == 0:
        return
    raise ConversionError(
        f"The conversion of {name} failed with exit status {status}. Where a library is"
        f" missing, install the engine: {how_to_install('cpu')}. Its last words:\n"
        f"{words}"
    )


def seal(folder: Path, model: EmbeddedModel) -> Manifest:
    """Bring every file of `folder` safely to disk, then write the manifest that lists them."""
    files = {}
    for file_name, path in _files(folder).items():
        path.chmod(_FILE_MODE)
        flush(path)
        files[file_name] = FileRecord(path.stat().st_size, file_sha256(path))
    manifest = Manifest(
        model.name,
        RECIPE_VERSION,
        model.source_sha256,
        files,
        _library_versions(),
        model.key,
    )
    path = folder / MANIFEST_NAME
    path.write_text(json.dumps(asdict(manifest), indent=2) + "\n", encoding="utf-8")
    path.chmod(_FILE_MODE)
    flush(path)
    for directory in {entry.parent for entry in _files(folder).values()} | {folder}:
        flush(directory)
    return manifest


def verify(folder: Path, model: EmbeddedModel, besides: Collection[str] = ()) -> Manifest:
    """Compare every byte of `folder` with its manifest; raise BrokenFolderError if one differs.

    The files `besides` may lie there, though no loader reads them.
    """
    try:
        manifest = _MANIFEST.validate_json((folder / MANIFEST_NAME).read_bytes())
        if manifest.name != model.name:
            raise BrokenFolderError(f"{MANIFEST_NAME} describes another model")
        if manifest.key != model.key:
            raise BrokenFolderError(f"{MANIFEST_NAME} names another recipe or other weights")
        found = {name: path for name, path in _files(folder).items() if name not in besides}
        _compare(manifest, found)
    except ValidationError as error:
        raise BrokenFolderError(f"{MANIFEST_NAME} is damaged") from error
    except OSError as error:
        where = Path(error.filename).name if isinstance(error.filename, str) else str(folder)
        raise BrokenFolderError(f"{where} cannot be read: {error.strerror}") from error
    return manifest


def _compare(manifest: Manifest, found: Mapping[str, Path]) -> None:
    for file_name in sorted(manifest.files.keys() - found.keys()):
        raise BrokenFolderError(f"{file_name} is missing")
    # A file that nobody listed can change what a loader reads, so it counts as damage.
    for file_name in sorted(found.keys() - manifest.files.keys()):
        raise BrokenFolderError(f"{file_name} does not belong there")
    for file_name, record in manifest.files.items():
        if found[file_name].stat().st_size != record.size_bytes:
            raise BrokenFolderError(f"{file_name} has the wrong size")
    for file_name, record in manifest.files.items():
        if file_sha256(found[file_name]) != record.sha256:
            raise BrokenFolderError(f"{file_name} has the wrong SHA-256")


def _files(folder: Path) -> dict[str, Path]:
    paths = sorted(path for path in folder.rglob("*") if not path.is_dir())
    named = {path.relative_to(folder).as_posix(): path for path in paths}
    return {name: path for name, path in named.items() if name != MANIFEST_NAME}


def _library_versions() -> dict[str, str]:
    versions = {}
    for library in _LIBRARIES:
        try:
            versions[library] = version(library)
        except PackageNotFoundError:
            versions[library] = "not installed"
    return versions
