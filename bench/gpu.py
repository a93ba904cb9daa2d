"""Speed on one GPU in ten minutes: `python -m bench.gpu`, for models of 0.6B, 4B and 8B parameters.

Measured: `bench.side_by_side` and `bench.load` on models of these shapes with random weights, one
after the other, as far as the time allows. Without a GPU, `--shapes tiny` tries the script.

Not measured: what real weights answer. Speed does not depend on it.
"""

import argparse
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bench.tools.common import (
    ROOT,
    BenchError,
    bare_environment,
    bench_parser,
    describe_run,
    guarded,
    results_folder,
    say,
)
from bench.tools.shapes import SHAPES, write_shape

DEFAULT_SHAPES = ("0.6B", "4B", "8B")
BENCHES = {
    "side_by_side": (),
    # From what a CPU holds to what no GPU does, in few steps.
    "load": ("--mixes", "mixed", "--first-rate", "8", "--rate-factor", "2", "--rates", "7"),
}
STOP_TIMEOUT_S = 90.0


def main() -> int:
    """Parse the flags, measure, write."""
    parser = bench_parser("gpu", "Speed on one GPU, with models of the usual shapes.")
    parser.add_argument("--shapes", nargs="+", choices=SHAPES, default=DEFAULT_SHAPES)
    parser.add_argument("--minutes", type=float, default=10.0, help="after which nothing is begun")
    arguments = parser.parse_args()
    return guarded(lambda: _bench(arguments))


def _bench(arguments: argparse.Namespace) -> None:
    folder = results_folder("gpu", arguments.out, describe_run(arguments.quick))
    end_s = time.monotonic() + 60.0 * arguments.minutes
    with tempfile.TemporaryDirectory(prefix="groundwire-shapes-") as models:
        for shape in arguments.shapes:
            model = write_shape(shape, Path(models))
            for bench in BENCHES:
                left_s = end_s - time.monotonic()
                if left_s <= 0.0:
                    say(f"no time left for {bench} with {shape}")
                    continue
                _run(bench, model, folder / shape, left_s)


def _run(bench: str, model: Path, out: Path, limit_s: float) -> None:
    say(f"{bench} with {model.name}")
    command = [sys.executable, "-m", f"bench.{bench}", "--quick", "--out", str(out)]
    command += ["--model", str(model), "--load-format", "dummy", *BENCHES[bench]]
    process = subprocess.Popen(command, cwd=ROOT, env=bare_environment())
    try:
        code = process.wait(limit_s)
    except subprocess.TimeoutExpired:
        # As Ctrl-C does: the bench stops the servers that it has started.
        process.send_signal(signal.SIGINT)
        process.wait(STOP_TIMEOUT_S)
        say(f"{bench} with {model.name} was stopped: the time is over")
        return
    if code != 0:
        raise BenchError(f"{bench} with {model.name} ended with {code}")


if __name__ == "__main__":
    sys.exit(main())
