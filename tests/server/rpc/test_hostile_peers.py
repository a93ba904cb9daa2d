"""Peers that do not read, or do not send: what ends their calls, and that nobody waits for them."""

import asyncio
import contextlib
from collections.abc import AsyncIterator

import grpc
import pytest
from grpc import aio
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc

from groundwire.v1 import hallucination_detection_pb2 as detection_pb
from groundwire.v1 import verifier_backend_pb2 as pb
from groundwire.v1.hallucination_detection_pb2_grpc import HallucinationDetectionStub
from groundwire_server import app
from groundwire_server.features.detection import claim_finding
from groundwire_server.rpc import calls, dispatch, health, reception, reflection
from groundwire_server.rpc.admission import MAX_CALLS_OF_CONNECTION
from groundwire_server.rpc.calls import Context, end_call
from groundwire_server.rpc.reception import Reception
from groundwire_server.rpc.status import CallStatus
from groundwire_server.rpc.telemetry import Telemetry
from tests.hostile import hostile_work
from tests.hostile.raw_http2 import (
    ACK,
    DATA,
    END_STREAM,
    GOAWAY,
    HEADERS,
    MAX_CONCURRENT_STREAMS,
    PING,
    SETTINGS,
    WINDOW_UPDATE,
    RawPeer,
    raw_peer,
)
from tests.scripted import WAIT_LIMIT_S, Scripted, reason_of, scripted_server
from tests.scripted_services.detection import documents

BATCH = "/groundwire.v1.VerifierBackend/BatchEstimate"
DRAFT = "/groundwire.v1.HallucinationDetection/VerifyDraft"
CHECK, WATCH = "/grpc.health.v1.Health/Check", "/grpc.health.v1.Health/Watch"
REFLECTION = "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo"
SHORT_S = 0.3
BIG = 1 << 20
State = health_pb2.HealthCheckResponse


class Ends:
    """The codes of calls as they end, by then with all their places given back."""

    def __init__(self) -> None:
        self.codes: asyncio.Queue[str] = asyncio.Queue()

    def record_call(self, method: str, code: str, duration_s: float, tenant: str) -> None:
        self.codes.put_nowait(code)

    async def next(self) -> str:
        async with asyncio.timeout(WAIT_LIMIT_S):
            return await self.codes.get()


@pytest.fixture
def ends(monkeypatch: pytest.MonkeyPatch) -> Ends:
    ends = Ends()
    monkeypatch.setattr(Telemetry, "record_call", lambda _, *call: ends.record_call(*call))
    monkeypatch.setattr(calls, "STATUS_TIMEOUT_S", SHORT_S)
    return ends


