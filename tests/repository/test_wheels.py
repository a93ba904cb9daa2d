"""The packages as somebody installs them: built wheels, in environments that were empty."""

import contextlib
import os
import re
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import Distribution, distribution, distributions, version
from pathlib import Path
from typing import NamedTuple
from zipfile import ZipFile

import pytest
from packaging.requirements import Requirement

from groundwire.v1 import hallucination_detection_pb2 as pb
from groundwire_server.exit_codes import EXIT_CONFIG
from tests.client.plain_answers import answer_response
from tests.client.scripted import ScriptedServer
from tests.serving import free_port

ROOT = Path(__file__).parents[2]
CLIENT_FOLDER = "clients/python"
SOURCES = (
    "pyproject.toml", "README.md", "LICENSE", "server", "verifier", CLIENT_FOLDER, "training",
)  # fmt: skip
CLIENT_PACKAGES = (f"{CLIENT_FOLDER}/groundwire",)
SERVER_PACKAGES = ("server/groundwire_server", "verifier/groundwire_verifier")
TRAINING_PACKAGES = ("training/groundwire_training",)
CLIENT_LIMIT_BYTES = 300_000
CPU_PINS = ROOT / "requirements" / "cpu.txt"
SETTINGS = "from groundwire_server.config.settings import ServerSettings"
STAY = "    import sys; sys.stdin.read()"
TOP_LEVEL_NAMES = """
from importlib.metadata import distribution
for name in ("groundwire", "groundwire-server"):
    print(distribution(name).read_text("top_level.txt"))
"""


class Wheels(NamedTuple):
    """The project's packages as built."""

    client: Path
    server: Path
    training: Path


class AnyAnswer(ScriptedServer):
    """Has the same verdicts for every answer, whatever a README asks."""

    def VerifyAnswer(self, request: object, context: object) -> pb.VerifyAnswerResponse:
        return answer_response("0.75 0.25")


@dataclass(frozen=True, slots=True)
class Notebook:
    """What the README's call in a notebook printed, and where others can ask the same server."""

    printed: str
    target: str


@dataclass(frozen=True, slots=True)
class Environment:
    """A virtual environment that knows nothing of the checkout, and a folder to work in."""

    folder: Path

    def program(self, name: str) -> Path:
        return self.folder / "bin" / name

    @property
    def site_packages(self) -> Path:
        """Where its packages are."""
        return Path(sysconfig.get_path("purelib", vars={"base": str(self.folder)}))

    def run(self, program: str, *arguments: str | Path) -> str:
        """What a program of this environment prints."""
        return run(self.program(program), *arguments, folder=self.folder)

    def install(self, *arguments: str | Path) -> None:
        uv("pip", "install", "--python", self.program("python"), *arguments, folder=self.folder)


def run(*command: str | Path, folder: Path) -> str:
    environment = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "VIRTUAL_ENV")}
    return subprocess.run(
        command, cwd=folder, env=environment, stdout=subprocess.PIPE, text=True, check=True
    ).stdout


def uv(*arguments: str | Path, folder: Path) -> None:
    # Nothing is downloaded: packages come from uv's cache, which `make setup` has filled.
    program = Path(sys.executable).with_name("uv")
    run(program, *arguments, "--quiet", "--offline", "--no-config", folder=folder)


def environment_at(folder: Path) -> Environment:
    uv("venv", "--python", sys.executable, folder, folder=ROOT)
    return Environment(folder)


