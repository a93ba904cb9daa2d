"""Whether a tenant can learn by what is cached what another has asked.

The time of a call on one engine follows the tokens that are computed for it, which are counted
here: a clock would tell the same with noise.
"""

from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.scripted import scripted_server
from tests.scripted_services.tenants import CachingEngine, make_tokens

SECRET = "The merger is signed on Friday. " * 20
OTHER_TEXT = "It rains in the hills on Monday. " * 20
GUESS = "The merger is signed on Friday."


@dataclass(frozen=True)
class Seen:
    """What whoever calls can see of one answer, and by its time."""

    source: int
    cached_tokens: int
    computed_tokens: tuple[int, ...]


async def probed(
    folder: Path, others_context: str, prober: str = "zeta", scope: str = "token"
) -> Seen:
    """What a guess shows on a server where the tenant acme has asked about a context before."""
    tokens = folder / "tokens"
    acme, *_, probes = make_tokens(tokens, "acme", prober)
    engine = CachingEngine()
    async with scripted_server(
        engine=engine, auth_token_file=tokens, result_cache_entries=100, cache_scope=scope
    ) as served:
        await served.batch(GUESS, context=others_context, token=acme)
        engine.computed.clear()
        answer = await served.batch(GUESS, context=SECRET, token=probes)
    (estimate,) = answer.estimates
    return Seen(estimate.source, answer.usage.cached_tokens, tuple(engine.computed))


async def test_a_guess_of_what_another_tenant_asked_shows_what_a_wrong_guess_shows(
    tmp_path: Path,
) -> None:
    right = await probed(tmp_path, SECRET)
    wrong = await probed(tmp_path, OTHER_TEXT)
    assert right == wrong
    assert right.cached_tokens == 0
    assert sum(right.computed_tokens) > len(SECRET)


@pytest.mark.parametrize(
    ("prober", "scope"), [("acme", "token"), ("zeta", "server")], ids=["own tenant", "all one"]
)
async def test_where_caches_are_shared_the_same_guess_shows_it(
    tmp_path: Path, prober: str, scope: str
) -> None:
    """What the test above would find if caches were not kept apart."""
    right = await probed(tmp_path, SECRET, prober, scope)
    wrong = await probed(tmp_path, OTHER_TEXT, prober, scope)
    assert right.source != wrong.source
    assert sum(right.computed_tokens) < sum(wrong.computed_tokens)


async def test_a_part_of_a_context_of_another_tenant_is_computed_anew(tmp_path: Path) -> None:
    tokens = tmp_path / "tokens"
    acme, own, zeta = make_tokens(tokens, "acme", "acme", "zeta")
    engine = CachingEngine()
    async with scripted_server(engine=engine, auth_token_file=tokens) as served:
        await served.batch("first", context=SECRET, token=acme)
        cached = [
            (await served.batch("second", context=SECRET, token=token)).usage.cached_tokens
            for token in (zeta, own)
        ]
    assert cached[0] == 0
    assert cached[1] > len(SECRET) - engine.block_tokens
