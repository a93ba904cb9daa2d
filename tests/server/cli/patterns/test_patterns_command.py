"""`groundwire patterns` as a user runs it: what comes up most, what drifts, and what it refuses."""

import asyncio
import json
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from groundwire.v1 import feedback_pb2 as pb_feedback
from groundwire.v1 import hallucination_detection_pb2 as pb
from groundwire.v1.feedback_pb2_grpc import FeedbackStub
from groundwire_server.access.callers import Caller
from groundwire_server.cli.main import main
from groundwire_server.cli.patterns import tally
from groundwire_server.exit_codes import EXIT_BELOW, EXIT_CONFIG, EXIT_OK
from groundwire_server.records.audit_lines import Hasher
from groundwire_server.records.feedback_store import SqliteFeedback
from groundwire_verifier.checks.feedback import Feedback, FeedbackVerdict, KeptClaim
from tests.scripted import scripted_server
from tests.scripted_services.detection import believes, documents, verify_claims

MONDAY = datetime(2026, 11, 2, 9, tzinfo=UTC)
WEEK = timedelta(weeks=1)
KEY = b"k" * 32

Line = dict[str, object]
Run = Callable[..., tuple[int, str, str]]


def verdict(name: str = "SUPPORTED", reason: str = "BUDGET_COVERED", **more: object) -> Line:
    """A verdict of a line; what is more stands in place of what it has by itself."""
    return {
        "index": 0,
        "verdict": name,
        "reason": reason,
        "grounded": name == "SUPPORTED",
        "p1_label_mass": 0.96,
        "span_kinds": None,
        "unstated_values": 0,
        "source_hashes": [],
        **more,
    }


def unsupported(**more: object) -> Line:
    return verdict("UNSUPPORTED", "BUDGET_EXCEEDED", **more)


def line(number: int, verdicts: Sequence[Line], at: datetime = MONDAY, **more: object) -> Line:
    return {
        "version": 1,
        "id": f"{number:032x}",
        "time": at.isoformat(timespec="milliseconds"),
        "caller_hash": "anyone",
        "model": "small",
        "question_hash": None,
        "verdicts": verdicts,
        **more,
    }


@pytest.fixture
def run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    def command(lines: Sequence[Line | str], *flags: str) -> tuple[int, str, str]:
        file = tmp_path / "audit.jsonl"
        texts = [each if isinstance(each, str) else json.dumps(each) for each in lines]
        file.write_text("".join(f"{text}\n" for text in texts), encoding="utf-8")
        code = main(["patterns", str(file), *flags])
        return code, *capsys.readouterr()

    return command


def told(run: Run, lines: Sequence[Line | str], *flags: str) -> dict[str, Any]:
    _, out, _ = run(lines, "--json", *flags)
    found: dict[str, Any] = json.loads(out)
    return found


def names(found: Sequence[dict[str, Any]]) -> dict[str, int]:
    return {each["name"]: each["wrong"] for each in found}


def test_kinds_come_from_the_verdict_the_reason_and_what_was_explained(run: Run) -> None:
    verdicts = [
        verdict(),
        unsupported(span_kinds=["NAME", "NUMBER"], unstated_values=1),
        unsupported(unstated_values=2),
        verdict("UNSUPPORTED", "FALSE_ABSENCE"),
        verdict("MISCITED", "OTHER_SOURCE"),
        verdict("CONTRADICTED", "EVIDENCE_AGAINST", span_kinds=["DATE"]),
        verdict("NOT_VERIFIED", "UNKNOWN_CITATION", p1_label_mass=None),
        unsupported(),
    ]
    found = told(run, [line(1, verdicts)])
    assert names(found["kinds"]) == {
        "name": 1,
        "number": 1,
        "unstated value": 1,
        "false absence": 1,
        "miscitation": 1,
        "contradiction": 1,
        "date": 1,
        "unknown citation": 1,
        "not borne out": 1,
    }


def test_claims_that_nobody_has_read_are_no_errors_and_are_told(run: Run) -> None:
    unread = verdict("NOT_VERIFIED", "OUT_OF_TIME", p1_label_mass=None)
    code, out, _ = run([line(1, [verdict(), unread])])
    assert code == EXIT_OK
    assert "1 detections, 1 claims, 0 of them wrong; 1 that nobody has read are left out" in out


