"""What the engine's process imports before it is forked; importing this module does it.

See `engine.vllm.process`, which has it imported there and nowhere else.
"""

import os
from importlib import import_module

from groundwire_verifier.engine.vllm.process import no_collection

_MODULES = (
    "vllm.v1.engine.async_llm",
    "vllm.v1.worker.cpu_worker",
    "vllm.model_executor.model_loader",
    "vllm.model_executor.models.llama",
)

# A group of its own, with which all that is forked of it can be ended at once.
os.setpgid(0, 0)
with no_collection():
    for _name in _MODULES:
        import_module(_name)
