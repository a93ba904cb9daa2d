"""What becomes of calls when the engine or a client goes at a random moment.

Each round starts a server, sends calls of four kinds, and at a random moment has the engine die,
the engine freeze, or the client leave. Half of the claims are true by their evidence, and each
answer is compared with that: a claim that is not true must never be SUPPORTED, whatever failed.
`--way scripted` takes an engine that is scripted, so that hundreds of rounds take minutes; `--way
real` the embedded model, whose process is killed (SIGKILL) or frozen (SIGSTOP). Seeded. On the
embedded model a wrong verdict may be the model's own: there it is counted and is no fault.

Not measured: time. What goes around a server, such as Redis, networks and disks, is in `outside`.
"""

import argparse
import asyncio
import functools
import random
import signal
import sys
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from typing import Any

import psutil
from grpc import aio

from bench.tools.common import (
    BenchError,
    bench_parser,
    describe_run,
    guarded,
    markdown_table,
    results_folder,
    say,
    write_results,
)
from groundwire._wire.failures import failure
from groundwire.v1 import hallucination_detection_pb2 as pb
from groundwire.v1 import verifier_backend_pb2 as backend_pb
from groundwire.v1.hallucination_detection_pb2_grpc import HallucinationDetectionStub
from groundwire.v1.verifier_backend_pb2_grpc import VerifierBackendStub
from groundwire_server.app import start_server
from groundwire_server.exit_codes import EXIT_ENGINE_FAILED
from groundwire_verifier.engine.local import LocalBackend
from groundwire_verifier.engine.queue.engine import TokenReading
from tests.scripted import MODEL, VERSION, ScriptedEngine, scripted_settings
from tests.serving import serving

KILLED, FROZEN, LEFT = "engine killed", "engine frozen", "client gone"
EVENTS = (KILLED, FROZEN, LEFT)
CALLS = 12
CLAIMS = 6
CALL_LIMIT_S = 60.0
"""A call that takes longer is at fault: nothing may wait for ever."""
HANG_TIMEOUT_S = 0.3
READ_S = 0.01
LATEST_S, LATEST_REAL_S = 0.4, 6.0
"""The event comes at any time until then."""
GONE_S = 10.0
"""The system ends an engine with its server; giving back gigabytes takes it a moment."""
MISREAD = "the model takes an untrue claim for true"
FAULTS = {"INTERNAL", "UNKNOWN", "DATA_LOSS", "DEADLINE_EXCEEDED"}


@dataclass(slots=True)
class Tally:
    """What became of the calls of one event: how many, by outcome; and what must not happen."""

    event: str
    rounds: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)
    figures: dict[str, float] = field(default_factory=dict)
    """What was measured beside, by its name with its unit."""

    def as_json(self) -> dict[str, object]:
        """The same for a file of results."""
        outcomes = dict(sorted(self.outcomes.items()))
        counted = {"event": self.event, "rounds": self.rounds, "outcomes": outcomes}
        measured = {"figures": self.figures} if self.figures else {}
        return {**counted, **measured, "faults": self.faults}


def truth(number: int) -> bool:
    """Whether a claim is true by its evidence."""
    return number % 2 == 0


def passage(town: str) -> str:
    """The evidence of a round."""
    return " ".join(f"The bridge of {town} {i} is {i + 20} metres long." for i in range(CLAIMS))


def claim(town: str, number: int) -> str:
    """A claim about it, with another length where it is not true."""
    metres = number + 20 if truth(number) else number + 900
    return f"The bridge of {town} {number} is {metres} metres long."


def answered(prompt: str) -> tuple[float, float]:
    """What the scripted engine reads: YES only where the evidence states the claim."""
    context, _, asked = prompt.rpartition("\nClaim: ")
    sentence = asked.partition("\n")[0]
    return (0.97, 0.01) if sentence and sentence in context else (0.02, 0.95)


Call = Callable[[aio.Channel], Awaitable[str]]


def calls_of(title: str, chance: random.Random) -> list[Call]:
    """Calls of every kind in any order, each about a town of its own."""
    kinds = chance.choices((_estimates, _claims, _answer, _stream), k=CALLS)
    return [functools.partial(kind, f"{title} {i}") for i, kind in enumerate(kinds)]


def texts_of(town: str) -> list[str]:
    """The claims about a town."""
    return [claim(town, number) for number in range(CLAIMS)]


def answer_of(town: str) -> str:
    """An answer that makes these claims."""
    return " ".join(f"{text[:-1]} [S0]." for text in texts_of(town))


def _evidence(town: str) -> pb.Evidence:
    return pb.Evidence(sources=[pb.Source(id="S0", document=pb.Document(text=passage(town)))])


