"""What a tenant learns from the time of a call, and from its answer, of what another has asked.

Measured: a victim asks about contexts. An attacker then asks about the same ones, which are right
guesses, and about as many that nobody asked about, which are wrong ones, one call at a time and in
a random order. AUROC is the chance that a right guess is answered sooner than a wrong one: .5 is
what a guess at random has, and 1 tells everything. Two servers are asked in turn: one as it is by
default, and one with `cache_scope: server`, which shows that the bench sees a leak.

Not measured: the marks of evidence, a reading that two tenants ask for at the same moment, and that
others are at work at all, which a call that waits for them shows.
"""

import argparse
import contextlib
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from bench.tools.common import (
    BenchError,
    Run,
    bench_parser,
    describe_run,
    guarded,
    markdown_table,
    results_folder,
    say,
    write_results,
)
from bench.tools.corpus import Corpus
from bench.tools.serving import serving
from groundwire import Client, InvalidRequestError
from groundwire_server.config.access import new_token
from groundwire_verifier.numbers import metrics
from groundwire_verifier.numbers.metrics import Figure

VICTIM, ATTACKER = "victim", "attacker"
READINGS, PREFIXES, TEXTS = "readings", "prefixes", "texts"
CONTEXT_TOKENS: Mapping[str, int] = {READINGS: 200, PREFIXES: 200, TEXTS: 9_000}
"""Of each kind of what is cached. The model cannot read the last, and refuses it once it has been
tokenised: such a call is all tokenising."""
SCOPES: Mapping[str, tuple[str, ...]] = {"token": (), "server": ("--cache-scope", "server")}
"""The flags of each server; the first is the default."""
SMALL = ("--kv-memory-gib", "0.5", "--result-cache-entries", "1000")
PAIRS_A_VISIT = 5
"""Right guesses, and wrong ones, between which nothing that they look for has to be dropped."""
WARM_UP_CALLS = 2
TIMEOUT_S = 60.0
REFUSED = "REFUSED"
SEED = 21
RESAMPLES = 2000
RULES = f"""\
Readings: the victim's own claim on its context. Prefixes: another claim on it. Texts: a context of
{CONTEXT_TOKENS[TEXTS]:,} tokens, which is tokenised and then refused, so no model has a part in it.
AUROC: the chance that a right guess is answered sooner than a wrong one, with the interval that
95 % of {RESAMPLES:,} resamples of pairs lie in; by the caller's clock, and by the time that the
answer itself tells. A pair has one claim and two contexts of as many tokens; the victim's is drawn
from the two. Cached: tokens that the answers tell as cached, in the mean."""


@dataclass(frozen=True, slots=True)
class Guess:
    """One call of the attacker, and what it saw. `told_s` is the time that the answer tells."""

    scope: str
    kind: str
    pair: int
    right: bool
    seconds: float
    told_s: float | None
    source: str
    prompt_tokens: int
    cached_tokens: int


@dataclass(frozen=True, slots=True)
class Pair:
    """A context that the victim asks about with its claim, one that nobody does, and the guess."""

    number: int
    known: str
    unknown: str
    victims_claim: str
    claim: str


def main() -> int:
    """Parse the flags, measure, write."""
    parser = bench_parser("tests.soak.cache_timing", "What cache hits tell one tenant of another.")
    parser.add_argument("--model", default="small", help="the model to serve")
    parser.add_argument("--pairs", type=int, default=60, help="of each kind on each server")
    parser.add_argument("--minutes", type=float, default=6.5, help="begin nothing after so many")
    arguments = parser.parse_args()
    return guarded(lambda: _bench(arguments))


def _bench(arguments: argparse.Namespace) -> None:
    run = describe_run(arguments.quick)
    corpus = Corpus(arguments.model)
    dice = random.Random(SEED)  # noqa: S311 - a fixed order, not a secret
    guesses: list[Guess] = []
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        servers = {
            scope: _start(stack, folder / scope, arguments.model, flags)
            for scope, flags in SCOPES.items()
        }
        for clients in servers.values():
            _warm_up(corpus, clients)
        ends_s = time.monotonic() + 60 * arguments.minutes
        visits = 1 if arguments.quick else arguments.pairs // PAIRS_A_VISIT
        for number in range(visits):
            for kind in dice.sample(list(CONTEXT_TOKENS), len(CONTEXT_TOKENS)):
                if time.monotonic() > ends_s:
                    break
                first = PAIRS_A_VISIT * number
                pairs = [_pair(corpus, kind, first + i, dice) for i in range(PAIRS_A_VISIT)]
                for scope in dice.sample(list(SCOPES), len(SCOPES)):
                    guesses += _visit(servers[scope], scope, kind, pairs, dice)
                say(f"{kind}: {first + PAIRS_A_VISIT} pairs")
    folder = results_folder("cache-timing", arguments.out, run)
    data = {"run": asdict(run), "guesses": [asdict(guess) for guess in guesses]}
    write_results(folder, "cache-timing", data, report(run, guesses))


