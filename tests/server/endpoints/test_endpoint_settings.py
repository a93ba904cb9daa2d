"""From settings to backends on endpoints: which there are, and what is refused at the start."""

import logging
from pathlib import Path

import pytest

from groundwire_server.backends import create_backends
from groundwire_server.config.settings import ServerSettings
from groundwire_server.config.sources import ConfigError, load_server_settings, show
from groundwire_verifier.backends.local import LocalBackend
from groundwire_verifier.endpoints.backend import EndpointBackend

KEY = "sk-a-secret-of-some-length"
EXTERNAL = {"external_url": "http://127.0.0.1:1/v1", "external_model": "m"}
SELF = {"self_url": "http://127.0.0.1:1/v1", "self_models": "big, small/2"}


def names(**settings: object) -> list[str]:
    return list(create_backends(ServerSettings.model_validate(settings), lambda _: None))


def test_the_local_model_alone_is_the_default() -> None:
    assert names() == ["local"]
    assert names(**EXTERNAL) == ["local"]


def test_an_external_endpoint_alone_needs_no_model_here() -> None:
    made = create_backends(
        ServerSettings.model_validate({"backend_type": "external"} | EXTERNAL), lambda _: None
    )
    assert {name: type(backend) for name, backend in made.items()} == {"external": EndpointBackend}


def test_each_allowed_model_of_self_is_a_backend() -> None:
    assert names(backend_type="self", **SELF) == ["self:big", "self:small/2"]


def test_configurable_has_all_that_are_set_up_and_the_local_model_first() -> None:
    made = create_backends(
        ServerSettings.model_validate({"backend_type": "configurable"} | EXTERNAL | SELF),
        lambda _: None,
    )
    assert list(made) == ["local", "external", "self:big", "self:small/2"]
    assert isinstance(made["local"], LocalBackend)


def test_the_default_is_a_setting() -> None:
    settings = {"backend_type": "configurable", "backend_default": "external"} | EXTERNAL
    assert names(**settings) == ["external", "local"]


@pytest.mark.parametrize(
    ("settings", "what"),
    [
        ({"backend_default": "external"}, "backend_default: there is no backend 'external'"),
        ({"backend_type": "external"}, "external_model is not set"),
        ({"backend_type": "external", "external_model": "m"}, "external_url is not set"),
        ({"backend_type": "self"}, "self_models has to list"),
        ({"backend_type": "self", **SELF, "self_models": "a,,b"}, "self_models has to list"),
        ({"backend_type": "self", **SELF, "self_models": "a,a"}, "self_models has to list"),
        (
            {"backend_type": "configurable", **EXTERNAL, "backend_name": "external"},
            "is that of another backend",
        ),
    ],
)
def test_what_does_not_fit_together_is_refused(settings: dict[str, object], what: str) -> None:
    with pytest.raises(ConfigError, match=what):
        names(**settings)


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
    with pytest.raises(ConfigError, match="external_url is no address") as caught:
        names(backend_type="external", external_model="m", external_url=url)
    assert "secret" not in str(caught.value)


def test_plain_text_to_another_machine_is_refused() -> None:
    settings = {"backend_type": "external", "external_model": "m"}
    away = {"external_url": "http://192.0.2.1/v1"}
    with pytest.raises(ConfigError, match="use https://, or set allow_plaintext"):
        names(**settings, **away)
    assert names(**settings, **away, allow_plaintext=True) == ["external"]
    assert names(**settings, external_url="https://192.0.2.1/v1") == ["external"]
    assert names(**settings, external_url="http://[::1]:8000/v1") == ["external"]


def test_a_key_comes_from_a_file_and_is_checked(tmp_path: Path) -> None:
    file = tmp_path / "key"
    file.write_text(f"{KEY}\n")
    settings = {"backend_type": "external", **EXTERNAL, "external_key_file": file}
    assert names(**settings) == ["external"]
    file.write_text("two words")
    with pytest.raises(ConfigError, match="external_key_file is no key") as caught:
        names(**settings)
    assert "two words" not in str(caught.value)
    file.unlink()
    with pytest.raises(ConfigError, match=r"external_key_file: .* cannot be read"):
        names(**settings)


@pytest.mark.parametrize("name", ["external", "self", "haiku"])
def test_a_key_comes_from_the_environment_and_is_never_shown(name: str) -> None:
    variables = {f"GROUNDWIRE_{name.upper()}_KEY": KEY}
    settings = load_server_settings({}, variables, None)
    assert KEY not in show(settings)
    assert KEY not in repr(settings)


@pytest.mark.parametrize("name", ["external", "self", "haiku"])
def test_a_key_and_a_file_of_it_are_one_too_many(name: str) -> None:
    flags = {f"{name}_key": KEY, f"{name}_key_file": "/somewhere"}
    with pytest.raises(ConfigError, match=f"{name}_key and {name}_key_file are both set") as caught:
        load_server_settings(flags, {}, None)
    assert KEY not in str(caught.value)


def test_the_operator_is_told_where_texts_go_and_that_nothing_bounds_the_bill(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.INFO)
    url = "https://api.example.com:8443/v1"
    names(backend_type="external", external_model="m", external_url=url, external_key=KEY)
    assert "for the backend external go to api.example.com:8443" in caplog.text
    assert "nothing bounds what is spent on external" in caplog.text
    assert KEY not in caplog.text


def test_a_ca_file_that_is_missing_is_refused(tmp_path: Path) -> None:
    settings = {"backend_type": "external", **EXTERNAL, "endpoint_ca_file": tmp_path / "none"}
    with pytest.raises(ConfigError, match=r"endpoint_ca_file: .* cannot be read"):
        names(**settings)


@pytest.mark.parametrize("setting", ["memory_gate_backend", "trace_auditing_backend"])
def test_an_operation_has_a_backend_that_there_is(setting: str) -> None:
    configurable = {"backend_type": "configurable"} | EXTERNAL
    assert names(**configurable, **{setting: "external"}) == ["local", "external"]
    with pytest.raises(ConfigError, match=f"{setting}: there is no backend 'nearby'"):
        names(**configurable, **{setting: "nearby"})


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
