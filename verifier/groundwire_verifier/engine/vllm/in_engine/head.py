"""The float32 output head on the CPU, with its weights cast once instead of at every step.

vLLM casts the whole head, vocabulary times hidden size, before each step's product, which on the
CPU takes longer than reading a claim. Nor is its product the fastest: torch leaves it to a library
whose float32 kernels are slow on some CPUs, where oneDNN, which vLLM's other layers use, takes half
the time or less. This replaces the layer by way of vLLM's own plug-ins (`plugin.py`), in the
engine's process. It costs four bytes for each weight of the head; the numbers are the same but for
the order of float32 sums.
"""

from collections.abc import Callable

import torch
from vllm import _custom_ops as ops
from vllm.model_executor.custom_op import op_registry_oot
from vllm.model_executor.layers.logits_processor import LogitsProcessor
from vllm.model_executor.layers.vocab_parallel_embedding import (
    UnquantizedEmbeddingMethod,
    VocabParallelEmbedding,
)
from vllm.platforms import current_platform

_KERNELS_KEPT = 32
"""Batch sizes whose oneDNN kernel is kept, as vLLM does for its other layers."""


class CachedHeadLogitsProcessor(LogitsProcessor):  # type: ignore[misc]
    """vLLM's logits processor, with the cast head kept."""

    _product: Callable[[torch.Tensor], torch.Tensor] | None = None

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
        if self._product is None:
            self._product = _product_with(lm_head.weight.detach().float())
        return self._product(hidden_states.float())


def _product_with(weight: torch.Tensor) -> Callable[[torch.Tensor], torch.Tensor]:
    """The product of hidden states, shape (reads, hidden), with the head, (vocabulary, hidden)."""
    if not hasattr(torch.ops._C, "create_onednn_mm_handler"):
        return lambda hidden: torch.nn.functional.linear(hidden, weight)
    kept = ops.create_onednn_mm(weight.t(), _KERNELS_KEPT)
    return lambda hidden: ops.onednn_mm(kept, hidden, None)


def register() -> None:
    """Put the layer in place of vLLM's, on the CPU only. Repeating it changes nothing."""
    if current_platform.is_cpu() and LogitsProcessor.__name__ not in op_registry_oot:
        LogitsProcessor.register_oot(CachedHeadLogitsProcessor, name=LogitsProcessor.__name__)
