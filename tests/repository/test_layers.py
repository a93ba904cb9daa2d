"""Who may import whom, and who may read the environment."""

import ast
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
CLIENT = REPOSITORY / "clients" / "python" / "groundwire"
GENERATED = CLIENT / "v1"
VERIFIER_PACKAGE = "verifier/groundwire_verifier"
SERVER_PACKAGE = "server/groundwire_server"
VLLM_FOLDER = f"{VERIFIER_PACKAGE}/engine/vllm"
TRAINING_PACKAGE = "training/groundwire_training"
LATE = {"conversion.py", "quantize.py", "reference.py"}
"""Files that are imported late themselves, or run as a process of their own."""

SENTENCE_FILE = f"{VERIFIER_PACKAGE}/text/claims/markup/boundaries.py"
ENVIRONMENT_FILES = {
    f"{SERVER_PACKAGE}/{name}.py" for name in ("config/sources", "config/environment", "cli/main")
}
# vLLM calls it with no argument, in processes that only their environment tells from anybody's.
ENVIRONMENT_FILES.add(f"{VLLM_FOLDER}/in_engine/plugin.py")


def modules(folder: Path) -> list[Path]:
    found = sorted(p for p in folder.rglob("*.py") if GENERATED not in p.parents)
    assert found, f"{folder} holds no modules"
    return found


def name_of(path: Path) -> str:
    return path.relative_to(REPOSITORY).as_posix()


def names_in(nodes: Iterable[ast.AST]) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            yield node.module or ""


@cache
def parsed(path: Path) -> ast.Module:
    """A module's tree, which every rule looks at."""
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def imported_packages(path: Path, *, late: bool = True) -> set[str]:
    """The packages that a file imports, at its top or, if `late`, anywhere."""
    tree = parsed(path)
    return {name.partition(".")[0] for name in names_in(ast.walk(tree) if late else tree.body)}


def reads_environment(path: Path) -> bool:
    names = {"environ", "environb", "getenv", "putenv"}
    return any(
        (isinstance(node, ast.Attribute) and node.attr in names)
        or (
            isinstance(node, ast.ImportFrom)
            and node.module == "os"
            and any(alias.name in names for alias in node.names)
        )
        for node in ast.walk(parsed(path))
    )


def is_of_vllm(path: Path) -> bool:
    return name_of(path).startswith(f"{VLLM_FOLDER}/")


def needs_an_engine(path: Path) -> bool:
    return is_of_vllm(path) or name_of(path.parent) == f"{VERIFIER_PACKAGE}/engine"


def folder_imports(package: Path) -> dict[str, set[str]]:
    """The folders of a package, each with those whose modules it imports."""
    base = package.parent
    found: dict[str, set[str]] = {}
    for path in modules(package):
        folder = ".".join(path.parent.relative_to(base).parts)
        for node in ast.walk(parsed(path)):
            if not isinstance(node, ast.ImportFrom) or not node.module:
                continue
            if node.module.partition(".")[0] != package.name:
                continue
            is_module = (base / f"{node.module.replace('.', '/')}.py").exists()
            used = node.module.rpartition(".")[0] if is_module else node.module
            found.setdefault(folder, set()).update({used} - {folder})
    return found


VERIFIER = modules(REPOSITORY / VERIFIER_PACKAGE)
SERVER = modules(REPOSITORY / SERVER_PACKAGE)
TRAINING = modules(REPOSITORY / TRAINING_PACKAGE)
CLIENT_MODULES = modules(CLIENT)


def breaking(paths: Iterable[Path], is_allowed: Callable[[Path], bool]) -> list[str]:
    """The files that break a rule."""
    return [name_of(path) for path in paths if not is_allowed(path)]


def only_in(folders: str | tuple[str, ...], *packages: str) -> list[str]:
    """The files elsewhere that import one of the packages which are for these folders alone."""
    return breaking(
        VERIFIER + SERVER,
        lambda path: (
            imported_packages(path).isdisjoint(packages) or name_of(path).startswith(folders)
        ),
    )


def test_the_domain_knows_no_transport_telemetry_or_adapter() -> None:
    unwanted = {
        "grpc", "google", "opentelemetry", "groundwire", "groundwire_server", "pydantic", "rich",
    }  # fmt: skip
    assert breaking(VERIFIER, lambda path: imported_packages(path).isdisjoint(unwanted)) == []


