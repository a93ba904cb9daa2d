"""The float32 output head on the CPU, with its weights cast once instead of at every step.

vLLM casts the whole head, vocabulary times hidden size, before each step's product, which on the
CPU takes longer than reading a claim. This replaces the layer through vLLM's own plugin mechanism
(entry point `vllm.general_plugins` in pyproject.toml), which runs in the engine's process. It
costs four bytes for each weight of the head; the numbers are the same.
"""

import torch
from vllm.model_executor.custom_op import op_registry_oot
from vllm.model_executor.layers.logits_processor import LogitsProcessor
from vllm.model_executor.layers.vocab_parallel_embedding import (
    UnquantizedEmbeddingMethod,
    VocabParallelEmbedding,
)
from vllm.platforms import current_platform


class CachedHeadLogitsProcessor(LogitsProcessor):  # type: ignore[misc]
    """vLLM's logits processor, with the cast head kept."""

    _cast: torch.Tensor | None = None

    def _apply_head(
        self,
        lm_head: VocabParallelEmbedding,
        hidden_states: torch.Tensor,
        embedding_bias: torch.Tensor | None,
    ) -> torch.Tensor:
        if (
            self.head_dtype != torch.float32
            or hidden_states.dtype == torch.float32
            or embedding_bias is not None
            or not isinstance(lm_head.quant_method, UnquantizedEmbeddingMethod)
        ):
            return super()._apply_head(lm_head, hidden_states, embedding_bias)
        if self._cast is None:
            self._cast = lm_head.weight.detach().float()
        return torch.nn.functional.linear(hidden_states.float(), self._cast)


def register() -> None:
    """Put the layer in place of vLLM's, on the CPU only. vLLM calls it in each process."""
    if current_platform.is_cpu() and LogitsProcessor.__name__ not in op_registry_oot:
        LogitsProcessor.register_oot(CachedHeadLogitsProcessor, name=LogitsProcessor.__name__)
