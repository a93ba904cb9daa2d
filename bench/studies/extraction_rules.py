"""What each rule of the extraction earns: `python -m bench.studies.extraction_rules`.

Measured: `bench.extraction`'s labelled answers of the develop part, with each rule switched off by
itself. A rule is a function of `groundwire_verifier.claims` that says yes or no (off: it says no)
or a list of words (off: it is empty). What it earns is what gets worse without it: assertions that
lose their own claim or every claim, and spans that assert nothing and are taken for claims.

Not measured: the held-out part, and what a rule protects from that no develop answer holds, such as
hostile texts, other languages, or an assertion that only looks like talk. A rule that changes
nothing here is a question, not a verdict.
"""

import argparse
import importlib
import pkgutil
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from inspect import get_annotations, isfunction
from types import ModuleType

from bench.extraction import DEVELOP, Answer, Figures, figures, read_part, score
from bench.tools.common import (
    bench_parser,
    describe_run,
    guarded,
    markdown_table,
    results_folder,
    write_results,
)
from groundwire_verifier import claims
from groundwire_verifier.claims.extract import extract_claims

QUICK_RULES = 5
Words = frozenset[str] | tuple[str, ...] | dict[str, object]
Question = Callable[..., bool]


@dataclass(frozen=True, slots=True)
class Rule:
    """A function or a list of words, under its name in each module that has it."""

    name: str
    kind: str
    off: Question | Words
    places: tuple[tuple[ModuleType, str], ...]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What is different without a rule: counts of assertions and of spans that assert nothing."""

    name: str
    kind: str
    own: int
    lost: int
    taken: int

    @property
    def idle(self) -> bool:
        """Whether no answer's figures depend on the rule."""
        return not (self.own or self.lost or self.taken)


def main() -> int:
    """Parse the flags, switch each rule off, write."""
    parser = bench_parser("extraction_rules", "What each rule of the extraction earns.")
    return guarded(lambda: _study(parser.parse_args()))


def _study(arguments: argparse.Namespace) -> None:
    run = describe_run(arguments.quick)
    answers = read_part(DEVELOP)
    rules = find_rules()
    base = _figures(answers)
    found = [_without(rule, answers, base) for rule in rules[: QUICK_RULES if run.quick else None]]
    folder = results_folder("extraction-rules", arguments.out, run)
    text = ["# What each rule of the extraction earns", "", *run.lines(), "", report(base, found)]
    data = {"run": asdict(run), "all": asdict(base), "rules": [asdict(each) for each in found]}
    write_results(folder, "extraction-rules", data, "\n".join(text))


def find_rules() -> list[Rule]:
    """The rules, in the order of their modules; what several modules share is one rule."""
    names = [each.name for each in pkgutil.walk_packages(claims.__path__, f"{claims.__name__}.")]
    modules = [importlib.import_module(name) for name in names]
    held: dict[int, tuple[str, str, Question | Words, list[tuple[ModuleType, str]]]] = {}
    for module in modules:
        for name, value in vars(module).items():
            switch = None if name.startswith("__") else _switched_off(value)
            if switch is not None:
                kind, off = switch
                title = f"{module.__name__.removeprefix(f'{claims.__name__}.')}.{name}"
                if isfunction(value):
                    home = value.__module__.removeprefix(f"{claims.__name__}.")
                    title = f"{home}.{value.__name__}"
                held.setdefault(id(value), (title, kind, off, []))[3].append((module, name))
    return [Rule(title, kind, off, tuple(places)) for title, kind, off, places in held.values()]


def _switched_off(value: object) -> tuple[str, Question | Words] | None:
    """A rule's kind and what stands for it when it is off; None for what is no rule."""
    if isfunction(value):
        ours = value.__module__.startswith(f"{claims.__name__}.")
        return ("question", _no) if ours and get_annotations(value).get("return") is bool else None
    if not isinstance(value, frozenset | tuple | dict) or not value:
        return None
    return "words", type(value)()


def _no(*_: object, **__: object) -> bool:
    return False


@contextmanager
def switched_off(rule: Rule) -> Iterator[None]:
    """The extraction without a rule."""
    before = [vars(module)[name] for module, name in rule.places]
    for module, name in rule.places:
        setattr(module, name, rule.off)
    try:
        yield
    finally:
        for (module, name), value in zip(rule.places, before, strict=True):
            setattr(module, name, value)


def _figures(answers: Sequence[Answer]) -> Figures:
    return figures([score(answer, extract_claims(answer.text)) for answer in answers], DEVELOP)


def _without(rule: Rule, answers: Sequence[Answer], base: Figures) -> Outcome:
    with switched_off(rule):
        found = _figures(answers)
    return Outcome(
        name=rule.name,
        kind=rule.kind,
        own=found.own - base.own,
        lost=found.lost - base.lost,
        taken=found.taken - base.taken,
    )


def report(base: Figures, found: Sequence[Outcome]) -> str:
    """The rules that change something, and the names of those that do not."""
    active = sorted((each for each in found if not each.idle), key=_worth)
    rows = [
        [f"`{each.name}`", each.kind, f"{each.own:+d}", f"{each.lost:+d}", f"{each.taken:+d}"]
        for each in active
    ]
    idle = [f"`{each.name}`" for each in found if each.idle]
    return "\n".join(
        [
            f"With all rules: {base.own} of {base.assertions} assertions have a claim of their "
            f"own, {base.lost} are lost; {base.taken} of {base.others} spans that assert nothing "
            "are taken. Below: what is different without a rule.",
            "",
            markdown_table(["without", "kind", "own claim", "lost", "taken"], rows),
            "",
            f"No difference: {', '.join(idle) or 'none'}.",
        ]
    )


def _worth(outcome: Outcome) -> tuple[int, str]:
    return -(max(0, outcome.lost) + max(0, outcome.taken)) + outcome.own, outcome.name


if __name__ == "__main__":
    sys.exit(main())
