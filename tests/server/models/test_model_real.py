"""The embedded model itself, really converted, and without vLLM; tests/real runs it.

It is converted once on a machine, as users have it: the folder is known by the version of the
recipe, and is compared with its hashes each time.
"""

import socket

import pytest
from transformers import AutoTokenizer, PreTrainedTokenizerBase

from groundwire_server.config.settings import ServerSettings
from groundwire_server.models.convert import ADAPTER_WEIGHTS
from groundwire_server.models.store import (
    EMBEDDED_MODELS,
    QWEN_VERIFIER,
    SMALL_MODEL,
    PreparedModel,
    prepare,
)

ADAPTER_LIMIT_BYTES = 40_000_000


@pytest.mark.parametrize("name", ["small", "base"])
def test_an_adapter_that_ships_stays_small(name: str) -> None:
    adapter = EMBEDDED_MODELS[name].adapter
    assert adapter is not None
    size_bytes = (adapter / ADAPTER_WEIGHTS).stat().st_size
    assert 0 < size_bytes < ADAPTER_LIMIT_BYTES


@pytest.fixture(scope="module")
def real() -> PreparedModel:
    """The model that ships, really converted."""
    return prepare(SMALL_MODEL, ServerSettings().cache_dir.expanduser(), print)


@pytest.fixture(scope="module")
def tokenizer(real: PreparedModel) -> PreTrainedTokenizerBase:
    return AutoTokenizer.from_pretrained(str(real.path))


@pytest.fixture
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse_address(*_: object, **__: object) -> None:
        raise AssertionError("reached for the network")

    monkeypatch.setattr(socket, "getaddrinfo", refuse_address)
    monkeypatch.setattr(socket.socket, "connect", refuse_address)


@pytest.fixture(scope="module")
def base() -> PreparedModel:
    """The model of half a billion parameters, which `make setup` prepares."""
    return prepare(QWEN_VERIFIER, ServerSettings().cache_dir.expanduser(), print)


@pytest.fixture(scope="module")
def base_tokenizer(base: PreparedModel) -> PreTrainedTokenizerBase:
    return AutoTokenizer.from_pretrained(str(base.path))


@pytest.mark.usefixtures("no_network")
class TestRealBase:
    @pytest.mark.parametrize(
        "pieces",
        [
            ("In", " ", "1", "9", "8", "9", ","),
            ("a", "\n\n", "1", ".", " b"),
            ("a", "\n\n\n", "b"),
            ("x", " ", " ", "1", "2"),
            ("שלום", " ע", "ולם"),
            ("<|im_end|>",),
        ],
    )
    def test_the_tokenizer_splits_as_in_training(
        self, base_tokenizer: PreTrainedTokenizerBase, pieces: tuple[str, ...]
    ) -> None:
        found = base_tokenizer("".join(pieces))["input_ids"]
        assert tuple(base_tokenizer.decode([token]) for token in found) == pieces

    def test_head_and_embedding_are_one_matrix(self, base: PreparedModel) -> None:
        from safetensors import safe_open
        from transformers import AutoConfig

        assert AutoConfig.from_pretrained(str(base.path)).tie_word_embeddings
        with safe_open(base.path / "model.safetensors", "pt") as weights:
            assert "lm_head.weight" not in weights.keys()  # noqa: SIM118 - it is no mapping


@pytest.mark.usefixtures("no_network")
class TestRealModel:
    def test_the_config_describes_the_model(self, real: PreparedModel) -> None:
        from transformers import AutoConfig

        config = AutoConfig.from_pretrained(str(real.path))
        found = (config.model_type, config.num_hidden_layers, config.vocab_size)
        assert found == ("llama", 30, 49152)

    @pytest.mark.parametrize(
        ("text", "tokens"),
        [
            ("In 1989,", ["In", "Ġ", "1", "9", "8", "9", ","]),
            ("a\n\n1. b", ["a", "ĊĊ", "1", ".", "Ġb"]),
            ("x  12", ["x", "ĠĠ", "1", "2"]),
            ("<|im_end|>", ["<|im_end|>"]),
        ],
    )
    def test_the_tokenizer_splits_as_in_training(
        self, tokenizer: PreTrainedTokenizerBase, text: str, tokens: list[str]
    ) -> None:
        assert tokenizer.tokenize(text) == tokens

    def test_the_chat_template_opens_with_the_default_system_prompt(
        self, tokenizer: PreTrainedTokenizerBase
    ) -> None:
        turns = [{"role": "user", "content": "Hello"}]
        assert tokenizer.apply_chat_template(turns, tokenize=False, add_generation_prompt=True) == (
            "<|im_start|>system\n"
            "You are a helpful AI assistant named SmolLM, trained by Hugging Face<|im_end|>\n"
            "<|im_start|>user\nHello<|im_end|>\n<|im_start|>assistant\n"
        )

    def test_the_weights_know_the_capital_of_france(
        self, real: PreparedModel, tokenizer: PreTrainedTokenizerBase
    ) -> None:
        import torch
        from transformers import AutoModelForCausalLM

        model = AutoModelForCausalLM.from_pretrained(str(real.path))
        tokens = tokenizer("The capital of France is", return_tensors="pt")
        with torch.inference_mode():
            best = model(**tokens).logits[0, -1].argmax()
        assert tokenizer.decode(best) == " Paris"
