"""How a request goes through the server: floors it changes, and tasks it starts."""

from collections.abc import Awaitable, Callable

import pytest

from tests.hops import Way, answer_way, batch_way, facts_way

SERVER, VERIFIER = "groundwire_server", "groundwire_verifier"
WAYS = {
    "BatchEstimate": (batch_way, 1),
    "VerifyAnswer": (answer_way, 4),
    "CheckFacts": (facts_way, 4),
}
"""Each with the number of its prompts."""


@pytest.mark.parametrize(("way_of", "prompts"), WAYS.values(), ids=WAYS)
async def test_a_request_goes_down_once_and_comes_up_once(
    way_of: Callable[[], Awaitable[Way]], prompts: int
) -> None:
    way = await way_of()
    # What the verifier asks of the server, such as places, asks the verifier nothing.
    assert (SERVER, VERIFIER) in way.floors
    assert all(len(floors) <= 2 for floors in way.floors), way.floors


@pytest.mark.parametrize(("way_of", "prompts"), WAYS.values(), ids=WAYS)
async def test_a_request_starts_at_most_two_tasks_a_prompt(
    way_of: Callable[[], Awaitable[Way]], prompts: int
) -> None:
    way = await way_of()
    assert prompts <= way.tasks.total() <= 2 * prompts, way.tasks
