"""A peer that speaks just enough HTTP/2 to break its manners: it makes no room, or sends no end."""

import asyncio
import contextlib
import struct
from collections.abc import AsyncIterator
from dataclasses import dataclass

from tests.scripted import WAIT_LIMIT_S

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
DATA, HEADERS, RESET, SETTINGS, PING, GOAWAY, WINDOW_UPDATE = 0, 1, 3, 4, 6, 7, 8
ACK, END_STREAM, END_HEADERS = 1, 1, 4
CANCEL = 8
MAX_CONCURRENT_STREAMS, INITIAL_WINDOW_SIZE = 3, 4


@dataclass(frozen=True)
class Frame:
    """One frame of the server's."""

    kind: int
    flags: int
    stream: int
    payload: bytes


class RawPeer:
    """One connection, on which nobody reads unless a test does. Streams have odd numbers."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    def call(self, stream: int, path: str, message: bytes | None) -> None:
        """Begin a call; None for a message that is announced and never comes."""
        fields = {
            ":method": "POST",
            ":scheme": "http",
            ":path": path,
            ":authority": "test",
            "te": "trailers",
            "content-type": "application/grpc",
        }
        # Each field a literal that is not indexed.
        block = b"".join(b"\0" + _literal(name) + _literal(value) for name, value in fields.items())
        self._send(HEADERS, END_HEADERS, stream, block)
        if message is not None:
            self.send(stream, message, END_STREAM)

    def send(self, stream: int, message: bytes, flags: int = 0) -> None:
        """Send a message on a stream that goes on."""
        self._send(DATA, flags, stream, struct.pack("!BI", 0, len(message)) + message)

    def announce(self, stream: int, size: int) -> None:
        """Begin a message of so many bytes, none of which comes yet."""
        self._send(DATA, 0, stream, struct.pack("!BI", 0, size))

    def reset(self, stream: int) -> None:
        """Give a call up."""
        self._send(RESET, 0, stream, struct.pack("!I", CANCEL))

    def ping(self) -> None:
        """Ask for a sign of life, which comes behind all that the server has sent before."""
        self._send(PING, 0, 0, bytes(8))

    async def next(self) -> Frame:
        """The next frame of any kind."""
        async with asyncio.timeout(WAIT_LIMIT_S):
            return await self._read()

    async def until(self, kind: int, *, flags: int = 0, stream: int = 0) -> Frame:
        """The next frame of this kind, with these flags, on this stream."""
        async with asyncio.timeout(WAIT_LIMIT_S):
            while True:
                frame = await self._read()
                if (frame.kind, frame.stream) == (kind, stream) and frame.flags & flags == flags:
                    return frame

    def _send(self, kind: int, flags: int, stream: int, payload: bytes) -> None:
        self._writer.write(frame_of(kind, flags, stream, payload))

    async def _read(self) -> Frame:
        head = await self._reader.readexactly(9)
        kind, flags, stream = struct.unpack("!BBI", head[3:])
        payload = await self._reader.readexactly(int.from_bytes(head[:3]))
        return Frame(kind, flags, stream, payload)


@contextlib.asynccontextmanager
async def raw_peer(
    target: str, window: int = 0, source: str = "127.0.0.1"
) -> AsyncIterator[RawPeer]:
    """A connection from an address, whose streams have room for `window` bytes of messages, and no
    more ever."""
    host, _, port = target.rpartition(":")
    reader, writer = await asyncio.open_connection(host, int(port), local_addr=(source, 0))
    peer = RawPeer(reader, writer)
    writer.write(PREFACE)
    peer._send(SETTINGS, 0, 0, struct.pack("!HI", INITIAL_WINDOW_SIZE, window))
    try:
        yield peer
    finally:
        writer.close()
        with contextlib.suppress(ConnectionError):
            await writer.wait_closed()


def frame_of(kind: int, flags: int, stream: int, payload: bytes) -> bytes:
    """A frame as it goes over the wire."""
    head = struct.pack("!I", len(payload))[1:] + struct.pack("!BBI", kind, flags, stream)
    return head + payload


def _literal(text: str) -> bytes:
    data = text.encode()
    assert len(data) < 127, "longer ones have another form"
    return bytes((len(data),)) + data
