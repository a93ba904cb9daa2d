"""What tells the weights of a model from all others."""

import contextlib
import hashlib
import logging
import re
from pathlib import Path

from groundwire_server.models import calibrations
from groundwire_server.models.convert import BrokenFolderError, EmbeddedModel, verify
from groundwire_server.models.sources import file_sha256
from groundwire_server.models.store import EMBEDDED_MODELS
from groundwire_verifier.engine.local import unknown_weights

log = logging.getLogger("groundwire.server")

_WEIGHTS = {".safetensors", ".bin", ".pt", ".pth", ".gguf"}
_TOKENISER_AND_CONFIG = {".json", ".model", ".tiktoken", ".txt", ".jinja"}
_SUFFIXES = _WEIGHTS | _TOKENISER_AND_CONFIG
_COMMIT = re.compile("[0-9a-f]{40}")


def weights_id(model: str, quantization: str | None, revision: str | None = None) -> str:
    """A text that is the same for the same weights on any machine.

    An embedded model is known by what it is made from, also as a copy of its prepared folder; any
    other folder by a SHA-256 over its files; a hub name by the commit that `revision` (its main
    branch, if None) stands for, once it is loaded. A commit that cannot be told is that of no
    others. Reads a whole folder: seconds for each 10 GB.
    """
    folder = Path(model) if Path(model).is_dir() else None
    if embedded := EMBEDDED_MODELS.get(model) or (folder and _copied(folder)):
        known = f"{embedded.name}:{embedded.key}"
    elif folder is not None:
        known = _folder_sha256(folder)
    else:
        known = f"{model}@{_commit(model, revision)}"
    return f"{known}:{quantization or ''}"


def _copied(folder: Path) -> EmbeddedModel | None:
    """The embedded model whose prepared folder this is, byte by byte, but for a calibration."""
    for model in dict.fromkeys(EMBEDDED_MODELS.values()):
        with contextlib.suppress(BrokenFolderError):
            verify(folder, model, besides=(calibrations.FILE_NAME,))
            return model
    return None


def _folder_sha256(folder: Path) -> str:
    # A calibration may lie beside the weights that it is for: it is found by their identity.
    files = sorted(
        path
        for path in folder.iterdir()
        if path.suffix in _SUFFIXES and path.name != calibrations.FILE_NAME and path.is_file()
    )
    hashes = "".join(f"{path.name}:{file_sha256(path)}\n" for path in files)
    return hashlib.sha256(hashes.encode()).hexdigest()


def _commit(name: str, revision: str | None) -> str:
    from huggingface_hub import try_to_load_from_cache

    found = try_to_load_from_cache(name, "config.json", revision=revision)
    commit = Path(found).parent.name if isinstance(found, str) else ""
    if _COMMIT.fullmatch(commit):
        return commit
    log.warning(
        "the commit of %s cannot be told: its readings are shared with no other server or start, "
        "and no calibration fits it; a local folder has an identity",
        name,
    )
    return unknown_weights()