def link_bytecode(environment: Environment) -> None:
    """Bytecode of this environment for equal files of another, which would compile it anew.

    Python takes it only where size and time of the source are those that it was made of. One that
    cannot be linked, as between file systems, costs time and no more.
    """
    here, there = Path(sysconfig.get_path("purelib")), environment.site_packages
    for compiled in here.rglob("__pycache__/*.pyc"):
        link = there / compiled.relative_to(here)
        if link.parent.parent.is_dir():
            link.parent.mkdir(exist_ok=True)
            with contextlib.suppress(OSError):
                link.hardlink_to(compiled)


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> Wheels:
    """Of the client, the server and training, from a copy, since a build leaves folders behind."""
    source, built = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("wheels")
    left_behind = shutil.ignore_patterns("build", "*.egg-info", "__pycache__")
    for name in SOURCES:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, source / name, ignore=left_behind)
        else:
            shutil.copy(ROOT / name, source / name)
    for project in (source / CLIENT_FOLDER, source, source / "training"):
        flags = ("--no-build-isolation", "--python", sys.executable)
        uv("build", "--wheel", *flags, "--out-dir", built, project, folder=source)
    names = ("groundwire", "groundwire_server", "groundwire_training")
    (client,), (server,), (training,) = (built.glob(f"{name}-*.whl") for name in names)
    return Wheels(client, server, training)


def test_make_builds_a_wheel_of_every_package() -> None:
    command = ("make", "--dry-run", "--no-print-directory", "wheels")
    loop = re.search(r"for package in (.*?);", run(*command, folder=ROOT))
    assert loop is not None
    folders = {file.parent for file in ROOT.glob("*/pyproject.toml")}
    folders |= {file.parent for file in ROOT.glob("clients/*/pyproject.toml")} | {ROOT}
    assert {(ROOT / each).resolve() for each in loop[1].split()} == folders


def assert_holds(wheel: Path, packages: tuple[str, ...], left_out: str | None = None) -> None:
    """Every file of these packages but those of a folder, and nothing else."""
    with ZipFile(wheel) as archive:
        held = {name for name in archive.namelist() if ".dist-info/" not in name}
    files = {
        path.relative_to((ROOT / package).parent).as_posix()
        for package in packages
        for path in (ROOT / package).rglob("*")
        if path.is_file() and path.parent.name not in ("__pycache__", left_out)
    }
    assert held == files


def requirements(wheel: Path) -> set[str]:
    (built,) = distributions(path=[str(wheel)])
    return _names(built)


def _names(package: Distribution) -> set[str]:
    """What a package asks for, without its extras."""
    asked = [Requirement(line) for line in package.requires or ()]
    return {each.name for each in asked if each.marker is None or each.marker.evaluate()}


def pins(names: set[str]) -> set[str]:
    """These packages and all that they ask for, in the versions that are here."""
    found: dict[str, str] = {}
    while left := names - found.keys():
        for name in left:
            package = distribution(name)
            found[name] = f"{name}=={package.version}"
            names = names | _names(package)
    return set(found.values())


def test_the_client_is_small_and_needs_grpcio_and_protobuf(wheels: Wheels) -> None:
    assert wheels.client.stat().st_size < CLIENT_LIMIT_BYTES
    assert_holds(wheels.client, CLIENT_PACKAGES)
    assert requirements(wheels.client) == {"grpcio", "protobuf"}


def test_the_server_is_two_packages_and_needs_the_client(wheels: Wheels) -> None:
    assert_holds(wheels.server, SERVER_PACKAGES)
    assert "groundwire" in requirements(wheels.server)


def test_training_needs_the_server_and_leaves_out_what_needs_a_checkout(wheels: Wheels) -> None:
    assert_holds(wheels.training, TRAINING_PACKAGES, left_out="embedded")
    assert "groundwire-server" in requirements(wheels.training)