@pytest.fixture
async def hurried() -> AsyncIterator[Scripted]:
    """A server whose calls may take SHORT_S."""
    async with scripted_server(max_call_s=SHORT_S) as served:
        yield served


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Health and reflection wait SHORT_S for a peer."""
    monkeypatch.setattr(health, "PEER_TIMEOUT_S", SHORT_S)
    monkeypatch.setattr(reflection, "STREAM_TIMEOUT_S", SHORT_S)


async def test_a_stream_that_nobody_reads_ends_with_a_status_when_its_time_is_up(
    ends: Ends, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(claim_finding, "named_claims", hostile_work.many)
    # A loaded machine still comes to sending within it.
    async with scripted_server(max_call_s=4.0) as served:
        request = detection_pb.VerifyAnswerRequest(answer="Much.", evidence=documents("x"))
        # The client's own window does not grow.
        options = [("grpc.http2.bdp_probe", 0), ("grpc.http2.lookahead_bytes", 1 << 14)]
        async with aio.insecure_channel(served.running.target, options) as channel:
            call = HallucinationDetectionStub(channel).VerifyAnswerStream(
                detection_pb.VerifyAnswerStreamRequest(request=request)
            )
            await call.initial_metadata()
            assert await ends.next() == "DEADLINE_EXCEEDED"
            held = served.running.calls.admission
            assert (held.calls.pending, held.bytes.pending, held.claims.pending) == (0, 0, 0)
            with pytest.raises(aio.AioRpcError) as caught:
                async for _ in call:
                    pass
    assert caught.value.code() is grpc.StatusCode.DEADLINE_EXCEEDED
    assert reason_of(caught.value) == "DEADLINE_EXCEEDED"


async def test_an_answer_that_nobody_reads_gives_its_places_back(
    hurried: Scripted, ends: Ends
) -> None:
    async with raw_peer(hurried.running.target) as peer:
        peer.call(1, BATCH, pb.BatchEstimateRequest(claims=["a"]).SerializeToString())
        assert await ends.next() == "DEADLINE_EXCEEDED"
        assert hurried.running.calls.admission.calls.pending == 0


async def test_a_peer_that_never_reads_loses_its_connection(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(app, "MAX_CONNECTION_AGE_S", SHORT_S)
    async with (
        scripted_server(max_call_s=SHORT_S) as served,
        raw_peer(served.running.target) as peer,
    ):
        peer.call(1, BATCH, pb.BatchEstimateRequest(claims=["a"]).SerializeToString())
        with pytest.raises(asyncio.IncompleteReadError):
            await peer.until(DATA, stream=1)


async def test_a_client_that_calls_on_and_on_does_not_notice_the_age_of_its_connections(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(app, "MAX_CONNECTION_AGE_S", 0.1)
    connections = set()

    async def counted(receiving: Reception, context: Context) -> bytes:
        connections.add(context.peer())
        return await receive(receiving, context)

    receive = Reception.receive
    monkeypatch.setattr(Reception, "receive", counted)
    async with scripted_server() as served, asyncio.timeout(WAIT_LIMIT_S):
        while len(connections) < 5:
            await asyncio.gather(*(served.batch("a") for _ in range(20)))


async def test_a_request_that_never_comes_ends_when_its_time_is_up(hurried: Scripted) -> None:
    async with raw_peer(hurried.running.target) as peer:
        peer.call(1, BATCH, None)
        await peer.until(HEADERS, flags=END_STREAM, stream=1)


async def test_a_request_that_never_ends_has_a_time_of_its_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(dispatch, "RECEIVE_TIMEOUT_S", SHORT_S)
    async with scripted_server() as served, raw_peer(served.running.target) as peer:
        peer.call(1, BATCH, None)
        peer.announce(1, BIG)
        await peer.until(HEADERS, flags=END_STREAM, stream=1)


@pytest.mark.parametrize("path", [BATCH, CHECK, WATCH])
async def test_a_connection_gets_room_for_some_unfinished_requests_only(
    monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    for module in (dispatch, health):
        monkeypatch.setattr(module, "RECEIVED_OF_CONNECTION", 2)
    async with scripted_server() as served, raw_peer(served.running.target) as peer:
        for stream in (1, 3, 5):
            peer.call(stream, path, None)
            peer.announce(stream, BIG)
        await peer.until(WINDOW_UPDATE, stream=1)
        await peer.until(WINDOW_UPDATE, stream=3)
        # By the end of a later call the server has done all that it will do for the third.
        await served.batch("a")
        peer.ping()
        while (frame := await peer.next()).kind != PING or not frame.flags & ACK:
            assert (frame.kind, frame.stream) != (WINDOW_UPDATE, 5)
        peer.reset(1)
        await peer.until(WINDOW_UPDATE, stream=5)


async def test_a_peer_that_asks_for_signs_of_life_keeps_its_long_call(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # As Envoy and clients do in their intervals.
    monkeypatch.setattr(app, "MIN_PING_INTERVAL_S", 0.0)
    async with scripted_server() as served, raw_peer(served.running.target, window=BIG) as peer:
        served.engine.hold()
        peer.call(1, BATCH, pb.BatchEstimateRequest(claims=["a"]).SerializeToString())
        await served.engine.until(lambda: bool(served.engine.claims))
        for _ in range(20):
            peer.ping()
            await peer.until(PING, flags=ACK)
        served.engine.release()
        await peer.until(DATA, stream=1)


async def test_a_peer_that_asks_for_signs_of_life_without_a_pause_loses_its_connection() -> None:
    async with scripted_server() as served, raw_peer(served.running.target) as peer:
        # One is taken, two are let pass. None comes behind the last: it would meet a closed socket.
        for _ in range(4):
            peer.ping()
        frame = await peer.until(GOAWAY)
    assert frame.payload.endswith(b"too_many_pings")


async def test_unfinished_requests_keep_no_other_connection_waiting(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(dispatch, "RECEIVED_OF_CONNECTION", 1)
    async with scripted_server() as served, raw_peer(served.running.target) as peer:
        peer.call(1, BATCH, None)
        peer.announce(1, BIG)
        await peer.until(WINDOW_UPDATE, stream=1)
        assert len((await served.batch("a")).estimates) == 1
        assert served.running.calls.admission.calls.pending == 0


@pytest.mark.parametrize("path", [BATCH, CHECK, WATCH])
async def test_one_unfinished_request_too_many_ends_the_oldest_of_any_connection(
    monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    monkeypatch.setattr(reception, "MAX_UNFINISHED", 2)
    async with scripted_server() as served, contextlib.AsyncExitStack() as peers:
        opened = []
        for _ in range(3):
            opened.append(await peers.enter_async_context(raw_peer(served.running.target)))
            opened[-1].call(1, path, None)
            opened[-1].announce(1, BIG)
            await opened[-1].until(WINDOW_UPDATE, stream=1)
        end = await opened[0].until(HEADERS, flags=END_STREAM, stream=1)
        assert b"have not come whole" in end.payload
        # What comes whole is answered beside those that do not.
        assert (await served.batch("a")).estimates


@pytest.mark.parametrize("path", [BATCH, CHECK])
async def test_who_has_many_unfinished_requests_ends_none_of_another_address(
    monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    monkeypatch.setattr(reception, "MAX_UNFINISHED", 2)
    async with scripted_server() as served, contextlib.AsyncExitStack() as peers:
        opened = []
        for source in ("127.0.0.2", "127.0.0.1", "127.0.0.1"):
            peer = await peers.enter_async_context(raw_peer(served.running.target, source=source))
            opened.append(peer)
            peer.call(1, path, None)
            peer.announce(1, BIG)
            await peer.until(WINDOW_UPDATE, stream=1)
        end = await opened[1].until(HEADERS, flags=END_STREAM, stream=1)
        assert b"have not come whole" in end.payload


async def test_one_stream_too_many_ends_the_one_of_any_connection_that_waits_for_longest(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(reception, "MAX_UNFINISHED", 2)
    request = detection_pb.VerifyAnswerRequest(evidence=documents("x"))
    start = detection_pb.VerifyDraftRequest(start=detection_pb.DraftStart(request=request))
    async with scripted_server() as served, contextlib.AsyncExitStack() as peers:
        opened = []
        for _ in range(3):
            peer = await peers.enter_async_context(raw_peer(served.running.target, window=BIG))
            opened.append(peer)
            peer.call(1, DRAFT, None)
            peer.send(1, start.SerializeToString())
            await peer.until(DATA, stream=1)
            peer.announce(1, BIG)
            await peer.until(WINDOW_UPDATE, stream=1)
        end = await opened[0].until(HEADERS, flags=END_STREAM, stream=1)
        assert b"2 of at most 2 streams that wait for their next request" in end.payload
        assert served.running.calls.admission.calls.pending == 2
        # Other calls are none of them.
        assert (await served.batch("a")).estimates


async def test_one_connection_too_many_is_closed_until_another_one_ends(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("groundwire_server.config.addresses.MAX_CONNECTIONS", 2)
    async with scripted_server() as served:
        assert (await served.batch("a")).estimates
        async with raw_peer(served.running.target) as peer:
            await peer.until(SETTINGS)
            async with raw_peer(served.running.target) as refused:
                with pytest.raises((asyncio.IncompleteReadError, ConnectionError)):
                    await refused.until(SETTINGS)
            assert (await served.batch("a")).estimates
        async with asyncio.timeout(WAIT_LIMIT_S):
            while not await is_taken(served.running.target):
                pass


async def is_taken(target: str) -> bool:
    with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError):
        async with raw_peer(target) as peer:
            await peer.until(SETTINGS)
            return True
    return False


async def test_a_connection_without_calls_ends_and_its_client_notices_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(app, "KEEP_ALIVE_S", SHORT_S)
    async with scripted_server() as served, raw_peer(served.running.target) as peer:
        assert (await served.batch("a")).estimates
        await peer.until(GOAWAY)
        assert (await served.batch("b")).estimates


async def test_who_says_nothing_loses_the_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(app, "HANDSHAKE_TIMEOUT_S", SHORT_S)
    async with scripted_server() as served:
        host, _, port = served.running.target.rpartition(":")
        reader, writer = await asyncio.open_connection(host, int(port))
        async with asyncio.timeout(WAIT_LIMIT_S):
            # The server's settings come, and then its end.
            await reader.read()
        writer.close()


async def test_without_a_token_nothing_is_received() -> None:
    guarded = scripted_server(auth_token="secret-for-tests")
    async with guarded as served, raw_peer(served.running.target) as peer:
        peer.call(1, BATCH, None)
        await peer.until(HEADERS, flags=END_STREAM, stream=1)


async def test_a_connection_is_told_how_many_calls_it_may_have() -> None:
    async with scripted_server() as served, raw_peer(served.running.target) as peer:
        settings = (await peer.until(SETTINGS)).payload
    pairs = [settings[i : i + 6] for i in range(0, len(settings), 6)]
    values = {int.from_bytes(pair[:2]): int.from_bytes(pair[2:]) for pair in pairs}
    assert values[MAX_CONCURRENT_STREAMS] == MAX_CALLS_OF_CONNECTION


async def watched(served: Scripted, peer: RawPeer) -> None:
    """Return when the server has tried to write to the peer's watch."""
    peer.call(1, WATCH, health_pb2.HealthCheckRequest().SerializeToString())
    # A later call of the same connection: its answer is an error, which needs no room.
    wrong = health_pb2.HealthCheckRequest(service="none").SerializeToString()
    peer.call(3, CHECK, wrong)
    await peer.until(HEADERS, flags=END_STREAM, stream=3)


