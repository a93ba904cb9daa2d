"""An index whose folder is deleted while a call looks into it: the store is the real one."""

import asyncio
import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest
from grpc import StatusCode, aio

from groundwire.v1 import corpus_verification_pb2 as pb
from groundwire.v1 import hallucination_detection_pb2 as detection_pb
from groundwire_server.corpus.chunk_places import ChunkPlace
from groundwire_verifier.checks.corpus.passages import Passage
from tests.scripted import reason_of
from tests.scripted_services.corpus import analyze, analyzing, verdicts
from tests.scripted_services.detection import verify_answer
from tests.server.corpus.corpus_folder import CorpusFolder

FIRST, SECOND = "Python 3.12 still has the GIL.", "The Eiffel Tower was built in 1889."
TEXT = f"{FIRST} {SECOND}"


class DeletedInTheMiddle:
    """A real index, whose folder is gone as soon as it has given the passages of one claim."""

    def __init__(self, folder: CorpusFolder) -> None:
        self._folder = folder
        self._corpus = folder.corpus()
        self._turn = asyncio.Lock()
        self.is_deleted_next = True

    async def retrieve(self, claim: str, top_k: int) -> Sequence[Passage]:
        # One claim after the other, so that one of them is the first.
        async with self._turn:
            found = await self._corpus.retrieve(claim, top_k)
            if self.is_deleted_next:
                self.is_deleted_next = False
                shutil.rmtree(self._folder.root)
        return found

    def index_again(self) -> None:
        """As an operator does who deleted it by mistake."""
        self._folder.root.mkdir()
        again = CorpusFolder(self._folder.root, self._folder.place)
        again.indexer().run(again.root, again.index)


@pytest.fixture
def corpus(tmp_path: Path) -> DeletedInTheMiddle:
    root = tmp_path / "documents"
    root.mkdir()
    folder = CorpusFolder(root, ChunkPlace())
    folder.indexer().run(folder.root, folder.index)
    return DeletedInTheMiddle(folder)


async def test_an_analysis_keeps_the_claims_that_were_looked_for_before(
    corpus: DeletedInTheMiddle,
) -> None:
    async with analyzing({"notes": corpus}) as served:
        served.engine.answer = lambda _: (0.95, 0.03, 0.02)
        response = await analyze(served, TEXT, "notes")
        found = sorted(verdict.partition("/")[0] for verdict in verdicts(response))
        assert found == ["GROUNDED", "NOT_VERIFIED"]
        (failed,) = (c for c in response.claims if c.reason == pb.EVIDENCE_REASON_RETRIEVAL_FAILED)
        assert "corpus notes" in failed.reason_text
        assert "groundwire index" in failed.reason_text
        # Nor does the next call end the server, and an index that comes back is used at once.
        assert set(verdicts(await analyze(served, TEXT, "notes"))) == {
            "NOT_VERIFIED/RETRIEVAL_FAILED"
        }
        corpus.index_again()
        again = verdicts(await analyze(served, TEXT, "notes"))
        assert [verdict.partition("/")[0] for verdict in again] == ["GROUNDED"] * 2


async def test_an_answer_by_it_is_refused_and_the_server_goes_on(
    corpus: DeletedInTheMiddle,
) -> None:
    async with analyzing({"notes": corpus}) as served:
        with pytest.raises(aio.AioRpcError) as caught:
            await verify_answer(served, TEXT, detection_pb.Evidence(), corpus="notes")
        assert caught.value.code() is StatusCode.UNAVAILABLE
        assert reason_of(caught.value) == "CORPUS_UNAVAILABLE"
        assert "groundwire index" in str(caught.value.details())
        corpus.index_again()
        report = await verify_answer(served, TEXT, detection_pb.Evidence(), corpus="notes")
        assert len(report.claims) == 2
