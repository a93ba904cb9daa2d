"""Profiles as files: what is refused, and which one a model gets."""

import logging
from pathlib import Path

import pytest

from groundwire_server.backends import create_backend, create_backends
from groundwire_server.config.settings import ServerSettings
from groundwire_server.config.sources import ConfigError
from groundwire_server.models.profiles.choice import MAX_PROFILE_BYTES, chosen_profile, read_profile
from groundwire_verifier.domain.types import INSTRUCT, Task
from tests.scripted_services.endpoint import settings_on

OWN = """\
name = "own"
version = 1
summary = "Mine"
task = "support"
inverted = false
prompt = "{context} / {claim} ? "
labels = { yes = ["yes"], no = ["no"] }
"""


def written(folder: Path, text: str) -> Path:
    path = folder / "own.toml"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("model", "name"),
    [
        ("bespokelabs/Bespoke-MiniCheck-7B", "bespoke-minicheck-7b"),
        ("ibm-granite/granite-guardian-3.0-2b", "granite-guardian-3"),
        ("ibm-granite/granite-guardian-3.1-8b", "granite-guardian-3"),
        ("ibm-granite/granite-guardian-3.2-3b-a800m", "granite-guardian-3"),
        ("/models/granite-guardian-3.3-8b", "granite-guardian-3.3"),
        ("ibm-granite/granite-guardian-4.1-8b", "granite-guardian-4.1"),
        ("Qwen/Qwen3-Reranker-0.6B", "qwen3-reranker"),
        ("Qwen/Qwen3-0.6B", "instruct"),
        ("smollm2-135m-verifier", "instruct"),
    ],
)
def test_a_known_model_gets_its_profile(model: str, name: str) -> None:
    assert chosen_profile("auto", model).name == name


def test_a_model_whose_yes_may_be_against_a_claim_is_never_asked_in_our_words() -> None:
    with pytest.raises(ConfigError, match="none is known for granite-guardian-5"):
        chosen_profile("auto", "ibm-granite/granite-guardian-5.0-8b")


def test_a_profile_by_name_goes_before_the_models_name() -> None:
    assert chosen_profile("instruct", "Qwen/Qwen3-Reranker-0.6B") == INSTRUCT


def test_a_file_of_ones_own_is_a_profile(tmp_path: Path) -> None:
    profile = chosen_profile(str(written(tmp_path, OWN)), "any")
    assert (profile.name, profile.yes, profile.inverted) == ("own", ("yes",), False)


def test_the_log_says_which_way_the_answers_go(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, logger="groundwire.server"):
        chosen_profile("granite-guardian-3.3", "any")
    assert "yes means not supported" in caplog.text


def test_the_log_warns_of_relevance(caplog: pytest.LogCaptureFixture) -> None:
    assert chosen_profile("qwen3-reranker", "any").task is Task.RELEVANCE
    assert "not whether it supports" in caplog.text


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("inverted = false\n", "", "inverted must say which way"),
        ('labels = { yes = ["yes"], no = ["no"] }\n', "", "labels must give"),
        ('no = ["no"]', "no = []", "labels.no"),
        ('no = ["no"]', 'no = ["yes"]', "share 'yes'"),
        ('no = ["no"]', 'no = ["not so"]', "labels.no.0"),
        ("{context}", "{text}", "{context} must stand once in prompt, and stands there 0 times"),
        ("{claim}", "{claim} {claim}", "{claim} must stand once in prompt"),
        ("version = 1", "version = 0", "version: Input should be greater than or equal to 1"),
        ("version = 1", 'version = 1\nmodel = "x"', "model: Extra inputs"),
        ('"own"', '"My own"', "name: String should match pattern"),
        ('task = "support"', 'task = "taste"', "task: Input should be"),
        ('prompt = "', 'questions = "groundwire"\nprompt = "', "exactly one of"),
        ('prompt = "{context} / {claim} ? "', 'questions = "groundwire"', "is not for our own"),
        ("version = 1", "version = 1\ntemplate = { x = 1 }", "template is for turns"),
        ('name = "own"', 'name = "instruct"', "is that of a profile that ships"),
        ('name = "own"', "name = own", "is no TOML"),
    ],
)
def test_a_file_that_is_wrong_is_refused_with_its_key(
    old: str, new: str, words: str, tmp_path: Path
) -> None:
    path = written(tmp_path, OWN.replace(old, new))
    with pytest.raises(ConfigError) as caught:
        chosen_profile(str(path), "any")
    assert words in str(caught.value)
    assert str(path) in str(caught.value)


def test_a_file_that_is_too_large_is_not_read(tmp_path: Path) -> None:
    path = written(tmp_path, OWN + "#" * MAX_PROFILE_BYTES)
    with pytest.raises(ConfigError, match="more than 65,536 bytes"):
        read_profile(path)


@pytest.mark.parametrize(
    ("setting", "words"),
    [("granite", "there is no 'granite'; use auto"), ("none/there.toml", "cannot be read")],
)
def test_a_profile_that_is_not_there_is_refused(setting: str, words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        chosen_profile(setting, "any")


def test_a_model_that_only_judges_splits_no_texts() -> None:
    settings = ServerSettings(profile="bespoke-minicheck-7b", claim_extractor="model")
    with pytest.raises(ConfigError, match="claim_extractor_backend: the model on this machine"):
        create_backend(settings, print)


def test_a_profile_is_of_the_model_on_this_machine() -> None:
    on = settings_on("http://127.0.0.1:1/v1", profile="instruct", backend_type="external")
    settings = ServerSettings.model_validate(on)
    with pytest.raises(ConfigError, match="has none: remove profile"):
        create_backends(settings, print)
