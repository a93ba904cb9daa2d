"""The block `hallucination` of a file: which settings its keys reach, and what its errors say."""

from datetime import timedelta
from pathlib import Path

import pytest

from groundwire_server.config.block import SETTINGS
from groundwire_server.config.settings import (
    BLOCK_SWITCH,
    SWITCHES,
    ServerSettings,
)
from groundwire_server.config.sources import ConfigError, load_server_settings


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "groundwire.yaml"


def load(file: Path, text: str) -> ServerSettings:
    file.write_text(text)
    return load_server_settings({}, {}, file)


def refusal(file: Path, text: str) -> str:
    with pytest.raises(ConfigError) as caught:
        load(file, text)
    return str(caught.value)


def is_refused(file: Path, text: str) -> bool:
    try:
        load(file, text)
    except ConfigError:
        return True
    return False


@pytest.mark.parametrize(
    "text",
    [
        "hallucination: {verify: {max_claims: 7}}",
        "hallucination: {verify: {max: {claims: 7}}}",
        "hallucination: {verify_max: {claims: 7}}",
        "hallucination: {verify_max_claims: 7}",
        "verify_max_claims: 7",
    ],
)
def test_keys_joined_by_underscores_are_the_setting_however_they_are_nested(
    file: Path, text: str
) -> None:
    assert load(file, text) == ServerSettings(verify_max_claims=7)


def test_keys_of_the_block_itself_keep_its_name_where_the_setting_has_it(file: Path) -> None:
    text = "hallucination:\n  enabled: false\n  timeout: 2s\n  batch_size: 8\n  cache_ttl: 10m\n"
    flat = "hallucination_enabled: false\nhallucination_timeout: 2s\n"
    assert load(file, text) == load(file, flat + "hallucination_batch_size: 8\ncache_ttl: 10m\n")


def test_every_setting_can_stand_in_the_block() -> None:
    assert set(SETTINGS.values()) == set(ServerSettings.model_fields)


def test_variables_and_flags_beat_the_block(file: Path) -> None:
    file.write_text("hallucination: {timeout: 1s, batch_size: 1, cache_ttl: 1s}\n")
    environ = {"GROUNDWIRE_HALLUCINATION_BATCH_SIZE": "2", "GROUNDWIRE_CACHE_TTL": "2s"}
    settings = load_server_settings({"cache_ttl": "3s"}, environ, file)
    assert (settings.hallucination_timeout.total_seconds(), settings.hallucination_batch_size) == (
        1,
        2,
    )
    assert settings.cache_ttl.total_seconds() == 3


@pytest.mark.parametrize(
    "text", ["hallucination:\n", "hallucination: {}\n", "hallucination:\n  verify:\n  # max: 1\n"]
)
def test_an_empty_block_or_section_changes_nothing(file: Path, text: str) -> None:
    assert load(file, text) == ServerSettings()


def test_a_mapping_is_merged_into_the_block_by_yaml(file: Path) -> None:
    merged = "{<<: {chunk_size: 64, chunk_overlap: 9}, chunk_size: 99}"
    settings = load(file, f"hallucination: {{retrieval: {merged}}}")
    assert (settings.retrieval_chunk_size, settings.retrieval_chunk_overlap) == (99, 9)


@pytest.mark.parametrize(
    ("text", "first", "second"),
    [
        ("hallucination: {cache_ttl: 2s}\ncache_ttl: 3s", "hallucination.cache_ttl", "cache_ttl"),
        ("cache_ttl: 3s\nhallucination: {cache_ttl: 3s}", "cache_ttl", "hallucination.cache_ttl"),
        (
            "hallucination: {enabled: true}\nhallucination_enabled: true",
            "hallucination.enabled",
            "hallucination_enabled",
        ),
        (
            "hallucination: {verify: {max_claims: 2}, verify_max: {claims: 2}}",
            "hallucination.verify.max_claims",
            "hallucination.verify_max.claims",
        ),
    ],
)
def test_a_setting_that_a_file_has_twice_is_an_error_with_both_places(
    file: Path, text: str, first: str, second: str
) -> None:
    assert refusal(file, text) == (
        f"{first} in {file} and {second} in {file} are one setting: leave one out"
    )


