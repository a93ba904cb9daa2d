"""What is only of the embedded verifiers: their base models, and the shared data they
learn from."""

import argparse
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from bench.tools.common import data_file
from groundwire_server.config.settings import ServerSettings
from groundwire_server.models import store
from groundwire_training.base import prompts_of
from groundwire_training.embedded.progress import Dev
from groundwire_training.embedded.rows import read_rows
from groundwire_training.embedded.sets import BASE, LARGE, SMALL, passes_of
from groundwire_training.run import Material, Plan, Run
from groundwire_training.run_folder import RunFolder


@dataclass(frozen=True, slots=True)
class Embedded:
    """A verifier that is made here: its base in the store, the name of that elsewhere, its own."""

    base: str
    base_name: str
    verifier: str

    @property
    def adapter(self) -> Path:
        """Where the adapter lies that ships."""
        return Path(store.__file__).with_name("embedded") / self.verifier


MODELS: Mapping[str, Embedded] = {
    SMALL: Embedded(
        "smollm2-135m-instruct", "HuggingFaceTB/SmolLM2-135M-Instruct", "smollm2-135m-verifier"
    ),
    BASE: Embedded(
        "qwen2.5-0.5b-22-layers", "Qwen/Qwen2.5-Coder-0.5B-Instruct", "qwen2.5-0.5b-verifier"
    ),
    LARGE: Embedded("qwen2.5-1.5b", "Qwen/Qwen2.5-Coder-1.5B-Instruct", "qwen2.5-1.5b-verifier"),
}


@dataclass(frozen=True, slots=True)
class Choice:
    """Which of MODELS learns, and how often each set of rows.

    `folder` holds its base where the store is not asked. `written` multiplies the passes of the
    written sets, and `passes` replaces those of single sets.
    """

    model: str
    folder: Path | None = None
    written: float = 1.0
    passes: Mapping[str, float] = field(default_factory=dict)

    @property
    def of(self) -> Embedded:
        """What is made."""
        return MODELS[self.model]

    def base(self) -> str:
        """The folder of the base model, prepared if need be."""
        if self.folder is not None:
            return str(self.folder)
        return store.resolve(self.of.base, ServerSettings().cache_dir.expanduser(), say)


def add_choice(parser: argparse.ArgumentParser) -> None:
    """The flags that name the model."""
    parser.add_argument("--model", choices=MODELS, required=True, help="which verifier is made")
    parser.add_argument(
        "--base", type=Path, metavar="DIR", help="the folder of its base; default: from the store"
    )


def run_in(folder: Path, plan: Plan, choice: Choice) -> Run:
    """A run on the train rows of the shared data, in this folder."""
    shared, base = data_file("fm2.jsonl").parent, choice.base()
    encoder, forms = prompts_of(base)
    material = Material(
        rows=read_rows(shared, "train"),
        base=base,
        base_name=choice.of.base_name,
        encoder=encoder,
        forms=forms,
        passes={**passes_of(choice.model, choice.written), **choice.passes},
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
