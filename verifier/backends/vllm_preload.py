"""What the engine's process imports before it is forked; importing this module does it.

See `vllm_process`, which has it imported there and nowhere else.
"""

import gc
from importlib import import_module

_MODULES = (
    "vllm.v1.engine.async_llm",
    "vllm.v1.worker.cpu_worker",
    "vllm.model_executor.model_loader",
    "vllm.model_executor.models.llama",
)

gc.disable()
for _name in _MODULES:
    import_module(_name)
gc.freeze()
gc.enable()
