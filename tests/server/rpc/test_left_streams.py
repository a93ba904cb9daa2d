"""Streams that their callers leave keep nothing in the memory of the server.

What gRPC itself would keep is found by `tests.soak.test_left_streams`, which leaves many more.
"""

import gc
from collections import Counter

from tests.left_streams import kinds, leave
from tests.scripted import scripted_server
from tests.soak.fuzz.wire_server import ForgetfulEngine

STREAMS = 300
TIMERS = {"Context", "TimerHandle", "hamt", "hamt_bitmap_node", "hamt_array_node"}
"""What the event loop keeps of a timer until its time, whether or not it was called off."""


async def test_of_streams_that_are_left_no_object_stays() -> None:
    async with scripted_server(engine=ForgetfulEngine()) as served:
        opens = kinds(served.channel)

        async def objects_after(streams: int) -> Counter[str]:
            await leave(opens, streams)
            await served.until_idle()
            gc.collect()
            return Counter(type(each).__name__ for each in gc.get_objects())

        await objects_after(STREAMS)
        before = await objects_after(STREAMS)
        more = await objects_after(STREAMS) - before
        # Half of them are read from: one object for each of those of one kind would be twice that.
        most = STREAMS / len(opens) / 2 / 2
        assert {name: count for name, count in more.items() if count > most}.keys() <= TIMERS
