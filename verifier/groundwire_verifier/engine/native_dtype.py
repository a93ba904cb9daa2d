"""Which data type a CPU computes fastest in.

oneDNN, which torch and vLLM leave matrix products to, has bfloat16 and float16 kernels for x86 from
AVX-512 on. On a CPU without it they are emulated, several times slower than in float32.
"""

import platform
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import torch

AUTO, FLOAT32 = "auto", "float32"
_X86 = {"x86_64", "AMD64"}


def emulates_half_precision() -> bool:
    """Whether this CPU is an x86 without AVX-512."""
    import torch

    return platform.machine() in _X86 and torch.backends.cpu.get_cpu_capability() != "AVX512"


def cpu_dtype(asked: str) -> str:
    """The data type to load weights in on this CPU, where `asked` may be AUTO.

    AUTO is float32 where anything shorter is emulated, and else the model's own, as for vLLM.
    """
    return FLOAT32 if asked == AUTO and emulates_half_precision() else asked


def native_dtype() -> "torch.dtype":
    """bfloat16, or float32 where this CPU emulates it."""
    import torch

    return torch.float32 if emulates_half_precision() else torch.bfloat16
