"""Flags, parameters, paths and versions of code, and which of them a source has."""

import pytest

from groundwire_verifier.text.quantities.code_tokens import code_tokens, missing_from, ticked_tokens


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("vaultctl prune --keep-days 30 -v", ("--keep-days", "-v")),
        ("tool --out=./x.json", ("--out", "./x.json")),
        ("Edit /etc/vault.conf and config.yaml.", ("/etc/vault.conf", "config.yaml")),
        ("connect(timeout=30, retries=2)", ("timeout", "retries")),
        ('retries: 3\n"name": "x"', ("retries", "name")),
        ("curl https://a.example/v1/items", ("https://a.example/v1/items",)),
        ("retry_limit = 9\nmode = 'fast'\ndebug = True", ("retry_limit", "mode", "debug")),
        ("client = connect()\ntotal == 9 and a = 5", ()),
        ('{"retries": 9, \'wait-time\':"5s"}', ("retries", "wait-time")),
        ("Use v2.3 of it.", ("v2.3",)),
        ("x=5 and/or km/h on 12/05/2026 at -9 °C in a well-known place", ()),
        (
            "Set `max_retries` to 5, then `maxWait` and `log.level`.",
            ("max_retries", "maxWait", "log.level"),
        ),
        ("Set `debug` to `true`, and max_retries.", ()),
        ("קבעו את `max_retries` ל-5.", ("max_retries",)),
        ("הריצו vaultctl prune --force", ("--force",)),
    ],
)
def test_what_code_names_is_found(text: str, tokens: tuple[str, ...]) -> None:
    assert code_tokens(text) == tokens


@pytest.mark.parametrize(
    ("text", "source", "missing"),
    [
        ("prune --keep-days 30 --force-all", "prune --keep-days N", ("--force-all",)),
        ("prune --keep-days 30", "The option keep-days says how long.", ()),
        ("prune --keep", "prune --keep-days N", ("--keep",)),
        ("cat /etc/vault", "The file /etc/vault.conf", ()),
        ("tool -v", "tool -V", ("-v",)),
        ("open(timeout=3)", "The timeout is in seconds.", ()),
    ],
)
def test_what_no_source_has_is_told(text: str, source: str, missing: tuple[str, ...]) -> None:
    assert missing_from([source], code_tokens(text)) == missing


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("The tool accepts `--force-all` and `-v`.", ("--force-all", "-v")),
        ("Führen Sie `tool --force` aus.", ("--force",)),
        ("הריצו `tool --force`.", ("--force",)),
        ("הקובץ הוא `/etc/tool.conf` בגרסה `v2.4`.", ("/etc/tool.conf", "v2.4")),
        ("The tool accepts --force-all, `quickly` and `well-known`.", ()),
        ("הפקודה היא `tool`, לא `prune` ולא --force.", ()),
    ],
)
def test_what_code_names_is_found_between_back_ticks(text: str, tokens: tuple[str, ...]) -> None:
    assert ticked_tokens(text) == tokens


@pytest.mark.parametrize(
    "text",
    [
        "The command has no `--force` switch in this version.",
        "It doesn't have a `--force` flag.",
        "It lacks the option `--force`.",
        "There is no such option as `--force`.",
        "No `--force` flag is documented.",
        "The `--force` option does not exist.",
        "`--force` isn't supported by the tool.",
        "The file has no key named `max_retries`.",
        "אין דגל בשם `--force`.",
        "התוכנה לא תומכת ב-`--force`.",
    ],
)
def test_what_a_sentence_says_there_is_not_is_left_out(text: str) -> None:
    assert ticked_tokens(text) == ()


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("The `--force` flag does not ask for anything.", ("--force",)),
        ("There is no `--force` prompt.", ("--force",)),
        ("No `--force` flag is needed.", ("--force",)),
        ("There is no prompt with `--force`.", ("--force",)),
        ("There is no option but `--force`.", ("--force",)),
        ("`--force` is not supported on Windows.", ("--force",)),
        ("There is no `--force`, use `--delete-all`.", ("--delete-all",)),
        ("No, `--force` skips it.", ("--force",)),
        ("אין צורך ב-`--force`.", ("--force",)),
        ("הדגל `--force` אינו שואל דבר.", ("--force",)),
    ],
)
def test_other_denials_name_what_there_is(text: str, tokens: tuple[str, ...]) -> None:
    assert ticked_tokens(text) == tokens
