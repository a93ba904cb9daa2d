"""How much memory the prefix cache of a model takes by itself."""

import json
from pathlib import Path

import pytest

from groundwire_server.models.kv_memory import GIB, MOST_GIB, TOKENS, cpu_kv_memory_gib

CONFIG = {
    "num_hidden_layers": 22,
    "num_attention_heads": 14,
    "num_key_value_heads": 2,
    "hidden_size": 896,
    "max_position_embeddings": 32768,
}
TOKEN_BYTES = 22 * 2 * 2 * 64 * 2


def memory_gib(folder: Path, window_tokens: int | None = None, **changes: object) -> float:
    (folder / "config.json").write_text(json.dumps(CONFIG | changes))
    return cpu_kv_memory_gib(str(folder), window_tokens)


def test_it_holds_so_many_tokens_of_the_model(tmp_path: Path) -> None:
    assert memory_gib(tmp_path) * GIB == pytest.approx(TOKENS * TOKEN_BYTES)


def test_the_width_of_a_head_may_be_named(tmp_path: Path) -> None:
    assert memory_gib(tmp_path, head_dim=32) == pytest.approx(memory_gib(tmp_path) / 2)


@pytest.mark.parametrize(("given", "own"), [(120_000, 32768), (None, 120_000)])
def test_it_holds_a_whole_window(tmp_path: Path, given: int | None, own: int) -> None:
    found = memory_gib(tmp_path, given, max_position_embeddings=own)
    assert found * GIB == pytest.approx(120_000 * TOKEN_BYTES)


def test_a_model_with_wide_tokens_gets_fewer(tmp_path: Path) -> None:
    assert memory_gib(tmp_path, num_hidden_layers=96) == MOST_GIB


@pytest.mark.parametrize(
    "text", ["no json", "[]", "{}", json.dumps(CONFIG | {"num_key_value_heads": None})]
)
def test_a_model_of_another_form_gets_the_most(tmp_path: Path, text: str) -> None:
    (tmp_path / "config.json").write_text(text)
    assert cpu_kv_memory_gib(str(tmp_path), None) == MOST_GIB


def test_a_hub_model_gets_the_most() -> None:
    assert cpu_kv_memory_gib("org/name", None) == MOST_GIB
