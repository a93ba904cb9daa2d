"""LoRA layers that compute with the merged weight, as the server will.

peft adds the adapter's product to every output; here it is added to the weight once a step, which
is what the server's merge does and saves the passes over the activations. Knows torch and peft.
"""

from typing import Any

import torch
from peft.tuners.lora import Linear
from torch.autograd.function import FunctionCtx


def merge_in_forward(model: torch.nn.Module) -> None:
    """Have every LoRA layer of a peft model compute with its merged weight."""
    for module in model.modules():
        if isinstance(module, Linear):
            module.forward = _forward_of(module)  # type: ignore[method-assign]


def _forward_of(layer: Linear) -> Any:
    (name,) = layer.active_adapters
    down, up, scale = layer.lora_A[name], layer.lora_B[name], layer.scaling[name]

    def forward(x: torch.Tensor) -> torch.Tensor:
        return _Merged.apply(x, layer.get_base_layer().weight, down.weight, up.weight, scale)

    return forward


class _Merged(torch.autograd.Function):
    """y = x (W + s B A)^T with gradients for x, A and B only; W (out, in), A (r, in), B (out, r)."""

    @staticmethod
    def forward(
        ctx: FunctionCtx,
        x: torch.Tensor,
        weight: torch.Tensor,
        down: torch.Tensor,
        up: torch.Tensor,
        scale: float,
    ) -> torch.Tensor:
        down, up = down.to(weight.dtype), up.to(weight.dtype)
        merged = torch.addmm(weight, up, down, alpha=scale)
        ctx.save_for_backward(x, merged, down, up)
        ctx.scale = scale
        return x @ merged.T

    @staticmethod
    def backward(ctx: Any, grad: torch.Tensor) -> tuple[torch.Tensor | None, ...]:
        x, merged, down, up = ctx.saved_tensors
        flat_x, flat = x.reshape(-1, x.shape[-1]), grad.reshape(-1, grad.shape[-1])
        for_down = ((flat @ up).T @ flat_x).float() * ctx.scale
        for_up = (flat.T @ (flat_x @ down.T)).float() * ctx.scale
        return grad @ merged, None, for_down, for_up, None
