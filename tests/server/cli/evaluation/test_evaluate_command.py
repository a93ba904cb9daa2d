"""`groundwire evaluate` as a user runs it, against scripted servers: figures, files, exit codes."""

import json
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import grpc
import pytest

from groundwire import Document
from groundwire.v1.verifier_backend_pb2 import ESTIMATE_SOURCE_CACHE
from groundwire_server import in_process
from groundwire_server.cli.evaluation import rows
from groundwire_server.cli.evaluation.figures import Indexes
from groundwire_server.cli.main import main
from groundwire_server.config.settings import ServerSettings
from groundwire_server.exit_codes import EXIT_BELOW, EXIT_CONFIG, EXIT_OK, EXIT_UNAVAILABLE
from groundwire_verifier.engine.local import LocalBackend
from groundwire_verifier.numbers import metrics
from groundwire_verifier.numbers.metrics import Floats, cluster_weights
from tests.client.plain_answers import claims_response, info_response
from tests.client.scripted import ScriptedServer, bad_request, failing
from tests.scripted import MODEL, NEVER_HANGS_S, ScriptedEngine
from tests.scripted_services.detection import believes
from tests.serving import free_port

EXAMPLE = Path(__file__).resolve().parents[4] / "examples" / "labelled.jsonl"

Run = Callable[..., tuple[int, str, str]]
Rows = list[dict[str, object]]


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    server = ScriptedServer()
    yield server
    server.stop()


@pytest.fixture
def evaluate(server: ScriptedServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    def command(rows: Rows | Path, *flags: str | Path) -> tuple[int, str, str]:
        data = rows if isinstance(rows, Path) else tmp_path / "rows.jsonl"
        if not isinstance(rows, Path):
            data.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
        given = [data, "--json", tmp_path / "out.json", "--parallel", "1"]
        target = [] if "--target" in flags else ["--target", server.target]
        code = main(["evaluate", *map(str, (*given, *target, *flags))])
        return code, *capsys.readouterr()

    return command


@pytest.fixture
def told(tmp_path: Path) -> Callable[[], dict[str, Any]]:
    def read() -> dict[str, Any]:
        found: dict[str, Any] = json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))
        return found

    return read


Told = Callable[[], dict[str, Any]]


def row(claim: str, label: int, context: str = "Evidence.", **more: object) -> dict[str, object]:
    """A row whose claim the server reads as its own p1."""
    return {"context": context, "claim": claim, "label": label, **more}


# Of three supported rows two come out SUPPORTED, and so does one of two others.
MIXED = [
    row("0.9", 1, id="a", kind="number", language="en"),
    row("0.8", 1, "Other.", id="b", kind="number", language="he"),
    row("0.2", 1, "Third.", id="c", kind="name", language="he"),
    row("0.7", 0, id="d", kind="name", language="en"),
    row("0.1", 0, "Other.", id="e", kind="number", language="he", contradicted=True),
]


def test_each_figure_counts_what_its_name_says(evaluate: Run, told: Told) -> None:
    code, _, _ = evaluate(MIXED)
    whole = told()["servers"][0]["whole"]
    assert code == EXIT_OK
    assert (whole["rows"], whole["supported"], whole["contexts"]) == (5, 3, 3)
    assert whole["precision"]["value"] == pytest.approx(2 / 3)
    assert whole["recall"]["value"] == pytest.approx(2 / 3)
    assert whole["false_supported"]["value"] == pytest.approx(1 / 2)
    assert whole["auroc"]["value"] == pytest.approx(5 / 6)
    assert whole["auroc"]["low"] <= 5 / 6 <= whole["auroc"]["high"]


def test_the_terminal_tells_them_beside_word_overlap(evaluate: Run) -> None:
    _, out, _ = evaluate(MIXED)
    assert "AUROC of word overlap" in out
    assert "0.667" in out
    assert "p95" in out


def test_verdicts_are_told_by_label(evaluate: Run, told: Told) -> None:
    evaluate(MIXED)
    verdicts = {each["verdict"]: each for each in told()["servers"][0]["verdicts"]}
    assert (verdicts["SUPPORTED"]["supported"], verdicts["SUPPORTED"]["unsupported"]) == (2, 1)
    # "d" does not say whether it is contradicted, "e" does.
    rest = [each for name, each in verdicts.items() if name != "SUPPORTED"]
    assert (sum(each["contradicted"] for each in rest), sum(each["told"] for each in rest)) == (
        1,
        1,
    )


