"""How much memory the prefix cache of a model takes by itself."""

import json
from pathlib import Path

import pytest

from groundwire_server.models import kv_memory
from groundwire_server.models.kv_memory import GIB, MOST_GIB, TOKENS, cpu_kv_memory_gib

CONFIG = {
    "num_hidden_layers": 22,
    "num_attention_heads": 14,
    "num_key_value_heads": 2,
    "hidden_size": 896,
    "max_position_embeddings": 32768,
}
TOKEN_BYTES = 22 * 2 * 2 * 64 * 2


@pytest.fixture(autouse=True)
def _computes_in_16_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kv_memory, "emulates_half_precision", lambda: False)


def memory_gib(folder: Path, window_tokens: int | None = None, **changes: object) -> float:
    (folder / "config.json").write_text(json.dumps(CONFIG | changes))
    return cpu_kv_memory_gib(str(folder), window_tokens)


def test_it_holds_so_many_tokens_of_the_model(tmp_path: Path) -> None:
    assert memory_gib(tmp_path) * GIB == pytest.approx(TOKENS * TOKEN_BYTES)


def test_in_float32_a_token_takes_twice_as_much(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shorter = memory_gib(tmp_path)
    monkeypatch.setattr(kv_memory, "emulates_half_precision", lambda: True)
    assert memory_gib(tmp_path) == pytest.approx(2 * shorter)


def test_the_width_of_a_head_may_be_named(tmp_path: Path) -> None:
    assert memory_gib(tmp_path, head_dim=32) == pytest.approx(memory_gib(tmp_path) / 2)


@pytest.mark.parametrize(("given", "own"), [(120_000, 32768), (None, 120_000)])
def test_it_holds_a_whole_window(tmp_path: Path, given: int | None, own: int) -> None:
    found = memory_gib(tmp_path, given, max_position_embeddings=own)
    assert found * GIB == pytest.approx(120_000 * TOKEN_BYTES)


def test_a_model_with_wide_tokens_gets_fewer(tmp_path: Path) -> None:
    assert memory_gib(tmp_path, num_hidden_layers=96) == MOST_GIB


def changed(**changes: object) -> str:
    return json.dumps(CONFIG | changes)


@pytest.mark.parametrize(
    "text",
    [
        "no json",
        "[]",
        "{}",
        "[" * 100_000,
        changed(num_key_value_heads=None),
        changed(num_attention_heads=0),
        changed(num_hidden_layers="22"),
        changed(num_key_value_heads="2" * 1000),
        changed(num_hidden_layers=0),
        changed(num_hidden_layers=-22),
        changed(num_hidden_layers=10**400),
        changed(num_hidden_layers=float("nan")),
    ],
    ids=range(12),
)
def test_a_model_of_another_form_gets_the_most(tmp_path: Path, text: str) -> None:
    (tmp_path / "config.json").write_text(text)
    assert cpu_kv_memory_gib(str(tmp_path), None) == MOST_GIB


def test_a_hub_model_gets_the_most() -> None:
    assert cpu_kv_memory_gib("org/name", None) == MOST_GIB
