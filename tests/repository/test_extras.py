"""What errors say of extras, and how pip finds the client from a checkout."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from groundwire_server.config import extras
from groundwire_server.config.extras import how_to_install

ROOT = Path(__file__).parents[2]
README = ROOT / "README.md"


def test_from_a_checkout_an_extra_is_installed_from_it() -> None:
    assert how_to_install("http") == f"pip install -e '{ROOT}[http]'"
    assert how_to_install("cpu").endswith(f"-r '{ROOT}/requirements/cpu.txt'")
    assert how_to_install("corpus").endswith(extras.TOKENIZER)


def test_elsewhere_the_packages_are_installed_that_it_asks_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(extras, "CHECKOUT", tmp_path)
    assert how_to_install("mcp") == "pip install 'mcp==2.3.0'"
    both = how_to_install("gpu,mcp")
    assert "'vllm==0.32.0'" in both
    assert "'mcp==2.3.0'" in both
    assert "groundwire" not in both
    assert how_to_install("cpu").endswith("-r 'requirements/cpu.txt'")


def test_every_extra_that_an_error_names_is_one() -> None:
    named = {
        extra
        for file in (ROOT / "server").rglob("*.py")
        for part in file.read_text(encoding="utf-8").split("how_to_install('")[1:]
        for extra in part.partition("'")[0].split(",")
    }
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert named
    assert named <= project["optional-dependencies"].keys()


def test_the_page_of_deployment_has_every_extra() -> None:
    page = (ROOT / "docs" / "deployment.md").read_text(encoding="utf-8")
    (told,) = re.findall(r"^The extras are (.*?)\.", page, re.MULTILINE)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"].keys() - {"cpu", "gpu"}
    assert set(re.findall(r"`(\w+)`", told)) == extras


def test_nothing_here_installs_our_packages_from_an_index_where_others_may_take_the_names() -> None:
    folders = ("clients", "docs", "examples", "server", "training", "bench")
    kinds = ("md", "py", "ipynb")
    files = [*ROOT.glob("*.md")] + [
        file for folder in folders for kind in kinds for file in (ROOT / folder).rglob(f"*.{kind}")
    ]
    installs = re.compile(
        r"pip install (?:[^\s`#]+ +)*['\"]?groundwire(?:-server|-training)?(?![\w-])"
    )
    assert README in files
    assert [file for file in files if installs.search(file.read_text(encoding="utf-8"))] == []
    assert installs.search("pip install -U 'groundwire-server[http]'")
    assert not installs.search(
        "pip install --no-deps dist/groundwire-*.whl dist/groundwire_server-*"
    )


def requires(*command: str) -> str:
    """The client among what setuptools says that the server needs."""
    code = (
        "import setuptools, sys; sys.argv = ['setup.py', *sys.argv[1:]];"
        "from distutils.core import run_setup;"
        "made = run_setup('setup.py', script_args=sys.argv[1:], stop_after='config');"
        "print([need for need in made.install_requires if need.startswith('groundwire')][0])"
    )
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code, *command],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.strip()


def test_what_is_installed_from_a_checkout_needs_the_client_of_the_checkout() -> None:
    client = (ROOT / "clients" / "python").as_uri()
    for command in ("dist_info", "editable_wheel"):
        assert requires(command) == f"groundwire @ {client}"


def test_a_wheel_that_is_built_needs_the_client_of_its_version() -> None:
    assert requires("bdist_wheel") == "groundwire==0.1.0"
