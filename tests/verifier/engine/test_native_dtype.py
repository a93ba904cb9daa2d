"""Which data type weights are loaded in on a CPU."""

import platform

import pytest
import torch

from groundwire_verifier.engine.native_dtype import cpu_dtype


@pytest.mark.parametrize(
    ("machine", "capability", "asked", "taken"),
    [
        ("x86_64", "AVX2", "auto", "float32"),
        ("x86_64", "NO AVX", "auto", "float32"),
        ("x86_64", "AVX512", "auto", "auto"),
        ("aarch64", "DEFAULT", "auto", "auto"),
        ("x86_64", "AVX2", "bfloat16", "bfloat16"),
    ],
)
def test_a_cpu_that_would_emulate_bfloat16_gets_float32_unless_told_otherwise(
    monkeypatch: pytest.MonkeyPatch, machine: str, capability: str, asked: str, taken: str
) -> None:
    monkeypatch.setattr(platform, "machine", lambda: machine)
    monkeypatch.setattr(torch.backends.cpu, "get_cpu_capability", lambda: capability)
    assert cpu_dtype(asked) == taken
