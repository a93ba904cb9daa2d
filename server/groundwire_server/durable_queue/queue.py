"""A queue of work that outlives its process, on DBOS.

A piece is a text under a key, and so is its result.

DBOS is one a process, calls from threads of its own, and waits for a database that is away as long
as it takes. So what callers wait for goes through a client of its own, which does not; and what is
done runs on the loop of the server. Its own log lines could repeat anything, and are dropped.
"""

import asyncio
import concurrent.futures
import logging
import math
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import ClassVar, TypeVar, TypeVarTuple, Unpack

from dbos import DBOS, DBOSClient, DBOSConfig, DBOSPortableJSONSerializer, WorkflowStatus
from dbos import WorkflowSerializationFormat as Format
from dbos import error as dbos_errors
from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from groundwire_server.config.sources import ConfigError
from groundwire_server.durable_queue.queued_work import (
    Bounds,
    Stage,
    Stored,
    Work,
    key_of,
    now_s,
    own_id_of,
    owner_of,
)
from groundwire_server.durable_queue.store import SETTING, Store, StoreInUseError
from groundwire_verifier.domain.errors import QueueUnavailableError

log = logging.getLogger("groundwire.server")

T = TypeVar("T")
Ts = TypeVarTuple("Ts")

NAME = "groundwire"
QUEUES = "outputs"
"""What the names of the queues begin with: each backend has one, which is taken from by itself."""

WORKFLOW = "verify_output"
SIZE = "size_bytes"
APPLICATION_VERSION = "outputs-2"
"""Of the form of pieces, not of the server. What it finds of another one becomes its own."""

POLL_S = 1.0
HEAL_S = 10.0
"""How often is looked for pieces that nobody works on, and for results that are old."""

ELSEWHERE_S = 900.0
"""How long a piece that another server may have is left to it."""

RETRY_START_S = 2.0
THREADS = 4
PARALLEL = 2
"""Most pieces of one backend that are worked on at one time."""
MAX_RECOVERIES = 20
"""How often a piece may be begun again after its process died; it could be what kills it."""

SWEPT_AT_ONCE = 500

_STORE_ERRORS = (SQLAlchemyError, dbos_errors.DBOSException, OSError)

_WAITING = ("ENQUEUED", "DELAYED")
_UNFINISHED = [*_WAITING, "PENDING"]
_CANCELLED = "CANCELLED"
_GIVEN_UP = [_CANCELLED, "MAX_RECOVERY_ATTEMPTS_EXCEEDED"]


class _StoppedError(BaseException):
    """The queue is closed. No Exception: DBOS would keep that as the end of the piece."""


