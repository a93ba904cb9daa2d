"""How the proxy says that it gives no reply: errors in the form of OpenAI's."""

from collections.abc import Mapping
from http import HTTPStatus

from starlette.responses import JSONResponse, Response

BUSY_RETRY_S = 1

_HEADERS: Mapping[int, Mapping[str, str]] = {
    # OpenAI's clients would have the upstream write all of it again, twice.
    HTTPStatus.BAD_GATEWAY: {"x-should-retry": "false"},
    HTTPStatus.GATEWAY_TIMEOUT: {"x-should-retry": "false"},
    HTTPStatus.TOO_MANY_REQUESTS: {"retry-after": str(BUSY_RETRY_S)},
    # What is left of the request is not read.
    HTTPStatus.UNAUTHORIZED: {"connection": "close", "www-authenticate": "Bearer"},
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE: {"connection": "close"},
    HTTPStatus.REQUEST_TIMEOUT: {"connection": "close"},
}


class RefusedError(Exception):
    """A request gets no reply. `more` stands beside the error."""

    def __init__(
        self, status: int, code: str, message: str, more: Mapping[str, object] | None = None
    ) -> None:
        super().__init__(message)
        self._status = status
        self._body = error_body(code, message) | dict(more or {})

    def response(self) -> Response:
        """The text that the client gets."""
        return JSONResponse(self._body, self._status, _HEADERS.get(self._status))


def error_body(code: str, message: str) -> dict[str, object]:
    """An error as OpenAI's clients read it."""
    error = {"message": message, "type": "groundwire_proxy", "param": None, "code": code}
    return {"error": error}
