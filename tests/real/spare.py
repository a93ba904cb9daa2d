"""Servers beside the session's own: other settings, and an engine that may be broken."""

from collections.abc import Mapping
from contextlib import ExitStack

from tests.serving import Served, serving


class Spare:
    """A server whose engine a test may break: the next test has another one."""

    def __init__(
        self,
        stack: ExitStack,
        *flags: str,
        token: str | None = None,
        variables: Mapping[str, str] | None = None,
    ) -> None:
        self._stack, self._flags, self._token = stack, flags, token
        self._variables = variables or {}
        self._served: Served | None = None

    def running(self) -> Served:
        if self._served is None or self._served.process.poll() is not None:
            self._stack.close()
            server = serving(*self._flags, token=self._token, variables=self._variables)
            self._served = self._stack.enter_context(server)
        return self._served
