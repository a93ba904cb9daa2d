"""An int8 copy of the embedded model, made and served as a user would."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from groundwire import Client, Source
from groundwire_server.config.settings import ServerSettings
from tests.real.engine.two_tokens import ANOTHER, CLAIM, NEXT_CLAIM, ONE, asking
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


@pytest.fixture(scope="module")
def int8_server(token_file: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """An int8 copy of the embedded model, made as a user would. Tokens share nothing."""
    copy = tmp_path_factory.mktemp("copy") / "int8"
    program = (sys.executable, "-m", "groundwire_server.cli.main")
    made = subprocess.run(
        (*program, "model", "quantize", ServerSettings().model, copy),
        capture_output=True,
        text=True,
        timeout=180,
        check=False,
    )
    assert made.returncode == 0, made.stderr
    assert made.stdout.strip() == str(copy)
    flags = ("--model", str(copy), "--cache-scope", "token", "--auth-token-file", str(token_file))
    with serving(*flags, "--kv-memory-gib", "0.5", token=ONE) as served:
        yield served


def test_an_int8_copy_is_served_and_says_nearly_the_same(
    served: Served, int8_server: Served
) -> None:
    with Client(served.target, timeout_s=120) as client:
        own = [estimate.raw_probability for estimate in client.batch_estimate(CLAIMS, CONTEXT)]
    with Client(int8_server.target, token=ONE, timeout_s=120) as client:
        found = client.batch_estimate(CLAIMS, CONTEXT)
    assert not any(estimate.calibrated for estimate in found)
    for before, estimate in zip(own, found, strict=True):
        assert before is not None
        assert estimate.probability is not None
        assert abs(estimate.probability - before) < NEAR


def test_a_token_shares_prefixes_and_readings_with_itself_alone(int8_server: Served) -> None:
    ask = asking(int8_server)
    first, own = ask(ONE, CLAIM), ask(ONE, NEXT_CLAIM)
    assert first.usage.cached_tokens == 0
    assert own.usage.cached_tokens > 0
    other, other_next = ask(ANOTHER, CLAIM), ask(ANOTHER, NEXT_CLAIM)
    assert [r.estimates[0].source for r in (other, other_next)] == [Source.MODEL] * 2
    assert other.usage.cached_tokens == 0
    assert other_next.usage.cached_tokens == own.usage.cached_tokens
    # Another salt, another way through the cache, and the same answer.
    assert other.estimates[0].probability == pytest.approx(first.estimates[0].probability, abs=0.01)
