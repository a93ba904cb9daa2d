"""From settings to backends on endpoints: which there are, and what is refused at the start."""

import json
import logging
from collections.abc import Mapping
from pathlib import Path

import pytest

from groundwire_server.backends import create_backends
from groundwire_server.config.settings import ServerSettings
from groundwire_server.config.sources import ConfigError, load_server_settings, show
from groundwire_verifier.engine.endpoints.backend import EndpointBackend
from groundwire_verifier.engine.local import LocalBackend

KEY = "sk-a-secret-of-some-length"
URL = "http://127.0.0.1:1/v1"
EXTERNAL: dict[str, object] = {"name": "external", "url": URL, "model": "m"}
SELF: dict[str, object] = {"name": "self", "url": URL, "models": ["big", "small/2"]}


def names(*entries: Mapping[str, object], **settings: object) -> list[str]:
    given = ServerSettings.model_validate({"backends": entries, **settings})
    return list(create_backends(given, lambda _: None))


def test_an_external_endpoint_alone_needs_no_model_here() -> None:
    settings = {"backend_type": "external", "backends": [EXTERNAL, SELF]}
    made = create_backends(ServerSettings.model_validate(settings), lambda _: None)
    assert {name: type(backend) for name, backend in made.items()} == {"external": EndpointBackend}


def test_all_that_are_listed_are_there_and_the_local_model_first() -> None:
    settings = ServerSettings.model_validate({"backends": [EXTERNAL, SELF]})
    made = create_backends(settings, lambda _: None)
    assert list(made) == ["local", "external", "self:big", "self:small/2"]
    assert isinstance(made["local"], LocalBackend)


def test_an_entry_for_vectors_alone_answers_no_claims() -> None:
    vectors = {"name": "vectors", "url": URL}
    assert names(vectors, embedding_backend="vectors") == ["local"]
    with pytest.raises(ConfigError, match="vectors has no model: set model, or models"):
        names(vectors)


@pytest.mark.parametrize(
    ("entries", "settings", "what"),
    [
        ([], {"backend_default": "external"}, "backend_default: there is no backend 'external'"),
        ([], {"backend_type": "external"}, "backend_type: there is no 'external' in backends"),
        ([{"name": "big", "model": "m"}], {}, "backends: big: url is not set"),
        ([{"name": "big", "url": URL}], {}, "backends: big has no model"),
        ([EXTERNAL | {"name": "local"}], {}, "has the name of the model on this machine"),
    ],
)
def test_what_does_not_fit_together_is_refused(
    entries: list[dict[str, object]], settings: dict[str, object], what: str
) -> None:
    with pytest.raises(ConfigError, match=what):
        names(*entries, **settings)


@pytest.mark.parametrize(
    ("written", "what"),
    [
        ("[{url: here}]", r"backends\[0\].name: Field required"),
        ("[{name: big, modle: m}]", r"backends\[0\].modle: there is no such key; .* mean model"),
        ("[{name: big, models: [a, a]}]", "models of big has an empty name, or one twice"),
        ("[{name: big, models: [a, '']}]", "models of big has an empty name, or one twice"),
        ("[{name: big, model: a, models: [b]}]", "big has model and models: name one of them"),
        ("[{name: big, model: a}, {name: big, model: b}]", "two entries have one name"),
        ("[{name: big, parallel: 0}]", r"backends\[0\].parallel: .* greater than 0"),
        ("big", "Input should be a valid tuple"),
        ("[{name: ", "is no list in YAML"),
    ],
)
def test_a_wrong_entry_is_refused_by_its_key(written: str, what: str) -> None:
    with pytest.raises(ConfigError, match=f"variable GROUNDWIRE_BACKENDS: .*{what}"):
        load_server_settings({}, {"GROUNDWIRE_BACKENDS": written}, None)


@pytest.mark.parametrize(
    "url",
    [
        "127.0.0.1:8000/v1",
        "ftp://127.0.0.1/v1",
        "http://",
        "http://user:secret@127.0.0.1/v1",
        "http://127.0.0.1/v1?key=secret",
        "http://127.0.0.1:port/v1",
        "http://[::1/v1",
    ],
)
def test_a_url_that_is_none_or_holds_a_secret_is_refused_and_not_repeated(url: str) -> None:
    with pytest.raises(ConfigError, match="external: url is no address") as caught:
        names({**EXTERNAL, "url": url})
    assert "secret" not in str(caught.value)


def test_plain_text_to_another_machine_is_refused() -> None:
    away = {**EXTERNAL, "url": "http://192.0.2.1/v1"}
    with pytest.raises(ConfigError, match="use https://, or set allow_plaintext"):
        names(away)
    assert names(away, allow_plaintext=True) == ["local", "external"]
    assert names({**EXTERNAL, "url": "https://192.0.2.1/v1"}) == ["local", "external"]
    assert names({**EXTERNAL, "url": "http://[::1]:8000/v1"}) == ["local", "external"]


def test_a_key_comes_from_a_file_and_is_checked(tmp_path: Path) -> None:
    file = tmp_path / "key"
    file.write_text(f"{KEY}\n")
    entry = {**EXTERNAL, "key": f"file:{file}"}
    assert names(entry) == ["local", "external"]
    file.write_text("two words")
    with pytest.raises(ConfigError, match="external: key is no key") as caught:
        names(entry)
    assert "two words" not in str(caught.value)
    file.unlink()
    with pytest.raises(ConfigError, match=r"external: key: .* cannot be read"):
        names(entry)


def test_a_key_is_never_shown() -> None:
    written = json.dumps([{**EXTERNAL, "key": KEY}])
    settings = load_server_settings({}, {"GROUNDWIRE_BACKENDS": written}, None)
    assert KEY not in show(settings)
    assert KEY not in repr(settings)
    with pytest.raises(ConfigError) as caught:
        load_server_settings({}, {"GROUNDWIRE_BACKENDS": f"{written}: ["}, None)
    assert KEY not in str(caught.value)


def test_the_operator_is_told_where_texts_go_and_that_nothing_bounds_the_bill(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.INFO)
    names({**EXTERNAL, "url": "https://api.example.com:8443/v1", "key": KEY})
    assert "for the backend external go to api.example.com:8443" in caplog.text
    assert "nothing bounds what is spent on external" in caplog.text
    assert KEY not in caplog.text


@pytest.mark.parametrize("setting", ["memory_gate_backend", "trace_auditing_backend"])
def test_an_operation_has_a_backend_that_there_is(setting: str) -> None:
    assert names(EXTERNAL, **{setting: "external"}) == ["local", "external"]
    with pytest.raises(ConfigError, match=f"{setting}: there is no backend 'nearby'"):
        names(EXTERNAL, **{setting: "nearby"})


@pytest.mark.parametrize(
    ("settings", "is_local"),
    [
        ({}, False),
        ({"claim_extractor": "model"}, True),
        ({"claim_extractor_backend": "local"}, True),
        ({"claim_extractor_backend": "external"}, False),
        ({"claim_extractor": "model", "backend_default": "external"}, False),
    ],
)
def test_the_engine_is_made_for_forms_only_where_it_splits_texts(
    settings: dict[str, object], *, is_local: bool
) -> None:
    assert ServerSettings.model_validate(settings).has_local_extractor is is_local
