"""What is only of the embedded verifier: its base model, and the shared data that it learns from.

Knows the model store and where the shared data lies. Does not know the model's weights.
"""

import subprocess
import sys
from pathlib import Path

from bench.tools.common import data_file
from groundwire_server.config.settings import ServerSettings
from groundwire_server.models.store import BASE_MODEL, resolve
from groundwire_server.training.base import prompts_of
from groundwire_server.training.run import Material, Plan, Run
from groundwire_server.training.run_folder import RunFolder
from training.data.rows import read_rows
from training.data.sets import PASSES
from training.learning.progress import Dev

BASE_NAME = "HuggingFaceTB/SmolLM2-135M-Instruct"


def base_model() -> str:
    """The folder of the base model, prepared if need be."""
    return resolve(BASE_MODEL, ServerSettings().cache_dir.expanduser(), say)


def run_in(folder: Path, plan: Plan) -> Run:
    """A run on the train rows of the shared data, in this folder."""
    shared, base = data_file("fm2.jsonl").parent, base_model()
    encoder, forms = prompts_of(base)
    material = Material(
        rows=read_rows(shared, "train"),
        base=base,
        base_name=BASE_NAME,
        encoder=encoder,
        forms=forms,
        passes=PASSES,
        scorer=Dev(read_rows(shared, "dev"), encoder, folder),
    )
    return Run(plan, RunFolder(folder, _commit()), material, say)


def _commit() -> str:
    """The commit of this checkout."""
    found = subprocess.run(
        ("git", "rev-parse", "HEAD"),  # noqa: S607 - the one on the path
        cwd=Path(__file__).parent,
        capture_output=True,
        text=True,
        check=False,
    ).stdout
    return found.strip() or "not known"


def say(text: str) -> None:
    """Tell the one who waits."""
    print(f"training: {text}", file=sys.stderr, flush=True)
