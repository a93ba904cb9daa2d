"""vLLM's own HTTP server on the embedded model, for the tests that ask one.

Not in the gate: a second engine takes more than a minute to start beside the first one on two
cores, and vLLM's server needs packages that requirements/ leaves out (watchfiles,
prometheus-fastapi-instrumentator, model-hosting-container-standards and what they need).
GROUNDWIRE_TEST_VLLM_SERVER=1 runs it.
"""

import contextlib
import os
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.serving import START_TIMEOUT_S, free_port

VARIABLE = "GROUNDWIRE_TEST_VLLM_SERVER"
MODEL = "verifier-behind-http"

needs_vllm_server = pytest.mark.skipif(
    os.environ.get(VARIABLE) != "1", reason=f"starts a second engine: set {VARIABLE}=1"
)


@contextlib.contextmanager
def serving_vllm(model_folder: str, log_file: Path) -> Iterator[str]:
    """The address of vLLM's own server on the embedded model."""
    port = free_port()
    environment = os.environ | {"VLLM_CPU_KVCACHE_SPACE": "1", "HF_HUB_OFFLINE": "1"}
    command = [
        sys.executable, "-m", "vllm.entrypoints.openai.api_server", "--model", model_folder,
        "--served-model-name", MODEL, "--host", "127.0.0.1", "--port", str(port),
        "--max-model-len", "2048", "--dtype", "bfloat16", "--enforce-eager",
    ]  # fmt: skip
    with (
        log_file.open("wb") as log,
        subprocess.Popen(command, stdout=log, stderr=log, env=environment) as process,
    ):
        try:
            wait_until_healthy(f"http://127.0.0.1:{port}/health", process, log_file)
            yield f"http://127.0.0.1:{port}/v1"
        finally:
            process.terminate()
            process.wait(60)


def wait_until_healthy(url: str, process: "subprocess.Popen[bytes]", log_file: Path) -> None:
    for _ in range(int(START_TIMEOUT_S)):
        assert process.poll() is None, log_file.read_text()[-4000:]
        with contextlib.suppress(urllib.error.URLError, ConnectionError, TimeoutError):
            urllib.request.urlopen(url, timeout=1)  # noqa: S310 - loopback
            return
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(1)
    raise AssertionError(log_file.read_text()[-4000:])
