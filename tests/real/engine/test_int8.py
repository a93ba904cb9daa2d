"""An int8 copy of the embedded model, made and served as a user would."""

import subprocess
import sys
from pathlib import Path

from groundwire import Client
from groundwire_server.config.settings import ServerSettings
from tests.serving import Served, serving

CONTEXT = "The lighthouse on Cape Arden was finished in 1871 and is 42 metres high."
CLAIMS = (
    "The lighthouse on Cape Arden is 42 metres high.",
    "The lighthouse on Cape Arden was finished in 1917.",
    "The lighthouse was finished in 1871.",
    "The lighthouse is in Norway.",
)
NEAR = 0.15
"""Probability. Eight bits move it by some hundredths; a copy made wrongly, by far more."""


def test_an_int8_copy_is_served_and_says_nearly_the_same(served: Served, tmp_path: Path) -> None:
    copy = tmp_path / "int8"
    made = subprocess.run(
        [
            sys.executable,
            "-m",
            "groundwire_server.cli.main",
            "model",
            "quantize",
            ServerSettings().model,
            copy,
        ],
        capture_output=True,
        text=True,
        timeout=180,
        check=False,
    )
    assert made.returncode == 0, made.stderr
    assert made.stdout.strip() == str(copy)
    with Client(served.target, timeout_s=120) as client:
        own = [estimate.raw_probability for estimate in client.batch_estimate(CLAIMS, CONTEXT)]
    with (
        serving("--model", str(copy), "--kv-memory-gib", "0.5") as other,
        Client(other.target, timeout_s=120) as client,
    ):
        found = client.batch_estimate(CLAIMS, CONTEXT)
        assert not any(estimate.calibrated for estimate in found)
        for before, estimate in zip(own, found, strict=True):
            assert before is not None
            assert estimate.probability is not None
            assert abs(estimate.probability - before) < NEAR
