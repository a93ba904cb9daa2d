"""What tests of metrics share: the Prometheus page of a server, and sums on it."""

import asyncio
import re

from tests.scripted import Scripted


async def page_of(served: Scripted) -> str:
    """The page, for a server with `metrics_listen`."""
    reader, writer = await asyncio.open_connection("127.0.0.1", served.running.metrics_port)
    writer.write(b"GET /metrics HTTP/1.0\r\n\r\n")
    text = (await reader.read()).decode()
    writer.close()
    await writer.wait_closed()
    return text.partition("\r\n\r\n")[2]


async def total(served: Scripted, name: str, **labels: str) -> float:
    """The sum of a metric over all that has these labels."""
    found = re.findall(rf"^{name}\{{(.*)\}} (\S+)$", await page_of(served), re.MULTILINE)
    wanted = [f'{label}="{value}"' for label, value in labels.items()]
    return sum(
        float(value) for with_labels, value in found if all(w in with_labels for w in wanted)
    )