def answer_request(town: str) -> pb.VerifyAnswerRequest:
    """What VerifyAnswer is asked about it."""
    return pb.VerifyAnswerRequest(answer=answer_of(town), evidence=_evidence(town))


async def _estimates(town: str, channel: aio.Channel) -> str:
    request = backend_pb.BatchEstimateRequest(claims=texts_of(town), context=passage(town))
    await VerifierBackendStub(channel).BatchEstimate(request, timeout=CALL_LIMIT_S)
    return "whole"


async def _claims(town: str, channel: aio.Channel) -> str:
    inputs = [pb.ClaimInput(text=text, cited_ids=["S0"]) for text in texts_of(town)]
    request = pb.VerifyClaimsRequest(claims=inputs, evidence=_evidence(town))
    response = await HallucinationDetectionStub(channel).VerifyClaims(request, timeout=CALL_LIMIT_S)
    return judged(zip(texts_of(town), map(_name, response.verdicts), strict=True))


async def _answer(town: str, channel: aio.Channel) -> str:
    stub = HallucinationDetectionStub(channel)
    response = await stub.VerifyAnswer(answer_request(town), timeout=CALL_LIMIT_S)
    return judged((each.claim.content, _name(each.verdict)) for each in response.claims)


async def _stream(town: str, channel: aio.Channel) -> str:
    request = pb.VerifyAnswerStreamRequest(request=answer_request(town))
    stub = HallucinationDetectionStub(channel)
    found: list[tuple[str, str]] = []
    async for event in stub.VerifyAnswerStream(request, timeout=CALL_LIMIT_S):
        if event.HasField("report"):
            claims = event.report.claims
            found = [(each.claim.content, _name(each.verdict)) for each in claims]
    return judged(found) if found else "WRONG: a stream that ended without its report"


def _name(verdict: pb.ClaimVerdict) -> str:
    return pb.Verdict.Name(verdict.verdict).removeprefix("VERDICT_")


def judged(found: Iterable[tuple[str, str]]) -> str:
    """Claims and their verdicts in words; "WRONG" where one is SUPPORTED that is not true."""
    unread = 0
    for text, verdict in found:
        number = int(text.split(" is ")[0].rsplit(" ", 1)[1])
        if verdict == "SUPPORTED" and not truth(number):
            return f"WRONG: {text}"
        unread += verdict == "NOT_VERIFIED"
    return "whole" if not unread else "in part, the rest NOT_VERIFIED"


async def outcome_of(call: Call, channel: aio.Channel) -> str:
    """What a call came to: its own outcome, or its status and reason."""
    try:
        return await call(channel)
    except aio.AioRpcError as error:
        return f"{error.code().name} {failure(error).reason or ''}".strip()
    except (asyncio.CancelledError, aio.UsageError):
        return "cancelled by the client"


def chance_of(seed: str) -> random.Random:
    """The draws of a run."""
    return random.Random(seed)  # noqa: S311 - a fixed choice, not a secret


def note(tally: Tally, outcomes: Sequence[str], *, by_a_model: bool = False) -> None:
    """Count outcomes, and keep those that must not be."""
    if by_a_model:
        outcomes = [MISREAD if outcome.startswith("WRONG") else outcome for outcome in outcomes]
    tally.outcomes.update(outcomes)
    tally.faults += [
        outcome
        for outcome in outcomes
        if outcome.startswith("WRONG") or outcome.split()[0] in FAULTS
    ]


class UnevenEngine(ScriptedEngine):
    """Some reads take longer than others, so that an event finds calls that are half read."""

    def __init__(self, chance: random.Random) -> None:
        super().__init__()
        self.answer, self.step_prompts = answered, 4
        self._chance = chance

    async def read(self, *asked: Any) -> TokenReading:  # noqa: ANN401 - as they came
        """As the script has it, a while later."""
        await asyncio.sleep(self._chance.uniform(0.0, 2 * READ_S))
        return await super().read(*asked)


async def scripted_round(tally: Tally, chance: random.Random) -> None:
    """One server on a scripted engine, one event, and what the server is like behind it."""
    engine = UnevenEngine(chance)
    backend = LocalBackend(MODEL, lambda: engine, HANG_TIMEOUT_S)
    settings = scripted_settings(result_cache_entries=100)
    async with start_server(settings, {"local": backend}, VERSION) as running:
        await backend.start()
        running.set_serving(True)
        channel = aio.insecure_channel(running.target)
        calls = calls_of(f"Arden{tally.rounds}", chance)
        tasks = [asyncio.create_task(outcome_of(call, channel)) for call in calls]
        await asyncio.sleep(chance.uniform(0.0, LATEST_S))
        if tally.event == KILLED:
            engine.die()
        elif tally.event == FROZEN:
            engine.hang()
        else:
            await channel.close()
        note(tally, await asyncio.gather(*tasks))
        if tally.event != LEFT:
            await asyncio.wait_for(backend.wait_failed(), CALL_LIMIT_S)
        after = await _call_after(running.target)
        is_right = after == "whole" if tally.event == LEFT else after.startswith("UNAVAILABLE")
        if not is_right:
            tally.faults.append(f"a call after it: {after}")
        await channel.close()
        await backend.stop()
    tally.rounds += 1


