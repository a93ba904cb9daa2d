"""Puts the current trace context into metadata, where OpenTelemetry is installed."""

from collections.abc import Callable


def _find_inject() -> Callable[[dict[str, str]], None] | None:
    try:
        from opentelemetry.propagate import inject
    except ImportError:
        return None
    return inject


_inject = _find_inject()


def trace_metadata() -> tuple[tuple[str, str], ...]:
    """The metadata of the current trace context; empty without a span or OpenTelemetry."""
    if _inject is None:
        return ()
    carrier: dict[str, str] = {}
    _inject(carrier)
    # gRPC refuses capital letters in the names of metadata.
    return tuple((key.lower(), value) for key, value in carrier.items())
