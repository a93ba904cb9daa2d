"""What identifies the wording of prompts: it changes with every word; a version stands for it."""

from collections.abc import Mapping

import pytest

from groundwire_verifier.checks.traces.derivation import DERIVATION_VERSION, DERIVATION_WORDING_ID
from groundwire_verifier.domain import prompts
from groundwire_verifier.domain.types import Template

WORDING_OF: Mapping[tuple[str, ...], str] = {
    (
        "yes-no/1",
        "yes-no-unsure/1",
    ): "fb069922b3931892187defe1e3591a2606e990006e388886d382e40c7f159596",
    (
        "yes-no/1",
        "yes-no-unsure/1",
        "assessment/1",
    ): "7fc9c00f5684e2cdbbcc50ab349af47b08b5acbbda19b0a624d1dde03f40eaea",
    ("derive/1",): "18d50d05b9b932fc53cfb663673da4bd3b87f4e8f9d4fb38d7cd3105f7b3147b",
}
"""A wording that changed needs a new version, and a line here beside that of the old one."""


@pytest.mark.parametrize("name", ["CONTEXT_LEAD", "PLAIN_ANSWER_LEAD"])
def test_another_lead_is_another_wording(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    before = prompts.prompt_wording_id()
    monkeypatch.setattr(prompts, name, "Other words:")
    assert prompts.prompt_wording_id() != before


@pytest.mark.parametrize("template", Template)
def test_another_question_is_another_wording(
    template: Template, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = prompts.prompt_wording_id()
    monkeypatch.setitem(prompts.QUESTION_LEADS, template, "Is it so?")
    assert prompts.prompt_wording_id() != before


def test_a_version_stands_for_one_wording() -> None:
    versions = tuple(template.value for template in Template)
    assert WORDING_OF[versions] == prompts.prompt_wording_id()
    assert WORDING_OF[DERIVATION_VERSION,] == DERIVATION_WORDING_ID
