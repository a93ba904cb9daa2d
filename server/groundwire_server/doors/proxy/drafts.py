"""The texts of a reply, each verified while it is written."""

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing

from groundwire import (
    AnswerClaim,
    AnswerReport,
    AsyncClient,
    DraftSettled,
    DraftVerdict,
    Evidence,
    Span,
    VerifyOptions,
)
from groundwire_server.doors.proxy.grounds import Grounds
from groundwire_server.doors.proxy.replies import withheld

KEEP_ALIVE_S = 30.0
"""How often the server hears of a text that does not go on: it gives one up after 120 s."""

LONGEST_S = 3600.0
"""How long a text may take to be written; the server's own limit is lower."""


class Draft:
    """One text. The server reads the evidence while the text is still to come."""

    def __init__(
        self,
        client: AsyncClient,
        asked: Grounds,
        options: VerifyOptions,
        moved: Callable[[], None],
    ) -> None:
        """Begins at once. `moved` is called when more of the text is settled."""
        self.settled = 0
        """How much of the text is verified, in characters."""
        self.characters = 0
        """How much of the text has come."""
        self._claims: dict[int, AnswerClaim] = {}
        self._pieces: asyncio.Queue[str | None] = asyncio.Queue()
        self._moved = moved
        self._verifying = asyncio.create_task(self._verify(client, asked, options))
        # Whoever asks for the report hears of an error; nobody need ask.
        self._verifying.add_done_callback(lambda task: task.cancelled() or task.exception())

    def add(self, text: str) -> None:
        """The next characters."""
        self.characters += len(text)
        self._pieces.put_nowait(text)

    def hidden(self, text: str) -> Sequence[Span]:
        """What of the settled text is not grounded. `text` is all that has come."""
        return withheld(self._claims.values(), text)

    async def report(self) -> AnswerReport:
        """The report on the text, which is whole. Raises what the client raises."""
        self._pieces.put_nowait(None)
        return await self._verifying

    async def close(self) -> None:
        """Give it up."""
        self._verifying.cancel()
        await asyncio.wait((self._verifying,))

    async def _verify(
        self, client: AsyncClient, asked: Grounds, options: VerifyOptions
    ) -> AnswerReport:
        events = client.verify_draft(
            self._text(),
            Evidence.documents(asked.documents),
            question=asked.question,
            turns=asked.turns,
            options=options,
            timeout_s=LONGEST_S,
        )
        async with aclosing(events):
            async for event in events:
                if isinstance(event, AnswerReport):
                    return event
                if isinstance(event, DraftVerdict):
                    self._claims[event.index] = event.claim
                elif isinstance(event, DraftSettled):
                    self.settled = event.characters
                    self._moved()
        raise AssertionError("a draft without an error ends with its report")

    async def _text(self) -> AsyncGenerator[str]:
        while True:
            piece: str | None = ""
            with contextlib.suppress(TimeoutError):
                piece = await asyncio.wait_for(self._pieces.get(), KEEP_ALIVE_S)
            if piece is None:
                return
            yield piece
