"""The doctor's report, on a scripted engine and a reference that reads what it does."""

import json
import sys
from collections.abc import Callable, Sequence
from types import SimpleNamespace

import numpy as np
import pytest

from groundwire_server.cli import doctor
from groundwire_server.cli.doctor import PROBES, examine
from groundwire_server.config.settings import ServerSettings
from groundwire_server.exit_codes import EXIT_BELOW, EXIT_OK
from groundwire_verifier.domain.labels import FloatArray
from groundwire_verifier.domain.types import LabelForm, Prompt
from groundwire_verifier.engine.local import LocalBackend
from tests.scripted import MODEL, NEVER_HANGS_S, ScriptedEngine, scripted_settings

REVISION = "v1.2"
SUPPORTED = {claim + "." for _, claim, _ in PROBES}


class ScriptedReference:
    """Reads what the scripted engine does, `apart_nats` away from it."""

    apart_nats = 0.0

    def __init__(self, model: str, revision: str | None) -> None:
        assert (model, revision) == (MODEL, REVISION)

    def label_nats(self, prompts: Sequence[Prompt], forms: Sequence[LabelForm]) -> FloatArray:
        texts = ["".join(map(chr, prompt.token_ids)) for prompt in prompts]
        with np.errstate(divide="ignore"):
            return np.log([answer(text) for text in texts]) + self.apart_nats


def answer(prompt: str) -> tuple[float, float, float]:
    claim = prompt.partition("\nClaim: ")[2].removesuffix("\nAnswer:")
    return (0.9, 0.08, 0.0) if claim in SUPPORTED else (0.1, 0.88, 0.0)


@pytest.fixture
def engine(monkeypatch: pytest.MonkeyPatch) -> ScriptedEngine:
    engine = ScriptedEngine()
    engine.answer = answer

    def create(settings: ServerSettings, progress: Callable[[str], None]) -> LocalBackend:
        return LocalBackend(MODEL, lambda: engine, NEVER_HANGS_S)

    monkeypatch.setattr(doctor, "create_backend", create)
    monkeypatch.setattr(doctor, "resolve", lambda *_: MODEL)
    # Not the module itself, which takes six seconds of a processor to import.
    reference = SimpleNamespace(ReferenceModel=ScriptedReference)
    monkeypatch.setitem(sys.modules, "groundwire_verifier.engine.reference", reference)
    return engine


async def test_a_model_that_verifies_is_well(
    engine: ScriptedEngine, capsys: pytest.CaptureFixture[str]
) -> None:
    assert await examine(scripted_settings(revision=REVISION), as_json=True) == EXIT_OK
    report = json.loads(capsys.readouterr().out)
    assert report["probe_auroc"] == 1.0
    assert report["label_mass_min"] == pytest.approx(0.98)
    assert report["profile"] == "instruct, prompt yes-no/1: yes means supported"
    assert report["reference_max_nats"] == pytest.approx(0.0, abs=1e-9)
    assert report["findings"] == []


async def test_a_model_that_tells_nothing_apart_is_told_so(
    engine: ScriptedEngine, capsys: pytest.CaptureFixture[str]
) -> None:
    engine.answer = lambda _: (0.2, 0.2, 0.0)
    assert await examine(scripted_settings(revision=REVISION), as_json=True) == EXIT_BELOW
    report = json.loads(capsys.readouterr().out)
    assert report["probe_auroc"] == 0.5
    assert len(report["findings"]) == 3


async def test_answers_that_look_turned_round_are_a_finding(
    engine: ScriptedEngine, capsys: pytest.CaptureFixture[str]
) -> None:
    engine.answer = lambda prompt: (*reversed(answer(prompt)[:2]), 0.0)
    assert await examine(scripted_settings(revision=REVISION), as_json=True) == EXIT_BELOW
    findings = json.loads(capsys.readouterr().out)["findings"]
    assert any("yes and no look swapped" in finding for finding in findings)


async def test_reads_apart_from_the_reference_are_a_finding(
    engine: ScriptedEngine,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(ScriptedReference, "apart_nats", -1.0)
    assert await examine(scripted_settings(revision=REVISION), as_json=True) == EXIT_BELOW
    report = json.loads(capsys.readouterr().out)
    assert report["reference_max_nats"] == pytest.approx(1.0)