@pytest.mark.parametrize(
    ("text", "key", "lines"),
    [
        ("max_claims: 1\nlog_level: info\nmax_claims: 2", "max_claims", (1, 3)),
        ("hallucination:\n  timeout: 1s\n  timeout: 2s", "timeout", (2, 3)),
        ("hallucination: {enabled: true}\nhallucination: {timeout: 2s}", "hallucination", (1, 2)),
        ("hallucination: {verify: {marker: x, marker: x}}", "marker", (1, 1)),
    ],
)
def test_a_key_that_stands_twice_is_an_error_with_both_lines(
    file: Path, text: str, key: str, lines: tuple[int, int]
) -> None:
    expected = f"{key} stands in line {lines[0]} and again in line {lines[1]}: leave one out"
    assert refusal(file, text) == f"{file} is not valid YAML: {expected}"


@pytest.mark.parametrize(
    ("text", "path", "meant"),
    [
        ("{enbled: true}", "enbled", "enabled"),
        ("{verify: {max_clams: 1}}", "verify.max_clams", "verify.max_claims"),
        ("{verfy: {max_claims: 1}}", "verfy", "verify"),
        ("{verify: {max: {clams: 1}}}", "verify.max.clams", "verify.max.claims"),
        ("{verify: true}", "verify", "verify.policy"),
        ("{hallucination_enabled: true}", "hallucination_enabled", "enabled"),
        ("{verify_: {max_claims: 1}}", "verify_", "verify"),
        ("{qqqq: }", "qqqq", None),
        ("{qqqq: {}}", "qqqq", None),
        ("{1: 2}", "1", None),
        ("&a {verify: *a}", "verify.verify", None),
    ],
)
def test_an_unknown_nested_key_is_named_by_its_path_with_the_nearest_one(
    file: Path, text: str, path: str, meant: str | None
) -> None:
    found = refusal(file, f"hallucination: {text}\n")
    hint = f"; did you mean hallucination.{meant}?" if meant else ""
    path = f"hallucination.{path}"
    assert found == f"{path} in {file}: there is no setting '{path}'{hint}"


def test_a_wrong_value_in_the_block_names_its_path(file: Path) -> None:
    text = refusal(file, "hallucination: {batch_size: 0}")
    assert text == f"hallucination.batch_size in {file}: Input should be greater than or equal to 1"


@pytest.mark.parametrize("value", ["true", "[enabled]", "on"])
def test_a_block_that_holds_no_keys_is_refused(file: Path, value: str) -> None:
    assert refusal(file, f"hallucination: {value}") == (
        f"hallucination in {file} takes keys with values below it"
    )


@pytest.mark.parametrize(
    ("block", "gate", "off"),
    [
        (True, True, None),
        (True, False, "memory_gate_enabled"),
        (False, True, "hallucination_enabled"),
        (False, False, "memory_gate_enabled"),
    ],
)
def test_a_feature_is_on_if_the_block_and_its_own_switch_are(
    block: bool, gate: bool, off: str | None
) -> None:
    settings = ServerSettings(hallucination_enabled=block, memory_gate_enabled=gate)
    assert settings.off_switch("memory_gate") == off


def test_every_feature_and_the_block_are_off_until_they_are_switched_on() -> None:
    switches = {name for name in ServerSettings.model_fields if name.endswith("_enabled")}
    assert switches == {BLOCK_SWITCH, *SWITCHES}
    assert not [name for name in switches if ServerSettings.model_fields[name].default]


@pytest.mark.parametrize("switch", SWITCHES)
def test_a_flag_a_variable_or_code_that_switches_a_feature_on_switches_the_block_on(
    switch: str,
) -> None:
    variables = {f"GROUNDWIRE_{switch.upper()}": "true"}
    for settings in (
        load_server_settings({switch: "true"}, {}, None),
        load_server_settings({}, variables, None),
        ServerSettings.model_validate({switch: True}),
    ):
        assert settings.off_switch(switch.removesuffix("_enabled")) is None
    assert not load_server_settings({switch: "false"}, {}, None).hallucination_enabled


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("hallucination: {memory_gate: {enabled: true}}", "hallucination.memory_gate.enabled"),
        ("trace_auditing_enabled: true", "trace_auditing_enabled"),
        ("hallucination: {feedback: {enabled: 'yes'}, timeout: 2s}", "feedback.enabled"),
    ],
)
def test_a_file_that_switches_a_feature_on_has_to_say_it_of_the_block(
    file: Path, text: str, place: str
) -> None:
    found = refusal(file, text)
    assert found.startswith("hallucination.enabled is missing: ")
    assert f"{place} in {file} switches a feature on" in found
    assert not is_refused(file, f"{text}\nhallucination_enabled: true")
    assert not is_refused(file, f"{text}\nhallucination_enabled: false")
    file.write_text(text)
    assert load_server_settings({BLOCK_SWITCH: "true"}, {}, file).hallucination_enabled


