"""Feedback on the real server: who may say what of which claim, and what is kept of it."""

import asyncio
import os
import sqlite3
import stat
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from pathlib import Path

import grpc
import pytest
from grpc import aio

from groundwire.v1 import feedback_pb2 as pb
from groundwire.v1 import hallucination_detection_pb2 as detection_pb
from groundwire.v1.feedback_pb2_grpc import FeedbackStub
from groundwire_server.config.sources import ConfigError
from groundwire_server.records import records, worker
from groundwire_server.records.detections import Detection, DetectionCall, Judged
from groundwire_server.records.feedback_store import SURPLUS, SqliteFeedback, read_corrected
from groundwire_server.records.records import KeptFeedback
from groundwire_verifier.checks.feedback import (
    Corrected,
    DetectionNotFoundError,
    DetectionNotStoredError,
    Feedback,
    FeedbackStoreError,
    FeedbackVerdict,
    KeptClaim,
)
from groundwire_verifier.domain.claims import ConfidenceSource
from groundwire_verifier.domain.urgency import Arrival
from groundwire_verifier.progress import SharedUsage
from groundwire_verifier.verdicts.judging import unread_verdict
from groundwire_verifier.verdicts.options import VerifyOptions
from groundwire_verifier.verdicts.questions import ClaimTask
from groundwire_verifier.verdicts.types import Reason
from groundwire_verifier.verification import Verification
from tests.scripted import WAIT_LIMIT_S, Scripted, reason_of, scripted_server, violations_of
from tests.scripted_services.detection import believes, documents, stub_of, verify_answer
from tests.scripted_services.gate import check, fact
from tests.scripted_services.traces import EVIDENCE_OF, audit

TRUE, FALSE = "The river rose in May.", "The bridge fell in June."
PASSAGE = "It is known that the river rose in May."
ADA, BOB = "token-of-ada-0123456789", "token-of-bob-0123456789"
FULL = 2
"""SQLite waits for the disk at each commit."""

GROUNDED = pb.FEEDBACK_VERDICT_GROUNDED
NOT_GROUNDED = pb.FEEDBACK_VERDICT_NOT_GROUNDED


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "data" / "feedback.sqlite"


@pytest.fixture
async def served(file: Path) -> AsyncIterator[Scripted]:
    async with scripted_server(
        feedback_enabled=True,
        feedback_file=file,
        memory_gate_enabled=True,
        trace_auditing_enabled=True,
        trace_auditing_executor="read",
    ) as served:
        served.engine.answer = believes({TRUE: PASSAGE, **EVIDENCE_OF})
        yield served


def with_token(token: str | None) -> tuple[tuple[str, str], ...]:
    return (("authorization", f"Bearer {token}"),) if token is not None else ()


async def detected(served: Scripted, token: str | None = None) -> str:
    """The id of a detection with two claims."""
    request = detection_pb.VerifyClaimsRequest(
        claims=[detection_pb.ClaimInput(text=text) for text in (TRUE, FALSE)],
        evidence=documents(PASSAGE),
    )
    response = await stub_of(served).VerifyClaims(
        request, timeout=WAIT_LIMIT_S, metadata=with_token(token)
    )
    return response.run.detection_id


async def say(
    served: Scripted,
    detection_id: str,
    index: int = 0,
    verdict: "pb.FeedbackVerdict" = GROUNDED,
    *,
    note: str = "",
    token: str | None = None,
) -> bool:
    """Record feedback; whether there was some before."""
    request = pb.RecordFeedbackRequest(
        detection_id=detection_id, index=index, verdict=verdict, note=note
    )
    stub = FeedbackStub(served.channel)
    response = await stub.RecordFeedback(request, timeout=WAIT_LIMIT_S, metadata=with_token(token))
    return response.replaced


async def refusal(served: Scripted, *given: object, **named: object) -> aio.AioRpcError:
    with pytest.raises(aio.AioRpcError) as caught:
        await say(served, *given, **named)  # type: ignore[arg-type]
    return caught.value


