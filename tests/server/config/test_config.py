"""Where settings come from, which one wins, and how an error names its source."""

import os
from collections.abc import Mapping
from pathlib import Path

import pytest

from groundwire_server.config.environment import prepare_engine_environment, restored_environment
from groundwire_server.config.settings import ClientSettings, ServerSettings
from groundwire_server.config.sources import (
    ConfigError,
    is_made_by_kubernetes,
    load_client_settings,
    load_server_settings,
    show,
)
from groundwire_verifier.domain.types import MAX_CLAIMS

BEARER = "violet-anvil-7"
Environ = Mapping[str, str]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "groundwire.yaml"


def load(
    flags: Mapping[str, object] | None = None,
    environ: Environ | None = None,
    file: Path | None = None,
) -> ServerSettings:
    return load_server_settings(flags or {}, environ or {}, file)


def refusal(
    flags: Mapping[str, object] | None = None,
    environ: Environ | None = None,
    file: Path | None = None,
) -> str:
    with pytest.raises(ConfigError) as caught:
        load(flags, environ, file)
    return str(caught.value)


def test_the_environment_beats_the_file_and_flags_beat_both(file: Path) -> None:
    file.write_text("max_claims: 10\ncpu_threads: 100\nbatch_tokens: 10\n")
    environ = {"GROUNDWIRE_CPU_THREADS": "200", "GROUNDWIRE_BATCH_TOKENS": "20"}
    settings = load({"batch_tokens": "30"}, environ, file)
    found = (settings.max_claims, settings.cpu_threads, settings.batch_tokens)
    assert found == (10, 200, 30)


def test_a_variable_can_name_the_file_and_the_flag_beats_it(file: Path, tmp_path: Path) -> None:
    file.write_text("max_claims: 10\n")
    other = tmp_path / "other.yaml"
    other.write_text("max_claims: 20\n")
    environ = {"GROUNDWIRE_CONFIG": str(file)}
    assert load(environ=environ).max_claims == 10
    assert load(environ=environ, file=other).max_claims == 20


def test_variables_of_others_are_left_alone() -> None:
    environ = {
        "PATH": "/bin",
        "VLLM_TARGET": "x",
        "GROUNDWIRE_CLIENT_TARGET": "x:1",
        "groundwire_listen": "x",
    }
    assert load(environ=environ) == ServerSettings()


def test_an_unknown_key_is_named_with_the_nearest_one(file: Path) -> None:
    file.write_text("max_claim: 10\n")
    assert refusal(file=file) == (
        f"max_claim in {file}: there is no setting 'max_claim'; did you mean max_claims?"
    )


def test_an_unknown_variable_is_named_with_the_nearest_one() -> None:
    assert refusal(environ={"GROUNDWIRE_LISTN": "127.0.0.1:1"}) == (
        "variable GROUNDWIRE_LISTN: there is no setting 'listn'; did you mean listen?"
    )


def made_for(service: str) -> dict[str, str]:
    """What Kubernetes makes for a Service with a gRPC port and one over UDP."""
    base = service.upper().replace("-", "_")
    link = "tcp://10.96.12.7:50051"
    return {
        f"{base}_SERVICE_HOST": "10.96.12.7",
        f"{base}_SERVICE_PORT": "50051",
        f"{base}_SERVICE_PORT_GRPC_PLAIN": "50051",
        f"{base}_PORT": link,
        f"{base}_PORT_50051_TCP": link,
        f"{base}_PORT_50051_TCP_PROTO": "tcp",
        f"{base}_PORT_50051_TCP_PORT": "50051",
        f"{base}_PORT_50051_TCP_ADDR": "10.96.12.7",
        f"{base}_PORT_53_UDP": "udp://[fd00::7]:53",
        f"{base}_PORT_53_UDP_ADDR": "fd00::7",
    }


@pytest.mark.parametrize(
    "service",
    ["groundwire", "groundwire-metrics", "groundwire-client", "groundwire-gpu-2", "groundwire--x"],
)
def test_what_kubernetes_makes_for_a_service_is_no_setting(service: str) -> None:
    environ = made_for(service)
    assert load(environ=environ) == ServerSettings()
    assert load_client_settings({}, environ) == ClientSettings()


