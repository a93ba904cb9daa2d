"""Real servers whose model is scripted, for the evaluators' tests: one open, one with a token.

A claim is believed if all of its words stand in what it is read with, without evidence never; one
with the word "denied" is contradicted. The model cannot judge a claim with the word "unreadable",
and never ends reading "endless". Run as a
module by the project's own Python; it prints both targets and serves until its input ends.
"""

import asyncio
import json
import re
import sys
from contextlib import AsyncExitStack

from tests.scripted import ScriptedEngine, scripted_server
from tests.scripted_services.detection import BELIEVED, CANNOT_SAY, CONTRADICTS, DOUBTED

TOKEN = "a-token-of-the-tests"
NO_MASS = (0.01, 0.01)
CALL_LIMIT_S = 2


def read(prompt: str) -> tuple[float, ...]:
    """P(YES), P(NO) and P(UNSURE) of a prompt."""
    context, _, question = prompt.partition("\n\nIs the following")
    if not question:
        return CONTRADICTS if "denied" in prompt.partition("\nClaim: ")[2] else CANNOT_SAY
    claim = question.partition("\nClaim: ")[2].removesuffix("\nAnswer:").rpartition("Answer: ")[2]
    if "unreadable" in claim:
        return NO_MASS
    return BELIEVED if words(claim) <= words(context) else DOUBTED


def words(text: str) -> set[str]:
    """The distinct words of a text, in small letters."""
    return set(re.findall(r"\w+", text.lower()))


async def serve() -> None:
    """Serve until the standard input ends."""
    async with AsyncExitStack() as stack:
        targets = []
        for token in (None, TOKEN):
            engine = ScriptedEngine()
            engine.answer = read
            engine.stuck_at = {"endless"}
            served = await stack.enter_async_context(
                scripted_server(engine=engine, auth_token=token)
            )
            targets.append(served.running.target)
        print(json.dumps(targets), flush=True)
        await asyncio.to_thread(sys.stdin.read)


if __name__ == "__main__":
    asyncio.run(serve())
