"""VerifyAnswer by a corpus that the request names, on a real server with a scripted engine."""

from collections.abc import AsyncIterator, Sequence
from datetime import date
from pathlib import Path

import pytest
from grpc import StatusCode, aio

from groundwire.v1 import hallucination_detection_pb2 as pb
from groundwire_verifier.checks.corpus.passages import Passage
from groundwire_verifier.domain.errors import CorpusUnavailableError
from tests.scripted import WAIT_LIMIT_S, Scripted, reason_of, scripted_server, violations_of
from tests.scripted_services.detection import believes, documents, stub_of, verify_answer
from tests.scripted_services.outputs import bearer
from tests.server.access.test_quotas import ONE_IN_1000_S, Guarded

HEIGHT, YEAR = "The tower is 330 m high.", "It opened in 1889."
TALL, OLD, RED = (
    "The tower is 330 metres high.",
    "The tower opened in 1850.",
    "The bridge is red and long.",
)
NOTHING = pb.Evidence()


def passage(text: str, similarity: float | None) -> Passage:
    return Passage(
        text, "tower.md", text, 7, 7 + len(text), similarity, "Tower", date(2020, 1, 2), "html meta"
    )


class TowerCorpus:
    """Knows the tower: both passages for its height, one for its year, and nothing else."""

    def __init__(self) -> None:
        self.error: Exception | None = None
        self.asked: list[tuple[str, int]] = []

    async def retrieve(self, claim: str, top_k: int) -> Sequence[Passage]:
        self.asked.append((claim, top_k))
        if self.error is not None:
            raise self.error
        if claim == TALL:
            return [passage(HEIGHT, 0.8), passage(YEAR, 0.31)]
        return [passage(YEAR, 0.7)] if claim == OLD else []


@pytest.fixture
def corpus() -> TowerCorpus:
    return TowerCorpus()


@pytest.fixture
async def served(corpus: TowerCorpus) -> AsyncIterator[Scripted]:
    async with scripted_server(corpora={"tower": corpus}) as served:
        served.engine.answer = believes({TALL: HEIGHT}, frozenset({OLD}))
        yield served


async def test_the_passages_of_all_claims_are_the_sources(
    served: Scripted, corpus: TowerCorpus
) -> None:
    response = await verify_answer(served, f"{TALL} {OLD}", NOTHING, corpus="tower")
    assert [pb.Verdict.Name(c.verdict.verdict) for c in response.claims] == [
        "VERDICT_SUPPORTED",
        "VERDICT_CONTRADICTED",
    ]
    assert corpus.asked == [(TALL, 5), (OLD, 5)]
    assert [(s.id, s.text) for s in response.sources] == [("P1", HEIGHT), ("P2", YEAR)]
    first, second = response.sources
    assert (first.document, first.title, first.dated, first.dated_by) == (
        "tower.md",
        "Tower",
        "2020-01-02",
        "html meta",
    )
    assert (first.span.start, first.span.end) == (7, 7 + len(HEIGHT))
    assert (first.similarity, second.similarity) == (0.8, 0.7)


async def test_a_passage_that_was_found_by_its_words_has_no_similarity(
    served: Scripted, corpus: TowerCorpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def by_words(claim: str, top_k: int) -> Sequence[Passage]:
        return [passage(HEIGHT, None)]

    monkeypatch.setattr(corpus, "retrieve", by_words)
    response = await verify_answer(served, TALL, NOTHING, corpus="tower")
    assert not response.sources[0].HasField("similarity")


@pytest.mark.parametrize("policy", [pb.POLICY_BUDGET, pb.POLICY_GROUNDING_SCORE])
async def test_a_claim_that_the_corpus_knows_nothing_of_is_not_supported(
    served: Scripted, policy: pb.Policy
) -> None:
    served.engine.answer = believes({RED: ""})
    options = pb.VerifyOptions(policy=policy)
    response = await verify_answer(served, RED, NOTHING, corpus="tower", options=options)
    assert response.sources == []
    assert response.claims[0].verdict.verdict != pb.VERDICT_SUPPORTED
    assert not response.summary.overall_grounded


async def test_a_stream_ends_with_the_same_sources(served: Scripted) -> None:
    request = pb.VerifyAnswerStreamRequest(
        request=pb.VerifyAnswerRequest(answer=TALL, corpus="tower")
    )
    pieces = [p async for p in stub_of(served).VerifyAnswerStream(request, timeout=WAIT_LIMIT_S)]
    assert [s.id for s in pieces[-1].report.sources] == ["P1", "P2"]


@pytest.mark.parametrize(
    ("evidence", "name", "refused"),
    [
        (NOTHING, "other", ("corpus", "UNKNOWN_CORPUS")),
        (NOTHING, "/etc", ("corpus", "UNKNOWN_CORPUS")),
        (documents(HEIGHT), "tower", ("evidence", "INVALID_SOURCE")),
        (NOTHING, "", ("evidence", "INVALID_SOURCE")),
    ],
)
async def test_what_is_wrong_with_a_corpus_is_said_before_anything_is_asked(
    served: Scripted,
    corpus: TowerCorpus,
    evidence: pb.Evidence,
    name: str,
    refused: tuple[str, str],
) -> None:
    with pytest.raises(aio.AioRpcError) as caught:
        await verify_answer(served, TALL, evidence, corpus=name)
    assert caught.value.code() is StatusCode.INVALID_ARGUMENT
    assert (*violations_of(caught.value), reason_of(caught.value)) == refused
    assert corpus.asked == []


async def test_a_server_without_corpora_says_which_setting_names_them() -> None:
    async with scripted_server() as served:
        with pytest.raises(aio.AioRpcError, match="retrieval_corpora"):
            await verify_answer(served, TALL, NOTHING, corpus="tower")


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (CorpusUnavailableError("corpus tower: there is no index"), "there is no index"),
        (OSError("secret detail"), "OSError"),
    ],
)
async def test_a_corpus_that_cannot_be_read_fails_the_call(
    served: Scripted, corpus: TowerCorpus, error: Exception, text: str
) -> None:
    corpus.error = error
    with pytest.raises(aio.AioRpcError, match=text) as caught:
        await verify_answer(served, TALL, NOTHING, corpus="tower")
    assert caught.value.code() is StatusCode.UNAVAILABLE
    assert reason_of(caught.value) == "CORPUS_UNAVAILABLE"
    assert "secret" not in str(caught.value.details())
    corpus.error = None
    assert (await verify_answer(served, TALL, NOTHING, corpus="tower")).claims


async def test_a_call_that_a_quota_refuses_asks_no_corpus(
    corpus: TowerCorpus, tmp_path: Path
) -> None:
    given = Guarded(tmp_path, f"tenants: {{acme: {{claims_per_s: {ONE_IN_1000_S}}}}}")
    request = pb.VerifyAnswerRequest(answer=TALL, corpus="tower")
    metadata = bearer(given.acme)
    async with scripted_server(corpora={"tower": corpus}, **given.settings) as served:  # type: ignore[arg-type]
        stub = stub_of(served)
        await stub.VerifyAnswer(request, timeout=WAIT_LIMIT_S, metadata=metadata)
        assert len(corpus.asked) == 1
        stream = stub.VerifyAnswerStream(
            pb.VerifyAnswerStreamRequest(request=request), timeout=WAIT_LIMIT_S, metadata=metadata
        )
        for call in (stub.VerifyAnswer(request, metadata=metadata), stream.read()):
            with pytest.raises(aio.AioRpcError) as caught:
                await call
            assert reason_of(caught.value) == "QUOTA_EXCEEDED"
    assert len(corpus.asked) == 1