def test_the_folder_of_the_tests_data_is_no_setting() -> None:
    assert load(environ={"GROUNDWIRE_SHARED": "/data"}) == load()


def test_a_setting_beside_what_kubernetes_makes_holds() -> None:
    environ = {**made_for("groundwire"), "GROUNDWIRE_MAX_CLAIMS": "7"}
    assert load(environ=environ).max_claims == 7


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("GROUNDWIRE_PORT", "50051"),
        ("GROUNDWIRE_METRICS_PORT", "9464"),
        ("GROUNDWIRE_SERVICE_HOST", "everywhere"),
        ("GROUNDWIRE_SERVICE_PORT", "grpc"),
        ("GROUNDWIRE_HOST", "10.96.12.7"),
        ("GROUNDWIRE_PORT_GRPC_TCP", "tcp://10.96.12.7:50051"),
        ("GROUNDWIRE_PORT_50051_TCP_NAME", "tcp"),
        ("GROUNDWIRE_SERVICE_HOSTS", "10.96.12.7"),
    ],
)
def test_what_only_looks_like_it_is_still_an_error(name: str, value: str) -> None:
    assert f"variable {name}: there is no setting" in refusal(environ={name: value})


@pytest.mark.parametrize("prefix", ["GROUNDWIRE_", "GROUNDWIRE_CLIENT_"])
def test_no_setting_is_named_as_kubernetes_names_a_service(prefix: str) -> None:
    model = ClientSettings if "CLIENT" in prefix else ServerSettings
    names = [prefix + key.upper() for key in model.model_fields]
    values = ["10.0.0.1", "1", "tcp://10.0.0.1:1", "tcp"]
    assert not [name for name in names for v in values if is_made_by_kubernetes(name, v)]


def test_an_unknown_flag_is_named_with_the_nearest_one() -> None:
    text = refusal({"log_levle": "info"})
    assert text.startswith("--log-levle: there is no setting")
    assert text.endswith("did you mean log_level?")


def test_a_wrong_value_names_the_source_that_gave_it(file: Path) -> None:
    file.write_text("max_claims: many\n")
    assert refusal(file=file).startswith(f"max_claims in {file}: Input should be a valid integer")
    text = refusal(environ={"GROUNDWIRE_MAX_CLAIMS": "0"}, file=file)
    assert text.startswith("variable GROUNDWIRE_MAX_CLAIMS: Input should be greater than")
    text = refusal({"max_claims": str(MAX_CLAIMS + 1)}, {"GROUNDWIRE_MAX_CLAIMS": "0"})
    assert text == "--max-claims: Input should be less than or equal to 1000"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("gpu_memory_share", "1.5"),
        ("gpu_memory_share", "-0.1"),
        ("gpu_memory_share", "nan"),
        ("verify_min_grounded_ratio", "nan"),
        ("verify_max_gap_bits", "inf"),
        ("max_call_s", "-1"),
        ("max_message_bytes", "100"),
        ("log_level", "loud"),
        ("shutdown_grace_s", "-0.5"),
        ("similarity_enabled", "perhaps"),
        ("kv_memory_gib", "0"),
        ("max_call_s", "inf"),
    ],
)
def test_a_value_out_of_range_is_refused(name: str, value: str) -> None:
    assert refusal({name: value}).startswith(f"--{name.replace('_', '-')}: ")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("listen: [", "is not valid YAML"),
        ("model: 2020-13-45", "is not valid YAML"),
        ("listen: " + "[" * 10_000, "is nested too deeply"),
        ("- listen\n", "must hold keys with values"),
        ("just text\n", "must hold keys with values"),
    ],
)
def test_a_file_that_holds_no_settings_is_refused(file: Path, text: str, said: str) -> None:
    file.write_text(text)
    assert refusal(file=file).startswith(f"{file} {said}")


