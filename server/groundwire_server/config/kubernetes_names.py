"""The variables that Kubernetes puts into a container for each Service of its namespace.

A Service called groundwire, or groundwire-metrics, makes names that begin as ours do. Knows their
shapes. Does not know settings.
"""

import re

_ADDRESS = r"[0-9a-fA-F.:]+"
_NUMBER = r"[0-9]+"
_LINK = r"(?:tcp|udp|sctp)://\S+:[0-9]+"
_PORT = r"PORT_[0-9]+_(?:TCP|UDP|SCTP)"

_SHAPES = (
    ("SERVICE_HOST", _ADDRESS),
    ("SERVICE_PORT(?:_[A-Z0-9_]+)?", _NUMBER),
    (f"PORT|{_PORT}", _LINK),
    (f"{_PORT}_PROTO", "tcp|udp|sctp"),
    (f"{_PORT}_PORT", _NUMBER),
    (f"{_PORT}_ADDR", _ADDRESS),
)
"""What follows the Service's name, and the value that it comes with."""

_MADE = [
    (re.compile(rf"[A-Z][A-Z0-9_]*?_(?:{name})"), re.compile(value)) for name, value in _SHAPES
]


def is_made_by_kubernetes(name: str, value: str) -> bool:
    """Whether a variable has the name, and the kind of value, of one that tells of a Service.

    The value counts too: a port in `NAME_PORT` is somebody's mistake, since Kubernetes writes a
    link such as tcp://10.0.0.1:50051 there.
    """
    return any(names.fullmatch(name) and values.fullmatch(value) for names, values in _MADE)