def corrected(file: Path) -> list[Corrected]:
    return read_corrected(file)


def holds(file: Path, text: str) -> bool:
    return text.encode() in file.read_bytes()


async def test_feedback_is_kept_with_the_claim_as_it_was_read(served: Scripted, file: Path) -> None:
    detection = await detected(served)
    assert not await say(served, detection, 1, NOT_GROUNDED, note="why")
    (found,) = corrected(file)
    assert found.feedback == Feedback(detection, 1, FeedbackVerdict.NOT_GROUNDED, "why")
    assert found.label == 0
    assert (found.kept.claim, found.kept.context) == (FALSE, f"[S0]\n{PASSAGE}")
    assert found.kept.verdict == "UNSUPPORTED"
    assert found.kept.p1 == pytest.approx(0.02 / 0.99)
    assert found.model == "scripted-model"


async def test_the_claims_of_every_call_take_feedback_at_their_places(
    served: Scripted, file: Path
) -> None:
    answer = await verify_answer(served, f"So? {TRUE} Ok. {FALSE}", documents(PASSAGE))
    at = next(i for i, each in enumerate(answer.claims) if each.claim.content == FALSE)
    await say(served, answer.run.detection_id, at)
    gate = await check(served, [fact(FALSE), fact(TRUE)], documents(PASSAGE))
    await say(served, gate.run.detection_id, 1)
    trace = await audit(served, answer="41 dollars")
    await say(served, trace.run.detection_id, 2)
    await say(served, trace.run.detection_id, len(trace.steps))
    claims = [each.kept.claim for each in corrected(file)]
    assert claims[:2] == [FALSE, TRUE]
    assert claims[2] == "With a guide that makes 41 dollars."
    assert "41 dollars" in claims[3]


async def test_the_context_of_a_step_has_the_steps_before(served: Scripted, file: Path) -> None:
    trace = await audit(served)
    await say(served, trace.run.detection_id, 1)
    (found,) = corrected(file)
    assert "One ticket is 12 dollars." in found.kept.context


async def test_a_second_feedback_replaces_the_first(served: Scripted, file: Path) -> None:
    detection = await detected(served)
    await say(served, detection)
    assert await say(served, detection, 0, NOT_GROUNDED)
    assert [each.label for each in corrected(file)] == [0]


async def test_a_claim_that_is_not_there_is_not_found(served: Scripted) -> None:
    detection = await detected(served)
    for given in (("f" * 32, 0), (detection, 2), (detection, -1), ("no id", 0)):
        error = await refusal(served, *given)
        assert error.code() is grpc.StatusCode.NOT_FOUND
        assert reason_of(error) == "DETECTION_NOT_FOUND"


async def test_a_claim_that_nobody_has_read_takes_no_feedback(served: Scripted) -> None:
    request = detection_pb.VerifyClaimsRequest(
        claims=[detection_pb.ClaimInput(text=TRUE, cited_ids=["S9"])], evidence=documents(PASSAGE)
    )
    response = await stub_of(served).VerifyClaims(request, timeout=WAIT_LIMIT_S)
    error = await refusal(served, response.run.detection_id)
    assert reason_of(error) == "DETECTION_NOT_FOUND"


async def test_callers_speak_of_their_own_detections_only(file: Path, tmp_path: Path) -> None:
    tokens = tmp_path / "tokens"
    tokens.write_text(f"{ADA}\n{BOB}\n")
    settings = {"feedback_enabled": True, "feedback_file": file, "auth_token_file": tokens}
    async with scripted_server(**settings) as served:  # type: ignore[arg-type]
        of_ada = await detected(served, ADA)
        error = await refusal(served, of_ada, token=BOB)
        assert reason_of(error) == "DETECTION_NOT_FOUND"
        assert not await say(served, of_ada, token=ADA)
    # And after a restart, whatever the caches' scope is.
    async with scripted_server(cache_scope="server", **settings) as served:  # type: ignore[arg-type]
        assert reason_of(await refusal(served, of_ada, token=BOB)) == "DETECTION_NOT_FOUND"
        assert await say(served, of_ada, token=ADA)
    assert not holds(file, ADA)