def test_kinds_and_languages_of_enough_rows_have_a_line_of_their_own(
    evaluate: Run, told: Told
) -> None:
    many = [row(f"0.{i % 9 + 1}", i % 2, f"Text {i}.", kind="number") for i in range(20)]
    few = [row("0.5", 1, meta={"kind": "name", "lang": "he"}), row("0.5", 0, kind="date")]
    evaluate([*many, *few])
    found = told()["servers"][0]
    assert [(each["name"], each["rows"]) for each in found["kinds"]] == [
        ("number", 20),
        ("2 others", 2),
    ]
    # Few rows alone have no line.
    assert found["languages"] == []


def test_claims_on_the_same_evidence_go_into_one_call(
    evaluate: Run, server: ScriptedServer
) -> None:
    evaluate(MIXED)
    asked = [len(got.request.claims) for got in server.received if hasattr(got.request, "claims")]
    assert sorted(asked) == [1, 2, 2]


def test_an_answer_counts_as_supported_where_it_is_grounded(evaluate: Run, told: Told) -> None:
    answers = [
        {"answer": "0.9 0.8", "sources": ["Evidence."], "label": 1},
        {"answer": "0.9 0.1 0.2", "sources": ["Evidence."], "label": 0},
    ]
    code, _, _ = evaluate(answers)
    found = told()
    assert code == EXIT_OK
    first, second = (each["outcomes"][0] for each in found["rows"])
    assert (first["verdict"], first["p1"]) == ("SUPPORTED", 0.8)
    assert second["verdict"] != "SUPPORTED"
    assert second["p1"] == 0.1


class TestRowsWhoseCallFails:
    def test_they_are_counted_and_named_and_stay_in_the_figures(
        self, evaluate: Run, told: Told, server: ScriptedServer
    ) -> None:
        server.script(info_response(), failing(grpc.StatusCode.INTERNAL, "INTERNAL"))
        code, out, _ = evaluate(MIXED)
        found = told()["servers"][0]
        assert code == EXIT_BELOW
        assert "2 rows have no probability" in out
        assert [sorted(names) for names in found["failures"].values()] == [["a", "d"]]
        assert found["whole"]["rows"] == 5
        assert found["whole"]["recall"]["value"] == pytest.approx(1 / 3)

    def test_one_text_that_is_refused_costs_no_other_row(
        self, evaluate: Run, told: Told, server: ScriptedServer
    ) -> None:
        refused = failing(
            grpc.StatusCode.INVALID_ARGUMENT,
            "TEXT_TOO_LONG",
            details=(bad_request(claims="is too long"),),
        )
        server.script(info_response(), refused, refused)
        code, _, _ = evaluate(MIXED)
        assert code == EXIT_BELOW
        assert list(told()["servers"][0]["failures"].values()) == [["a"]]

    def test_a_claim_without_a_probability_is_one(self, evaluate: Run, told: Told) -> None:
        code, _, _ = evaluate([*MIXED, row("none", 0, id="f")])
        assert code == EXIT_BELOW
        assert list(told()["servers"][0]["failures"].values()) == [["f"]]

    def test_without_a_server_nothing_is_told(self, evaluate: Run, tmp_path: Path) -> None:
        code, out, err = evaluate(MIXED, "--target", f"127.0.0.1:{free_port()}")
        assert (code, out) == (EXIT_UNAVAILABLE, "")
        assert "groundwire serve" in err
        assert not (tmp_path / "out.json").exists()


