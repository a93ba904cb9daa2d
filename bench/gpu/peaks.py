"""What GPUs can do at most, from their vendor's data sheets, and the share of it that work takes.

Figures are dense: half of those that the sheets give with sparsity. Sources, by NVIDIA:
"H100 Tensor Core GPU" data sheet (SXM, NVL; PCIe in its first edition and in "H100 Tensor Core GPU
Architecture", 2022), "H200 Tensor Core GPU" data sheet (SXM, NVL), "A100 Tensor Core GPU" data
sheet, "L4 Tensor Core GPU" data sheet, "L40S" data sheet.
"""

import re

from bench.gpu.plan import BF16, FP8
from bench.tools.shapes import Shape, Work, layer_operations

_TERA = 1e12
# A100: vLLM keeps the weights in fp8, and computes in bfloat16.
_PEAKS = (
    (r"H100 NVL", 835.5, 1671.0),
    (r"H100 PCIe", 756.0, 1513.0),
    (r"H100 80GB HBM3", 989.4, 1978.9),
    (r"H200 NVL", 835.5, 1671.0),
    (r"H200", 989.4, 1978.9),
    (r"A100\b.*", 312.0, 312.0),
    (r"L40S", 362.05, 733.0),
    (r"L4", 121.0, 242.5),
)


def peak(gpu: str, weights: str) -> float | None:
    """Operations a second of a GPU, by the name that `nvidia-smi` gives; None if unknown."""
    for pattern, bf16, fp8 in _PEAKS:
        if re.fullmatch(f"(?:NVIDIA )?{pattern}", gpu.strip()):
            return {BF16: bf16, FP8: fp8}[weights] * _TERA
    return None


def operations(shape: Shape, context_tokens: int, computed_tokens: float) -> float:
    """Operations of the layers in a call that computes so many tokens, its new context among them.

    Without the head, which is computed in float32, once a claim.
    """
    # A new context's tokens look back on half of it in the mean, those of claims on all of it.
    in_context = min(float(context_tokens), computed_tokens)
    looks_back = context_tokens * (1.0 - 0.5 * in_context / max(1.0, computed_tokens))
    return layer_operations(shape, Work(round(computed_tokens), looks_back, 0))
