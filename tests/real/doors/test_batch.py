"""A batch job on the real server and the real model."""

import json
from pathlib import Path

import pytest

from groundwire import Client, Evidence
from groundwire_server.cli.main import main
from groundwire_server.exit_codes import EXIT_BELOW
from tests.serving import Served

MOST_DIFFERENCE = 0.03
"""By how much P(YES) may differ from another run's in bfloat16, near .5."""

SOURCES = (
    "The lighthouse on Cape Arden was finished in 1871 and is 42 metres high.",
    "Its keeper, Ada Moreno, kept a log of every storm until 1903.",
)
ANSWERS = (
    "The lighthouse on Cape Arden is 42 metres high [S0].",
    "Is it?",
    "Ada Moreno won a medal for her paintings in Lisbon [S1].",
    "word " * 50_000,
)


def test_each_row_is_verified_as_by_a_call(
    served: Served, client: Client, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, out = tmp_path / "rows.jsonl", tmp_path / "out.jsonl"
    rows = [{"id": i, "answer": answer, "sources": SOURCES} for i, answer in enumerate(ANSWERS)]
    file.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    code = main(["run", str(file), "--out", str(out), "--target", served.target, "--json"])
    summary = json.loads(capsys.readouterr().out)
    assert code == EXIT_BELOW
    assert summary["errors"] == {"NO_CLAIM": 1, "TEXT_TOO_LONG": 1}
    found = {each["id"]: each for each in map(json.loads, out.read_bytes().splitlines())}
    assert found.keys() == set(range(len(ANSWERS)))
    for id in (0, 2):
        (claim,) = found[id]["report"]["claims"]
        (other,) = client.verify_answer(ANSWERS[id], Evidence.documents(SOURCES))
        assert claim["verdict"] == other.verdict
        assert claim["p1"] == pytest.approx(other.p1, abs=MOST_DIFFERENCE)
        assert claim["p0"] == pytest.approx(other.p0, abs=MOST_DIFFERENCE)
