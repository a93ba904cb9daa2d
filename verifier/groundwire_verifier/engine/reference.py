"""The same weights read by a plain Transformers forward pass in float32: the yardstick.

Imports torch and transformers. For tests and `groundwire doctor`. It has no paging, no batching,
no prefix cache and no bfloat16, so whatever vLLM does can be measured against it.
"""

from collections.abc import Sequence

import numpy as np
import torch
from transformers import AutoModelForCausalLM

from groundwire_verifier.domain.labels import FloatArray, label_log_probabilities
from groundwire_verifier.domain.types import LabelForm, Prompt


class ReferenceModel:
    """A model in float32, read one prompt at a time."""

    def __init__(self, model: str, revision: str | None = None) -> None:
        """Load the weights from a folder, or a hub name at `revision`, upcast to float32."""
        loaded = AutoModelForCausalLM.from_pretrained(model, revision=revision, dtype=torch.float32)
        self._model = loaded.eval()

    def label_nats(self, prompts: Sequence[Prompt], forms: Sequence[LabelForm]) -> FloatArray:
        """ln P of each label after each prompt, in nats; shape (prompts, 3)."""
        wanted = [form.token_id for form in forms]
        rows = [self._next_token_nats(prompt.token_ids)[wanted].numpy() for prompt in prompts]
        return label_log_probabilities(np.array(rows, dtype=np.float64), forms)

    def _next_token_nats(self, token_ids: Sequence[int]) -> torch.Tensor:
        with torch.inference_mode():
            output = self._model(torch.tensor([list(token_ids)]), logits_to_keep=1)
        return torch.log_softmax(output.logits[0, -1].double(), dim=-1)