def _start(
    stack: contextlib.ExitStack, folder: Path, model: str, flags: Sequence[str]
) -> dict[str, Client]:
    """A server that knows both tenants, and a client for each."""
    say("starting a server")
    folder.mkdir()
    made = {name: new_token(name) for name in (VICTIM, ATTACKER)}
    tokens = folder / "tokens"
    tokens.write_text("\n".join(line for _, line in made.values()))
    access = ("--auth-token-file", str(tokens))
    target = stack.enter_context(serving(model, *SMALL, *access, *flags, token=made[VICTIM][0]))
    return {
        name: stack.enter_context(Client(target, token=token, timeout_s=TIMEOUT_S))
        for name, (token, _) in made.items()
    }


def _warm_up(corpus: Corpus, clients: Mapping[str, Client]) -> None:
    """Contexts of no pair, by both tenants, after which a server has its speed."""
    for _ in range(WARM_UP_CALLS):
        for tokens in CONTEXT_TOKENS.values():
            for client in clients.values():
                _ask(client, corpus.claims(1)[0], corpus.context(tokens))


def _pair(corpus: Corpus, kind: str, number: int, dice: random.Random) -> Pair:
    contexts = [corpus.context(CONTEXT_TOKENS[kind]) for _ in range(2)]
    known, unknown = dice.sample(contexts, 2)
    victims, other = corpus.claims(2)
    return Pair(number, known, unknown, victims, other if kind == PREFIXES else victims)


def _visit(
    clients: Mapping[str, Client],
    scope: str,
    kind: str,
    pairs: Sequence[Pair],
    dice: random.Random,
) -> list[Guess]:
    """The victim's calls, and then the attacker's, one after the other."""
    for pair in pairs:
        _ask(clients[VICTIM], pair.victims_claim, pair.known)
    guesses = []
    order = [(pair, right) for pair in pairs for right in (True, False)]
    for pair, right in dice.sample(order, len(order)):
        context = pair.known if right else pair.unknown
        began_s = time.perf_counter()
        seen = _ask(clients[ATTACKER], pair.claim, context)
        seconds = time.perf_counter() - began_s
        guesses.append(Guess(scope, kind, pair.number, right, seconds, *seen))
    return guesses


def _ask(client: Client, claim: str, context: str) -> tuple[float | None, str, int, int]:
    """What an answer tells: its time, its source, tokens of the prompt, and those cached."""
    try:
        found = client.estimate(claim, context)
    except InvalidRequestError:
        return None, REFUSED, 0, 0
    usage = found.usage
    source = found.estimate.source.value
    return found.timing.total_s, source, usage.prompt_tokens, usage.cached_tokens


def told_by(times: Sequence[tuple[int, bool, float]]) -> Figure:
    """The AUROC of times for right guesses, each with the number of its pair."""
    pairs, right, seconds = (np.array(column) for column in zip(*times, strict=True))
    weights = metrics.cluster_weights(pairs.astype(np.int64), RESAMPLES, SEED)
    return metrics.interval(metrics.auroc(-seconds, right), metrics.auroc(-seconds, right, weights))


def report(run: Run, guesses: Sequence[Guess]) -> str:
    """The whole result as markdown. Raises BenchError where guesses are not of one length."""
    header = ["cache_scope", "what is cached", "right and wrong guesses", "AUROC, by the clock"]
    header += ["AUROC, as told", "median, ms: right", "wrong", "cached: right", "wrong"]
    header += ["source: right", "wrong"]
    rows = []
    for scope in SCOPES:
        for kind in CONTEXT_TOKENS:
            found = [g for g in guesses if (g.scope, g.kind) == (scope, kind)]
            if found:
                rows.append([scope, kind, *_cells(found)])
    lines = ["# What cache hits tell one tenant of another", "", *run.lines(), ""]
    return "\n".join([*lines, markdown_table(header, rows), "", RULES])


def _cells(guesses: Sequence[Guess]) -> list[str]:
    kinds = [[g for g in guesses if g.right is right] for right in (True, False)]
    lengths = [{g.pair: g.prompt_tokens for g in kind} for kind in kinds]
    if lengths[0] != lengths[1]:
        raise BenchError("right and wrong guesses differ in their lengths")
    told = [(g.pair, g.right, g.told_s) for g in guesses if g.told_s is not None]
    return [
        " and ".join(str(len(kind)) for kind in kinds),
        _in_words(told_by([(g.pair, g.right, g.seconds) for g in guesses])),
        _in_words(told_by(told)) if told else "",
        *(f"{np.median([g.seconds for g in kind]) * 1e3:,.0f}" for kind in kinds),
        *(f"{np.mean([g.cached_tokens for g in kind]):,.1f}" for kind in kinds),
        *(
            ", ".join(f"{n} {name}" for name, n in Counter(g.source for g in kind).most_common())
            for kind in kinds
        ),
    ]


def _in_words(figure: Figure) -> str:
    """As .52 (.41 to .63)."""
    low, value, high = (
        "?" if each is None else f"{each:.2f}".removeprefix("0")
        for each in (figure.low, figure.value, figure.high)
    )
    return f"{value} ({low} to {high})"


if __name__ == "__main__":
    sys.exit(main())