@pytest.fixture(scope="module")
def client_only(wheels: Wheels, tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """The client's wheel, and what it asks for."""
    environment = environment_at(tmp_path_factory.mktemp("client-only"))
    environment.install("--no-deps", wheels.client, *pins(requirements(wheels.client)))
    return environment


@pytest.fixture(scope="module")
def whole(wheels: Wheels, tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """Client and server beside the tested set, and the files that the README's commands name."""
    environment = environment_at(tmp_path_factory.mktemp("whole"))
    environment.install("--no-deps", "--require-hashes", "-r", CPU_PINS)
    link_bytecode(environment)
    environment.install(wheels.client, wheels.server)
    shutil.copytree(ROOT / "examples", environment.folder / "examples")
    return environment


@pytest.fixture(scope="module")
def notebook(whole: Environment) -> Iterator[Notebook]:
    """The README's server in a notebook, whose model stays loaded after its call.

    All of these tests ask it: `groundwire serve` is made of the same files, and tests/real has it.
    """
    address = f"127.0.0.1:{free_port()}"
    listening = f"in_process(ServerSettings(listen={address!r}))"
    code = example_of("README.md", 1).replace("in_process()", listening)
    program = [str(whole.program("python")), "-u", "-c", f"{SETTINGS}\n{code}{STAY}"]
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    pipe = subprocess.PIPE
    with subprocess.Popen(
        program, cwd=whole.folder, env=environment, stdin=pipe, stdout=pipe, text=True
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        yield Notebook(process.stdout.readline(), address)
        process.stdin.close()
    assert process.returncode == 0


def example_of(readme: str, number: int = 0) -> str:
    """A block of Python in a README."""
    blocks: list[str] = re.findall(r"```python\n(.*?)```", (ROOT / readme).read_text(), re.DOTALL)
    return blocks[number]


@pytest.mark.parametrize("readme", ["README.md", f"{CLIENT_FOLDER}/README.md"])
def test_the_calls_of_a_readme_work_with_the_client_alone(
    client_only: Environment, readme: str
) -> None:
    server = AnyAnswer()
    try:
        code = example_of(readme).replace("127.0.0.1:50051", server.target)
        printed = client_only.run("python", "-W", "error", "-c", code)
    finally:
        server.stop()
    assert "the warning" in printed


def test_the_packages_take_these_names_and_no_other(whole: Environment) -> None:
    names = whole.run("python", "-c", TOP_LEVEL_NAMES).split()
    assert sorted(names) == ["groundwire", "groundwire_server", "groundwire_verifier"]


def test_the_calls_of_the_readme_work_with_the_server_from_the_wheels(
    whole: Environment, notebook: Notebook
) -> None:
    printed = whole.run(
        "python", "-c", example_of("README.md").replace("127.0.0.1:50051", notebook.target)
    )
    assert printed.startswith("The tower is 330 m high")
    assert "SUPPORTED" in printed


def test_the_commands_of_the_readme_work_from_the_wheels(
    whole: Environment, notebook: Notebook
) -> None:
    at = ("--target", notebook.target)
    sources = ("--sources", "examples/sources")
    report = subprocess.run(
        (whole.program("groundwire"), "verify", "--answer", "examples/answer.txt", *sources, *at),
        cwd=whole.folder,
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )
    assert report.returncode in (0, 1)
    assert "nine floors" in report.stdout
    assert "not grounded in the" in report.stdout
    context = ("--context", "examples/sources/building.txt")
    estimate = whole.run("groundwire", "estimate", *context, "The tower has nine floors.", *at)
    assert "The tower has nine floors." in estimate


def test_the_command_to_train_says_what_to_install_and_works_once_it_is(
    whole: Environment, wheels: Wheels
) -> None:
    def told() -> str:
        command = ("train", "--data", "missing.jsonl", "--out", "verifier")
        done = subprocess.run(
            (whole.program("groundwire"), *command),
            cwd=whole.folder,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
        assert done.returncode == EXIT_CONFIG
        return done.stderr

    assert "pip install dist/groundwire_training-*.whl" in told()
    whole.install("--no-deps", wheels.training, f"peft=={version('peft')}")
    assert "missing.jsonl cannot be read" in told()


def test_the_notebook_call_of_the_readme_works_from_the_wheels(notebook: Notebook) -> None:
    verdict, _, rest = notebook.printed.partition(" ")
    assert verdict in ("UNSUPPORTED", "UNCERTAIN", "CONTRADICTED")
    assert rest.startswith("'The tower has nine floors.': p0 ")
