"""Which addresses stay on the machine, and what is refused on the others."""

from pathlib import Path

import pytest

from server.config import ConfigError
from server.credentials import is_loopback, server_credentials
from server.settings import ServerSettings


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


def test_loopback_is_served_in_plain_text() -> None:
    assert server_credentials(ServerSettings(listen="127.0.0.1:0")) is None


def test_plain_text_off_the_machine_is_refused_with_the_ways_out() -> None:
    with pytest.raises(ConfigError, match=r"listen: 0\.0\.0\.0:50051 .*tls_cert_file") as caught:
        server_credentials(ServerSettings(listen="0.0.0.0:50051"))
    assert "allow_plaintext" in str(caught.value)


def test_plain_text_off_the_machine_can_be_asked_for() -> None:
    settings = ServerSettings(listen="0.0.0.0:50051", allow_plaintext=True)
    assert server_credentials(settings) is None


@pytest.mark.parametrize("missing", ["tls_cert_file", "tls_key_file", "tls_client_ca_file"])
def test_a_file_that_cannot_be_read_is_named_with_its_setting(tmp_path: Path, missing: str) -> None:
    names = ("tls_cert_file", "tls_key_file", "tls_client_ca_file")
    files = {name: tmp_path / name for name in names}
    for name, path in files.items():
        if name != missing:
            path.write_text("-----BEGIN CERTIFICATE-----")
    with pytest.raises(ConfigError, match=rf"{missing}: .* cannot be read: No such file"):
        server_credentials(ServerSettings.model_validate(files))
