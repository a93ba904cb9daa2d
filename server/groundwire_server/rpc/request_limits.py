"""How much a message may hold: values of each repeated field of a request, bytes of a response."""

from collections.abc import Mapping
from dataclasses import dataclass

from google.protobuf.message import Message

from groundwire_server.rpc.status import ResponseTooLargeError
from groundwire_server.rpc.wire import FieldLimits

MAX_CITATION_STYLES = MAX_LAYERS = 16
"""Most citation styles, and most layers, of one request; there are three of each."""


@dataclass(frozen=True, slots=True)
class MessageLimits:
    """The limits on requests before they are parsed, and on responses once they are made.

    `grows_with` has, by a method's path, the field of its request that makes its response large;
    other responses stay small.
    """

    fields: FieldLimits
    message_bytes: int
    grows_with: Mapping[str, str]

    def written(self, response: Message, method: str) -> bytes:
        """The bytes of a response of a method. Raises ResponseTooLargeError.

        The transport would end the call without a reason.
        """
        data = response.SerializeToString()
        if len(data) > self.message_bytes:
            field = self.grows_with.get(method, "")
            raise ResponseTooLargeError(field, len(data), self.message_bytes)
        return data
