"""The two packages as somebody installs them: built wheels, away from the checkout."""

import os
import re
import shutil
import subprocess
import sys
import sysconfig
from importlib.metadata import distributions
from pathlib import Path
from zipfile import ZipFile

import pytest

from groundwire.v1 import hallucination_detection_pb2 as pb
from tests.client.scripted_detection import DetectionServer, answer_response

ROOT = Path(__file__).parents[2]
CLIENT_FOLDER = "clients/python"
SOURCES = ("pyproject.toml", "README.md", "LICENSE", "server", "verifier", CLIENT_FOLDER)
CLIENT_PACKAGES = (f"{CLIENT_FOLDER}/groundwire",)
SERVER_PACKAGES = ("server/groundwire_server", "verifier/groundwire_verifier")
CLIENT_LIMIT_BYTES = 300_000
# grpcio and protobuf, and typing_extensions, which grpcio needs.
NEEDED = ("grpc", "google/protobuf", "google/_upb", "typing_extensions.py")
ORIGINS = """
import groundwire, groundwire_server.cli.main as main, groundwire_verifier
print(groundwire.__file__, main.__file__, groundwire_verifier.__file__)
"""


class AnyAnswer(DetectionServer):
    """Has the same verdicts for every answer, whatever a README asks."""

    def VerifyAnswer(self, request: object, context: object) -> pb.VerifyAnswerResponse:
        return answer_response("0.75 0.25")


def run(*command: str | Path, folder: Path) -> str:
    """What a command prints that finds in `folder` what it imports."""
    environment = {**os.environ, "PYTHONPATH": str(folder)}
    return subprocess.run(
        command, cwd=folder, env=environment, stdout=subprocess.PIPE, text=True, check=True
    ).stdout


def uv(*arguments: str | Path, folder: Path) -> None:
    # Nothing is downloaded: it builds with the setuptools that is here.
    program = Path(sys.executable).with_name("uv")
    flags = ("--quiet", "--offline", "--no-config", "--python", sys.executable)
    run(program, *arguments, *flags, folder=folder)


def install(folder: Path, *wheels: Path) -> Path:
    uv("pip", "install", "--no-deps", "--target", folder, *wheels, folder=folder)
    return folder


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The client's and the server's, from a copy, since a build leaves folders behind."""
    source, built = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("wheels")
    left_behind = shutil.ignore_patterns("build", "*.egg-info", "__pycache__")
    for name in SOURCES:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, source / name, ignore=left_behind)
        else:
            shutil.copy(ROOT / name, source / name)
    for project in (source / CLIENT_FOLDER, source):
        uv("build", "--wheel", "--no-build-isolation", "--out-dir", built, project, folder=source)
    (client,), (server,) = built.glob("groundwire-*.whl"), built.glob("groundwire_server-*.whl")
    return client, server


def assert_holds(wheel: Path, packages: tuple[str, ...]) -> None:
    """Every file of these packages, and nothing else."""
    with ZipFile(wheel) as archive:
        held = {name for name in archive.namelist() if ".dist-info/" not in name}
    files = {
        path.relative_to((ROOT / package).parent).as_posix()
        for package in packages
        for path in (ROOT / package).rglob("*")
        if path.is_file() and path.parent.name != "__pycache__"
    }
    assert held == files


def requirements(wheel: Path) -> set[str]:
    (built,) = distributions(path=[str(wheel)])
    return {re.split(r"[<>=]", line)[0] for line in built.requires or ()}


def test_the_client_is_small_and_needs_grpcio_and_protobuf(wheels: tuple[Path, Path]) -> None:
    client, _ = wheels
    assert client.stat().st_size < CLIENT_LIMIT_BYTES
    assert_holds(client, CLIENT_PACKAGES)
    assert requirements(client) == {"grpcio", "protobuf"}


def test_the_server_is_two_packages_and_needs_the_client(wheels: tuple[Path, Path]) -> None:
    _, server = wheels
    assert_holds(server, SERVER_PACKAGES)
    assert "groundwire" in requirements(server)


@pytest.mark.parametrize("readme", ["README.md", f"{CLIENT_FOLDER}/README.md"])
def test_the_calls_of_a_readme_work_in_an_empty_environment(
    wheels: tuple[Path, Path], readme: str, tmp_path: Path
) -> None:
    install(tmp_path, wheels[0])
    (tmp_path / "google").mkdir()
    for name in NEEDED:
        (tmp_path / name).symlink_to(Path(sysconfig.get_path("platlib"), name))
    example = re.search(r"```python\n(.*?)```", (ROOT / readme).read_text(), re.DOTALL)
    assert example
    server = AnyAnswer()
    code = example[1].replace("127.0.0.1:50051", server.target)
    try:
        # -S leaves out what is installed: Python finds its own library and this folder.
        printed = run(sys.executable, "-S", "-W", "error", "-c", code, folder=tmp_path)
    finally:
        server.stop()
    assert "the warning" in printed


def test_the_command_line_works_from_the_wheels(wheels: tuple[Path, Path], tmp_path: Path) -> None:
    install(tmp_path, *wheels)
    for origin in run(sys.executable, "-c", ORIGINS, folder=tmp_path).split():
        assert Path(origin).is_relative_to(tmp_path)
    groundwire = tmp_path / "bin" / "groundwire"
    assert "verify" in run(groundwire, "--help", folder=tmp_path)
    assert "listen" in run(groundwire, "config", "show", folder=tmp_path)
