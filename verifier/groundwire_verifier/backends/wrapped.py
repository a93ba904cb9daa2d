"""What a backend around another one leaves to it. Knows the interface only."""

from collections.abc import Sequence

from groundwire_verifier.backends.base import Backend, BackendState
from groundwire_verifier.domain.types import BackendInfo, Prompt, Question
from groundwire_verifier.scheduling.predictions import Predictions


class WrappedBackend:
    """All of `backends.base.Backend` but `direct` and `read`, as `inner` has it."""

    def __init__(self, inner: Backend) -> None:
        """Keep the backend that does the work."""
        self._inner = inner

    @property
    def model(self) -> str:
        """The model's name."""
        return self._inner.model

    @property
    def state(self) -> BackendState:
        """Where in its life the backend is."""
        return self._inner.state

    @property
    def info(self) -> BackendInfo:
        """What was loaded. Raises BackendUnavailableError unless SERVING."""
        return self._inner.info

    @property
    def predictions(self) -> Predictions:
        """How well the time of calls was foreseen."""
        return self._inner.predictions

    async def start(self) -> None:
        """Load the model. See the protocol."""
        await self._inner.start()

    async def encode(self, questions: Sequence[Question]) -> list[Prompt]:
        """Turn questions into prompts. See the protocol."""
        return await self._inner.encode(questions)

    async def wait_failed(self) -> str:
        """Return the cause when the engine has died or hangs. See the protocol."""
        return await self._inner.wait_failed()

    async def stop(self) -> None:
        """Release the model. See the protocol."""
        await self._inner.stop()
