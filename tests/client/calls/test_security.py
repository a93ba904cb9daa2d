"""Where plaintext may go, and TLS with certificates made for the test."""

import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import grpc
import pytest

from groundwire import TLS, AsyncClient, Client, ConfigurationError, UnavailableError
from tests.client.scripted import AnyClient, ScriptedServer, settle

Connect = Callable[..., AnyClient]
BEARER = "letters+digits=1"

LOCAL = [
    "localhost",
    "localhost:50051",
    "127.0.0.1:50051",
    "127.8.9.10:50051",
    "[::1]:50051",
    "[::1]",
    "dns:localhost:50051",
    "dns:///127.0.0.1:50051",
    "ipv4:127.0.0.1:50051,127.0.0.2:50051",
    "ipv6:[::1]:50051",
    "unix:/run/groundwire.sock",
    "unix-abstract:groundwire",
]
REMOTE = [
    "groundwire.example:50051",
    "10.0.0.7:50051",
    "0.0.0.0:50051",
    "[2001:db8::1]:50051",
    "localhost.example:50051",
    "127.0.0.1.example:50051",
    "localhost:50051@groundwire.example",
    "dns://10.0.0.7/localhost:50051",
    "dns:///groundwire.example",
    "ipv4:127.0.0.1:50051,10.0.0.7:50051",
    "xds:///localhost",
    "unix",
    "",
]


@pytest.mark.parametrize("target", LOCAL)
async def test_plaintext_may_stay_on_this_machine(connect: Connect, target: str) -> None:
    connect(target)


@pytest.mark.parametrize("target", REMOTE)
def test_plaintext_may_not_leave_this_machine(client_class: type[AnyClient], target: str) -> None:
    with pytest.raises(ConfigurationError, match="pass tls=TLS"):
        client_class(target)


def test_a_token_does_not_change_where_plaintext_may_go(client_class: type[AnyClient]) -> None:
    with pytest.raises(ConfigurationError, match="allow_plaintext"):
        client_class("10.0.0.7:50051", token=BEARER)


async def test_plaintext_goes_anywhere_when_it_is_allowed(connect: Connect) -> None:
    connect("10.0.0.7:50051", token=BEARER, allow_plaintext=True)


@pytest.mark.parametrize("token", ["", "two words", "line\nbreak", "caf\u00e9"])
def test_a_token_that_cannot_be_sent_is_refused(client_class: type[AnyClient], token: str) -> None:
    with pytest.raises(ConfigurationError, match="token must be visible ASCII") as caught:
        client_class(token=token)
    assert not token or token not in str(caught.value)


@pytest.mark.parametrize("max_message_bytes", [0, -1, 2**31])
def test_the_message_limit_must_be_a_useful_size(
    client_class: type[AnyClient], max_message_bytes: int
) -> None:
    with pytest.raises(ConfigurationError, match="max_message_bytes"):
        client_class(max_message_bytes=max_message_bytes)


def test_a_missing_certificate_file_is_named(client_class: type[AnyClient], tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"missing\.pem"):
        client_class(tls=TLS(ca_file=tmp_path / "missing.pem"))


@pytest.mark.parametrize("tls", [TLS(cert_file="cert.pem"), TLS(key_file="key.pem")])
def test_a_client_certificate_needs_its_key(client_class: type[AnyClient], tls: TLS) -> None:
    with pytest.raises(ConfigurationError, match="together"):
        client_class(tls=tls)


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A self-signed certificate for 127.0.0.1, and its key."""
    folder = tmp_path_factory.mktemp("tls")
    cert_file, key_file = folder / "cert.pem", folder / "key.pem"
    request = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2"
    subject = ["-subj", "/CN=groundwire-test", "-addext", "subjectAltName=IP:127.0.0.1"]
    files = ["-keyout", str(key_file), "-out", str(cert_file)]
    subprocess.run([*request.split(), *subject, *files], check=True, capture_output=True)
    return cert_file, key_file


@pytest.fixture(params=[False, True], ids=["tls", "mutual-tls"])
def mutual(request: pytest.FixtureRequest) -> bool:
    """Whether the server asks for a client certificate."""
    return bool(request.param)


@pytest.fixture
def tls_server(certificate: tuple[Path, Path], mutual: bool) -> Iterator[ScriptedServer]:
    """A scripted server with that certificate, which it trusts in clients too."""
    cert, key = (file.read_bytes() for file in certificate)
    credentials = grpc.ssl_server_credentials(
        [(key, cert)], root_certificates=cert if mutual else None, require_client_auth=mutual
    )
    server = ScriptedServer(credentials)
    yield server
    server.stop()


async def test_tls_carries_the_token(
    connect: Connect, tls_server: ScriptedServer, certificate: tuple[Path, Path], mutual: bool
) -> None:
    cert_file, key_file = certificate
    tls = TLS(cert_file, cert_file, key_file) if mutual else TLS(ca_file=str(cert_file))
    client = connect(tls_server.target, tls=tls, token=BEARER)

    result = await settle(client.estimate("0.5"))

    assert result.probability == 0.5
    assert tls_server.received[0].metadata["authorization"] == f"Bearer {BEARER}"


@pytest.mark.parametrize("mutual", [False], indirect=True)
async def test_a_certificate_of_a_stranger_is_refused(
    connect: Connect, tls_server: ScriptedServer
) -> None:
    client = connect(tls_server.target, tls=TLS(), token=BEARER)

    with pytest.raises(UnavailableError):
        await settle(client.estimate("0.5"))
    assert tls_server.received == []


@pytest.mark.parametrize("kind", [Client, AsyncClient])
def test_the_token_is_not_shown_by_the_client(kind: type[AnyClient]) -> None:
    client = kind(token=BEARER)

    assert BEARER not in repr(vars(client))
