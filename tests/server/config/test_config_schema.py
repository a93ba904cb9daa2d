"""The JSON Schema of a file: that it says what the loader does, and proposes what a page shows."""

import json
import re
from collections.abc import Mapping
from pathlib import Path

import pytest
import yaml
from jsonschema import Draft202012Validator

from groundwire_server.cli.config.schema import config_schema
from groundwire_server.cli.main import main
from groundwire_server.config.block import BLOCK, SETTINGS
from groundwire_server.config.settings import ServerSettings
from groundwire_server.config.sources import ConfigError, load_server_settings, show

PAGE = Path(__file__).resolve().parents[3] / "docs" / "configuration.md"
YAML = re.compile(r"^```yaml\n(.*?)^```$", re.MULTILINE | re.DOTALL)
DEFAULTS: Mapping[str, object] = yaml.safe_load(show(ServerSettings()))

GOOD = [
    "",
    "listen: 127.0.0.1:0\nmax_claims: 7\nhttp_hosts: x\nrevision: main\nkv_memory_gib: 0.5",
    "revision: null\nwindow_tokens: null\ncpu_threads: null",
    "cache_ttl: 500ms",
    "cache_ttl: 90",
    "cache_ttl: 0.5",
    "cache_ttl: '90'",
    "cache_ttl: 1.5h",
    "hallucination:",
    "hallucination: {}",
    "hallucination: {enabled: false, timeout: 2s, batch_size: 8, cache_ttl: 10m}",
    "hallucination: {verify: {max_claims: 7}}",
    "hallucination: {verify: {max: {claims: 7}, policy: grounding_score}}",
    "hallucination: {verify: , batch_tokens: 512}",
    "hallucination: {allow_plaintext: true}",
    "hallucination: {allow_plaintext: {metrics: true}}",
    "hallucination: {auth_token: {file: x}}",
    "hallucination: {auth_token: , listen: '127.0.0.1:0'}",
    "llm: {provider: x, model: y, temperature: 0}",
    "retrieval: {chunk_size: 64, chunk: {overlap: 8}}",
    "calibration: {no_evidence_penalty: 0.5}\nverdict:",
    "calibration: 'off'",
    "backends: [{name: big, url: 'http://127.0.0.1:1/v1', model: m}]",
    "hallucination: {backends: [{name: big, api: anthropic, models: [a, b]}]}",
    "calibration:",
]

BAD = [
    "backends: [{url: 'http://127.0.0.1:1/v1'}]",
    "backends: [{name: big, modle: m}]",
    "backends: {big: {model: m}}",
    "[listen]",
    "lisn: 127.0.0.1:0",
    "listen: 50051",
    "max_claims: 0",
    "max_claims: 1001",
    "max_claims: many",
    "max_claims: 1.5",
    "max_claims: null",
    "gpu_memory_share: 1.5",
    "gpu_memory_share: -0.1",
    "max_call_s: 0",
    "audit_record_text: perhaps",
    "log_level: loud",
    "backends: [{name: Upper Case}]",
    "revision: ' x'",
    "auth_token: [x]",
    "tls_cert_file: {a: b}",
    "cache_ttl: 10 minutes",
    "cache_ttl: 1d",
    "cache_ttl: 0s",
    "cache_ttl: 0",
    "cache_ttl: 31536001",
    "cache_ttl: -1s",
    "cache_ttl: null",
    "cache_ttl: true",
    "cache_ttl: [1s]",
    "verify: {max_claims: 7}",
    "hallucination: true",
    "hallucination: [enabled]",
    "hallucination: {enbled: true}",
    "hallucination: {enabled: perhaps}",
    "hallucination: {enabled: null}",
    "hallucination: {timeout: 11m1}",
    "hallucination: {batch_size: 0}",
    "hallucination: {hallucination_enabled: true}",
    "hallucination: {hallucination: {enabled: true}}",
    "hallucination: {verify: true}",
    "hallucination: {verify: {max_clams: 7}}",
    "hallucination: {verify: {max_claims: 0}}",
    "hallucination: {verify: {max: {claims: 0}}}",
    "hallucination: {verify: {max: 7}}",
    "hallucination: {allow_plaintext: null}",
    "hallucination: {allow_plaintext: {metrics: perhaps}}",
    "hallucination: {qqqq: {}}",
    "hallucination: {qqqq: }",
    "llm: openai",
    "llm: {calibration: 1}",
    "verdict: {grounded_threshold: 2}",
    "calibration: {penalty: 0.5}",
    "retrieval: 5",
]