class DurableQueue:
    """Pieces of work in a store, each done once, in the order of the seconds in which they came."""

    _of_process: ClassVar["DurableQueue | None"] = None

    def __init__(self, store: Store, work: Work, bounds: Bounds, backends: Sequence[str]) -> None:
        """`backends` are those that pieces can be for; the first gets what is for none of them."""
        self._store = store
        self._queues = {backend: f"{QUEUES}-{backend}" for backend in backends}
        self._work = work
        self._bounds = bounds
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="groundwire-queue")
        self._client: DBOSClient | None = None
        self._running: dict[str, asyncio.Task[str]] = {}
        self._idle: frozenset[str] = frozenset()
        self._changing = threading.Lock()
        self._is_closing = False
        self._has_begun = asyncio.Event()
        self._wanted: set[str] = set()
        self._taking: set[str] = set()
        self._is_launched = False
        self._life: asyncio.Task[None] | None = None
        self.pieces_of: Counter[str] = Counter()
        """The pieces without a result, as of late, by whose they are; see `owner_of`."""
        self.bytes_of: Counter[str] = Counter()
        """The bytes of their texts."""

    async def start(self) -> None:
        """Reach the store; pieces are taken from `begin` on.

        Raises ConfigError for a file that cannot be used, and for a store that another server uses.

        A database that is away is waited for beside. A process has one queue.
        """
        if DurableQueue._of_process is not None:
            self._store.close()
            raise ConfigError("output_verification_enabled: another server of this process has it")
        DurableQueue._of_process = self
        self._loop = asyncio.get_running_loop()
        try:
            await self._in_thread(self._launch)
        except StoreInUseError:
            self._release()
            raise
        except _STORE_ERRORS as error:
            if self._store.is_file:
                self._release()
                raise ConfigError(
                    f"{SETTING}: the file cannot be used ({_kind(error)}): make room, or choose "
                    "another"
                ) from None
            log.warning("the store of the queue cannot be used yet: %s", _kind(error))
        self._life = asyncio.create_task(self._live())

    def begin(self, backend: str) -> None:
        """Take the pieces for a backend from now on.

        DBOS counts each time that it hands one out, and gives it up after MAX_RECOVERIES. So none
        is handed out before it can be read: its process may end in a loop that is not its fault.
        """
        self._wanted.add(backend)
        self._has_begun.set()

    async def close(self) -> None:
        """Leave what is not done to the next start."""
        self._is_closing = True
        if self._life is not None:
            self._life.cancel()
        for task in list(self._running.values()):
            task.cancel()
        await asyncio.gather(*self._running.values(), return_exceptions=True)
        await self._in_thread(self._end)
        self._release()

    def _release(self) -> None:
        self._threads.shutdown(wait=False)
        self._store.close()
        DurableQueue._of_process = None

    @property
    def pieces(self) -> int:
        return self.pieces_of.total()

    @property
    def bytes(self) -> int:
        return self.bytes_of.total()

    async def add(self, key: str, backend: str, text: str) -> None:
        """Keep a piece, which is done from then on whatever happens.

        Of the pieces for one `backend` only so many are done at one time.

        Raises QueueUnavailableError.
        """
        await self._asked(self._enqueue, key, self._queues[backend], text)
        self.pieces_of[owner_of(key)] += 1
        self.bytes_of[owner_of(key)] += len(text)

    async def find(self, key: str) -> Stored | None:
        """A piece, None if there is none. Raises QueueUnavailableError."""
        return await self._asked(self._find, key)

    async def erase(self, owner: str, is_gone: Callable[[str], bool]) -> list[str]:
        """Delete pieces of an owner by their own ids, with their results, and stop their work.

        Gives their keys. Raises QueueUnavailableError.
        """

        def goes(key: str) -> bool:
            return owner_of(key) == owner and is_gone(own_id_of(key))

        await self._stop(goes)
        erased = await self._asked(self._erase, key_of(owner, ""), goes)
        # One may have been handed out meanwhile.
        await self._stop(goes)
        await self._asked(self._heal, frozenset(self._running))
        return erased

    async def _stop(self, goes: Callable[[str], bool]) -> None:
        tasks = [task for key, task in self._running.items() if goes(key)]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _erase(self, beginning: str, goes: Callable[[str], bool]) -> list[str]:
        client = self._asked_client()
        found = client.list_workflows(
            workflow_id_prefix=beginning, load_input=False, load_output=False
        )
        keys = [piece.workflow_id for piece in found if goes(piece.workflow_id)]
        for begin in range(0, len(keys), SWEPT_AT_ONCE):
            client.delete_workflows(keys[begin : begin + SWEPT_AT_ONCE])
        self._store.forget_deleted()
        return keys

    async def _live(self) -> None:
        """Look after the store, again and again."""
        is_well = True
        while True:
            try:
                self._has_begun.clear()
                if not self._is_launched or not self._wanted <= self._taking:
                    await self._in_thread(self._launch)
                await self._in_thread(self._heal, frozenset(self._running))
                if not is_well:
                    log.info("the store of the queue can be used again")
                is_well = True
            except (*_STORE_ERRORS, StoreInUseError) as error:
                if is_well:
                    log.warning("the store of the queue cannot be used: %s", _kind(error))
                is_well = False
            pause_s = HEAL_S if is_well else RETRY_START_S
            with suppress(TimeoutError):
                async with asyncio.timeout(pause_s):
                    await self._has_begun.wait()

    def _launch(self) -> None:
        """Start DBOS, once more where it has to take pieces and does not yet.

        It takes from every queue that it knows. So those of an earlier life are forgotten while it
        takes from none, and one is made known as soon as its backend has begun. It looks for new
        ones each second, so the first are made known before it takes.
        """
        with self._changing:
            if self._is_closing:
                return
            self._store.own()
            wanted = frozenset(self._wanted)
            if not self._is_launched:
                self._launch_once(takes=False)
                for queue in DBOS.list_queues():
                    DBOS.delete_queue(queue.name)
                self._is_launched = True
            new = wanted - self._taking
            for backend in sorted(new):
                DBOS.register_queue(
                    self._queues[backend],
                    worker_concurrency=PARALLEL,
                    polling_interval_sec=POLL_S,
                    on_conflict="always_update",
                )
            if wanted and not self._taking:
                self._is_launched = False
                DBOS.destroy(destroy_registry=True)
                self._launch_once(takes=True)
                self._is_launched = True
            self._taking |= new

    def _launch_once(self, *, takes: bool) -> None:
        config: DBOSConfig = {
            "name": NAME,
            "application_version": APPLICATION_VERSION,
            "executor_id": NAME,
            "system_database_engine": self._store.engine,
            "dbos_system_schema": NAME,
            "serializer": DBOSPortableJSONSerializer(),
            "use_listen_notify": False,
            # Nothing here notifies, and its end waits until who listens has looked once more.
            "notification_listener_polling_interval_sec": POLL_S,
            "enable_otlp": False,
            "scheduler_polling_interval_sec": 3600.0,
        }
        quiet = logging.getLogger("dbos")
        if not quiet.handlers:
            quiet.addHandler(logging.NullHandler())
        quiet.propagate = False
        quiet.disabled = True

        def take(text: str) -> str:
            return self._take(text)

        DBOS(config=config)
        try:
            DBOS.workflow(name=WORKFLOW, max_recovery_attempts=MAX_RECOVERIES)(take)
            if not takes:
                DBOS.listen_queues([])
            DBOS.launch()
        except BaseException:
            DBOS.destroy(destroy_registry=True)
            raise
        self._client = self._client or DBOSClient(
            system_database_engine=self._store.engine,
            dbos_system_schema=NAME,
            serializer=DBOSPortableJSONSerializer(),
            application_name=NAME,
            lazy=True,
            retry_connection_errors=False,
        )

    def _end(self) -> None:
        # A start that is under way may wait for its database.
        with self._changing:
            if self._is_launched:
                DBOS.destroy(destroy_registry=True)
            if self._client is not None:
                self._client.destroy()
                self._client = None

    def _take(self, text: str) -> str:
        """Do a piece, in a thread of DBOS."""
        key = DBOS.workflow_id or ""
        future = asyncio.run_coroutine_threadsafe(self._do(key, text), self._loop)
        try:
            return future.result()
        except concurrent.futures.CancelledError:
            raise _StoppedError from None

    async def _do(self, key: str, text: str) -> str:
        if self._is_closing:
            raise asyncio.CancelledError
        task = self._running.get(key)
        if task is None:
            came, _, rest = text.partition(" ")
            task = asyncio.ensure_future(self._work(key, rest, float(came)))
            self._running[key] = task
            task.add_done_callback(lambda _: self._forget(key, len(rest)))
        # Handed out once more while it is being done, it has one result all the same: only that of
        # who was handed it last is kept.
        return await asyncio.shield(task)

    def _forget(self, key: str, size: int) -> None:
        """A piece has its result; that is counted again when its store is looked after."""
        self._running.pop(key, None)
        owner = owner_of(key)
        self.pieces_of[owner] = max(0, self.pieces_of[owner] - 1)
        self.bytes_of[owner] = max(0, self.bytes_of[owner] - size)

    def _enqueue(self, key: str, queue: str, text: str) -> None:
        self._asked_client().enqueue(
            {
                "workflow_name": WORKFLOW,
                "queue_name": queue,
                "workflow_id": key,
                "app_version": APPLICATION_VERSION,
                "serialization_type": Format.PORTABLE,
                "attributes": {SIZE: len(text)},
            },
            f"{now_s():.3f} {text}",
        )

    def _find(self, key: str) -> Stored | None:
        found = self._asked_client().list_workflows(workflow_ids=[key], load_input=False)
        return _stored(found[0]) if found else None

    def _heal(self, running: frozenset[str]) -> None:
        """Count what is left, begin again what nobody works on, and delete what is old."""
        with self._changing:
            if self._is_closing:
                return
            self._store.own()
            self._look_after(self._asked_client(), running)

    def _look_after(self, client: DBOSClient, running: frozenset[str]) -> None:
        self._adopt(client)
        unfinished = client.list_workflows(status=_UNFINISHED, load_input=False, load_output=False)
        self.pieces_of = Counter(owner_of(found.workflow_id) for found in unfinished)
        bytes_of: Counter[str] = Counter()
        for found in unfinished:
            bytes_of[owner_of(found.workflow_id)] += _size(found)
        self.bytes_of = bytes_of
        # It was handed out and lost, or its result could not be kept, so it is done again. It is
        # seen twice before, since it may have been taken a moment ago. Of a database another server
        # may have it, so it is left for longer; whoever has it last gives its result. No other has
        # a file, so there no time counts: a clock that went back would leave it lost for as long.
        taken_before_ms = math.inf if self._store.is_file else (time.time() - ELSEWHERE_S) * 1000
        idle = {
            each.workflow_id
            for each in unfinished
            if each.status == "PENDING"
            and each.workflow_id not in running
            and (each.dequeued_at or 0) <= taken_before_ms
        }
        lost = idle & self._idle
        self._idle = frozenset(idle)
        default, *_ = known = tuple(self._queues.values())
        for each in unfinished:
            if each.workflow_id in lost or each.queue_name not in known:
                # Its work says what becomes of a piece for a backend that is no more.
                queue = each.queue_name if each.queue_name in known else default
                client.resume_workflow(each.workflow_id, queue_name=queue)
        self._forget_old(client)

    def _adopt(self, client: DBOSClient) -> None:
        """Make the pieces of other versions those of this one. DBOS hands out no others."""
        # Nothing else cancels a piece: one that is cancelled was left in the middle of this.
        found = client.list_workflows(
            status=[*_UNFINISHED, _CANCELLED], load_input=False, load_output=False
        )
        for piece in found:
            if piece.app_version == APPLICATION_VERSION:
                continue
            if piece.status != _CANCELLED:
                client.cancel_workflow(piece.workflow_id)
            client.rewind_workflow(
                piece.workflow_id,
                application_version=APPLICATION_VERSION,
                queue_name=piece.queue_name,
            )

    def _forget_old(self, client: DBOSClient) -> None:
        before = datetime.now(UTC) - timedelta(seconds=self._bounds.retention_s)
        old = client.list_workflows(
            completed_before=before.isoformat(),
            load_input=False,
            load_output=False,
            limit=SWEPT_AT_ONCE,
        )
        # These have no time at which they ended.
        given_up = client.list_workflows(
            status=_GIVEN_UP,
            end_time=before.isoformat(),
            load_input=False,
            load_output=False,
            limit=SWEPT_AT_ONCE,
        )
        beyond = client.list_workflows(
            status=["SUCCESS", "ERROR", *_GIVEN_UP],
            sort_desc=True,
            offset=self._bounds.results,
            load_input=False,
            load_output=False,
            limit=SWEPT_AT_ONCE,
        )
        over = {each.workflow_id for each in (*old, *given_up, *beyond)}
        if over:
            client.delete_workflows(sorted(over))

    def _asked_client(self) -> DBOSClient:
        if self._client is None:
            raise QueueUnavailableError("the store of the queue was not reached yet; try again")
        return self._client

    async def _asked(self, ask: Callable[[Unpack[Ts]], T], *args: *Ts) -> T:
        try:
            return await self._in_thread(ask, *args)
        except _STORE_ERRORS as error:
            # From None: what is behind it could name what was asked.
            raise QueueUnavailableError(
                f"the store of the queue cannot be used now ({_kind(error)}); try again later"
            ) from None

    async def _in_thread(self, ask: Callable[[Unpack[Ts]], T], *args: *Ts) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._threads, ask, *args)


def _stored(found: WorkflowStatus) -> Stored:
    if found.status in (*_WAITING, _CANCELLED):
        return Stored(Stage.WAITING)
    if found.status == "PENDING":
        return Stored(Stage.TAKEN)
    if isinstance(found.output, str):
        return Stored(Stage.DONE, found.output)
    return Stored(Stage.LOST)


def _size(found: WorkflowStatus) -> int:
    size: object = (found.attributes or {}).get(SIZE, 0)
    return size if isinstance(size, int) else 0


def _kind(error: Exception) -> str:
    """What went wrong, without any text of a request or an address."""
    said = str(error.orig).lower() if isinstance(error, DBAPIError) else ""
    if "is full" in said or "no space" in said:
        return "no space is left"
    return type(error).__name__
