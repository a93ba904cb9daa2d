"""What `tests.soak.fuzz.wire` sends bytes to: `python -m tests.soak.fuzz.wire_server FOLDER`.

Every service of the contract is on, on an engine that is scripted, so that what is sent reaches the
code behind the switches. Prints its target, and serves until stdin ends. What it keeps lies in
FOLDER.
"""

import asyncio
import sys
from pathlib import Path
from typing import Any

from groundwire_verifier.engine.queue.engine import TokenReading
from tests.scripted import ScriptedEngine, scripted_server
from tests.scripted_services.corpus import python_corpus

WRITTEN = "The tower is 330 m high."
"""What the engine writes whenever it is asked to: one claim, and one answer of a trace."""
MOST_FEEDBACK_BYTES = 1 << 20


class ForgetfulEngine(ScriptedEngine):
    """Keeps nothing of what it was asked: its process's memory is measured."""

    def __init__(self) -> None:
        super().__init__()
        self.write = lambda _: WRITTEN

    def _forget(self) -> None:
        for kept in (
            self.prompts, self.claims, self.trace_headers, self.cache_salts, self.written,
            self.turns, self.forms,
        ):  # fmt: skip
            kept.clear()

    async def read(self, *asked: Any) -> TokenReading:  # noqa: ANN401 - as they came
        """As the script has it."""
        self._forget()
        return await super().read(*asked)

    async def generate(self, *asked: Any, **form: Any) -> tuple[int, ...]:  # noqa: ANN401
        """As the script has it."""
        self._forget()
        return await super().generate(*asked, **form)


def everything_on(folder: Path) -> dict[str, object]:
    """The settings that switch on what a server can do; what it keeps has small bounds."""
    return {
        "memory_gate_enabled": True,
        "trace_auditing_enabled": True,
        "response_assessment_enabled": True,
        "epistemic_risk_enabled": True,
        "similarity_enabled": True,
        "claim_extractor_backend": "local",
        "feedback_enabled": True,
        "feedback_file": str(folder / "feedback.sqlite"),
        "feedback_max_bytes": MOST_FEEDBACK_BYTES,
        "output_verification_enabled": True,
        "output_verification_store": str(folder / "outputs.sqlite"),
        "audit_record_file": str(folder / "audit.jsonl"),
        "audit_record_max_bytes": 1 << 20,
    }


async def _serve(folder: Path) -> None:
    # A backend and a corpus have the same name, since that is the one that inputs know.
    async with scripted_server(
        engine=ForgetfulEngine(),
        corpora={"local": python_corpus()},
        **everything_on(folder),  # type: ignore[arg-type]
    ) as served:
        print(served.running.target, flush=True)
        await asyncio.to_thread(sys.stdin.read)


if __name__ == "__main__":
    asyncio.run(_serve(Path(sys.argv[1])))
