"""Which addresses stay on the machine, and what is refused on the others."""

from pathlib import Path

import pytest

from groundwire_server.config.access import KnownToken, hashed, new_token, read_tokens
from groundwire_server.config.credentials import (
    channel_options,
    check_metrics_address,
    check_plaintext,
    exposures,
    is_loopback,
)
from groundwire_server.config.settings import ServerSettings
from groundwire_server.config.sources import ConfigError


@pytest.mark.parametrize(
    "address",
    ["127.0.0.1:50051", "127.9.9.9:1", "localhost:50051", "[::1]:50051", "unix:/run/x.sock"],
)
def test_loopback_stays_on_the_machine(address: str) -> None:
    assert is_loopback(address)


@pytest.mark.parametrize(
    "address",
    [
        "0.0.0.0:50051",
        "[::]:50051",
        "10.0.0.7:50051",
        "192.168.1.1:50051",
        "groundwire.example:50051",
        "localhost.example:50051",
        "127.0.0.1.example:50051",
        ":50051",
        "",
    ],
)
def test_everything_else_does_not(address: str) -> None:
    assert not is_loopback(address)


@pytest.mark.parametrize(
    ("address", "is_here"),
    [
        ("http://127.0.0.1:4317", True),
        ("http://LOCALHOST:4317", True),
        ("http://[::1]:4317", True),
        ("127.0.0.1:50051", True),
        ("https://collector.example:4317", False),
        ("http://localhost.example:4317", False),
    ],
)
def test_nothing_to_this_machine_goes_by_a_proxy(address: str, is_here: bool) -> None:
    assert (("grpc.enable_http_proxy", 0) in channel_options(address)) is is_here


def test_plain_text_off_the_machine_is_refused_with_the_ways_out() -> None:
    with pytest.raises(ConfigError, match=r"listen: 0\.0\.0\.0:50051 .*tls_cert_file") as caught:
        check_plaintext(ServerSettings(), "listen", "0.0.0.0:50051")
    assert "allow_plaintext" in str(caught.value)


def test_plain_text_off_the_machine_can_be_asked_for() -> None:
    check_plaintext(ServerSettings(allow_plaintext=True), "listen", "0.0.0.0:50051")


LONG = "violet-anvil-7-and-more"
EVERYWHERE = "0.0.0.0:50051"


@pytest.fixture
def tls(tmp_path: Path) -> dict[str, object]:
    """Settings that turn TLS on, with a key that its owner alone can read."""
    for name in ("cert", "key"):
        (tmp_path / name).touch(mode=0o600)
    return {"tls_cert_file": tmp_path / "cert", "tls_key_file": tmp_path / "key"}


def told(*tokens: str, **changes: object) -> list[str]:
    known = [KnownToken("auth_token", hashed(token), text=token) for token in tokens]
    return list(exposures(ServerSettings.model_validate(changes), known))


def test_the_defaults_expose_nothing() -> None:
    check_metrics_address(ServerSettings())
    assert told() == []


@pytest.mark.parametrize("address", ["0.0.0.0:9464", "[::]:9464", "10.0.0.7:9464", ":9464"])
def test_the_metrics_page_leaves_the_machine_by_name_only(address: str) -> None:
    with pytest.raises(ConfigError, match=r"metrics_listen: .* is not loopback") as caught:
        check_metrics_address(ServerSettings(metrics_listen=address, allow_plaintext=True))
    assert "allow_plaintext_metrics" in str(caught.value)
    check_metrics_address(ServerSettings(metrics_listen=address, allow_plaintext_metrics=True))


@pytest.mark.parametrize("address", ["", "127.0.0.1:0", "localhost:9464", "[::1]:9464"])
def test_the_metrics_page_may_stay_on_the_machine(address: str) -> None:
    check_metrics_address(ServerSettings(metrics_listen=address))


def test_tls_that_asks_nobody_who_he_is_is_told(tls: dict[str, object]) -> None:
    (line,) = told(listen=EVERYWHERE, **tls)
    assert line.startswith(f"everyone who reaches {EVERYWHERE} may call")


def test_plain_text_that_asks_nobody_who_he_is_is_told() -> None:
    (line,) = told(listen=EVERYWHERE, allow_plaintext=True)
    assert line.startswith(f"everyone who reaches {EVERYWHERE} may call")


def test_a_token_or_a_client_certificate_is_enough_over_tls(tls: dict[str, object]) -> None:
    assert told(LONG, listen=EVERYWHERE, **tls) == []
    assert told(listen=EVERYWHERE, tls_client_ca_file="ca.pem", **tls) == []


def test_a_token_in_plain_text_is_told() -> None:
    (line,) = told(LONG, listen=EVERYWHERE, allow_plaintext=True)
    assert "in plain text" in line


def test_short_tokens_are_counted_and_not_shown() -> None:
    (line,) = told("violet-anvil-7", LONG)
    assert line.startswith("1 of 2 tokens are shorter than 16 characters")
    assert "violet" not in line


def test_tokens_that_stand_in_their_file_as_they_are_are_told(tmp_path: Path) -> None:
    path = tmp_path / "tokens"
    path.write_text(f"{LONG}\n{new_token('acme')[1]}\n")
    path.chmod(0o600)
    settings = ServerSettings(auth_token_file=path)
    (line,) = exposures(settings, read_tokens(settings))
    assert line.startswith("auth_token_file: 1 of its tokens can be used by whoever reads the file")
    assert "`groundwire token new`" in line
    assert LONG not in line


@pytest.mark.parametrize("setting", ["tls_key_file", "auth_token_file", "result_cache_key"])
def test_a_secret_that_every_user_can_read_is_told(
    tls: dict[str, object], tmp_path: Path, setting: str
) -> None:
    file = tmp_path / "key"
    prefix = "" if setting.endswith("_file") else "file:"
    settings = {**tls, "auth_token_file": file, setting: f"{prefix}{tmp_path / 'open'}"}
    (tmp_path / "open").touch()
    (tmp_path / "open").chmod(0o640)
    assert told(LONG, **settings) == []
    (tmp_path / "open").chmod(0o644)
    (line,) = told(LONG, **settings)
    assert line.startswith(f"{setting}: every user of this machine can read")


@pytest.mark.parametrize("endpoint", ["http://collector:4317", "http://user:secret@10.0.0.7:4317"])
def test_a_collector_off_the_machine_in_plain_text_is_told(endpoint: str) -> None:
    (line,) = told(otlp_endpoint=endpoint)
    assert "plain text" in line
    assert "secret" not in line


@pytest.mark.parametrize(
    "endpoint", ["http://127.0.0.1:4317", "http://localhost", "https://collector:4317"]
)
def test_a_collector_on_the_machine_or_over_tls_is_not(endpoint: str) -> None:
    assert told(otlp_endpoint=endpoint) == []