async def test_bad_feedback_is_refused_with_its_field(served: Scripted) -> None:
    detection = await detected(served)
    for field, named in (
        ("verdict", {"verdict": pb.FEEDBACK_VERDICT_UNSPECIFIED}),
        ("note", {"note": "x" * 2001}),
    ):
        error = await refusal(served, detection, 0, **named)
        assert error.code() is grpc.StatusCode.INVALID_ARGUMENT
        assert list(violations_of(error)) == [field]
    assert list(violations_of(await refusal(served, ""))) == ["detection_id"]


async def test_a_server_without_feedback_keeps_nothing_and_says_so(file: Path) -> None:
    async with scripted_server(feedback_file=file) as served:
        error = await refusal(served, await detected(served))
    assert error.code() is grpc.StatusCode.FAILED_PRECONDITION
    assert reason_of(error) == "NOT_ENABLED"
    assert not file.parent.exists()


def test_what_is_stored_is_on_the_disk_when_it_is_said_to_be(file: Path) -> None:
    store = SqliteFeedback(file, 1e9, 1 << 20)
    (level,) = store._db.execute("PRAGMA synchronous").fetchone()
    store.close()
    assert level == FULL


async def test_only_the_servers_user_can_read_the_file(served: Scripted, file: Path) -> None:
    await say(served, await detected(served))
    modes = {p.name: stat.S_IMODE(p.stat().st_mode) for p in file.parent.iterdir()}
    assert modes[file.name] == 0o600
    assert set(modes.values()) == {0o600}
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700


async def test_feedback_that_cannot_be_written_fails_and_verdicts_do_not(
    served: Scripted, file: Path
) -> None:
    detection = await detected(served)
    await say(served, detection)
    # As a disk does that fails: each write of the server finds no table.
    with sqlite3.connect(file) as db:
        db.execute("DROP TABLE feedback")
    error = await refusal(served, detection)
    assert error.code() is grpc.StatusCode.UNAVAILABLE
    assert reason_of(error) == "FEEDBACK_NOT_STORED"
    assert str(file) not in str(error)
    assert await detected(served)


async def test_feedback_on_a_detection_that_could_not_be_written_is_told_so_to_its_caller_alone(
    file: Path, tmp_path: Path
) -> None:
    tokens = tmp_path / "tokens"
    tokens.write_text(f"{ADA}\n{BOB}\n")
    settings = {"feedback_enabled": True, "feedback_file": file, "auth_token_file": tokens}
    async with scripted_server(**settings) as served:  # type: ignore[arg-type]
        with sqlite3.connect(file) as db:
            # As on a full disk: what is to be kept cannot be, and what is kept can be read.
            full = "BEGIN SELECT raise(FAIL, ''); END"
            db.execute(f"CREATE TRIGGER full BEFORE INSERT ON claims {full}")
        lost = await detected(served, ADA)
        mine = await refusal(served, lost, token=ADA)
        assert mine.code() is grpc.StatusCode.UNAVAILABLE
        assert reason_of(mine) == "FEEDBACK_NOT_STORED"
        assert "could not write this detection down" in str(mine.details())
        for others, token in ((lost, BOB), ("f" * 32, ADA)):
            error = await refusal(served, others, token=token)
            assert reason_of(error) == "DETECTION_NOT_FOUND"


async def test_a_slow_file_keeps_no_call_waiting(served: Scripted, file: Path) -> None:
    detection = await detected(served)
    await say(served, detection)
    db = sqlite3.connect(file, isolation_level=None)
    db.execute("BEGIN IMMEDIATE")
    saying = asyncio.create_task(say(served, detection))
    # The server answers others while that waits for the file.
    assert (await served.batch(TRUE, context=PASSAGE)).estimates
    assert await detected(served)
    assert not saying.done()
    db.execute("ROLLBACK")
    assert await saying
    db.close()


