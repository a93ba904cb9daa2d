"""Who calls, by bearer token, and which callers share what was computed before.

What is remembered, from tokenised contexts to prefixes and readings, makes the next answer faster
and says so: `source`, `cached_tokens` and the time would tell one caller what another has asked.
So it is kept under a salt of the caller's token. Knows metadata. Does not know what is remembered.
"""

import hashlib
import hmac
import secrets
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from groundwire_server.config.settings import ServerSettings

SALT_BYTES = 16

Metadata = Iterable[tuple[str, str | bytes]]


def bearer_token(metadata: Metadata | None) -> str | None:
    """The token that a call carries; None without one."""
    value = dict(metadata or ()).get("authorization", "")
    scheme, _, token = (value if isinstance(value, str) else "").partition(" ")
    return token.strip() if scheme.lower() == "bearer" else None


class KnownTokens:
    """The bearer tokens that calls are let in with."""

    def __init__(self, tokens: Sequence[str]) -> None:
        """Keep the tokens' digests: equal in length, so a comparison leaks nothing."""
        self._digests = [hashlib.sha256(token.encode()).digest() for token in tokens]

    def know(self, metadata: Metadata | None) -> bool:
        """Whether a call may come in."""
        token = bearer_token(metadata)
        digest = hashlib.sha256((token or "").encode()).digest()
        # Every digest is compared, so the time tells nothing of which one matched.
        matches = [hmac.compare_digest(digest, known) for known in self._digests]
        return token is not None and any(matches)


_OWNERS = b"groundwire owners"


def owner_of(metadata: Metadata | None, *, tokens: bool) -> str:
    """Whose work a call submits: the same for one token on every server and after every start.

    Where no `tokens` are asked for, all callers are one.
    """
    token = bearer_token(metadata) if tokens else None
    if token is None:
        return ""
    return hashlib.blake2b(token.encode(), key=_OWNERS, digest_size=SALT_BYTES).hexdigest()


@dataclass(frozen=True, slots=True)
class CacheScope:
    """Tells callers apart by digests of their tokens with `key`; None: all are one."""

    key: bytes | None = None

    @classmethod
    def of(
        cls, settings: ServerSettings, tokens: Sequence[str], shared_key: bytes | None
    ) -> "CacheScope":
        """What the settings ask for.

        Servers with one `shared_key` give a token one salt, so that it finds on each what it
        computed on another. Without one the salts are those of this process.
        """
        if settings.cache_scope == "server" or not tokens:
            return cls()
        return cls(shared_key or secrets.token_bytes(hashlib.blake2b.MAX_KEY_SIZE))

    def salt(self, metadata: Metadata | None) -> str:
        """The salt of a call that was let in, from which no token can be told."""
        token = bearer_token(metadata)
        if self.key is None or token is None:
            return ""
        return hashlib.blake2b(token.encode(), key=self.key, digest_size=SALT_BYTES).hexdigest()
