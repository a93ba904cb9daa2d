"""How far a request goes in the code: a hop more is a place more to look for a fault."""

from tests.hops import answer_way, batch_way


async def test_a_batch_estimate_goes_a_short_way() -> None:
    way = await batch_way()
    assert way.hops <= 54, way.steps
    assert way.files <= 23


async def test_a_verified_answer_goes_a_short_way() -> None:
    way = await answer_way()
    # Two or three of them depend on the moment: what was foreseen is recorded once the engine's
    # speed is known, and the call before this one may be recorded while this one runs.
    assert way.hops <= 186, way.steps
    assert way.files <= 51
