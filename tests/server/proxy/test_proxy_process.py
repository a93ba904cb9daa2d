"""`groundwire proxy` as an operator starts and stops it."""

import asyncio
import re
import signal
import sys
from pathlib import Path

import httpx

from tests.scripted import WAIT_LIMIT_S, Scripted
from tests.scripted_services.chat import DONE, Said, pieces, scripted_chat
from tests.server.proxy.proxied import RAG, TOWER, report_of

REPOSITORY = Path(__file__).parents[3]


async def test_the_command_serves_until_it_is_told_to_stop_and_lets_replies_end(
    served: Scripted,
) -> None:
    async with scripted_chat() as chat:
        command = (
            sys.executable, "-m", "groundwire_server.cli.main", "proxy", "--upstream", chat.url,
            "--listen", "127.0.0.1:0", "--target", served.running.target,
        )  # fmt: skip
        process = await asyncio.create_subprocess_exec(
            *command, cwd=REPOSITORY, stderr=asyncio.subprocess.PIPE
        )
        assert process.stderr is not None
        try:
            async with asyncio.timeout(60):
                line = (await process.stderr.readline()).decode()
            found = re.search(r"(http://127\.0\.0\.1:\d+/v1) stands before (\S+)", line)
            assert found is not None, line
            assert found[2] in chat.url
            chat.said = Said(pieces(TOWER))
            chat.hold()
            async with httpx.AsyncClient(timeout=WAIT_LIMIT_S) as http:
                body = {"stream": True, "messages": [RAG]}
                url = f"{found[1]}/chat/completions"
                async with http.stream("POST", url, json=body) as response:
                    parts = response.aiter_bytes()
                    first = await anext(parts)
                    process.send_signal(signal.SIGTERM)
                    chat.release()
                    rest = b"".join([part async for part in parts])
            assert report_of(first + rest)["status"] == "GROUNDED"
            assert rest.endswith(DONE)
            assert await asyncio.wait_for(process.wait(), WAIT_LIMIT_S) == 0
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()
