"""The model that is served: the base with the adapter merged into its weights."""

import shutil
from pathlib import Path

from transformers import AutoModelForCausalLM, AutoTokenizer

from groundwire_server.models.conversion import merge

CONFIG = "config.json"
FILE_MODE = 0o644
"""What one user has trained, another may serve."""


def write_merged(base: str, adapter: Path, target: Path) -> None:
    """Write the merged model with its tokeniser to the folder `target`, replacing one of before.

    In the base's own data type. Takes the memory of the base's weights. Raises KeyError if the
    adapter is for another model.
    """
    model = AutoModelForCausalLM.from_pretrained(base, dtype="auto")
    merge(model.state_dict(), adapter)
    shutil.rmtree(target, ignore_errors=True)
    model.save_pretrained(target)
    AutoTokenizer.from_pretrained(base).save_pretrained(target)


def put_in_place(merged: Path, target: Path) -> None:
    """Move the files of a merged model into the folder `target`, which may hold others.

    What is loaded first comes last, so that a folder that is half written is no model.
    """
    (target / CONFIG).unlink(missing_ok=True)
    for stale in target.glob("*.safetensors*"):
        stale.unlink()
    for path in sorted(merged.iterdir(), key=lambda path: path.name == CONFIG):
        path.chmod(FILE_MODE)
        path.replace(target / path.name)
    merged.rmdir()
