"""Rows verified beside each other: enough of them that the engine never waits for one."""

import threading
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from itertools import islice
from queue import SimpleQueue

from groundwire import VerifyOptions
from groundwire_server.batch.rows import Row
from groundwire_server.batch.tally import Result
from groundwire_server.batch.verifying import LostEngineError, RowVerifier
from groundwire_server.config.settings import ServerSettings


@dataclass(frozen=True, slots=True)
class ActorJob:
    """What each actor of a cluster is told. `parallel` rows of a shard are under way together."""

    settings: ServerSettings
    options: VerifyOptions
    parallel: int
    timeout_s: float


def verified(verifier: RowVerifier, rows: Iterator[Row], parallel: int) -> Iterator[Result]:
    """The results as they come; so many rows are under way at one time, in their order.

    Raises what the verifier or the rows raise; a LostEngineError says which rows were under way.
    Whoever leaves early closes the client next, which ends what is under way.
    """
    settled: SimpleQueue[Future[Result]] = SimpleQueue()
    pool = ThreadPoolExecutor(parallel, thread_name_prefix="groundwire-row")
    stopped = threading.Event()
    under_way: dict[Future[Result], Row] = {}

    def begin(row: Row) -> None:
        future = pool.submit(verifier.verify, row, stopped)
        under_way[future] = row
        future.add_done_callback(settled.put)

    try:
        for row in islice(rows, parallel):
            begin(row)
        while under_way:
            future = settled.get()
            error = future.exception()
            if isinstance(error, LostEngineError):
                error.rows = tuple(under_way.values())
            if error is not None:
                raise error
            del under_way[future]
            # The next one first: the engine may be waiting for it.
            for row in islice(rows, 1):
                begin(row)
            yield future.result()
    finally:
        stopped.set()
        pool.shutdown(wait=False, cancel_futures=True)