@pytest.mark.parametrize(
    ("bad", "named"),
    [
        ({"context": "x", "claim": "y"}, "label must be 1"),
        ({"context": "x", "claim": "y", "label": 2}, "label must be 1"),
        ({"context": "x", "claim": "y", "label": "yes"}, "label must be 1"),
        ({"context": "x", "label": 1}, "claim or answer must be there"),
        ({"context": "x", "claim": "y", "answer": "z", "label": 1}, "claim or answer"),
        ({"claim": "y", "label": 1}, "context or sources must be there"),
        ({"context": "x", "sources": ["x"], "claim": "y", "label": 1}, "context or sources"),
        ({"context": 5, "claim": "y", "label": 1}, "context must be a text"),
        ({"sources": [5], "claim": "y", "label": 1}, "sources[0] must be a text"),
        ({"context": "x", "claim": "y", "label": 1, "kind": 5}, "kind must be a text"),
        ({"context": "x", "claim": "y", "label": 1, "meta": {"lang": 5}}, "meta.lang must be"),
        ({"context": "x", "claim": "y", "label": 1, "contradicted": True}, "contradicted must be"),
        ({"context": "x", "claim": "y", "label": 1, "cites": ["S0"]}, "cites needs claim and"),
        ({"sources": ["x"], "claim": "y", "label": 1, "cites": "S0"}, "cites must be a list"),
    ],
)
def test_a_row_that_is_none_is_named_by_line_and_field(
    evaluate: Run, bad: dict[str, object], named: str
) -> None:
    code, _, err = evaluate([*MIXED, bad])
    assert code == EXIT_CONFIG
    assert "line 6:" in err
    assert named in err


@pytest.mark.parametrize("suffix", ["jsonl", "csv"])
def test_rows_that_fill_more_memory_than_they_may_are_refused(
    evaluate: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, suffix: str
) -> None:
    monkeypatch.setattr(rows, "MAX_BYTES", 5000)
    file = tmp_path / f"many.{suffix}"
    claims = [(f"claim {number}", number % 2) for number in range(100)]
    if suffix == "csv":
        lines = ["claim,context,label", *(f"{claim},Evidence.,{label}" for claim, label in claims)]
    else:
        lines = [json.dumps(row(*each)) for each in claims]
    file.write_text("\n".join(lines))
    code, _, err = evaluate(file)
    assert code == EXIT_CONFIG
    assert "more than 5,000 bytes" in err


def test_a_call_whose_readings_were_remembered_says_nothing_of_latency(
    server: ScriptedServer, evaluate: Run, told: Told
) -> None:
    remembered = claims_response("0.9", "0.1")
    for each in remembered.verdicts:
        each.posterior.source = ESTIMATE_SOURCE_CACHE
    asked = [row("0.9", 1), row("0.1", 0)]
    server.script(info_response(), remembered)
    code, out, _ = evaluate(asked)
    assert code == EXIT_OK
    assert told()["servers"][0]["latency"] == {"calls": 0, "p50_ms": None, "p95_ms": None}
    assert "no latency" in out


def test_rows_of_one_label_alone_are_refused(evaluate: Run) -> None:
    code, _, err = evaluate([row("0.9", 1), row("0.8", 1)])
    assert code == EXIT_CONFIG
    assert "at least one row with label 1" in err


class TestCsv:
    def test_its_rows_are_those_of_json_lines(
        self, evaluate: Run, told: Told, tmp_path: Path
    ) -> None:
        file = tmp_path / "rows.csv"
        file.write_text(
            'id,context,claim,label,kind\na,"One,\ntwo",0.9,1,שם\nb,Three,0.1,0,\n',
            encoding="utf-8",
        )
        code, _, _ = evaluate(file)
        rows = told()["rows"]
        assert code == EXIT_OK
        assert [(each["number"], each["id"], each["label"], each["kind"]) for each in rows] == [
            (2, "a", 1, "שם"),
            (4, "b", 0, ""),
        ]

    def test_a_list_of_sources_and_of_citations_is_json_in_its_cell(self, tmp_path: Path) -> None:
        file = tmp_path / "rows.csv"
        file.write_text(
            "claim,sources,cites,label\n"
            'a,"[""One."", {""id"": ""x"", ""text"": ""Two.""}]","[""x""]",1\n'
            'b,"[S0] A note, whole",,0\n',
            encoding="utf-8",
        )
        one, other = rows.read_rows(file)
        assert one.sources == (Document("S0", "One."), Document("x", "Two."))
        assert one.cites == ("x",)
        assert other.sources == (Document("S0", "[S0] A note, whole"),)

    @pytest.mark.parametrize("text", ["[ ] Call the bank.", "[](#top) The bank is open."])
    def test_empty_brackets_before_words_begin_a_text(self, tmp_path: Path, text: str) -> None:
        file = tmp_path / "rows.csv"
        file.write_text(f"claim,sources,cites,label\na,{text},[ ],1\nb,B,,0\n", encoding="utf-8")
        one, _ = rows.read_rows(file)
        assert (one.sources, one.cites) == ((Document("S0", text),), ())

    def test_a_list_that_is_not_json_is_refused_and_no_text(
        self, evaluate: Run, tmp_path: Path
    ) -> None:
        file = tmp_path / "rows.csv"
        file.write_text("claim,sources,label\na,\"['One.', 'Two.']\",1\n", encoding="utf-8")
        code, _, err = evaluate(file)
        assert code == EXIT_CONFIG
        assert "line 2: sources begins like a list and is not JSON" in err

    def test_a_row_that_is_none_is_named_by_its_line(self, evaluate: Run, tmp_path: Path) -> None:
        file = tmp_path / "rows.csv"
        file.write_text('context,claim,label\n"a\nb",0.9,1\nc,0.1,maybe\n', encoding="utf-8")
        code, _, err = evaluate(file)
        assert code == EXIT_CONFIG
        assert "line 4: label" in err

    def test_a_row_with_another_number_of_cells_is_refused(
        self, evaluate: Run, tmp_path: Path
    ) -> None:
        file = tmp_path / "rows.csv"
        file.write_text("context,claim,label\na, b,0.9,1\n", encoding="utf-8")
        code, _, err = evaluate(file)
        assert code == EXIT_CONFIG
        assert "line 2: has 4 cells for 3 columns" in err


