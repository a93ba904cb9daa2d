"""The server beside the session's own: other settings, and an engine that may be broken."""

from contextlib import ExitStack

from tests.serving import Served, serving

DERIVATION_TOKENS = 16
"""How much the spare server's model writes for an answer of its own."""


class Spare:
    """A second server, whose engine a test may break: the next test has another one."""

    def __init__(self, stack: ExitStack) -> None:
        self._stack = stack
        self._served: Served | None = None

    def running(self) -> Served:
        if self._served is None or self._served.process.poll() is not None:
            self._stack.close()
            flags = (
                "--memory-gate-enabled",
                "--trace-auditing-enabled",
                "--trace-auditing-executor", "generation",
                "--trace-auditing-max-derivation-tokens", str(DERIVATION_TOKENS),
                "--hang-timeout-s", "8",
                "--kv-memory-gib", "0.5",
            )  # fmt: skip
            self._served = self._stack.enter_context(serving(*flags))
        return self._served