def test_a_file_that_is_not_there_is_refused(file: Path) -> None:
    assert refusal(file=file) == f"{file} cannot be read: No such file or directory"


@pytest.mark.parametrize("given", ["tls_cert_file", "tls_key_file"])
def test_certificate_and_key_need_each_other(given: str) -> None:
    text = refusal({given: "x.pem"})
    assert text == "tls_cert_file and tls_key_file need each other: set both or none"


def test_mutual_tls_needs_tls() -> None:
    text = refusal({"tls_client_ca_file": "x.pem"})
    assert text == "tls_client_ca_file needs tls_cert_file and tls_key_file"


def test_a_full_batch_has_to_fit_the_queue() -> None:
    text = refusal({"max_claims": "100", "max_pending_claims": "99"})
    assert "max_pending_claims (99) is below max_claims (100)" in text
    assert load({"max_claims": "100", "max_pending_claims": "100"}).max_pending_claims == 100
    text = refusal({"max_message_bytes": "2000", "max_pending_bytes": "1999"})
    assert "max_pending_bytes (1999) is below max_message_bytes (2000)" in text


def test_a_secret_never_shows_in_an_error_or_a_repr() -> None:
    assert BEARER not in refusal({"auth_token": BEARER, "max_claims": "x"})
    assert BEARER not in repr(load({"auth_token": BEARER}))
    assert BEARER not in refusal({"auth_token": [BEARER]})


def test_what_show_prints_can_be_loaded_again(file: Path) -> None:
    settings = load(
        {"max_claims": "7", "audit_record_text": "true", "otlp_endpoint": "http://127.0.0.1:4317"}
    )
    file.write_text(show(settings))
    assert load(file=file) == settings


def test_client_settings_come_from_their_own_variables() -> None:
    environ = {
        "GROUNDWIRE_CLIENT_TARGET": "10.0.0.7:1",
        "GROUNDWIRE_CLIENT_TOKEN": BEARER,
        "GROUNDWIRE_LISTEN": "10.0.0.8:1",
        "GROUNDWIRE_UNKNOWN": "1",
    }
    settings = load_client_settings({"timeout_s": "2.5"}, environ)
    assert (settings.target, settings.timeout_s) == ("10.0.0.7:1", 2.5)
    assert settings.token is not None
    assert settings.token.get_secret_value() == BEARER


def test_the_engine_does_not_see_a_service_of_kubernetes_called_vllm(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("VLLM_PORT", "tcp://10.0.0.1:8000")
    monkeypatch.setenv("VLLM_SERVICE_HOST", "10.0.0.1")
    monkeypatch.setenv("VLLM_HOST_IP", "10.0.0.2")
    with restored_environment():
        prepare_engine_environment(1)
        found = {name for name in os.environ if name in {"VLLM_PORT", "VLLM_SERVICE_HOST"}}
        assert found == set()
        assert os.environ["VLLM_HOST_IP"] == "10.0.0.2"
    assert os.environ["VLLM_PORT"] == "tcp://10.0.0.1:8000"


HAIKU = {"backend_type": "haiku", "backends": "[{name: haiku, api: anthropic, model: m}]"}


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (
            {**HAIKU, "verify_default_confidence": "0.9"},
            r"verify_default_confidence \(0.9\) is above what 16 samples .* can bear \(0.806\)",
        ),
        (
            {
                "backend_type": "haiku",
                "backends": "[{name: haiku, api: anthropic, model: m, samples: 8}]",
                "verify_min_posterior": "0.7",
            },
            r"verify_min_posterior \(0.7\) is above what 8 samples",
        ),
        (
            {"memory_gate_min_confidence": "0.7", "verify_default_confidence": "0.6"},
            r"memory_gate_min_confidence \(0.7\) is above the confidence .* \(0.6\)",
        ),
    ],
)
def test_settings_under_which_nothing_is_ever_supported_are_refused(
    flags: dict[str, str], words: str
) -> None:
    with pytest.raises(ConfigError, match=words):
        load_server_settings(flags, {}, None)
