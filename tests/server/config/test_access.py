"""Who may call and how much: what the token file and the file of tenants may hold."""

import re
from pathlib import Path

import pytest
from pydantic import SecretStr

from groundwire_server.config.access import (
    MAX_TENANTS,
    OTHER,
    Quota,
    hashed,
    new_token,
    read_quotas,
    read_tokens,
)
from groundwire_server.config.settings import ServerSettings
from groundwire_server.config.sources import ConfigError

BEARER = "violet-anvil-7"
PAGE = Path(__file__).resolve().parents[3] / "docs" / "tenants.md"


def texts(settings: ServerSettings) -> tuple[str | None, ...]:
    return tuple(known.text for known in read_tokens(settings))


def token_file(folder: Path, *lines: str) -> ServerSettings:
    path = folder / "tokens"
    path.write_text("\n".join(lines))
    return ServerSettings(auth_token_file=path)


def tenants_file(folder: Path, text: str) -> ServerSettings:
    path = folder / "tenants.yaml"
    path.write_text(text)
    return ServerSettings(tenants_file=path)


def test_without_a_token_none_is_asked_for() -> None:
    assert read_tokens(ServerSettings()) == ()


def test_tokens_come_from_the_setting_and_from_the_lines_of_a_file(tmp_path: Path) -> None:
    path = tmp_path / "tokens"
    path.write_text("first\n\n  second  \r\nthird")
    settings = ServerSettings(auth_token=SecretStr(BEARER), auth_token_file=path)
    assert texts(settings) == (BEARER, "first", "second", "third")


def test_comments_in_a_token_file_are_no_tokens(tmp_path: Path) -> None:
    path = tmp_path / "tokens"
    path.write_text("\ufeff# for the web shop\nfirst\n  #second\n#third", encoding="utf-8")
    assert texts(ServerSettings(auth_token_file=path)) == ("first",)


@pytest.mark.parametrize("line", ["two words", "first # of all", "caf\u00e9", "a\x00b", "a\tb"])
def test_a_token_that_cannot_be_sent_is_named_by_its_line(tmp_path: Path, line: str) -> None:
    path = tmp_path / "tokens"
    path.write_text(f"# tokens\nfirst\n{line}\n", encoding="utf-8")
    with pytest.raises(ConfigError, match=f"auth_token_file: line 3 of {path} ") as caught:
        read_tokens(ServerSettings(auth_token_file=path))
    assert line not in str(caught.value)
    with pytest.raises(ConfigError, match="auth_token is no token"):
        read_tokens(ServerSettings(auth_token=SecretStr(line)))


@pytest.mark.parametrize("text", ["", "\n  \n", "# none yet\n"])
def test_a_token_file_without_a_token_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "tokens"
    path.write_text(text)
    with pytest.raises(ConfigError, match="holds no token"):
        read_tokens(ServerSettings(auth_token_file=path))


def test_blanks_around_a_token_do_not_belong_to_it() -> None:
    assert texts(ServerSettings(auth_token=SecretStr(f" {BEARER}\n"))) == (BEARER,)


@pytest.mark.parametrize("token", ["", "  "])
def test_a_token_without_a_character_does_not_open_the_server(token: str) -> None:
    with pytest.raises(ConfigError, match="holds no token"):
        read_tokens(ServerSettings(auth_token=SecretStr(token)))


def test_a_token_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    path = tmp_path / "tokens"
    with pytest.raises(ConfigError, match=f"auth_token_file: {path} cannot be read: No such file"):
        read_tokens(ServerSettings(auth_token_file=path))


def test_a_token_file_that_is_not_utf8_is_named(tmp_path: Path) -> None:
    path = tmp_path / "tokens"
    path.write_bytes(b"caf\xe9\n")
    with pytest.raises(ConfigError, match="auth_token_file"):
        read_tokens(ServerSettings(auth_token_file=path))


def test_a_new_token_is_known_by_its_line_and_its_tenant(tmp_path: Path) -> None:
    token, line = new_token("acme")
    (known,) = read_tokens(token_file(tmp_path, line))
    assert (known.digest, known.tenant, known.text) == (hashed(token), "acme", None)
    assert token not in line


def test_a_hashed_token_needs_no_tenant(tmp_path: Path) -> None:
    (known,) = read_tokens(token_file(tmp_path, new_token("")[1]))
    assert known.tenant == ""


def test_no_two_new_tokens_are_alike() -> None:
    assert new_token("acme")[0] != new_token("acme")[0]


@pytest.mark.parametrize("name", ["Acme", "a b", "-a", "a" * 64, OTHER, "a/b", "a\n"])
def test_a_token_is_made_for_a_name_of_a_tenant_only(name: str) -> None:
    with pytest.raises(ConfigError, match=r"^tenant: .* is no name of a tenant"):
        new_token(name)