def test_what_is_wrong_most_often_comes_first_with_its_rows_the_newest_first(run: Run) -> None:
    lines = [
        line(
            number,
            [unsupported(source_hashes=["often"]), verdict(source_hashes=["seldom"])],
            at=MONDAY + number * timedelta(hours=1),
            question_hash="asked",
        )
        for number in range(3)
    ]
    lines.append(line(9, [unsupported(source_hashes=["seldom"])], model="base"))
    found = told(run, lines)
    often, seldom = found["sources"]
    assert (often["name"], often["wrong"], often["claims"]) == ("often", 3, 3)
    assert (seldom["name"], seldom["wrong"], seldom["claims"]) == ("seldom", 1, 4)
    assert often["newest_rows"] == [f"{number:032x}" for number in (2, 1, 0)]
    assert names(found["questions"]) == {"asked": 3}
    assert names(found["models"]) == {"small": 3, "base": 1}


def test_each_week_has_its_own_counts_and_a_day_too_where_it_is_asked_for(run: Run) -> None:
    lines = [line(1, [unsupported()]), line(2, [unsupported(), verdict()], at=MONDAY + WEEK)]
    weeks = told(run, lines)
    assert [each["period"] for each in weeks["periods"]] == ["2026-W45", "2026-W46"]
    assert [each["grounded_share"] for each in weeks["periods"]] == [0.0, 0.5]
    assert weeks["kinds"][0]["wrong_by_period"] == {"2026-W45": 1, "2026-W46": 1}
    days = told(run, lines, "--by", "day")
    assert [each["period"] for each in days["periods"]] == ["2026-11-02", "2026-11-09"]


def test_a_time_may_be_chosen_whose_days_are_included(run: Run) -> None:
    lines = [line(n, [verdict()], at=MONDAY + n * timedelta(days=1)) for n in range(4)]
    found = told(run, lines, "--by", "day", "--since", "2026-11-03", "--until", "2026-11-04")
    assert [each["period"] for each in found["periods"]] == ["2026-11-03", "2026-11-04"]


def test_a_tenant_is_found_by_its_hash_with_the_key(run: Run, tmp_path: Path) -> None:
    (tmp_path / "audit.jsonl.key").write_bytes(KEY)
    of_ada = Hasher(KEY).text(Caller("ada").owner)
    lines = [line(1, [verdict()], caller_hash=of_ada), line(2, [verdict()])]
    (period,) = told(run, lines, "--tenant", "ada")["periods"]
    assert period["detections"] == 1
    assert run(lines, "--tenant", "bob")[0] == EXIT_CONFIG


def weeks_of(count: int, share_wrong: Callable[[int], float], mass: float = 0.96) -> list[Line]:
    """Weeks of 100 detections with a claim each; the label mass moves in the last one to `mass`."""
    return [
        line(
            week * 100 + i,
            [
                (unsupported if i < 100 * share_wrong(week) else verdict)(
                    p1_label_mass=mass if week == count - 1 else 0.96 - i % 2 * 0.01
                )
            ],
            at=MONDAY + week * WEEK,
        )
        for week in range(count)
        for i in range(100)
    ]


def test_a_share_that_falls_is_drift_and_ends_with_1(run: Run) -> None:
    lines = weeks_of(5, lambda week: 0.3 if week == 4 else 0.1)
    code, out, _ = run(lines)
    assert code == EXIT_BELOW
    assert "grounded -0.20 from 0.90" in out
    periods = told(run, lines)["periods"]
    assert [bool(each["grounded_drift"]) for each in periods] == [False] * 4 + [True]
    assert [each["label_mass_drift"] for each in periods] == [None] * 5


def test_a_label_mass_that_falls_is_drift_by_itself(run: Run) -> None:
    periods = told(run, weeks_of(5, lambda week: 0.1, mass=0.8))["periods"]
    assert [bool(each["label_mass_drift"]) for each in periods] == [False] * 4 + [True]
    assert [each["grounded_drift"] for each in periods] == [None] * 5


