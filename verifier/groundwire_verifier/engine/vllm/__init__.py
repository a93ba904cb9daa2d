"""vLLM as our engine, and what of it is the same in every engine."""

HEAD_DTYPE = "float32"
"""Data type of the output head; below float32 probabilities move in coarse steps."""
STEP_PROMPTS = 64
"""Most prompts that the engine computes in one step."""
BLOCK_TOKENS = 32
"""Tokens of one block of the prefix cache; the CPU takes multiples of 32 only."""
