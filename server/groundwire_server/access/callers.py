"""Who calls, by bearer token, and which callers share what was computed before.

What is remembered, from tokenised contexts to prefixes and readings, makes the next answer faster
and says so: `source`, `cached_tokens` and the time would tell one caller what another has asked. So
it is kept under a salt of the caller's tenant, or of its token where that names none.
"""

import hashlib
import secrets
from collections.abc import Iterable
from contextvars import ContextVar
from dataclasses import dataclass, field

from groundwire_server.config.settings import ServerSettings

SALT_BYTES = 16
_OWNERS = b"groundwire owners"
_TENANT = b"tenant"
"""Keeps the digest of a tenant's name from ever being that of a token."""

Metadata = Iterable[tuple[str, str | bytes]]


def bearer_token(metadata: Metadata | None) -> str | None:
    """The token that a call carries; None without one."""
    value = dict(metadata or ()).get("authorization", "")
    scheme, _, token = (value if isinstance(value, str) else "").partition(" ")
    return token.strip() if scheme.lower() == "bearer" else None


@dataclass(frozen=True, slots=True)
class Caller:
    """Who calls: a tenant, of whatever token, or whoever has one token that names none.

    Where no tokens are asked for, both are empty and all callers are one.
    """

    tenant: str = ""
    token: str = field(default="", repr=False)

    @property
    def owner(self) -> str:
        """Whose work a call submits: the same on every server and after every start."""
        return self.digest(_OWNERS)

    def digest(self, key: bytes) -> str:
        """Tells callers apart, and no token by it; empty where all are one."""
        if self.tenant:
            return hashlib.blake2b(
                self.tenant.encode(), key=key, person=_TENANT, digest_size=SALT_BYTES
            ).hexdigest()
        if self.token:
            return hashlib.blake2b(self.token.encode(), key=key, digest_size=SALT_BYTES).hexdigest()
        return ""


_ANYONE = Caller()
CALLER: ContextVar[Caller] = ContextVar("caller", default=_ANYONE)
"""Who makes the call that is being served, as it was when the call was let in. The default is
whoever calls where no token is asked for."""


@dataclass(frozen=True, slots=True)
class CacheScope:
    """Tells callers apart by digests with `key`; None: all are one."""

    key: bytes | None = None

    @classmethod
    def of(
        cls, settings: ServerSettings, shared_key: bytes | None, *, tokens: bool
    ) -> "CacheScope":
        """What the settings ask for, where `tokens` are asked for or not.

        Servers with one `shared_key` give a caller one salt, so that it finds on each what it
        computed on another. Without one the salts are those of this process.
        """
        if settings.cache_scope == "server" or not tokens:
            return cls()
        return cls(shared_key or secrets.token_bytes(hashlib.blake2b.MAX_KEY_SIZE))

    def salt(self) -> str:
        """The salt of the call that is being served, from which no token can be told."""
        return "" if self.key is None else CALLER.get().digest(self.key)