async def test_a_file_that_cannot_be_used_ends_the_start(tmp_path: Path) -> None:
    file = tmp_path / "feedback.sqlite"
    file.write_text("no database" * 100)
    with pytest.raises(ConfigError, match="feedback_file"):
        async with scripted_server(feedback_enabled=True, feedback_file=file):
            pass


def read_with(context: str) -> Detection:
    """A detection of two claims that were read with this context, whose request names neither."""
    task = ClaimTask("x", (), 0.5, ConfidenceSource.DEFAULT, "en")
    verdict = replace(unread_verdict(task, Reason.OUT_OF_TIME, ""), context=context)
    judged = (Judged(0, verdict), Judged(1, verdict))
    call = DetectionCall("VerifyClaims", Arrival(0.0))
    verification = Verification(
        (), VerifyOptions(), {}, SharedUsage(0, 0, 0, 0, 0), 0.0, 0.0, "", "local", ()
    )
    return Detection(call, detection_pb.VerifyClaimsRequest(), judged, verification, 0.0, "")


async def test_what_waits_is_bounded_by_the_contexts_it_holds_each_counted_once(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker, "MOST_PENDING_BYTES", 25_000)
    kept_feedback = KeptFeedback(SqliteFeedback(file, 1e9, 1 << 20))
    reading, writing = os.pipe()
    kept_feedback.worker.hand_over(lambda: os.read(reading, 1), 0)
    for _ in range(3):
        kept_feedback.take(read_with("x" * 10_000))
    assert kept_feedback.worker.counts.dropped == 1
    os.write(writing, b"x")
    await kept_feedback.close()
    assert kept_feedback.worker.counts.written == 3
    os.close(reading)
    os.close(writing)


async def test_feedback_on_a_detection_that_found_no_place_among_what_waits_is_told_so(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker, "MOST_PENDING", 0)
    kept_feedback = KeptFeedback(SqliteFeedback(file, 1e9, 1 << 20))
    dropped = read_with("x")
    kept_feedback.take(dropped)
    with pytest.raises(DetectionNotStoredError):
        await kept_feedback.record(grounded(dropped.call.id), "")
    await kept_feedback.close()


async def test_of_what_could_not_be_kept_only_the_latest_is_known(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker, "MOST_PENDING", 0)
    monkeypatch.setattr(records, "MOST_LOST", 2)
    kept_feedback = KeptFeedback(SqliteFeedback(file, 1e9, 1 << 20))
    lost = [read_with("x") for _ in range(3)]
    for detection in lost:
        kept_feedback.take(detection)
    with pytest.raises(DetectionNotFoundError):
        await kept_feedback.record(grounded(lost[0].call.id), "")
    for detection in lost[1:]:
        with pytest.raises(DetectionNotStoredError):
            await kept_feedback.record(grounded(detection.call.id), "")
    await kept_feedback.close()


# The store by itself.


def kept(*texts: str, context: str = "context") -> list[KeptClaim]:
    return [KeptClaim(i, text, context, "SUPPORTED", 0.9, 0.1) for i, text in enumerate(texts)]


def grounded(detection_id: str) -> Feedback:
    return Feedback(detection_id, 0, FeedbackVerdict.GROUNDED, "")


def known(store: SqliteFeedback, ids: Sequence[str]) -> list[str]:
    """Those of the ids that the store has still."""
    found = []
    for detection_id in ids:
        try:
            store.record(Feedback(detection_id, 0, FeedbackVerdict.UNSURE, ""), "")
        except DetectionNotFoundError:
            continue
        found.append(detection_id)
    return found


