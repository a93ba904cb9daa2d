"""A folder of sentence-transformers as an embedder, on the Transformers library.

Does not run code of it, and loads nothing from a hub. Such a folder holds modules.json, its
pooling and its window.
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from groundwire_server.config.extras import how_to_install
from groundwire_server.config.sources import ConfigError
from groundwire_server.embedding.text_windows import PieceTokenizer
from groundwire_server.models.weights_id import weights_id
from groundwire_verifier.checks.corpus.passages import Vectors

LONGEST_WINDOW = 8192
_KNOWN = ("Transformer", "Pooling", "Normalize")
_POOLING = ("pooling_mode_mean_tokens", "pooling_mode_cls_token")


class FolderEmbedder:
    """Implements `groundwire_verifier.checks.corpus.passages.Embedder` for one model's folder.

    Pools over all tokens or takes the first one's output, as the folder says. A text beyond the
    model's window is read in pieces; its vector is their mean, each with the weight of its tokens.
    """

    def __init__(self, folder: Path, threads: int) -> None:
        """Load the model on the CPU. `threads` is for the whole process, as PyTorch has it.

        Raises ConfigError, which says what the folder lacks or has too much of.
        """
        window = _window(folder)
        self._takes_mean = _takes_mean(folder)
        try:
            import torch
            from tokenizers import Tokenizer
            from transformers import AutoModel
        except ImportError as error:
            raise ConfigError(
                f"embedding_model: a folder needs torch and transformers ({error}): "
                f"{how_to_install('cpu')}"
            ) from error
        self._torch = torch
        torch.set_num_threads(threads)
        try:
            self._tokenizer = PieceTokenizer(
                Tokenizer.from_file(str(folder / "tokenizer.json")), window
            )
            model = AutoModel.from_pretrained(
                str(folder), local_files_only=True, dtype=torch.float32, use_safetensors=True
            )
        # tokenizers raises plain Exception for a file that is missing or is none.
        except Exception as error:
            raise ConfigError(f"embedding_model: {folder} cannot be loaded: {error}") from error
        self._model = model.eval()
        self.size: int = model.config.hidden_size
        self.name = f"folder:{weights_id(str(folder), None)}"

    def spans(self, text: str) -> list[tuple[int, int]]:
        """Where each token of a text begins and ends, in characters."""
        return self._tokenizer.spans(text)

    def reads(self, text: str) -> bool:
        """True: which languages a model of the operator's knows is the operator's to tell."""
        return True

    def embed(self, texts: Sequence[str]) -> Vectors:
        """The vectors of texts, each of length 1, shape (texts, size), float32."""
        sums = np.zeros((len(texts), self.size), np.float32)
        torch = self._torch
        for batch in self._tokenizer.batches(texts):
            mask = torch.from_numpy(batch.mask)
            with torch.inference_mode():
                states = self._model(
                    input_ids=torch.from_numpy(batch.ids), attention_mask=mask
                ).last_hidden_state
                tokens = mask.sum(dim=1, keepdim=True)
                pooled = (
                    (states * mask.unsqueeze(-1)).sum(dim=1)
                    if self._takes_mean
                    else states[:, 0] * tokens
                )
            np.add.at(sums, batch.owners, pooled.numpy())
        vectors: Vectors = sums / np.linalg.norm(sums, axis=1, keepdims=True)
        return vectors


def _takes_mean(folder: Path) -> bool:
    """Whether the vectors are means over tokens; else they are the first one's output."""
    modules = _read(folder / "modules.json")
    if not isinstance(modules, list) or not all(isinstance(each, dict) for each in modules):
        raise ConfigError(f"embedding_model: {folder / 'modules.json'} is no list of modules")
    kinds = {str(each.get("type", "")).rpartition(".")[2]: each for each in modules}
    unknown = [kind for kind in kinds if kind not in _KNOWN]
    if unknown or "Pooling" not in kinds:
        raise ConfigError(
            f"embedding_model: {folder} has the modules {', '.join(kinds)}; a Transformer, a "
            "Pooling and perhaps a Normalize can be run"
        )
    pooling = _object(folder / str(kinds["Pooling"].get("path", "")) / "config.json")
    modes = [name for name, value in pooling.items() if name.startswith("pooling_mode") and value]
    if len(modes) != 1 or modes[0] not in _POOLING:
        raise ConfigError(
            f"embedding_model: {folder} pools by {', '.join(modes) or 'nothing'}; "
            f"{' or '.join(_POOLING)} alone can be run"
        )
    return modes[0] == _POOLING[0]


def _window(folder: Path) -> int:
    """Tokens that the model reads at once."""
    named = folder / "sentence_bert_config.json"
    window = _object(named).get("max_seq_length") if named.exists() else None
    if window is None:
        window = _object(folder / "config.json").get("max_position_embeddings")
    if not isinstance(window, int) or not window >= 8:  # noqa: PLR2004 - room for a word
        raise ConfigError(f"embedding_model: {folder} does not say how many tokens it reads")
    return min(window, LONGEST_WINDOW)


def _object(path: Path) -> Mapping[str, object]:
    read = _read(path)
    if not isinstance(read, dict):
        raise ConfigError(f"embedding_model: {path} holds no JSON object")
    return read


def _read(path: Path) -> object:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ConfigError(
            f"embedding_model: {path} cannot be read ({error}); name the folder that "
            "sentence-transformers wrote"
        ) from error