@pytest.mark.parametrize(
    "line",
    [
        "sha256:abc acme",
        f"sha256:{'g' * 64}",
        f"sha256:{'0' * 64} a b",
        f"SHA256:{'0' * 64}",
        "s",
        "sha",
        "sha256",
    ],
)
def test_a_line_that_is_no_hash_is_not_taken_for_a_token(tmp_path: Path, line: str) -> None:
    with pytest.raises(ConfigError, match=r"line 2 of .* is no hashed token"):
        read_tokens(token_file(tmp_path, "first", line))


def test_a_name_behind_a_hash_that_is_none_is_refused_and_not_repeated(tmp_path: Path) -> None:
    # It may be a token that was pasted there.
    with pytest.raises(ConfigError, match=r"line 1 of .* is no name of a tenant") as caught:
        read_tokens(token_file(tmp_path, f"sha256:{'0' * 64} Violet"))
    assert "Violet" not in str(caught.value)


def test_one_token_is_of_one_tenant(tmp_path: Path) -> None:
    token, line = new_token("acme")
    with pytest.raises(ConfigError, match="one token is of acme and of no tenant"):
        read_tokens(token_file(tmp_path, line, token))


def test_tenants_have_the_defaults_but_for_what_they_say(tmp_path: Path) -> None:
    text = "defaults: {calls_per_s: 5}\ntenants: {acme: {weight: 3, queue_share: 0.5}, zeta: }\n"
    quotas = read_quotas(tenants_file(tmp_path, text))
    assert quotas.of("acme") == Quota(weight=3.0, calls_per_s=5.0, queue_share=0.5)
    assert quotas.of("zeta") == quotas.of("unknown") == quotas.of("") == Quota(calls_per_s=5.0)


def test_the_file_that_the_page_shows_is_taken(tmp_path: Path) -> None:
    (shown,) = re.findall(r"^```yaml\n(.*?)^```$", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    quotas = read_quotas(tenants_file(tmp_path, shown))
    assert quotas.of("acme") == Quota(weight=3, calls_per_s=20, tokens_per_s=2000, queue_share=0.5)


def test_the_page_has_every_key_of_a_quota() -> None:
    section = PAGE.read_text().partition("## Quotas\n")[2].partition("\n## ")[0]
    assert re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE) == list(Quota.model_fields)


def test_tenants_of_the_file_alone_have_labels_of_their_own(tmp_path: Path) -> None:
    quotas = read_quotas(tenants_file(tmp_path, "tenants: {acme: {}}"))
    assert [quotas.label(name) for name in ("acme", "unknown", "")] == ["acme", OTHER, OTHER]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("tenant: {}", "tenant in .* is no key; there are defaults and tenants"),
        ("tenants: [acme]", "tenants in .* takes names with their quotas"),
        ("tenants: {acme: 5}", r"tenants\.acme in .* takes keys such as"),
        ("tenants: {acme: {calls: 5}}", r"tenants\.acme\.calls in .*: Extra inputs"),
        ("tenants: {acme: {calls_per_s: 0}}", r"tenants\.acme\.calls_per_s in .* greater than 0"),
        ("tenants: {acme: {weight: .inf}}", r"tenants\.acme\.weight in .* finite number"),
        ("tenants: {acme: {queue_share: 2}}", r"queue_share in .* less than or equal to 1"),
        ("defaults: {weight: x}", r"defaults\.weight in .* valid number"),
        ("tenants: {Acme: {}}", "'Acme' in .* is no name of a tenant"),
        (f"tenants: {{{OTHER}: {{}}}}", f"'{OTHER}' in .* is no name of a tenant"),
        ("tenants: {1: {}}", "1 in .* is no name of a tenant"),
        ("tenants: {acme: {}, acme: {}}", "acme"),
        ("a: [", "is not valid YAML"),
    ],
)
def test_a_wrong_file_of_tenants_is_refused_by_its_key(
    tmp_path: Path, text: str, words: str
) -> None:
    with pytest.raises(ConfigError, match=f"tenants_file: .*{words}"):
        read_quotas(tenants_file(tmp_path, text))


def test_a_file_of_tenants_has_as_many_as_a_label_may_have_values(tmp_path: Path) -> None:
    text = "tenants:\n" + "".join(f"  t{i}: {{}}\n" for i in range(MAX_TENANTS + 1))
    with pytest.raises(ConfigError, match=f"{MAX_TENANTS + 1} tenants .* limit is {MAX_TENANTS}"):
        read_quotas(tenants_file(tmp_path, text))


def test_a_file_of_tenants_that_is_not_there_is_named() -> None:
    with pytest.raises(ConfigError, match=r"tenants_file: .* cannot be read: No such file"):
        read_quotas(ServerSettings(tenants_file=Path("/nowhere/tenants.yaml")))


def test_a_file_of_tenants_that_holds_nothing_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "tenants.yaml"
    path.write_text("# cut short\n")
    settings = ServerSettings(tenants_file=path)
    with pytest.raises(ConfigError, match=r"holds nothing, which would be no limit for anyone"):
        read_quotas(settings)
