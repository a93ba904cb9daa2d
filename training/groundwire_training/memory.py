"""The memory that a model learns in: what glibc keeps of it, and whether it is tight.

This is glibc's malloc; another one is left alone.
"""

import contextlib
import ctypes

# M_TRIM_THRESHOLD, M_MMAP_THRESHOLD and M_ARENA_MAX of glibc's malloc.h.
_MALLOC_OPTIONS = {-1: 2**31 - 1, -3: 32 << 20, -8: 1}

_ROOM = 4
"""Times the weights: themselves, merged with the adapter, and as much twice for activations."""


def is_tight(weights_bytes: int, memory_bytes: int) -> bool:
    """Whether a model should keep what goes into its layers only, and compute them again."""
    return _ROOM * weights_bytes > memory_bytes


def keep_memory() -> None:
    """Have glibc keep what is freed: the page faults of large buffers cost a CPU a fifth.

    In one arena, and the largest buffers apart, or its gaps would take many times the memory.
    """
    with contextlib.suppress(OSError, AttributeError):
        libc = ctypes.CDLL("libc.so.6")
        for option, value in _MALLOC_OPTIONS.items():
            libc.mallopt(option, value)


def return_gaps() -> None:
    """Give the pages back that lie free between kept ones: over hours they become gigabytes."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL("libc.so.6").malloc_trim(0)
