"""A causal model that answers questions in packed batches, at the server's position."""

from collections.abc import Sequence

import torch
from transformers import AutoModelForCausalLM, PreTrainedModel

from groundwire_training.learning.attention import TREE_ATTENTION, Trees
from groundwire_training.learning.packing import LABELS, Batch
from groundwire_verifier.domain.errors import UnusableModelError
from groundwire_verifier.domain.types import LabelForm
from groundwire_verifier.engine.native_dtype import native_dtype


def device() -> torch.device:
    """Where models are computed: the first GPU, or the CPU."""
    return torch.device("cuda" if torch.cuda.is_available() else "cpu")


def load_model(base: str) -> PreTrainedModel:
    """A model from a folder or a hub name, with attention over trees; on the CPU, frozen.

    Its weights are in the type that this machine computes in: bfloat16 on a GPU. Raises
    UnusableModelError if Transformers cannot load it so.
    """
    dtype = torch.bfloat16 if device().type == "cuda" else native_dtype()
    try:
        model = AutoModelForCausalLM.from_pretrained(
            base, dtype=dtype, attn_implementation=TREE_ATTENTION
        )
    except (OSError, ValueError, ImportError) as error:
        raise UnusableModelError(f"{base} cannot be loaded as a causal model: {error}") from error
    return model.requires_grad_(False)


class LabelReader:
    """Reads the probability of each label after each question.

    `model` is a causal model whose attention is that over trees; it may hold an adapter.
    """

    def __init__(self, model: PreTrainedModel, forms: Sequence[LabelForm]) -> None:
        """Move the model to where it is computed. Raises UnusableModelError without a head."""
        self.device = device()
        self.model = model.to(self.device)
        # The head in float32, as the server's. What a model does with logits comes after it.
        head = model.get_output_embeddings()
        if not isinstance(head, torch.nn.Linear):
            raise UnusableModelError(f"{type(model).__name__} has no linear head to read")
        head.forward = lambda hidden: torch.nn.functional.linear(
            hidden.float(), head.weight.float(), None if head.bias is None else head.bias.float()
        )
        self._form_ids = torch.tensor([form.token_id for form in forms], device=self.device)
        label_of_form = [LABELS.index(form.label) for form in forms]
        self._label_of_form = torch.tensor(label_of_form, device=self.device)

    def logits(self, batch: Batch) -> torch.Tensor:
        """The logits after each question, (questions, vocabulary), float32."""
        found: torch.Tensor = self.model(
            input_ids=batch.token_ids.to(self.device),
            position_ids=batch.positions.to(self.device),
            logits_to_keep=batch.ends.to(self.device),
            use_cache=False,
            trees=Trees(batch.trees).to(self.device, self.model.dtype),
        ).logits[0]
        return found

    def label_nats(self, batch: Batch) -> torch.Tensor:
        """ln P of each label after each question, in nats; shape (questions, labels), float32."""
        nats = torch.log_softmax(self.logits(batch), dim=-1)[:, self._form_ids]
        columns = [
            torch.logsumexp(nats[:, self._label_of_form == label], dim=1)
            for label in range(len(LABELS))
        ]
        return torch.stack(columns, dim=1)