def test_a_record_that_stays_as_it_is_does_not_drift(run: Run) -> None:
    assert run(weeks_of(5, lambda week: 0.1 + week % 2 * 0.02))[0] == EXIT_OK


def test_without_texts_no_text_is_told_and_with_them_names_and_questions_are(run: Run) -> None:
    hashed = line(1, [unsupported(source_hashes=["ab"])], question_hash="cd")
    found = told(run, [hashed])
    assert (list(names(found["sources"])), list(names(found["questions"]))) == (["ab"], ["cd"])
    named = {**hashed, "source_names": {"ab": "רשומות הנהר"}, "request": {"question": "מתי?"}}
    found = told(run, [named])
    assert list(names(found["sources"])) == ["רשומות הנהר"]
    assert list(names(found["questions"])) == ["מתי?"]


def test_lines_of_a_server_without_hashes_of_sources_are_counted_too(run: Run) -> None:
    old = line(1, [unsupported()])
    del old["question_hash"]
    for name in ("span_kinds", "unstated_values", "source_hashes"):
        del old["verdicts"][0][name]  # type: ignore[index]
    assert names(told(run, [old])["kinds"]) == {"not borne out": 1}


def test_a_damaged_line_is_left_out_and_named(run: Run) -> None:
    code, out, err = run([line(1, [verdict()]), '{"cut', line(2, [verdict()])])
    assert code == EXIT_CONFIG
    assert "2 detections" in out
    assert "audit.jsonl, line 2 is not JSON, and was left out" in err


@pytest.mark.parametrize(
    ("broken", "why"),
    [
        (line(1, [], version=2), "the version is 2; this command reads 1"),
        ({"version": 1}, "is no line of an audit record"),
        (line(1, [verdict(p1_label_mass=7)]), "p1_label_mass must be in [0, 1]"),
        (line(1, [verdict(span_kinds="NAME")]), "must be a list"),
        ({**line(1, []), "time": "yesterday"}, "is no line of an audit record"),
    ],
)
def test_what_is_no_line_of_this_version_is_refused_by_its_place(
    run: Run, broken: Line, why: str
) -> None:
    code, _, err = run([line(0, [verdict()]), broken])
    assert code == EXIT_CONFIG
    assert "line 2" in err
    assert why in err


@pytest.mark.parametrize(
    "more",
    [
        {"time": "0001-01-01T00:00:00+14:00"},
        {"time": "9999-12-31T23:59:59-14:00"},
        {"model": "\ud800"},
        {"question_hash": "\udfff"},
    ],
)
def test_a_line_with_a_time_or_a_text_that_there_cannot_be_is_refused_by_its_place(
    run: Run, tmp_path: Path, more: Line
) -> None:
    code, out, err = run([line(1, [unsupported()]) | more], "--html", str(tmp_path / "page.html"))
    assert (code, out) == (EXIT_CONFIG, "")
    assert "line 1 is no line of an audit record" in err


def test_what_a_line_holds_moves_no_cursor_of_the_terminal(run: Run) -> None:
    evil = "x\x1b]0;evil\x07\x1b[2J"
    unread = unsupported(source_hashes=[evil])
    _, out, _ = run([line(1, [unread], model=evil, question_hash=evil) | {"id": evil}])
    assert "evil" in out
    assert "\x1b" not in out


def test_a_time_that_is_none_is_refused(run: Run) -> None:
    code, _, err = run([], "--since", "2026-11-04", "--until", "2026-11-03")
    assert code == EXIT_CONFIG
    assert "--since 2026-11-04 is after --until 2026-11-03" in err


def test_more_periods_than_can_be_shown_are_refused(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tally, "MOST_PERIODS", 2)
    lines = [line(n, [verdict()], at=MONDAY + n * WEEK) for n in range(3)]
    code, _, err = run(lines)
    assert code == EXIT_CONFIG
    assert "more than 2 weeks: choose some with --since and --until" in err


def test_of_too_many_questions_the_rare_ones_are_forgotten_and_that_is_told(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tally, "MOST_THINGS", 5)
    lines = [line(0, [unsupported()] * 3, question_hash="often")]
    lines += [line(n, [unsupported()], question_hash=f"q{n}") for n in range(1, 20)]
    found = told(run, lines)
    assert found["questions"][0]["name"] == "often"
    assert len(found["questions"]) <= 10
    assert found["forgotten"]["questions"] == 20 - len(found["questions"])
    assert "were forgotten on the way" in run(lines)[1]


