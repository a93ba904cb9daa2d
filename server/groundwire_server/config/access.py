"""Who may call and how much: the tokens of the settings, and the file of tenants.

A token of the file stands there as its SHA-256, so whoever reads the file cannot call. That is
enough for a token that `groundwire token new` makes: it has 256 random bits, which nobody tries,
and no password's slow hash would make that harder, but each call would wait for it.
"""

import hashlib
import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

from pydantic import Field, ValidationError

from groundwire_server.config.setting_types import Strict
from groundwire_server.config.settings import ServerSettings
from groundwire_server.config.sources import (
    SENDABLE,
    ConfigError,
    first_problem,
    load_yaml,
    read_bytes,
)

OTHER = "other"
"""What all tenants without a name of the file are called in metrics."""
MAX_TENANTS = 200
"""Tenants of a file: each is a value of a label."""

_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,62}")
_HASHED = re.compile(r"sha256:([0-9a-f]{64})(?:\s+(\S+))?")
_Rate = Annotated[float, Field(gt=0.0)]


@dataclass(frozen=True, slots=True)
class KnownToken:
    """A bearer token that is accepted, by its SHA-256. `tenant` is empty for one of its own.

    `place` is where it stands, and `text` the token itself where it stands there as it is.
    """

    place: str
    digest: bytes = field(repr=False)
    tenant: str = ""
    text: str | None = field(default=None, repr=False)


class Quota(Strict):
    """What a tenant may use. Unset: no limit of its own."""

    weight: _Rate = 1.0
    """Its part of what several tenants want at one time, beside their weights."""
    calls_per_s: _Rate | None = None
    """Calls a second, but health checks and reflection."""
    claims_per_s: _Rate | None = None
    """Claims a second that calls bring, or questions."""
    tokens_per_s: _Rate | None = None
    """Tokens a second that a model computes for it."""
    queue_share: Annotated[float, Field(gt=0.0, le=1.0)] | None = None
    """The part of all places, such as those for calls, that it may hold at one time."""


@dataclass(frozen=True, slots=True)
class Quotas:
    """The quotas of tenants by name, and those of each tenant that has none."""

    defaults: Quota = field(default_factory=Quota)
    by_name: Mapping[str, Quota] = field(default_factory=dict)

    def of(self, tenant: str) -> Quota:
        """The quota of a tenant, which may be empty."""
        return self.by_name.get(tenant, self.defaults)

    def label(self, tenant: str) -> str:
        """What a tenant is called in metrics."""
        return tenant if tenant in self.by_name else OTHER


def hashed(token: str) -> bytes:
    return hashlib.sha256(token.encode()).digest()


def new_token(tenant: str) -> tuple[str, str]:
    """A token, and the line for the file. Raises ConfigError for a name that is none."""
    if tenant and not _is_name(tenant):
        raise ConfigError(f"tenant: {tenant!r} is {_BAD_NAME}")
    # Other alphabets have signs that shells and flags take for their own.
    token = secrets.token_hex(32)
    return token, f"sha256:{hashed(token).hex()} {tenant}".strip()


def read_tokens(settings: ServerSettings) -> tuple[KnownToken, ...]:
    """The bearer tokens that the server accepts; empty means that none is asked for.

    Raises ConfigError if the token file cannot be read, holds no token, or one that no client
    could send. The error names the line, never the token.
    """
    found: list[KnownToken] = []
    if settings.auth_token is not None:
        alone = settings.auth_token.get_secret_value().strip()
        found += [_known("auth_token", alone)] if alone else []
    if settings.auth_token_file is not None:
        found += tokens_in(settings.auth_token_file, "auth_token_file")
    if not found and (settings.auth_token is not None or settings.auth_token_file is not None):
        raise ConfigError("auth_token or auth_token_file is set but holds no token")
    tenants: dict[bytes, str] = {}
    for known in found:
        if tenants.setdefault(known.digest, known.tenant) != known.tenant:
            raise ConfigError(
                f"auth_token_file: one token is of {tenants[known.digest] or 'no tenant'} and of "
                f"{known.tenant or 'no tenant'}: leave one of its lines out"
            )
    return tuple(found)


