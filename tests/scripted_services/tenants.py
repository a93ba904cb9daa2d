"""What tests of tenants share: files of tokens and quotas, and an engine whose caches are seen."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from groundwire_server.config.access import new_token
from groundwire_verifier.engine.queue.engine import EngineTurn, TokenReading
from tests.scripted import ScriptedEngine


def make_tokens(path: Path, *tenants: str) -> list[str]:
    """A new token for each of these tenants, whose hashed lines are all that the file has."""
    made = [new_token(tenant) for tenant in tenants]
    replace(path, "".join(f"{line}\n" for _, line in made))
    return [token for token, _ in made]


def replace(path: Path, text: str) -> None:
    """Put another file in the place of this one, as whoever renews a secret does."""
    new = path.with_name(f"{path.name}.new")
    new.touch(mode=0o600)
    new.write_text(text)
    new.rename(path)


class CachingEngine(ScriptedEngine):
    """Keeps whole blocks of tokens by salt, as vLLM's prefix cache does, and counts the others."""

    def __init__(self) -> None:
        super().__init__()
        self.kept: set[tuple[str, tuple[int, ...]]] = set()
        self.computed: list[int] = []
        """Of each prompt, in the order in which they were read."""

    async def read(
        self,
        prompt_ids: Sequence[int],
        wanted_ids: Sequence[int],
        trace_headers: Mapping[str, str],
        turn: EngineTurn,
        cache_salt: str,
    ) -> TokenReading:
        size = self.block_tokens
        blocks = [
            (cache_salt, tuple(prompt_ids[:end])) for end in range(size, len(prompt_ids), size)
        ]
        known = next((i for i, block in enumerate(blocks) if block not in self.kept), len(blocks))
        self.kept.update(blocks)
        self.computed.append(len(prompt_ids) - known * size)
        read = await super().read(prompt_ids, wanted_ids, trace_headers, turn, cache_salt)
        return TokenReading(read.log_probs_nats, known * size, read.scheduled_s, read.done_s)
