"""The pages: their links lead somewhere, and nothing that a user can meet is left out of them."""

import ast
import importlib
import json
import re
from functools import cache
from pathlib import Path

import pytest

from groundwire.v1 import hallucination_detection_pb2 as pb
from groundwire_server.config.settings import ClientSettings
from groundwire_server.models.store import EMBEDDED_MODELS
from groundwire_server.reports.as_json import json_report
from scripts import configuration
from tests.server.reports.answer_reports import checked, claim, verdict

ROOT = Path(__file__).resolve().parents[2]
README = ROOT / "README.md"
MOST_BYTES = {"README.md": 10_240, "ARCHITECTURE.md": 12_000, "CHANGELOG.md": 3_072}
MOST_PAGES, MOST_PAGES_BYTES = 15, 200_000
MOST_WALK_LINES = 12
CARDS = list((ROOT / "server/groundwire_server/models/embedded").glob("*/README.md"))
BENCHES = ROOT / "bench" / "README.md"
PAGES = [
    README,
    *(
        ROOT / name
        for name in (
            "ARCHITECTURE.md",
            "CONTRIBUTING.md",
            "CHANGELOG.md",
            "SECURITY.md",
            "THIRD_PARTY.md",
        )
    ),
    *sorted((ROOT / "docs").glob("*.md")),
    BENCHES,
    ROOT / "bench" / "lab-notes.md",
    ROOT / "training" / "README.md",
    ROOT / "clients" / "go" / "README.md",
    ROOT / "deploy" / "helm" / "groundwire" / "README.md",
    *sorted(CARDS),
]
CONFIGURATION = ROOT / "docs" / "configuration.md"
VERDICTS = ROOT / "docs" / "verdicts.md"
REQUIREMENTS = ROOT / "docs" / "requirements.md"
MOST_REQUIREMENTS_BYTES = 8_192

# Not installed here: scripts/check_evaluators.py runs what imports them.
FRAMEWORKS = re.compile(
    r"(haystack|langchain|langchain_core|deepeval|llama_index|ragas)(\.|$)"
    r"|groundwire\.evaluators\.(haystack|langchain|deepeval|llama_index|ragas)$"
)
PYTHON = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FENCED = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
RESULTS = re.compile(r"bench/results/([\w.-]+)")
TRAINING_RUN = re.compile(r"-(run-\d+)-")
MODEL_OF_RESULTS = re.compile(r"^- model: (\S+)$", re.MULTILINE)
LINK = re.compile(r"\]\(([^)\s]+)\)")
CODE = re.compile(r"`([^`\n]+)`")
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
ROW = re.compile(r"^\| `([^`]+)` \| ([^|]*) \|", re.MULTILINE)
OUR_PROGRAM = re.compile(r"python -m ((?:bench|deploy|training|tests)[\w.]*)")
OUR_PATH = re.compile(
    r"(?:server|verifier|clients|tests|bench|deploy|docs|proto|training|scripts)/[\w./*-]*"
)


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@cache
def prose(page: Path) -> str:
    """A page without its fenced code."""
    return FENCED.sub("", page.read_text(encoding="utf-8"))


@cache
def anchors(page: Path) -> set[str]:
    """The anchors of a page's headings, as GitHub makes them."""
    found: set[str] = set()
    for heading in HEADING.findall(prose(page)):
        words = re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")
        found.add(next(a for n in range(100) if (a := f"{words}-{n}" if n else words) not in found))
    return found


def is_dead(page: Path, link: str) -> bool:
    path, _, anchor = link.partition("#")
    target = (page.parent / path).resolve() if path else page
    if not target.is_relative_to(ROOT) or not target.exists():
        return True
    return bool(anchor) and (target.suffix != ".md" or anchor not in anchors(target))


def rows(page: Path, heading: str | None = None) -> dict[str, str]:
    """The tables' first cells, where these are code, with the second ones."""
    text = prose(page)
    if heading is not None:
        text = re.split(r"^## ", text.partition(f"## {heading}\n")[2], flags=re.MULTILINE)[0]
    found = ROW.findall(text)
    assert len(found) == len(dict(found)), f"a row of {name_of(page)} stands there twice"
    return dict(found)


def without_prefix(names: list[str], prefix: str) -> set[str]:
    return {name.removeprefix(prefix) for name in names} - {"UNSPECIFIED"}


def has_tests(place: Path) -> bool:
    """Whether a path is a file, or a folder with tests."""
    return place.is_file() or any(place.rglob("test_*.py"))


def is_program(folder: Path) -> bool:
    """Whether a package is started by its own name."""
    return (folder / "__main__.py").is_file()


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_link_inside_of_the_repository_leads_somewhere(page: Path) -> None:
    links = [link for link in LINK.findall(prose(page)) if "://" not in link]
    assert [link for link in links if is_dead(page, link)] == []


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_path_that_a_page_names_exists(page: Path) -> None:
    named = [code for code in CODE.findall(prose(page)) if OUR_PATH.fullmatch(code)]
    assert [path for path in named if not any(ROOT.glob(path.rstrip("/")))] == []


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_what_the_python_examples_import_is_there(page: Path) -> None:
    trees = [ast.parse(code) for code in PYTHON.findall(page.read_text(encoding="utf-8"))]
    imports = [n for tree in trees for n in ast.walk(tree) if isinstance(n, ast.ImportFrom)]
    for node in imports:
        if FRAMEWORKS.match(node.module or ""):
            continue
        module = importlib.import_module(node.module or "")
        assert [alias.name for alias in node.names if not hasattr(module, alias.name)] == []


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_program_that_a_page_starts_exists(page: Path) -> None:
    programs = OUR_PROGRAM.findall(page.read_text(encoding="utf-8"))
    files = {program: ROOT / f"{program.replace('.', '/')}.py" for program in programs}
    packages = {program for program, file in files.items() if is_program(file.with_suffix(""))}
    missing = [program for program, file in files.items() if not file.is_file()]
    assert set(missing) - packages == set()


