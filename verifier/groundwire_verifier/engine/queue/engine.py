"""What the backend needs from an inference engine on this machine."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from groundwire_verifier.domain.prompts import Tokenizer
from groundwire_verifier.domain.types import JsonForm


@dataclass(frozen=True, slots=True)
class EngineTurn:
    """When a prompt is to be read.

    The lowest `priority` goes first. `slack_s` is what its call could wait for in all when it came,
    in seconds; infinite where nobody waits.
    """

    priority: int
    slack_s: float


@dataclass(frozen=True, slots=True)
class TokenReading:
    """What the engine read after one prompt.

    `log_probs_nats` are of the wanted tokens, in their order, over the full vocabulary. The two
    times are on the machine's monotonic clock: when the prompt first ran, and when it was done.
    """

    log_probs_nats: tuple[float, ...]
    cached_tokens: int
    scheduled_s: float
    done_s: float


class Engine(Protocol):
    """A loaded model that reads next-token probabilities."""

    @property
    def tokenizer(self) -> Tokenizer:
        """The model's tokeniser."""

    @property
    def window_tokens(self) -> int:
        """The model's window."""

    @property
    def dtype(self) -> str:
        """The data type of the weights, such as `bfloat16`."""

    @property
    def numerics(self) -> str:
        """All that its numbers depend on beside weights and prompt, such as data types."""

    @property
    def block_tokens(self) -> int:
        """Tokens of one block of the prefix cache: prefixes are shared in whole blocks."""

    @property
    def cache_tokens(self) -> int:
        """Tokens that the prefix cache holds."""

    @property
    def step_tokens(self) -> int:
        """Most tokens that one step computes."""

    @property
    def step_prompts(self) -> int:
        """Most prompts that one step computes."""

    async def read(
        self,
        prompt_ids: Sequence[int],
        wanted_ids: Sequence[int],
        trace_headers: Mapping[str, str],
        turn: EngineTurn,
        cache_salt: str,
    ) -> TokenReading:
        """Read the log-probabilities of the wanted tokens after a prompt.

        Prefixes are shared among prompts of one `cache_salt`, which may be empty.

        Calls made together are batched by the engine in their turn. Cancelling one stops its work.
        Raises BackendFailedError if the engine is dead.
        """

    async def generate(
        self,
        prompt_ids: Sequence[int],
        most_tokens: int,
        trace_headers: Mapping[str, str],
        turn: EngineTurn,
        cache_salt: str,
        *,
        form: JsonForm | None,
    ) -> tuple[int, ...]:
        """Write the likeliest next tokens, one after the other, up to the end of the turn.

        At most `most_tokens`. With a `form` the likeliest that it allows, if the engine was started
        for that. Prefixes and batches are those of `read`, as are cancelling and errors.
        """

    async def ping(self) -> None:
        """Return when the engine is between two steps. Raises BackendFailedError if it is dead."""

    async def clear_cache(self) -> None:
        """Forget all cached prefixes."""

    def shutdown(self) -> None:
        """End the engine and its processes, even if it hangs. Blocks for some seconds at most."""
