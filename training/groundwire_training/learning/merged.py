"""LoRA layers that compute with the merged weight, as the server will.

peft adds the adapter's product to every output; here it is added to the weight once a step, which
is what the server's merge does and saves the passes over the activations.
"""

from types import MethodType
from typing import Protocol

import torch
from peft.tuners.lora import Linear


def merge_in_forward(model: torch.nn.Module) -> None:
    """Have every LoRA layer of a peft model compute with its merged weight."""
    for module in model.modules():
        if isinstance(module, Linear):
            # One function for all layers, so that what is compiled for one serves the others.
            module.forward = MethodType(_forward, module)


def _forward(layer: Linear, x: torch.Tensor) -> torch.Tensor:
    (name,) = layer.active_adapters
    down, up = layer.lora_A[name].weight, layer.lora_B[name].weight
    y: torch.Tensor = _Merged.apply(x, layer.base_layer.weight, down, up, layer.scaling[name])
    bias = layer.base_layer.bias
    return y if bias is None else y + bias


class _Context(Protocol):
    """What the forward pass leaves for the backward one."""

    saved_tensors: tuple[torch.Tensor, ...]
    scale: float

    def save_for_backward(self, *tensors: torch.Tensor) -> None:
        """Keep tensors for the backward pass."""


class _Merged(torch.autograd.Function):  # type: ignore[misc]
    """y = x (W + s B A)^T, W (out, in), A (r, in), B (out, r); gradients for x, A and B only."""

    @staticmethod
    def forward(  # noqa: PLR0917 - autograd passes them by place
        ctx: _Context,
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
    def backward(ctx: _Context, grad: torch.Tensor) -> tuple[torch.Tensor | None, ...]:
        x, merged, down, up = ctx.saved_tensors
        flat_x, flat = x.reshape(-1, x.shape[-1]), grad.reshape(-1, grad.shape[-1])
        for_down = ((flat @ up).T @ flat_x).float() * ctx.scale
        for_up = (flat.T @ (flat_x @ down.T)).float() * ctx.scale
        return grad @ merged, None, for_down, for_up, None