async def _call_after(target: str) -> str:
    """What a call of another client comes to, behind the event."""
    async with aio.insecure_channel(target) as channel:
        return await outcome_of(calls_of("After", chance_of("after"))[0], channel)


def real_round(tally: Tally, chance: random.Random) -> None:
    """One server on the embedded model, whose engine's process is killed or frozen."""
    with serving() as served:
        engines = [psutil.Process(pid) for pid in served.engine_pids()]

        async def load() -> list[str]:
            async with aio.insecure_channel(served.target) as channel:
                calls = calls_of(f"Arden{tally.rounds}", chance)
                return await asyncio.gather(*(outcome_of(call, channel) for call in calls))

        with ThreadPoolExecutor(1) as threads:
            found = threads.submit(asyncio.run, load())
            time.sleep(chance.uniform(0.0, LATEST_REAL_S))
            for engine in engines:
                engine.send_signal(signal.SIGKILL if tally.event == KILLED else signal.SIGSTOP)
            note(tally, found.result(), by_a_model=True)
        code = served.process.wait(CALL_LIMIT_S)
        if code != EXIT_ENGINE_FAILED:
            tally.faults.append(f"the server ended with {code}")
        _, left = psutil.wait_procs(engines, timeout=GONE_S)
        if left:
            tally.faults.append(f"{len(left)} processes of the engine are left")
    tally.rounds += 1


def main() -> int:
    """Parse the flags, do it, write."""
    parser = bench_parser(
        "tests.soak.chaos", "What becomes of calls when something goes at a random moment."
    )
    parser.add_argument("--way", choices=("scripted", "real"), default="scripted")
    parser.add_argument("--rounds", type=int, help="of each event; default: 100, real 5")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    return guarded(lambda: _bench(arguments))


def _bench(arguments: argparse.Namespace) -> None:
    run = describe_run(arguments.quick)
    is_real = arguments.way == "real"
    rounds = arguments.rounds or (3 if arguments.quick else 5 if is_real else 100)
    tallies = []
    for event in EVENTS[:2] if is_real else EVENTS:
        tally, chance = Tally(event), chance_of(f"{arguments.seed} {event}")
        for _ in range(rounds):
            if is_real:
                real_round(tally, chance)
            else:
                asyncio.run(scripted_round(tally, chance))
        tallies.append(tally)
        say(f"{event}: {tally.rounds} rounds, {len(tally.faults)} at fault")
    data = {"run": asdict(run), "seed": arguments.seed, "events": [t.as_json() for t in tallies]}
    folder = results_folder(f"chaos-{arguments.way}", arguments.out, run)
    write_results(folder, "chaos", data, "\n".join(_report(run.lines(), arguments, tallies)))
    if any(tally.faults for tally in tallies):
        raise BenchError("something went wrong that must not; it stands in the results")


def _report(
    lines: Sequence[str], arguments: argparse.Namespace, tallies: Sequence[Tally]
) -> list[str]:
    outcomes = sorted({name for tally in tallies for name in tally.outcomes})
    header = ["event", "rounds", "calls", *outcomes, "at fault"]
    rows = [
        [
            tally.event,
            str(tally.rounds),
            str(tally.outcomes.total()),
            *(str(tally.outcomes[name]) for name in outcomes),
            str(len(tally.faults)),
        ]
        for tally in tallies
    ]
    faults = [f"- {tally.event}: {fault}" for tally in tallies for fault in tally.faults[:10]]
    return [
        "# Parts that go at a random moment",
        "",
        *lines,
        f"- engine: {arguments.way}; seed {arguments.seed}; {CALLS} calls a round, of four kinds",
        "",
        markdown_table(header, rows),
        "",
        "At fault is a claim that is SUPPORTED and not true, INTERNAL or UNKNOWN, a call without "
        f"an end in {CALL_LIMIT_S:g} s, a server that goes on without its engine, or does not "
        "behind a client that left.",
        *faults,
    ]


if __name__ == "__main__":
    sys.exit(main())