async def test_a_watcher_that_never_reads_keeps_nobody_from_serving() -> None:
    async with scripted_server(loaded=False) as served, raw_peer(served.running.target) as peer:
        await watched(served, peer)
        served.running.set_serving(True)
        stub = health_pb2_grpc.HealthStub(served.channel)
        answer = await stub.Check(health_pb2.HealthCheckRequest(), timeout=WAIT_LIMIT_S)
        assert answer.status == State.SERVING


async def test_a_watcher_that_never_reads_keeps_nobody_from_stopping() -> None:
    async with scripted_server() as served, raw_peer(served.running.target) as peer:
        await watched(served, peer)
        async with asyncio.timeout(WAIT_LIMIT_S):
            await served.running.drain(SHORT_S)


async def test_a_watcher_that_never_reads_delays_the_end_by_a_moment_only(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(health, "PEER_TIMEOUT_S", 1000.0)
    monkeypatch.setattr(app, "END_TIMEOUT_S", SHORT_S)
    async with scripted_server() as served, raw_peer(served.running.target) as peer:
        await watched(served, peer)
        async with asyncio.timeout(WAIT_LIMIT_S):
            await served.running.drain(1000.0)


async def test_a_call_in_flight_has_all_of_the_grace_beside_a_watcher_that_never_reads(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(health, "PEER_TIMEOUT_S", 1000.0)
    # The response still has to be sent once the call is done.
    monkeypatch.setattr(app, "END_TIMEOUT_S", 1.0)
    monkeypatch.setattr(app, "DRAIN_POLL_S", 0.0)
    async with scripted_server() as served, raw_peer(served.running.target) as peer:
        await watched(served, peer)
        served.engine.hold()
        call = asyncio.create_task(served.batch("a"))
        await served.engine.until(lambda: bool(served.engine.claims))
        async with asyncio.timeout(WAIT_LIMIT_S), asyncio.TaskGroup() as group:
            group.create_task(served.running.drain(1000.0))
            for _ in range(1000):
                await asyncio.sleep(0)
            served.engine.release()
            assert (await call).estimates


async def test_a_watcher_that_reads_is_told_of_the_end_and_does_not_delay_it() -> None:
    async with scripted_server() as served:
        watch = health_pb2_grpc.HealthStub(served.channel).Watch(health_pb2.HealthCheckRequest())
        assert (await watch.read()).status == State.SERVING
        async with asyncio.timeout(WAIT_LIMIT_S):
            await served.running.drain(1000.0)
        assert (await watch.read()).status == State.NOT_SERVING
        assert await watch.read() is aio.EOF


@pytest.mark.usefixtures("impatient")
async def test_a_watcher_that_never_reads_loses_its_place(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(calls, "STATUS_TIMEOUT_S", SHORT_S)
    lost = asyncio.Event()

    async def told(context: Context, status: CallStatus) -> None:
        if status.code is grpc.StatusCode.DEADLINE_EXCEEDED:
            lost.set()
        await end_call(context, status)

    monkeypatch.setattr(health, "end_call", told)
    async with scripted_server() as served, raw_peer(served.running.target) as peer:
        await watched(served, peer)
        async with asyncio.timeout(WAIT_LIMIT_S):
            await lost.wait()


async def test_one_watcher_too_many_ends_the_oldest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(health, "MAX_WATCHERS", 2)
    async with scripted_server() as served:
        stub = health_pb2_grpc.HealthStub(served.channel)
        watches = []
        for _ in range(3):
            watches.append(stub.Watch(health_pb2.HealthCheckRequest(), timeout=WAIT_LIMIT_S))
            assert (await watches[-1].read()).status == State.SERVING
        with pytest.raises(aio.AioRpcError) as ended:
            await watches[0].read()
        assert reason_of(ended.value) == "QUEUE_FULL"
        served.running.set_serving(False)
        for watch in watches[1:]:
            assert (await watch.read()).status == State.NOT_SERVING
            watch.cancel()


async def test_health_does_not_wait_for_ever_to_say_that_there_is_no_such_service(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    told = asyncio.Event()

    async def ended(context: Context, status: CallStatus) -> None:
        told.set()
        await end_call(context, status)

    monkeypatch.setattr(health, "end_call", ended)
    async with scripted_server() as served:
        stub = health_pb2_grpc.HealthStub(served.channel)
        call = stub.Check(health_pb2.HealthCheckRequest(service="none"), timeout=WAIT_LIMIT_S)
        assert await call.code() is grpc.StatusCode.NOT_FOUND
    assert told.is_set()


@pytest.mark.parametrize("path", [CHECK, WATCH])
@pytest.mark.usefixtures("impatient")
async def test_health_does_not_wait_for_ever_to_begin_a_response(
    monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    async def never(_: Context) -> None:
        await asyncio.Event().wait()

    monkeypatch.setattr(calls, "begin_response", never)
    async with scripted_server() as served, raw_peer(served.running.target) as peer:
        peer.call(1, path, b"")
        await peer.until(HEADERS, flags=END_STREAM, stream=1)


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize("path", [CHECK, WATCH, REFLECTION])
async def test_health_and_reflection_wait_for_no_request_for_ever(path: str) -> None:
    async with scripted_server() as served, raw_peer(served.running.target) as peer:
        peer.call(1, path, None)
        await peer.until(HEADERS, flags=END_STREAM, stream=1)


@pytest.mark.parametrize("path", [CHECK, WATCH])
async def test_health_keeps_no_large_request(path: str) -> None:
    async with scripted_server() as served:
        call: aio.UnaryStreamMultiCallable[bytes, bytes] = served.channel.unary_stream(path)
        request = health_pb2.HealthCheckRequest(service="x" * 1000).SerializeToString()
        with pytest.raises(aio.AioRpcError) as caught:
            await call(request, timeout=WAIT_LIMIT_S).read()
        assert caught.value.code() is grpc.StatusCode.INVALID_ARGUMENT
        assert "the limit is 256" in str(caught.value.details())


async def test_a_long_question_of_reflection_is_answered_as_wrong_and_not_sent_back() -> None:
    stub = reflection_pb2_grpc.ServerReflectionStub
    async with scripted_server() as served:
        asked = [
            reflection_pb2.ServerReflectionRequest(file_by_filename="x" * 5000),
            reflection_pb2.ServerReflectionRequest(list_services=""),
        ]
        answers = [
            answer
            async for answer in stub(served.channel).ServerReflectionInfo(
                iter(asked), timeout=WAIT_LIMIT_S
            )
        ]
    assert answers[0].HasField("error_response")
    assert answers[0].ByteSize() < 200
    assert answers[1].list_services_response.service


@pytest.mark.usefixtures("impatient")
async def test_a_reflection_stream_that_nobody_reads_frees_its_place(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(calls, "STATUS_TIMEOUT_S", SHORT_S)
    ended = asyncio.Event()

    async def told(context: Context, status: CallStatus) -> None:
        ended.set()
        await end_call(context, status)

    monkeypatch.setattr(reflection, "end_call", told)
    async with scripted_server() as served, raw_peer(served.running.target) as peer:
        question = reflection_pb2.ServerReflectionRequest(list_services="")
        peer.call(1, REFLECTION, question.SerializeToString())
        async with asyncio.timeout(WAIT_LIMIT_S):
            await ended.wait()
            await served.running.drain(SHORT_S)


async def test_what_grpc_does_for_a_call_goes_on_when_the_call_is_cancelled() -> None:
    left, ended = asyncio.Event(), asyncio.Event()

    async def operation() -> None:
        await left.wait()
        ended.set()

    waiting = asyncio.create_task(calls.to_its_end(operation()))
    await asyncio.sleep(0)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    left.set()
    async with asyncio.timeout(WAIT_LIMIT_S):
        await ended.wait()


async def test_who_waits_for_what_grpc_does_is_told_that_the_peer_has_left() -> None:
    async def operation() -> None:
        raise calls.PeerLeftError

    with pytest.raises(calls.PeerLeftError):
        await calls.to_its_end(operation())