@pytest.fixture(scope="module")
def schema() -> Mapping[str, object]:
    return config_schema()


def is_valid(schema: Mapping[str, object], text: str) -> bool:
    found: bool = Draft202012Validator(schema).is_valid(yaml.safe_load(text))
    return found


def refusal(text: str, file: Path) -> str:
    """Why the loader refuses a file; empty where it does not."""
    file.write_text(text)
    try:
        load_server_settings({}, {}, file)
    except ConfigError as error:
        return str(error)
    return ""


def is_loaded(text: str, file: Path) -> bool:
    return not refusal(text, file)


def nested(name: str, value: object) -> str:
    """A file with one setting in the block, each word of its name a key."""
    words = next(key for key, each in SETTINGS.items() if each == name).split("_")
    for word in reversed(words):
        value = {word: value}
    return yaml.safe_dump({BLOCK: value})


def test_the_command_prints_it(
    schema: Mapping[str, object], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["config", "schema"]) == 0
    assert json.loads(capsys.readouterr().out) == schema


def test_it_is_a_schema_of_draft_2020_12(schema: Mapping[str, object]) -> None:
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    Draft202012Validator.check_schema(schema)


@pytest.mark.parametrize("text", GOOD)
def test_schema_and_loader_take_a_good_file(
    schema: Mapping[str, object], tmp_path: Path, text: str
) -> None:
    assert (is_valid(schema, text), is_loaded(text, tmp_path / "file")) == (True, True)


@pytest.mark.parametrize("text", BAD)
def test_schema_and_loader_refuse_a_bad_file(
    schema: Mapping[str, object], tmp_path: Path, text: str
) -> None:
    assert (is_valid(schema, text), is_loaded(text, tmp_path / "file")) == (False, False)


def test_both_take_every_default_flat_and_nested(
    schema: Mapping[str, object], tmp_path: Path
) -> None:
    assert is_valid(schema, show(ServerSettings()))
    for name, default in DEFAULTS.items():
        for text in (yaml.safe_dump({name: default}), nested(name, default)):
            assert (name, is_valid(schema, text)) == (name, True)
            assert (name, is_loaded(text, tmp_path / "file")) == (name, True)


def test_both_refuse_a_mapping_for_every_setting_flat_and_nested(
    schema: Mapping[str, object], tmp_path: Path
) -> None:
    for name in DEFAULTS:
        for text in (yaml.safe_dump({name: {"x": 1}}), nested(name, {"x": 1})):
            assert (name, is_valid(schema, text)) == (name, False)
            assert (name, is_loaded(text, tmp_path / "file")) == (name, False)


@pytest.mark.parametrize("value", [0, 1, -1, 0.5, 1.5, 2.0, "", "x", "auto", "0s", "1s", True, []])
def test_a_value_that_it_takes_for_a_setting_is_one_that_the_loader_takes(
    schema: Mapping[str, object], tmp_path: Path, value: object
) -> None:
    file = tmp_path / "file"
    for name in DEFAULTS:
        text = yaml.safe_dump({name: value})
        if is_valid(schema, text):
            assert not refusal(text, file).startswith(f"{name} in {file}")


@pytest.mark.parametrize(
    "text", ["max_claims: '7'", "feedback_enabled: 'off'", "allow_plaintext: 1"]
)
def test_it_asks_for_plain_numbers_and_switches_where_the_loader_takes_them_in_quotes(
    schema: Mapping[str, object], tmp_path: Path, text: str
) -> None:
    assert (is_valid(schema, text), is_loaded(text, tmp_path / "file")) == (False, True)


@pytest.mark.parametrize(
    "text",
    [
        "cache_ttl: 9999h",
        "cache_ttl: 1s\nhallucination: {cache_ttl: 1s}",
        "max_claims: 1000\nmax_pending_claims: 10",
    ],
)
def test_what_it_cannot_say_is_found_at_the_start(
    schema: Mapping[str, object], tmp_path: Path, text: str
) -> None:
    assert (is_valid(schema, text), is_loaded(text, tmp_path / "file")) == (True, False)


def test_the_example_files_of_the_page_are_good(
    schema: Mapping[str, object], tmp_path: Path
) -> None:
    examples = YAML.findall(PAGE.read_text(encoding="utf-8"))
    assert len(examples) >= 2
    for text in examples:
        assert (is_valid(schema, text), is_loaded(text, tmp_path / "file")) == (True, True)