def test_the_domain_outside_its_backends_needs_numpy_only() -> None:
    allowed = {"numpy", "groundwire_verifier", *sys.stdlib_module_names}

    def is_allowed(path: Path) -> bool:
        more = {"sentencex"} if name_of(path) == SENTENCE_FILE else set[str]()
        return needs_an_engine(path) or imported_packages(path) <= allowed | more

    assert breaking(VERIFIER, is_allowed) == []


def test_sentence_boundaries_come_from_one_file() -> None:
    assert only_in(SENTENCE_FILE, "sentencex") == []


def test_vllm_is_imported_in_its_own_file_only() -> None:
    assert only_in(f"{VLLM_FOLDER}/", "vllm") == []


def test_only_endpoints_and_the_proxy_know_an_http_client() -> None:
    clients = ("httpx", "httpx2", "openai", "anthropic", "aiohttp", "requests", "urllib3")
    users = (f"{SERVER_PACKAGE}/endpoints/", f"{SERVER_PACKAGE}/doors/proxy/")
    assert only_in(users, *clients) == []


def test_only_the_doors_know_a_server_of_http() -> None:
    servers = ("connectrpc", "protobuf", "starlette", "uvicorn", "offapi", "mcp")
    assert only_in(f"{SERVER_PACKAGE}/doors/", *servers) == []


def test_the_doors_know_no_feature_and_only_the_start_knows_that_of_http() -> None:
    imports = folder_imports(REPOSITORY / SERVER_PACKAGE)
    doors = [folder for folder in imports if folder.startswith("groundwire_server.doors")]
    assert len(doors) > 1
    assert not any(".features" in used for door in doors for used in imports[door])
    users = {folder for folder, used in imports.items() if "groundwire_server.doors.http" in used}
    assert users == {"groundwire_server"}


def test_training_is_imported_late_and_by_the_command_only() -> None:
    users = [path for path in VERIFIER + SERVER if "groundwire_training" in imported_packages(path)]
    assert [name_of(path) for path in users] == [f"{SERVER_PACKAGE}/cli/train.py"]
    assert "groundwire_training" not in imported_packages(users[0], late=False)


def test_training_knows_the_bench_only_where_it_makes_what_ships() -> None:
    users = [path for path in TRAINING if "bench" in imported_packages(path)]
    assert {name_of(path.parent) for path in users} == {f"{TRAINING_PACKAGE}/embedded"}
    others = [path for path in TRAINING if path.parent.name != "embedded"]
    assert not any(
        name.startswith("groundwire_training.embedded")
        for path in others
        for name in names_in(ast.walk(parsed(path)))
    )


def test_only_the_durable_queue_knows_a_database() -> None:
    databases = ("dbos", "sqlalchemy", "psycopg")
    assert only_in(f"{SERVER_PACKAGE}/durable_queue/", *databases) == []


def test_only_the_corpus_knows_an_index_and_formats_of_documents() -> None:
    formats = ("qdrant_edge", "qdrant_client", "pypdf", "bs4")
    assert only_in(f"{SERVER_PACKAGE}/corpus/", *formats) == []


def test_only_batch_jobs_know_parquet_and_a_cluster() -> None:
    assert only_in(f"{SERVER_PACKAGE}/batch/", "pyarrow", "ray") == []


def test_the_environment_is_read_at_the_edge_only() -> None:
    paths = VERIFIER + SERVER + CLIENT_MODULES
    found = breaking(paths, lambda path: not reads_environment(path))
    assert set(found) <= ENVIRONMENT_FILES


def test_the_client_knows_neither_server_nor_domain() -> None:
    unwanted = {"groundwire_server", "groundwire_verifier", "numpy", "vllm", "torch"}
    assert breaking(CLIENT_MODULES, lambda path: imported_packages(path).isdisjoint(unwanted)) == []


def test_engines_are_imported_late() -> None:
    engines = {"vllm", "torch", "transformers"}

    def is_allowed(path: Path) -> bool:
        at_top = imported_packages(path, late=False)
        return at_top.isdisjoint(engines) or is_of_vllm(path) or path.name in LATE

    assert breaking(VERIFIER + SERVER, is_allowed) == []


@pytest.mark.parametrize("package", [VERIFIER_PACKAGE, SERVER_PACKAGE, TRAINING_PACKAGE])
def test_no_folder_imports_one_that_imports_it(package: str) -> None:
    left = folder_imports(REPOSITORY / package)
    while left:
        free = [folder for folder, used in left.items() if used.isdisjoint(left)]
        assert free, f"these import each other in a circle: {left}"
        for folder in free:
            del left[folder]
