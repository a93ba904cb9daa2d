"""Which address is served with which credentials, and what an operator should know of them.

Plain text leaves the machine only when it is asked for by name.
"""

import ipaddress
import stat
from collections.abc import Iterator, Sequence
from urllib.parse import urlsplit

from groundwire_server.config.access import KnownToken
from groundwire_server.config.addresses import host_and_port
from groundwire_server.config.settings import ServerSettings, secrets_of
from groundwire_server.config.sources import ConfigError, secret_file, without_secrets

SHORT_TOKEN_CHARACTERS = 16
"""A token with fewer may be guessed: of 16 random letters and digits there are 10^28."""


def is_loopback(address: str) -> bool:
    """Whether `host:port` can be reached from this machine only."""
    return address.startswith("unix:") or _is_loopback_host(address.rpartition(":")[0].strip("[]"))


def _is_loopback_host(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def check_bare(setting: str, url: str | None) -> None:
    """Raise ConfigError if an address holds what may be a secret, which is not repeated."""
    if url is not None and without_secrets(url) != url:
        raise ConfigError(
            f"{setting} takes an address without user, query and fragment, since it is logged and "
            "shown"
        )


def channel_options(url: str) -> tuple[tuple[str, int], ...]:
    """What a channel to an address takes: none to this machine goes by a proxy of its variables."""
    is_here = _is_loopback_host(urlsplit(url if "//" in url else f"//{url}").hostname or "")
    return (("grpc.enable_http_proxy", 0),) if is_here else ()


def check_plaintext(settings: ServerSettings, setting: str, address: str) -> None:
    """Raise ConfigError if plain text would leave the machine by the address of a setting.

    Also if it is no address: `127.0.0.1` without a port is loopback, and would not look like it.
    """
    if not address.startswith("unix:"):
        host_and_port(setting, address)
    has_tls = settings.tls_cert_file is not None and settings.tls_key_file is not None
    if has_tls or is_loopback(address) or settings.allow_plaintext:
        return
    raise ConfigError(
        f"{setting}: {address} is not loopback, and without TLS everyone on the network could read "
        "claims and contexts: set tls_cert_file and tls_key_file, or allow_plaintext"
    )


def check_metrics_address(settings: ServerSettings) -> None:
    """Raise ConfigError if the Prometheus page would leave the machine unasked for."""
    address = settings.metrics_listen
    if address:
        host_and_port("metrics_listen", address)
    if address and not is_loopback(address) and not settings.allow_plaintext_metrics:
        raise ConfigError(
            f"metrics_listen: {address} is not loopback, and everyone who reaches it could read "
            "the page, which has no TLS and asks for no token: listen on 127.0.0.1, or set "
            "allow_plaintext_metrics"
        )


def exposures(settings: ServerSettings, tokens: Sequence[KnownToken]) -> Iterator[str]:
    """What is allowed, and yet worth a line in the log at every start. Names no token.

    `tokens` are those that the server accepts.
    """
    for address in filter(None, (settings.listen, settings.http_listen)):
        reached = settings.tls_cert_file is not None or not is_loopback(address)
        if reached and not tokens and settings.tls_client_ca_file is None:
            yield (
                f"everyone who reaches {address} may call, since no token and no client "
                "certificate is asked for: set auth_token_file or tls_client_ca_file"
            )
        if tokens and settings.tls_cert_file is None and not is_loopback(address):
            yield (
                f"tokens come to {address} in plain text, for everyone on the way to read: "
                "set tls_cert_file and tls_key_file, unless a proxy before this server speaks TLS"
            )
    shown = [token for token in tokens if token.text is not None]
    short = sum(len(token.text or "") < SHORT_TOKEN_CHARACTERS for token in shown)
    if short:
        yield (
            f"{short} of {len(tokens)} tokens are shorter than {SHORT_TOKEN_CHARACTERS} "
            "characters and could be guessed: make them with `groundwire token new`"
        )
    in_file = sum(token.place != "auth_token" for token in shown)
    if in_file:
        yield (
            f"auth_token_file: {in_file} of its tokens can be used by whoever reads the file: "
            "replace them by hashed lines, which `groundwire token new` makes"
        )
    yield from _readable_secrets(settings)
    collector = urlsplit(settings.otlp_endpoint or "")
    if collector.scheme == "http" and not _is_loopback_host(collector.hostname or ""):
        yield (
            f"otlp_endpoint: {collector.hostname} gets spans and metrics in plain text: "
            "use https://, unless the network on the way is trusted"
        )


def _readable_secrets(settings: ServerSettings) -> Iterator[str]:
    files = [
        ("auth_token_file", settings.auth_token_file),
        ("tls_key_file", settings.tls_key_file),
        *((setting, secret_file(secret)) for setting, secret in secrets_of(settings)),
    ]
    for setting, path in files:
        if path is not None and path.expanduser().stat().st_mode & stat.S_IROTH:
            yield f"{setting}: every user of this machine can read {path}: `chmod 600` it"