def test_the_page_of_benches_has_every_bench() -> None:
    rooms = [ROOT / "bench", ROOT / "tests" / "soak"]
    files = [file for room in rooms for file in room.rglob("*.py") if file.name != "common.py"]
    benches = {
        name_of(file).removesuffix(".py").removesuffix("/__main__").replace("/", ".")
        for file in files
        if "bench_parser(" in file.read_text(encoding="utf-8")
    }
    assert set(OUR_PROGRAM.findall(BENCHES.read_text(encoding="utf-8"))) == benches


@pytest.mark.parametrize(("name", "most"), MOST_BYTES.items())
def test_the_first_pages_are_short(name: str, most: int) -> None:
    assert (ROOT / name).stat().st_size <= most


def test_the_pages_of_docs_are_few_and_short() -> None:
    sizes = [page.stat().st_size for page in (ROOT / "docs").glob("*.md")]
    assert len(sizes) <= MOST_PAGES
    assert sum(sizes) <= MOST_PAGES_BYTES


@pytest.mark.parametrize("page", [README, *sorted((ROOT / "docs").glob("*.md"))], ids=name_of)
def test_no_page_names_figures_of_a_model_that_does_not_ship(page: Path) -> None:
    shipped = {run for card in CARDS for run in TRAINING_RUN.findall(card.read_text())}
    for folder in RESULTS.findall(page.read_text()):
        assert {*TRAINING_RUN.findall(folder)} <= shipped
        for results in (ROOT / "bench/results" / folder).glob("*.md"):
            assert EMBEDDED_MODELS.keys() >= {*MODEL_OF_RESULTS.findall(results.read_text())}


@pytest.mark.parametrize("call", ["BatchEstimate", "VerifyAnswer", "CheckFacts"])
def test_a_walk_through_the_code_is_short(call: str) -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    walk = re.split(r"^## ", text.partition(f"## {call}\n")[2], flags=re.MULTILINE)[0]
    steps = re.findall(r"^\d+\. .*(?:\n {2,}.*)*", walk, re.MULTILINE)
    assert 0 < sum(step.count("\n") + 1 for step in steps) <= MOST_WALK_LINES


def test_every_requirement_names_its_tests() -> None:
    page = REQUIREMENTS.read_text(encoding="utf-8")
    _, _, *cells = [line.rsplit(" | ", 1)[1] for line in page.splitlines() if line[:2] == "| "]
    places = [[ROOT / path for path in CODE.findall(cell)] for cell in cells]
    assert all(row and all(map(has_tests, row)) for row in places)
    assert len(page.encode()) <= MOST_REQUIREMENTS_BYTES


def test_the_readme_leads_to_every_page() -> None:
    links = {(ROOT / link).resolve() for link in LINK.findall(prose(README)) if "://" not in link}
    assert set(PAGES) - {README} <= links


def test_the_configuration_page_has_the_tables_that_the_script_makes() -> None:
    text = CONFIGURATION.read_text(encoding="utf-8")
    assert text == configuration.page(text)
    shown = rows(CONFIGURATION, ClientSettings.__doc__)
    assert list(shown) == list(ClientSettings.model_fields)


def test_a_group_without_its_heading_or_its_table_is_refused() -> None:
    text = CONFIGURATION.read_text(encoding="utf-8")
    with pytest.raises(ValueError, match=r"no heading in .* for: Memory gate"):
        configuration.page(text.replace("## Memory gate\n", "## Gate\n"))
    with pytest.raises(ValueError, match="no table under '## Memory gate'"):
        configuration.page(text.replace("## Memory gate\n", "## Memory gate\n\n## Gate\n"))


def test_the_page_of_verdicts_has_every_verdict_of_the_contract() -> None:
    assert set(rows(VERDICTS, "4. Verdict")) == without_prefix(pb.Verdict.keys(), "VERDICT_")


def test_the_page_of_verdicts_has_every_reason_of_the_contract() -> None:
    told = set(rows(VERDICTS, "Reasons"))
    assert told == without_prefix(pb.VerdictReason.keys(), "VERDICT_REASON_")


def test_the_page_of_verdicts_has_every_key_of_a_claim_in_json() -> None:
    report = json.loads(json_report(checked("Ada", [claim("Ada", "Ada", verdict())])))
    assert list(rows(VERDICTS, "A claim as JSON")) == list(report["claims"][0])


def test_a_broken_link_and_a_broken_anchor_are_found() -> None:
    assert is_dead(README, "docs/nothing.md")
    assert is_dead(README, "docs/verdicts.md#nothing")
    assert not is_dead(README, "docs/verdicts.md#4-verdict")
