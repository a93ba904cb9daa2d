"""The bench for a GPU, tried on a CPU with a tiny model: real servers, few cells.

It starts two engines beside that of the tests, so it is skipped unless it is wanted:
GROUNDWIRE_TEST_VLLM_SERVER=1 runs it.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from bench.tools.common import ROOT, bare_environment
from groundwire_server.config.environment import has_cpu_build

TIMEOUT_S = 700.0
VARIABLE = "GROUNDWIRE_TEST_VLLM_SERVER"

pytestmark = pytest.mark.skipif(
    os.environ.get(VARIABLE) != "1", reason=f"starts two engines: set {VARIABLE}=1"
)


def test_a_tiny_shape_is_measured_with_all_that_a_gpu_would_be(
    shared: Path, tmp_path: Path
) -> None:
    bench = subprocess.run(
        [
            *(sys.executable, "-m", "bench.gpu", "--shapes", "tiny", "--quick"),
            *("--out", str(tmp_path)),
        ],
        env={**bare_environment(), "GROUNDWIRE_SHARED": str(shared)},
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
        check=False,
    )
    assert bench.returncode == 0, bench.stderr
    result = json.loads((tmp_path / "gpu.json").read_text())
    cells = [(row["cell"]["context_tokens"], row["cell"]["claims"]) for row in result["rows"]]
    assert cells == [(300, 1), (300, 64)]
    assert all(row["alone"]["calls"] and row["loaded"]["calls"] for row in result["rows"])
    # A context is new each time: its tokens are computed, and those of the claims.
    assert [row["alone"]["computed_tokens"] > 300 for row in result["rows"]] == [True, True]
    assert ("fp8: a CPU does not compute it" in result["left_out"]) == has_cpu_build()
    assert (tmp_path / "gpu.md").read_text().startswith("# Speed on one GPU")
