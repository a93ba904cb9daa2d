"""A proxy that forgets its connections, as a router does that loses its table."""

import asyncio
import contextlib
from collections.abc import AsyncIterator

CHUNK = 1 << 16


class Forgetful:
    """The bytes of connections that it has forgotten go nowhere, and neither end is told. New
    connections are as ever."""

    def __init__(self, target: str) -> None:
        host, _, port = target.rpartition(":")
        self._host, self._port = host, int(port)
        self._ways: set[asyncio.Task[None]] = set()
        self._writers: list[asyncio.StreamWriter] = []
        self._age = 0
        self.address = ""

    def forget(self) -> None:
        """From now on the connections that there are lead nowhere."""
        self._age += 1

    @contextlib.asynccontextmanager
    async def running(self) -> AsyncIterator["Forgetful"]:
        """It runs meanwhile."""
        server = await asyncio.start_server(self._connected, "127.0.0.1", 0)
        self.address = f"127.0.0.1:{server.sockets[0].getsockname()[1]}"
        try:
            yield self
        finally:
            server.close()
            for way in self._ways:
                way.cancel()
            await asyncio.gather(*self._ways, return_exceptions=True)
            for writer in self._writers:
                writer.close()
                with contextlib.suppress(ConnectionError):
                    await writer.wait_closed()

    async def _connected(
        self, client: asyncio.StreamReader, to_client: asyncio.StreamWriter
    ) -> None:
        server, to_server = await asyncio.open_connection(self._host, self._port)
        self._writers += [to_client, to_server]
        for reader, writer in ((client, to_server), (server, to_client)):
            way = asyncio.create_task(self._forward(reader, writer, self._age))
            self._ways.add(way)
            way.add_done_callback(self._ways.discard)

    async def _forward(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, age: int
    ) -> None:
        with contextlib.suppress(ConnectionError):
            while data := await reader.read(CHUNK):
                if age == self._age:
                    writer.write(data)
                    await writer.drain()
        if age == self._age:
            writer.close()