@pytest.mark.parametrize(
    ("flags", "environ", "is_on"),
    [
        ({}, {}, False),
        ({"memory_gate_enabled": "true"}, {}, True),
        ({}, {"GROUNDWIRE_MEMORY_GATE_ENABLED": "1"}, True),
        ({"memory_gate_enabled": "true", "hallucination_enabled": "false"}, {}, False),
        ({"memory_gate_enabled": "true"}, {"GROUNDWIRE_HALLUCINATION_ENABLED": "false"}, True),
        ({"hallucination_enabled": "false"}, {"GROUNDWIRE_MEMORY_GATE_ENABLED": "true"}, False),
    ],
)
def test_of_a_feature_and_of_the_block_what_is_named_later_is_the_stronger(
    file: Path, flags: dict[str, object], environ: dict[str, str], is_on: bool
) -> None:
    file.write_text("hallucination: {enabled: false}\n")
    assert load_server_settings(flags, environ, file).hallucination_enabled is is_on


BLOCK_AS_SPECIFIED = """
hallucination:
  enabled: true
  backend:
    type: configurable
    default: local
  memory_gate:
    enabled: true
    min_confidence: 0.25
    reject_unsupported: false
  output_verification:
    enabled: true
    flag_threshold_bits: 0.25
  trace_auditing:
    enabled: true
    check_post_hoc: false
  batch_size: 16
  timeout: 5s
  cache_ttl: 10m
"""
"""The keys that the specification of the block prints, all of them."""

FILE_OF_AN_ANALYSIS = """
llm:
  provider: "openai"
  model: "gpt-4o-mini"
  temperature: 0.0

retrieval:
  chunk_size: 512
  chunk_overlap: 64
  top_k: 5
  similarity_threshold: 0.3

calibration:
  no_evidence_penalty: 0.4
  contradiction_penalty: 0.6
  vague_language_penalty: 0.2

verdict:
  hallucination_threshold: 0.3
  grounded_threshold: 0.7
"""
"""The file that the requirement of epistemic risk prints."""


def test_the_block_is_read_as_it_is_specified(file: Path) -> None:
    assert load(file, BLOCK_AS_SPECIFIED) == ServerSettings(
        hallucination_enabled=True,
        backend_type="configurable",
        backend_default="local",
        memory_gate_enabled=True,
        memory_gate_min_confidence=0.25,
        memory_gate_reject_unsupported=False,
        output_verification_enabled=True,
        output_verification_flag_threshold_bits=0.25,
        trace_auditing_enabled=True,
        trace_auditing_check_post_hoc=False,
        hallucination_batch_size=16,
        hallucination_timeout=timedelta(seconds=5),
        cache_ttl=timedelta(minutes=10),
    )


def test_the_file_of_an_analysis_is_read_as_it_is_printed(file: Path) -> None:
    settings = load(file, FILE_OF_AN_ANALYSIS)
    given = settings.model_dump(exclude_unset=True)
    assert given == {
        "epistemic_risk_llm_provider": "openai",
        "epistemic_risk_llm_model": "gpt-4o-mini",
        "epistemic_risk_llm_temperature": 0.0,
        "retrieval_chunk_size": 512,
        "retrieval_chunk_overlap": 64,
        "retrieval_top_k": 5,
        "retrieval_similarity_threshold": 0.3,
        "epistemic_risk_calibration_no_evidence_penalty": 0.4,
        "epistemic_risk_calibration_contradiction_penalty": 0.6,
        "epistemic_risk_calibration_vague_language_penalty": 0.2,
        "epistemic_risk_verdict_hallucination_threshold": 0.3,
        "epistemic_risk_verdict_grounded_threshold": 0.7,
    }


@pytest.mark.parametrize(
    ("text", "path", "meant"),
    [
        ("llm: {modle: x}", "llm.modle", "llm.model"),
        (
            "verdict: {grounded: {thresold: 1}}",
            "verdict.grounded.thresold",
            "verdict.grounded.threshold",
        ),
        ("retrieval: {topk: 5}", "retrieval.topk", "retrieval.top_k"),
    ],
)
def test_an_unknown_key_of_a_block_at_the_top_is_named_as_it_stands_there(
    file: Path, text: str, path: str, meant: str
) -> None:
    expected = f"{path} in {file}: there is no setting '{path}'; did you mean {meant}?"
    assert refusal(file, text) == expected


def test_calibration_at_the_top_is_a_block_or_the_setting(file: Path) -> None:
    assert load(file, "calibration: auto").calibration == "auto"
    assert load(file, "calibration:") == ServerSettings()
