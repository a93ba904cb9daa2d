"""One channel to one server: opening, calling, streaming, closing. Knows no single method."""

from collections.abc import Generator
from types import TracebackType
from typing import Self, TypeVar

import grpc

from groundwire._failures import failure
from groundwire._settings import (
    DEFAULT_MAX_MESSAGE_BYTES,
    DEFAULT_TARGET,
    DEFAULT_TIMEOUT_S,
    TLS,
    Options,
    make_settings,
)
from groundwire.errors import ClientClosedError
from groundwire.v1.hallucination_detection_pb2_grpc import HallucinationDetectionStub
from groundwire.v1.verifier_backend_pb2_grpc import VerifierBackendStub

Request = TypeVar("Request")
Response = TypeVar("Response")


class Connection:
    """What is common to all calls of the client that blocks."""

    def __init__(
        self,
        target: str = DEFAULT_TARGET,
        *,
        token: str | None = None,
        timeout_s: float = DEFAULT_TIMEOUT_S,
        tls: TLS | None = None,
        allow_plaintext: bool = False,
        max_message_bytes: int = DEFAULT_MAX_MESSAGE_BYTES,
        options: Options = (),
    ) -> None:
        """Checks the arguments; the first call connects.

        Args:
            target: `host:port`, or another target that gRPC knows, such as `unix:/run/socket`.
            token: sent as `authorization: Bearer` with every call; None: no token.
            timeout_s: the time-out of a call that names none, in seconds; above 0.
            tls: None: plaintext, which only loopback targets and Unix sockets take.
            allow_plaintext: take plaintext, the token included, to any target.
            max_message_bytes: the largest message, in either direction.
            options: channel arguments of gRPC, which come before those of the client.

        Raises:
            ConfigurationError: an argument cannot be used.
        """
        self._settings = make_settings(
            target,
            token=token,
            timeout_s=timeout_s,
            tls=tls,
            allow_plaintext=allow_plaintext,
            max_message_bytes=max_message_bytes,
            options=options,
        )
        self._channel = self._open()
        self._stub = VerifierBackendStub(self._channel)
        self._detection = HallucinationDetectionStub(self._channel)
        self._closed = False

    def close(self) -> None:
        """Closes the channel. Calls in flight raise CallCancelledError."""
        self._closed = True
        self._channel.close()

    def __enter__(self) -> Self:
        """The client itself, which the end of the block closes."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Closes the client."""
        self.close()

    def _open(self) -> grpc.Channel:
        settings = self._settings
        if settings.credentials is None:
            return grpc.insecure_channel(settings.target, settings.options)
        return grpc.secure_channel(settings.target, settings.credentials, settings.options)

    def _call(
        self,
        method: "grpc.UnaryUnaryMultiCallable[Request, Response]",
        request: Request,
        timeout_s: float | None,
        wait_for_ready: bool = False,
    ) -> Response:
        if self._closed:
            raise ClientClosedError("the client was closed")
        try:
            return method(
                request,
                timeout=self._settings.call_timeout_s(timeout_s),
                metadata=self._settings.call_metadata(),
                wait_for_ready=wait_for_ready,
            )
        except grpc.RpcError as error:
            raise failure(error) from error

    def _stream(
        self,
        method: "grpc.UnaryStreamMultiCallable[Request, Response]",
        request: Request,
        timeout_s: float,
    ) -> Generator[Response, None, None]:
        """Calls when the first response is asked for; closing it cancels the call."""
        if self._closed:
            raise ClientClosedError("the client was closed")
        metadata = self._settings.call_metadata()
        call = method(request, timeout=timeout_s, metadata=metadata)
        try:
            yield from call
        except grpc.RpcError as error:
            raise failure(error) from error
        finally:
            call.cancel()