class TestAgainst:
    @pytest.fixture
    def other(self) -> Iterator[ScriptedServer]:
        server = ScriptedServer()
        yield server
        server.stop()

    def test_a_server_is_no_better_than_itself(
        self, evaluate: Run, told: Told, other: ScriptedServer
    ) -> None:
        evaluate(MIXED, "--against", other.target)
        compared = told()["comparison"]
        assert compared["auroc"] == {"value": 0, "low": 0, "high": 0}
        assert compared["flips"] == []

    def test_both_servers_are_compared_on_resamples_that_are_drawn_once(
        self,
        evaluate: Run,
        told: Told,
        other: ScriptedServer,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        draws: list[int] = []

        def draw(clusters: Indexes, resamples: int, seed: int) -> Floats:
            draws.append(len(clusters))
            return cluster_weights(clusters, resamples, seed)

        monkeypatch.setattr(metrics, "cluster_weights", draw)
        evaluate(MIXED)
        alone = list(draws)
        draws.clear()
        evaluate(MIXED, "--against", other.target)
        assert draws == alone != []
        assert told()["comparison"]["recall"]["low"] == 0

    def test_rows_that_flip_are_named_with_who_is_right(
        self, evaluate: Run, told: Told, other: ScriptedServer
    ) -> None:
        # The other server answers nothing about the evidence of "a" and "d".
        other.script(info_response(), failing(grpc.StatusCode.INTERNAL, "INTERNAL"))
        code, out, _ = evaluate(MIXED, "--against", other.target)
        compared = told()["comparison"]
        assert code == EXIT_BELOW
        assert compared["flips"] == ["a", "d"]
        assert "is right about 1, " in out
        assert compared["recall"]["value"] == pytest.approx(1 / 3)
        assert compared["false_supported"]["value"] == pytest.approx(1 / 2)


class TestPage:
    def test_it_holds_three_plots_and_needs_nothing_else(
        self, evaluate: Run, tmp_path: Path
    ) -> None:
        evaluate(MIXED, "--page", tmp_path / "page.html")
        page = (tmp_path / "page.html").read_text(encoding="utf-8")
        plots = [f"<svg{part.partition('</svg>')[0]}</svg>" for part in page.split("<svg")[1:]]
        drawn = [ET.fromstring(plot) for plot in plots]  # noqa: S314 - our own page
        assert [plot.get("aria-label", "").partition(":")[0] for plot in drawn] == [
            "ROC",
            "Reliability",
            "Operating points",
        ]
        assert "default-src &#39;none&#39;" in page
        assert "nan" not in page
        assert "http" not in page.replace("http-equiv", "")

    def test_neither_file_holds_a_text_of_the_rows(self, evaluate: Run, tmp_path: Path) -> None:
        rows = [row("0.9", 1, "A violet anvil."), row("0.125", 0, "A violet anvil.")]
        evaluate(rows, "--page", tmp_path / "page.html")
        for name in ("page.html", "out.json"):
            assert "violet" not in (tmp_path / name).read_text(encoding="utf-8")

    def test_a_name_is_no_markup(self, evaluate: Run, tmp_path: Path) -> None:
        rows = [row(f"0.{i + 1}", i % 2, kind="<script>") for i in range(9)]
        evaluate([*rows, *rows], "--page", tmp_path / "page.html")
        page = (tmp_path / "page.html").read_text(encoding="utf-8")
        assert "&lt;script&gt;" in page
        assert "<script" not in page

    def test_a_folder_that_is_not_there_is_told_before_anything_is_asked(
        self, evaluate: Run, tmp_path: Path, server: ScriptedServer
    ) -> None:
        code, _, err = evaluate(MIXED, "--page", tmp_path / "no" / "page.html")
        assert code == EXIT_CONFIG
        assert "--page: there is no folder" in err
        assert server.received == []


def test_the_example_is_balanced_and_of_many_languages() -> None:
    rows = [json.loads(line) for line in EXAMPLE.read_text(encoding="utf-8").splitlines()]
    assert [sum(each["label"] == label for each in rows) for label in (1, 0)] == [200, 200]
    languages = [each["language"] for each in rows]
    assert (languages.count("en"), languages.count("he")) == (200, 100)
    assert len({each["id"] for each in rows}) == 400
    assert EXAMPLE.stat().st_size < 600_000


class TestModels:
    """Models that are loaded here, one after the other; their engine is scripted."""

    @pytest.fixture(autouse=True)
    def loaded(self, monkeypatch: pytest.MonkeyPatch) -> list[str]:
        loaded: list[str] = []

        def create(
            settings: ServerSettings, progress: Callable[[str], None]
        ) -> dict[str, LocalBackend]:
            loaded.append(settings.model)
            engine = ScriptedEngine()
            # The second model believes everything.
            known = {"It is red.": "It is red."}
            believed = known | {"It is blue.": "It is red."} if len(loaded) > 1 else known
            engine.answer = believes(believed)
            return {"local": LocalBackend(MODEL, lambda: engine, NEVER_HANGS_S)}

        monkeypatch.setattr(in_process, "create_backends", create)
        return loaded

    @pytest.fixture
    def file(self, tmp_path: Path) -> Path:
        file = tmp_path / "rows.jsonl"
        rows = [row("It is red.", 1, "It is red."), row("It is blue.", 0, "It is red.")]
        file.write_text("".join(f"{json.dumps(each)}\n" for each in rows), encoding="utf-8")
        return file

    def test_a_folder_is_loaded_and_asked_in_place_of_a_server(
        self, file: Path, tmp_path: Path, loaded: list[str], capsys: pytest.CaptureFixture[str]
    ) -> None:
        folder = str(tmp_path / "a model")
        assert main(["evaluate", str(file), "--model", folder]) == EXIT_OK
        assert loaded == [folder]
        assert f"{folder}: " in capsys.readouterr().out

    def test_two_models_are_compared_row_by_row(
        self, file: Path, tmp_path: Path, loaded: list[str], told: Told
    ) -> None:
        out = ("--json", str(tmp_path / "out.json"))
        assert (
            main(["evaluate", str(file), "--model", "one", "--against", "other", *out]) == EXIT_OK
        )
        assert loaded == ["one", "other"]
        assert [server["target"] for server in told()["servers"]] == ["one", "other"]
        assert told()["comparison"]["flips"] == ["line 2"]

    def test_a_server_is_compared_with_the_model_of_a_folder(
        self, evaluate: Run, tmp_path: Path, loaded: list[str], told: Told
    ) -> None:
        folder = tmp_path / "a model"
        folder.mkdir()
        code, _, _ = evaluate([row("0.9", 1), row("0.2", 0)], "--against", folder)
        # The scripted model believes neither row.
        assert code == EXIT_OK
        assert loaded == [str(folder)]
        assert told()["servers"][1]["target"] == str(folder)
        assert told()["comparison"]["flips"] == ["line 1"]

    def test_a_model_and_the_address_of_a_server_exclude_each_other(
        self, file: Path, loaded: list[str], capsys: pytest.CaptureFixture[str]
    ) -> None:
        given = ["--model", "one", "--target", "127.0.0.1:1"]
        assert main(["evaluate", str(file), *given]) == EXIT_CONFIG
        assert "--target has no use" in capsys.readouterr().err
        assert not loaded