def tokens_in(path: Path, name: str) -> list[KnownToken]:
    """The tokens of a file, one a line, but for comments; `name` is the setting that has it.

    Raises ConfigError, which names the line, never the token.
    """
    try:
        text = read_bytes(path, name).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ConfigError(f"{name}: {path} is not UTF-8 text") from None
    lines = enumerate((line.strip() for line in text.split("\n")), start=1)
    return [
        _known(f"{name}: line {number} of {path}", line)
        for number, line in lines
        if line and not line.startswith("#")
    ]


def read_quotas(settings: ServerSettings) -> Quotas:
    """What tenants may use. Raises ConfigError, which names the key."""
    if settings.tenants_file is None:
        return Quotas()
    path = settings.tenants_file.expanduser()
    try:
        loaded = load_yaml(path)
    except ConfigError as error:
        raise ConfigError(f"tenants_file: {error}") from error
    unknown = sorted(str(key) for key in loaded if key not in ("defaults", "tenants"))
    if unknown:
        raise ConfigError(
            f"tenants_file: {unknown[0]} in {path} is no key; there are defaults and tenants"
        )
    if not loaded:
        raise ConfigError(
            f"tenants_file: {path} holds nothing, which would be no limit for anyone: write "
            "'tenants: {}' if that is meant, or leave tenants_file unset"
        )
    defaults = _quota(loaded.get("defaults"), "defaults", path, {})
    tenants = loaded.get("tenants") or {}
    if not isinstance(tenants, dict):
        raise ConfigError(f"tenants_file: tenants in {path} takes names with their quotas")
    if len(tenants) > MAX_TENANTS:
        raise ConfigError(
            f"tenants_file: {len(tenants)} tenants in {path}; the limit is {MAX_TENANTS}: those "
            "that have the defaults need not be named"
        )
    given = defaults.model_dump(exclude_unset=True)
    by_name = {}
    for name, values in tenants.items():
        if not isinstance(name, str) or not _is_name(name):
            raise ConfigError(f"tenants_file: {name!r} in {path} is {_BAD_NAME}")
        by_name[name] = _quota(values, f"tenants.{name}", path, given)
    return Quotas(defaults, by_name)


_BAD_NAME = (
    "no name of a tenant: 1 to 63 small letters, digits, dots, hyphens and underscores, a letter "
    f"or digit first, and not {OTHER!r}"
)


def _is_name(tenant: str) -> bool:
    return _NAME.fullmatch(tenant) is not None and tenant != OTHER


def _quota(values: object, place: str, path: Path, defaults: Mapping[str, object]) -> Quota:
    if values is not None and not isinstance(values, dict):
        raise ConfigError(f"tenants_file: {place} in {path} takes keys such as 'calls_per_s: 20'")
    try:
        return Quota.model_validate({**defaults, **(values or {})})
    except ValidationError as error:
        inside, words = first_problem(error)
        key = ".".join(filter(None, (place, inside)))
        raise ConfigError(f"tenants_file: {key} in {path}: {words}") from None


def _known(place: str, line: str) -> KnownToken:
    found = _HASHED.fullmatch(line)
    if found is not None:
        tenant = found[2] or ""
        if tenant and not _is_name(tenant):
            raise ConfigError(f"{place}: what stands behind the hash is {_BAD_NAME}")
        return KnownToken(place, bytes.fromhex(found[1]), tenant)
    # Also the beginning of one, which a write that was cut short leaves: as a token it is guessed.
    if line.lower().startswith("sha256") or "sha256:".startswith(line.lower()):
        raise ConfigError(
            f"{place} is no hashed token: write sha256:, its 64 hexadecimal digits and the name "
            "of a tenant, as `groundwire token new` does"
        )
    if not SENDABLE.fullmatch(line):
        raise ConfigError(
            f"{place} is no token that a client could send: write it in letters, digits and "
            "signs of ASCII without blanks, one token a line"
        )
    return KnownToken(place, hashed(line), "", line)
