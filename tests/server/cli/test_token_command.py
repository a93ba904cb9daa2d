"""`groundwire token new`: what it prints, and what it writes."""

import stat
from pathlib import Path

import pytest

from groundwire_server.cli.main import main
from groundwire_server.config.access import hashed, read_tokens
from groundwire_server.config.settings import ServerSettings
from groundwire_server.exit_codes import EXIT_CONFIG, EXIT_OK


def test_it_prints_a_token_and_the_line_that_lets_it_in(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["token", "new", "--tenant", "acme"]) == EXIT_OK
    token, line = (text.partition(": ")[2].strip() for text in capsys.readouterr().out.splitlines())
    path = tmp_path / "tokens"
    path.write_text(line)
    (known,) = read_tokens(ServerSettings(auth_token_file=path))
    assert (known.digest, known.tenant) == (hashed(token), "acme")


@pytest.mark.parametrize("before", [None, "", "first\n", "first"])
def test_it_adds_the_line_to_a_file_and_prints_the_token_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], before: str | None
) -> None:
    path = tmp_path / "tokens"
    if before is not None:
        path.write_text(before)
    assert main(["token", "new", "--tenant", "acme", "--append", str(path)]) == EXIT_OK
    token = capsys.readouterr().out.strip()
    *kept, added = read_tokens(ServerSettings(auth_token_file=path))
    assert [known.text for known in kept] == (["first"] if before else [])
    assert (added.digest, added.tenant) == (hashed(token), "acme")


def test_a_file_that_it_makes_is_its_owners_alone(tmp_path: Path) -> None:
    path = tmp_path / "tokens"
    assert main(["token", "new", "--append", str(path)]) == EXIT_OK
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--tenant", "Acme"], "tenant: 'Acme' is no name of a tenant"),
        (["--append", "/nowhere/tokens"], "--append: /nowhere/tokens cannot be written"),
    ],
)
def test_what_it_cannot_do_it_says(
    capsys: pytest.CaptureFixture[str], arguments: list[str], words: str
) -> None:
    assert main(["token", "new", *arguments]) == EXIT_CONFIG
    assert words in capsys.readouterr().err
