"""Two tokens on the real engine: what its caches tell one of what the other asked."""

from pathlib import Path

import pytest

from groundwire import BatchResult, Client, Source
from tests.serving import serving

ONE, ANOTHER = "violet-anvil-7", "amber-kettle-3"
CONTEXT = "The lighthouse on Cape Arden was finished in 1871 and is 42 metres high. " * 8
CLAIM, NEXT_CLAIM = "The lighthouse is 42 metres high.", "The lighthouse was built in 1871."


@pytest.mark.parametrize("scope", ["token", "server"])
def test_who_shares_prefixes_and_readings(tmp_path: Path, scope: str) -> None:
    tokens = tmp_path / "tokens"
    tokens.write_text(f"{ONE}\n{ANOTHER}\n")
    flags = ("--auth-token-file", str(tokens), "--cache-scope", scope, "--kv-memory-gib", "0.5")
    with serving(*flags, token=ONE) as served:

        def ask(token: str, claim: str) -> BatchResult:
            with Client(served.target, token=token, timeout_s=120) as client:
                return client.batch_estimate([claim], CONTEXT)

        first, own = ask(ONE, CLAIM), ask(ONE, NEXT_CLAIM)
        assert first.usage.cached_tokens == 0
        assert own.usage.cached_tokens > 0, "a token shares prefixes with itself"
        other, other_next = ask(ANOTHER, CLAIM), ask(ANOTHER, NEXT_CLAIM)
    if scope == "server":
        assert [r.estimates[0].source for r in (other, other_next)] == [Source.CACHE] * 2
    else:
        assert [r.estimates[0].source for r in (other, other_next)] == [Source.MODEL] * 2
        assert other.usage.cached_tokens == 0
        assert other_next.usage.cached_tokens == own.usage.cached_tokens
        # Another salt, another way through the cache, and the same answer.
        assert other.estimates[0].probability == pytest.approx(
            first.estimates[0].probability, abs=0.01
        )
