#!/usr/bin/env python3
"""Tests groundwire.evaluators with the real frameworks, each in an environment of its own.

    .venv/bin/python scripts/check_evaluators.py              # all five
    .venv/bin/python scripts/check_evaluators.py haystack     # one

It makes the environments in `build/evaluators`, installs the client with its extra, and runs the
tests in `tests/outside/evaluators` against real servers with a scripted model, and mypy with the
framework's own types. The frameworks are heavy and need an index of packages, so this is no part of
`make test`.
"""

import contextlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TESTS = ROOT / "tests" / "outside" / "evaluators"
ENVIRONMENTS = ROOT / "build" / "evaluators"
TOOLS = ("mypy==2.4.1", "pytest==9.2.0", "pytest-asyncio==1.5.0", "pytest-timeout==2.4.0")
# langchain-core asks for a certifi that was published in its own week, which mirrors have late.
OVERRIDES = "certifi>=2026.10.18\n"
# What frameworks would tell their makers; a test is none of their business.
SILENT = {
    "HAYSTACK_TELEMETRY_ENABLED": "False",
    "DEEPEVAL_TELEMETRY_OPT_OUT": "1",
    "LANGSMITH_TRACING": "false",
    "RAGAS_DO_NOT_TRACK": "true",
}


@dataclass(frozen=True, slots=True)
class Framework:
    """A framework: the extra that installs it, and the version that is tested."""

    extra: str
    package: str
    version: str

    @property
    def module(self) -> str:
        """Its module in groundwire.evaluators."""
        return self.extra.replace("-", "_")


FRAMEWORKS = (
    Framework("haystack", "haystack-ai", "3.4.0"),
    Framework("langchain", "langchain", "1.5.0"),
    Framework("deepeval", "deepeval", "4.3.1"),
    Framework("llama-index", "llama-index-core", "0.14.25"),
    Framework("ragas", "ragas", "0.4.3"),
)


def main(names: list[str]) -> int:
    """Test these frameworks, or all; 1 if a test or a type failed."""
    if unknown := set(names) - {each.extra for each in FRAMEWORKS}:
        print(f"unknown: {', '.join(sorted(unknown))}", file=sys.stderr)
        return 2
    wanted = [each for each in FRAMEWORKS if not names or each.extra in names]
    with servers() as targets:
        failed = [each.extra for each in wanted if not passes(each, targets)]
    print(f"failed: {', '.join(failed)}" if failed else "all passed")
    return 1 if failed else 0


def passes(framework: Framework, targets: dict[str, str]) -> bool:
    """Whether the tests and the types of one framework are as they should be."""
    print(f"== {framework.package} {framework.version}", flush=True)
    python = install(framework)
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"} | SILENT | targets
    module = ROOT / "clients/python/groundwire/evaluators" / f"{framework.module}.py"
    checks = (
        ("pytest", "-q", "-c", TESTS / "pytest.ini", "--rootdir", ROOT, "--confcutdir", TESTS,
         TESTS / f"test_{framework.module}.py", TESTS / "test_examples.py"),
        ("mypy", "--strict", "--no-incremental", "--follow-imports", "silent", module),
    )  # fmt: skip
    began_s = time.monotonic()
    done = [
        subprocess.run(
            (python, "-m", *check),
            cwd=ROOT,
            env=environment | {"PYTHONPATH": str(ROOT), "GROUNDWIRE_FRAMEWORK": framework.module},
            check=False,
        )
        for check in checks
    ]
    print(f"{time.monotonic() - began_s:.0f} s", flush=True)
    return all(each.returncode == 0 for each in done)


def install(framework: Framework) -> Path:
    """The Python of an environment with the framework, and the client as it is now."""
    folder = ENVIRONMENTS / framework.module
    python = folder / "bin" / "python"
    if not python.exists():
        uv("venv", "--python", sys.executable, folder)
    with tempfile.TemporaryDirectory() as temporary:
        overrides = Path(temporary, "overrides.txt")
        overrides.write_text(OVERRIDES)
        # A build leaves folders beside the sources.
        client = Path(temporary, "client")
        shutil.copytree(ROOT / "clients" / "python", client)
        uv(
            "pip", "install", "--python", python, "--override", overrides,
            "--reinstall-package", "groundwire", *TOOLS,
            f"groundwire[{framework.extra}] @ {client}",
            f"{framework.package}=={framework.version}",
        )  # fmt: skip
    return python


def uv(*arguments: str | Path) -> None:
    """Runs the uv that is installed beside this Python."""
    program = Path(sys.executable).with_name("uv")
    subprocess.run((program, *arguments, "--quiet", "--no-config"), check=True)


@contextlib.contextmanager
def servers() -> Iterator[dict[str, str]]:
    """Servers with a scripted model, as variables that the tests read; their log is a file."""
    ENVIRONMENTS.mkdir(parents=True, exist_ok=True)
    with (
        (ENVIRONMENTS / "servers.log").open("wb") as log,
        subprocess.Popen(
            (sys.executable, "-m", "tests.outside.evaluators.server"),
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
        ) as process,
    ):
        if process.stdout is None or process.stdin is None:
            raise RuntimeError("both are pipes")
        names = ("GROUNDWIRE_TARGET", "GROUNDWIRE_GUARDED_TARGET")
        yield dict(zip(names, json.loads(process.stdout.readline()), strict=True))
        process.stdin.close()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
