"""A real server under requests that nobody would send: `python -m tests.soak.fuzz --way wire`.

The server runs in a process of its own on an engine that is scripted, since what is asked here is
whether the server stands, not what the model says. All its services are on. Bytes go to every
method of the contract. Each answer must be a message or an error that the contract names; INTERNAL
and UNKNOWN are faults, as are a call that hangs and a server that ends.
"""

import re
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import grpc
import psutil

from bench.tools.common import ROOT, BenchError
from bench.tools.serving import family_of, memory_mib
from groundwire.v1 import hallucination_detection_pb2 as pb
from tests.soak.fuzz.wire_messages import GivenIds

CALL_TIMEOUT_S = 60.0
"""Far more than any call needs here, and than the server gives one of its operations: what comes to
this deadline hangs."""
WARM_CALLS = 2000
"""After so many, caches and pools are filled: from there memory is compared."""
MOST_FAULTS, MOST_IDS = 20, 20
SUBMITS, DRAFTS = "/SubmitVerification", "/VerifyDraft"
START, TEXT, END = (
    each.SerializeToString()
    for each in (
        pb.VerifyDraftRequest(
            start=pb.DraftStart(
                request=pb.VerifyAnswerRequest(evidence=pb.Evidence(context="It is 330 m high."))
            )
        ),
        pb.VerifyDraftRequest(text="The tower is 330 m high. It was built"),
        pb.VerifyDraftRequest(end=pb.DraftEnd()),
    )
)
_START_TAG = START[:1]
_GIVEN_ID = re.compile(rb"[0-9a-f]{32}")
FAULTS = {"INTERNAL", "UNKNOWN", "DATA_LOSS", "CANCELLED", "DEADLINE_EXCEEDED", "UNAVAILABLE"}


@dataclass(frozen=True, slots=True)
class WireFigures:
    """What came of the calls: how many ended with each status, and the server's memory in MiB.

    `warm_mib` is that after WARM_CALLS, or the last where there were fewer.
    `faults` are the first inputs whose answer is none that the contract names.
    """

    calls: int
    statuses: dict[str, int]
    by_method: dict[str, dict[str, int]]
    warm_mib: float
    last_mib: float
    faults: tuple[tuple[str, str, bytes], ...]


def attack(
    made: Iterator[tuple[str, bytes]], calls: int, is_over: Callable[[], bool], ids: GivenIds
) -> WireFigures:
    """Start a server, make the calls one after the other, and look at its memory.

    `ids` gets those that the server gives, for later calls. Raises BenchError.
    """
    with (
        tempfile.TemporaryDirectory() as folder,
        Path(folder, "log").open("w+", encoding="utf-8") as log,
        subprocess.Popen(
            [sys.executable, "-m", "tests.soak.fuzz.wire_server", folder],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
        ) as process,
    ):
        assert process.stdout is not None
        assert process.stdin is not None
        target = process.stdout.readline().strip()
        if not target:
            raise BenchError(f"the server did not start: {Path(log.name).read_text()[-2000:]}")
        server = psutil.Process(process.pid)
        with grpc.insecure_channel(target) as channel:
            answered = ((path, data, _status(channel, path, data, ids)) for path, data in made)
            found = _figures(answered, server, calls, is_over)
        process.stdin.close()
    return found


def _figures(
    answered: Iterator[tuple[str, bytes, str]],
    server: psutil.Process,
    calls: int,
    is_over: Callable[[], bool],
) -> WireFigures:
    statuses: Counter[str] = Counter()
    by_method: defaultdict[str, Counter[str]] = defaultdict(Counter)
    faults: list[tuple[str, str, bytes]] = []
    warm = 0.0
    for done, (path, data, status) in enumerate(answered, start=1):
        statuses[status] += 1
        by_method[path.rpartition("/")[2]][status] += 1
        if status in FAULTS and len(faults) < MOST_FAULTS:
            faults.append((path, status, data))
        if done == WARM_CALLS:
            warm = memory_mib(family_of(server))
        if done == calls or is_over():
            break
    last = memory_mib(family_of(server))
    return WireFigures(
        statuses.total(),
        dict(statuses),
        {name: dict(counts) for name, counts in sorted(by_method.items())},
        warm or last,
        last,
        tuple(faults),
    )


def _status(channel: grpc.Channel, path: str, data: bytes, ids: GivenIds) -> str:
    try:
        call: grpc.StreamStreamMultiCallable[bytes, bytes] = channel.stream_stream(path)
        for answer in call(iter(_sent(path, data)), timeout=CALL_TIMEOUT_S):
            given = ids["id" if path.endswith(SUBMITS) else "detection_id"]
            given += [found.decode() for found in _GIVEN_ID.findall(answer)]
            del given[:-MOST_IDS]
    except grpc.RpcError as error:
        return str(error.code().name)
    return "OK"


def _sent(path: str, data: bytes) -> tuple[bytes, ...]:
    """All messages of a call; those of a draft are of one that is otherwise whole."""
    if not path.endswith(DRAFTS):
        return (data,)
    return (data, TEXT, END) if data.startswith(_START_TAG) else (START, data, END)
