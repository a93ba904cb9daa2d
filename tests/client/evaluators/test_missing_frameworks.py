"""Without its framework, the module of an evaluator says what to install."""

import importlib
import importlib.util
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement

CLIENT = Path(__file__).parents[3] / "clients" / "python"
EXTRAS: dict[str, list[str]] = tomllib.loads((CLIENT / "pyproject.toml").read_text())["project"][
    "optional-dependencies"
]
FRAMEWORKS = {
    "haystack": "haystack",
    "langchain": "langchain",
    "deepeval": "deepeval",
    "llama-index": "llama_index",
    "ragas": "ragas",
}


def test_each_extra_has_a_module() -> None:
    assert EXTRAS.keys() == FRAMEWORKS.keys()


@pytest.mark.parametrize(("extra", "framework"), FRAMEWORKS.items())
def test_without_its_framework_a_module_says_how_to_install_it(extra: str, framework: str) -> None:
    if importlib.util.find_spec(framework) is not None:
        pytest.skip(f"{framework} is installed here")
    with pytest.raises(ImportError, match="pip install '") as found:
        importlib.import_module(f"groundwire.evaluators.{extra.replace('-', '_')}")
    for need in map(Requirement, EXTRAS[extra]):
        assert f"'{need.name}" in str(found.value)
    # Ragas' module needs LangChain's core beside it, which comes with it.
    assert str(found.value.name).startswith((framework, "langchain_core"))


def test_the_package_and_the_judgement_need_no_framework() -> None:
    assert importlib.import_module("groundwire.evaluators.judgement").judge