def test_a_page_has_the_numbers_and_names_what_it_shows_as_text(run: Run, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    bad = "<script>alert(1)</script>"
    lines = weeks_of(5, lambda week: 0.3 if week == 4 else 0.1)
    lines.append(line(7, [unsupported(source_hashes=["ab"])], source_names={"ab": bad}, at=MONDAY))
    run(lines, "--html", str(page))
    text = page.read_text(encoding="utf-8")
    assert "grounded -0.20 from 0.90" in text
    assert bad not in text
    assert "&lt;script&gt;" in text
    assert f"<code>{7:032x}</code>" in text


@pytest.mark.parametrize(("weeks", "plots"), [(1, 0), (2, 1)])
def test_a_page_plots_periods_between_its_first_and_last(
    run: Run, tmp_path: Path, weeks: int, plots: int
) -> None:
    page = tmp_path / "page.html"
    lines = [line(at, [verdict(), unsupported()], MONDAY + at * WEEK) for at in range(weeks)]
    run(lines, "--html", str(page))
    text = page.read_text(encoding="utf-8")
    assert text.count("<svg") == plots
    assert text.count(">2026-W46</text>") == text.count(">2026-W45</text>") == plots


def test_a_page_that_cannot_be_written_is_refused_before_a_record_is_read(
    run: Run, tmp_path: Path
) -> None:
    code, _, err = run([line(1, [], version=2)], "--html", str(tmp_path / "none" / "page.html"))
    assert code == EXIT_CONFIG
    assert "--html: there is no folder" in err


async def test_what_a_server_writes_is_counted_and_what_it_erases_is_not(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "audit.jsonl"
    claims = {"The river rose 5 m.": ("S0",)}
    explain = pb.VerifyOptions(explain=True)
    async with scripted_server(audit_record_file=file) as served:
        served.engine.answer = believes({})
        await verify_claims(served, claims, documents("The river rose."), explain)
        assert await asyncio.to_thread(main, ["patterns", str(file), "--json"]) == EXIT_OK
        found = json.loads(capsys.readouterr().out)
        assert names(found["kinds"]) == {"number": 1}
        assert [each["wrong"] for each in found["sources"]] == [1]
        stub = FeedbackStub(served.channel)
        await stub.EraseDetections(pb_feedback.EraseDetectionsRequest(all=True))
        assert await asyncio.to_thread(main, ["patterns", str(file)]) == EXIT_CONFIG
        assert ": 0 detections" in capsys.readouterr().out


def test_feedback_counts_what_people_say_before_verdicts(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "feedback.sqlite"
    store = SqliteFeedback(file, 1e9, 1 << 20)
    said = [FeedbackVerdict.NOT_GROUNDED, FeedbackVerdict.GROUNDED, FeedbackVerdict.UNSURE, None]
    kept = ["SUPPORTED", "CONTRADICTED", "MISCITED", "SUPPORTED"]
    claims = [KeptClaim(i, f"secret {i}", "secret", name, 0.5, 0.5) for i, name in enumerate(kept)]
    store.keep("a" * 32, Caller("ada").owner, "small", claims)
    store.keep("b" * 32, Caller("bob").owner, "small", claims[:1])
    for place, each in enumerate(said):
        if each is not None:
            store.record(Feedback("a" * 32, place, each, ""), Caller("ada").owner)
    store.close()
    assert main(["patterns", str(file), "--json", "--tenant", "ada"]) == EXIT_OK
    out = capsys.readouterr().out
    found = json.loads(out)
    assert names(found["kinds"]) == {"missed: a person says not grounded": 1, "miscitation": 1}
    assert [each["claims"] for each in found["periods"]] == [4]
    assert "secret" not in out


def test_feedback_and_a_record_are_not_counted_together(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "feedback.sqlite"
    SqliteFeedback(file, 1e9, 1 << 20).close()
    code, _, err = run([line(1, [verdict()])], str(file))
    assert code == EXIT_CONFIG
    assert "holds feedback, which is counted by itself" in err
