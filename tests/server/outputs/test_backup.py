"""What docs/operating.md says of backups: SQLite copies a store while its server runs."""

import sqlite3
from contextlib import AbstractAsyncContextManager, closing
from pathlib import Path

import pytest
from grpc import aio

from groundwire.v1 import output_verification_pb2 as pb
from groundwire.v1.feedback_pb2 import FEEDBACK_VERDICT_GROUNDED, RecordFeedbackRequest
from groundwire.v1.feedback_pb2_grpc import FeedbackStub
from groundwire_server.records.feedback_store import read_corrected
from tests.scripted import WAIT_LIMIT_S, Scripted, reason_of, scripted_server
from tests.scripted_services.outputs import end_of, get, result_of, submit, user


def back_up(path: Path, copy: Path) -> None:
    """As `sqlite3 PATH ".backup COPY"` does."""
    with (
        closing(sqlite3.connect(path)) as source,
        closing(sqlite3.connect(copy)) as target,
    ):
        source.backup(target)


def serving(store: Path, **changes: object) -> AbstractAsyncContextManager[Scripted]:
    return scripted_server(
        output_verification_enabled=True,
        output_verification_store=str(store),
        **changes,  # type: ignore[arg-type]
    )


async def test_a_copy_of_a_store_in_use_has_its_results_and_nothing_of_later(
    tmp_path: Path,
) -> None:
    store, copy = tmp_path / "outputs.sqlite", tmp_path / "copy.sqlite"
    async with serving(store) as served:
        first = await submit(served)
        await end_of(served, first.id)
        back_up(store, copy)
        later = await submit(served)
    async with serving(copy) as restored:
        assert (await get(restored, first.id)).state == pb.VERIFICATION_STATE_DONE
        with pytest.raises(aio.AioRpcError) as caught:
            await get(restored, later.id)
    assert reason_of(caught.value) == "NOT_FOUND"


async def test_a_copy_of_feedback_in_use_can_be_exported(tmp_path: Path) -> None:
    kept, copy = tmp_path / "feedback.sqlite", tmp_path / "copy.sqlite"
    async with serving(
        tmp_path / "outputs.sqlite", feedback_enabled=True, feedback_file=kept
    ) as served:
        result = await result_of(served, "The river rose.", user("The river rose."))
        own_id = result.report.run.detection_id
        said = RecordFeedbackRequest(
            detection_id=own_id, index=0, verdict=FEEDBACK_VERDICT_GROUNDED
        )
        await FeedbackStub(served.channel).RecordFeedback(said, timeout=WAIT_LIMIT_S)
        back_up(kept, copy)
        assert [found.feedback.detection_id for found in read_corrected(copy)] == [own_id]
