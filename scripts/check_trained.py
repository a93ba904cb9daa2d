"""Whether the engine loads what `groundwire train` writes, and reads the same from it.

For each architecture: random weights with the tokeniser of the embedded base, a short training, and
one engine on the folder that comes out. It says how far the engine's probabilities are from those
that the training measured, and whether the calibration beside the weights was found. Takes some
minutes on a CPU. Its weights are random: it says nothing of quality.
"""

import argparse
import asyncio
import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from transformers import AutoConfig, AutoModelForCausalLM, AutoTokenizer

from groundwire_server.backends import create_backend
from groundwire_server.config.settings import ServerSettings
from groundwire_server.models.store import BASE_MODEL, resolve
from groundwire_training.base import prompts_of
from groundwire_training.data.user_rows import read_user_rows
from groundwire_training.learning.reading import LabelReader, load_model
from groundwire_training.measuring import measure
from groundwire_verifier.domain.labels import probability_and_mass
from groundwire_verifier.domain.types import Question
from groundwire_verifier.domain.urgency import WHENEVER
from groundwire_verifier.numbers.metrics import Floats

ARCHITECTURES = ("qwen3", "llama")
SHAPE = {
    "hidden_size": 128,
    "intermediate_size": 256,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "head_dim": 64,
    "max_position_embeddings": 2048,
    "dtype": "float32",
}
CONTEXTS, TOKENS, LIMIT = 400, 60_000, 1536
NEAR = 0.005
"""Probability, between two float32 engines."""


def main(argv: Sequence[str] | None = None) -> int:
    """Check each architecture; 1 if the engine reads something else."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("architectures", nargs="*", default=ARCHITECTURES)
    given = parser.parse_args(argv)
    tokenizer = resolve(BASE_MODEL, ServerSettings().cache_dir.expanduser(), print)
    failed = False
    for architecture in given.architectures:
        with tempfile.TemporaryDirectory() as folder:
            failed |= not _check(Path(folder), architecture, tokenizer)
    return int(failed)


def _check(folder: Path, architecture: str, tokenizer: str) -> bool:
    base, rows, out = folder / "base", folder / "rows.jsonl", folder / "verifier"
    loaded = AutoTokenizer.from_pretrained(tokenizer)
    loaded.save_pretrained(base)
    torch.manual_seed(7)
    config = AutoConfig.for_model(architecture, **SHAPE, vocab_size=len(loaded))
    model = AutoModelForCausalLM.from_config(config)
    for parameter in model.parameters():
        # New weights are so small that every claim would get the same answer.
        if parameter.dim() > 1:
            torch.nn.init.normal_(parameter, std=0.1)
    model.save_pretrained(base)
    with rows.open("w", encoding="utf-8") as file:
        for i in range(CONTEXTS):
            for label, said in ((1, "never rained"), (0, "snowed a lot")):
                row = {"context": f"Day {i}.", "claim": f"It {said} on day {i}.", "label": label}
                file.write(json.dumps(row) + "\n")
    command = [sys.executable, "-m", "groundwire_server.cli.main", "train", "--base", base]
    command += ["--data", rows, "--out", out, "--tokens", TOKENS, "--learning-rate", 2e-3]
    subprocess.run([str(word) for word in command], check=False)
    wanted = read_user_rows(rows).held_out
    encoder, forms = prompts_of(str(out))
    reader = LabelReader(load_model(str(out)).eval(), forms)
    measured = measure(reader, encoder, wanted, LIMIT).readings.rows.raw
    questions = [Question(row.claim, row.context) for row in wanted]
    read, is_calibrated = asyncio.run(_read(out, questions))
    furthest = float(np.abs(read - measured).max())
    print(f"{architecture}: {len(read)} claims, {measured.min():.3f} to {measured.max():.3f}")
    print(f"{architecture}: the engine is {furthest:.5f} away at most; {is_calibrated=}")
    return furthest <= NEAR and is_calibrated


async def _read(folder: Path, questions: Sequence[Question]) -> tuple[Floats, bool]:
    """P(YES) of each question by the engine, (questions,), and whether it found a calibration."""
    settings = ServerSettings(model=str(folder), dtype="float32")
    backend = create_backend(settings, lambda text: print(f"engine: {text}"))
    await backend.start()
    try:
        prompts = await backend.encode(questions)
        done = await backend.read(prompts, {}, WHENEVER)
        is_calibrated = backend.info.calibration is not None
    finally:
        await backend.stop()
    nats = np.array([(reading.yes_nats, reading.no_nats) for reading in done.readings])
    return probability_and_mass(nats)[0], is_calibrated


if __name__ == "__main__":
    sys.exit(main())