def test_what_is_older_than_the_retention_goes_with_its_feedback(file: Path) -> None:
    now = 0.0
    store = SqliteFeedback(file, 100.0, 1 << 20, clock=lambda: now)
    store.keep("a", "", "model", kept("A claim that is nowhere else."))
    store.record(grounded("a"), "")
    now = 99.0
    store.keep("b", "", "model", kept("b"))
    assert len(corrected(file)) == 1
    now = 101.0
    store.keep("c", "", "model", kept("c"))
    assert corrected(file) == []
    assert known(store, ["a", "b", "c"]) == ["b", "c"]
    store.close()
    # Deleted text is overwritten, and none is left in the file.
    assert not holds(file, "nowhere else")


def test_a_start_lets_go_of_what_is_too_old(file: Path) -> None:
    store = SqliteFeedback(file, 100.0, 1 << 20, clock=lambda: 0.0)
    store.keep("a", "", "model", kept("a"))
    store.record(grounded("a"), "")
    store.close()
    SqliteFeedback(file, 100.0, 1 << 20, clock=lambda: 101.0).close()
    assert corrected(file) == []


def test_beyond_its_size_the_oldest_goes_and_what_has_feedback_last(file: Path) -> None:
    store = SqliteFeedback(file, 1e9, 4000)
    for name in "abc":
        store.keep(name, "", "model", kept("x" * 700))
    store.record(grounded("a"), "")
    store.keep("d", "", "model", kept("x" * 700))
    assert known(store, ["b"]) == []
    assert known(store, ["a", "c", "d"]) == ["a", "c", "d"]
    store.close()


def test_what_has_feedback_goes_as_well_where_nothing_else_is_left(file: Path) -> None:
    store = SqliteFeedback(file, 1e9, 4000)
    for name in "abc":
        store.keep(name, "", "model", kept("x" * 700))
        store.record(grounded(name), "")
    store.keep("d", "", "model", kept("x" * 700))
    assert known(store, ["a", "b", "c", "d"]) == ["b", "c", "d"]
    store.close()


def test_room_is_made_without_sorting_all_that_is_kept(file: Path) -> None:
    SqliteFeedback(file, 1e9, 1 << 20).close()
    with sqlite3.connect(file) as db:
        plans = [str(db.execute(f"EXPLAIN QUERY PLAN {each}").fetchall()) for each in SURPLUS]
    assert not [plan for plan in plans if "TEMP B-TREE" in plan]


def test_the_size_is_known_after_a_restart(file: Path) -> None:
    store = SqliteFeedback(file, 1e9, 4000)
    for name in "abc":
        store.keep(name, "", "model", kept("x" * 700))
    store.close()
    store = SqliteFeedback(file, 1e9, 4000)
    store.keep("d", "", "model", kept("x" * 700))
    assert known(store, ["a", "d"]) == ["d"]
    store.close()


def test_two_servers_with_one_file_keep_to_its_size_together(file: Path) -> None:
    first, second = SqliteFeedback(file, 1e9, 4000), SqliteFeedback(file, 1e9, 4000)
    for name in "abc":
        first.keep(name, "", "model", kept("x" * 700))
    second.keep("d", "", "model", kept("x" * 700))
    first.keep("e", "", "model", kept("x" * 700))
    assert first.erase("", frozenset("c")) == 1
    second.keep("f", "", "model", kept("x" * 700))
    first.close()
    second.close()
    with sqlite3.connect(file) as db:
        found = [name for (name,) in db.execute("SELECT id FROM detections ORDER BY number")]
    assert found == ["d", "e", "f"]


def test_a_detection_that_is_larger_than_the_file_may_be_is_not_kept(file: Path) -> None:
    store = SqliteFeedback(file, 1e9, 1000)
    with pytest.raises(FeedbackStoreError, match="above the limit"):
        store.keep("a", "", "model", kept("x" * 1000))
    store.close()


def test_a_context_that_claims_share_is_kept_once(file: Path) -> None:
    store = SqliteFeedback(file, 1e9, 1 << 20)
    store.keep("a", "", "model", kept("x", "y", "z"))
    store.close()
    with sqlite3.connect(file) as db:
        assert db.execute("SELECT count(*) FROM contexts").fetchone() == (1,)
