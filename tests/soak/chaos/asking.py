"""Calls by the Python client, each with its outcome in words, as its users make them.

Half of the claims are true by their evidence, and every verdict is compared with that. No call has
more than its time: one that goes on behind it is "ENDLESS".
"""

import asyncio
import random
import time
from collections.abc import Awaitable, Callable, Collection

from groundwire import (
    AnswerReport,
    AsyncClient,
    ClaimInput,
    Client,
    Evidence,
    FeedbackVerdict,
    GroundwireError,
    RpcFailedError,
    Turn,
    TurnRole,
    VerificationState,
    VerificationStatus,
)
from tests.soak.chaos.claims import (
    CALLS,
    CLAIMS,
    Tally,
    answer_of,
    claim,
    judged,
    passage,
    texts_of,
    truth,
)
from tests.soak.chaos.served import WHOLE, most, record

GRACE_S = 5.0
"""How much later than its time a call may end, on a machine with other work."""
CALL_S = 20.0
ACCEPTED = "output accepted"
RECOVERY_S = 45.0
"""The longest that a server may need to be itself again behind an event."""


def evidence_of(town: str) -> Evidence:
    """The evidence of the claims about a town."""
    return Evidence.documents({"S0": passage(town)})


async def _estimates(client: AsyncClient, town: str, timeout_s: float) -> str:
    found = await client.batch_estimate(texts_of(town), passage(town), timeout_s=timeout_s)
    for number, each in enumerate(found):
        if (each.probability or 0.0) > 0.5 and not truth(number):
            return f"WRONG: {claim(town, number)}"
    return "whole"


async def _claims(client: AsyncClient, town: str, timeout_s: float) -> str:
    inputs = [ClaimInput(text, cited_ids=("S0",)) for text in texts_of(town)]
    found = await client.verify_claims(inputs, evidence_of(town), timeout_s=timeout_s)
    return judged((each.content, each.verdict) for each in found)


async def _answer(client: AsyncClient, town: str, timeout_s: float) -> str:
    report = await client.verify_answer(answer_of(town), evidence_of(town), timeout_s=timeout_s)
    return judged((each.content, each.verdict) for each in report.claims)


async def _stream(client: AsyncClient, town: str, timeout_s: float) -> str:
    found: list[tuple[str, str]] = []
    events = client.verify_answer_stream(answer_of(town), evidence_of(town), timeout_s=timeout_s)
    async for event in events:
        if isinstance(event, AnswerReport):
            found = [(each.content, each.verdict) for each in event.claims]
    return judged(found) if found else "WRONG: a stream that ended without its report"


_KINDS = (_estimates, _claims, _answer, _stream)


async def outcome(asked: Awaitable[str], timeout_s: float) -> str:
    """What a call came to: its own outcome, or its status and reason."""
    try:
        async with asyncio.timeout(timeout_s + GRACE_S):
            return await asked
    except TimeoutError:
        return "ENDLESS"
    except RpcFailedError as error:
        return f"{error.code.name} {error.reason or ''}".strip()
    except GroundwireError as error:
        return type(error).__name__


async def ask(
    tally: Tally,
    client: AsyncClient,
    title: str,
    chance: random.Random,
    may: Collection[str] = WHOLE,
    *,
    timeout_s: float = CALL_S,
    calls: int = CALLS,
) -> None:
    """Calls of every kind in any order, each about a town of its own, all at one time."""
    began_s = time.monotonic()

    async def timed(asked: Awaitable[str]) -> str:
        said = await outcome(asked, timeout_s)
        most(tally, "slowest call, s", time.monotonic() - began_s)
        return said

    kinds = chance.choices(_KINDS, k=calls)
    asked = [kind(client, f"{title} {i}", timeout_s) for i, kind in enumerate(kinds)]
    record(tally, await asyncio.gather(*map(timed, asked)), may)


async def ask_blocking(target: str, town: str, timeout_s: float) -> str:
    """The same by the client whose calls block."""

    def asked() -> str:
        with Client(target, timeout_s=timeout_s) as client:
            report = client.verify_answer(answer_of(town), evidence_of(town))
        return judged((each.content, each.verdict) for each in report.claims)

    return await outcome(asyncio.to_thread(asked), timeout_s)


async def answer_once(client: AsyncClient, town: str, timeout_s: float) -> str:
    """What one call on an answer comes to."""
    return await outcome(_answer(client, town, timeout_s), timeout_s)


async def until_whole(tally: Tally, client: AsyncClient, *, timeout_s: float = CALL_S) -> None:
    """Ask until a call is whole again, as it must be behind an event."""
    began_s = time.monotonic()

    def once() -> Awaitable[str]:
        return answer_once(client, "After", timeout_s)

    if await until(tally, once, WHOLE, "a call after it"):
        most(tally, "whole again after, s", time.monotonic() - began_s)


async def until(
    tally: Tally, ask_once: Callable[[], Awaitable[str]], wanted: Collection[str], fault: str
) -> bool:
    """Ask until what is said begins with a word of `wanted`; whether it came to that.

    It is at fault if it does not in RECOVERY_S.
    """
    end_s = time.monotonic() + RECOVERY_S
    while (said := await ask_once()).split()[0] not in wanted:
        if time.monotonic() > end_s:
            tally.faults.append(f"{fault}: {said}")
            return False
        await asyncio.sleep(0.05)
    return True


async def accept(client: AsyncClient, town: str, ids: list[str]) -> str:
    """What becomes of an output: it is accepted, with its id among `ids`, or refused."""

    async def accepted() -> str:
        ids.append(await submit(client, town))
        return ACCEPTED

    return await outcome(accepted(), CALL_S)


async def submit(client: AsyncClient, town: str) -> str:
    """The id of an output that was accepted; raises as the client does."""
    turns = [Turn(TurnRole.USER, f"I was told: {passage(town)}")]
    status = await client.submit_verification(" ".join(texts_of(town)), turns, timeout_s=CALL_S)
    return status.id


async def check_outputs(tally: Tally, client: AsyncClient, ids: Collection[str]) -> None:
    """Every accepted output comes to its end, and to right verdicts. A lost one is at fault."""
    for said in await asyncio.gather(*(_end_of(client, own_id) for own_id in ids)):
        tally.outcomes[f"output {said}"] += 1
        if said != "done":
            tally.faults.append(f"output {said}")


async def _end_of(client: AsyncClient, own_id: str) -> str:
    end_s = time.monotonic() + RECOVERY_S
    said = "not found"
    while time.monotonic() < end_s:
        try:
            status = await client.get_verification(own_id, timeout_s=CALL_S)
        except GroundwireError as error:
            said = f"not found: {error}"
        else:
            said = _in_words(status)
            if status.is_final:
                return said
        await asyncio.sleep(0.1)
    return said


def _in_words(status: VerificationStatus) -> str:
    if status.state is not VerificationState.DONE or status.result is None:
        return f"{status.state} {status.failure_reason or ''}".strip()
    claims = status.result.report.claims
    said = judged((each.content, each.verdict) for each in claims)
    return "done" if said == "whole" and len(claims) == CLAIMS else said


async def feedback(client: AsyncClient, town: str) -> str:
    """What becomes of feedback on a call that is made here."""
    found = await client.verify_claims([claim(town, 0)], evidence_of(town), timeout_s=CALL_S)
    await client.record_feedback(found.detection_id, 0, FeedbackVerdict.GROUNDED, timeout_s=CALL_S)
    return "feedback kept"
