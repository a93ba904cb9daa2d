"""Exchanges with the questions of layer 2: does a response make sense, is it made up, and so on.

By rule from tables of phrases and of live data, and from cases that were written by hand. What is
wrong is put on any base, so that no question can be told from a number, a tool call or a length
alone. They are made of the tables in `cases/` beside this file.
"""

import json
import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from groundwire_training.data.rows import Row
from groundwire_training.examples.cases import AssessmentCase, read_cases
from groundwire_training.examples.trees import Leaf, Tree
from groundwire_verifier.checks.assessment.common_sense import CommonSense, labels_of
from groundwire_verifier.checks.assessment.exchange import Exchange, ToolCall, exchange_text
from groundwire_verifier.domain.types import Label, Template

CASES = Path(__file__).with_name("cases")
INGREDIENT = "assessment"
HAND_SHARE, SEARCHED_SHARE, PAIRED_SHARE = 0.25, 0.12, 0.18
HEBREW_SHARE = 0.25
ADDED_SHARE = 0.45
"""How often something wrong is added to a base."""
_SLOT = re.compile(r"<(\w+)>")
_FINE = "YNNNN"
_MADE_UP_LIVE = "YNYNY"
_MAX_RESULT, _MAX_SAID = 1500, 400


def exchanges(rows: Sequence[Row], count: int, rng: random.Random) -> list[Tree]:
    """So many exchanges with all questions; some have a row's context as a tool's result."""
    by_hand = read_cases(CASES / "assessment.jsonl")
    known = [row for row in rows if row.contradicted is not None and not row.is_answer]
    searched = [row for row in known if len(row.context) <= _MAX_RESULT]
    said = [row for row in known if len(row.context) <= _MAX_SAID]
    trees = []
    for _ in range(count):
        drawn = rng.random()
        if drawn < HAND_SHARE:
            case = rng.choice(by_hand)
        elif drawn < HAND_SHARE + SEARCHED_SHARE and searched:
            case = _searched(rng.choice(searched), rng)
        elif drawn < HAND_SHARE + SEARCHED_SHARE + PAIRED_SHARE and said:
            case = _paired(rng.choice(said), rng)
        else:
            case = made(rng)
        trees.append(tree_of(case))
    return trees


def tree_of(case: AssessmentCase) -> Tree:
    """The five questions on the exchange's text."""
    leaves = tuple(
        Leaf(question.value, answer, f"{INGREDIENT}:{question.name}", Template.ASSESSMENT)
        for question, answer in zip(CommonSense, case.answers, strict=True)
        if answer is not None
    )
    return Tree(exchange_text(case.exchange), leaves, INGREDIENT)


def made(rng: random.Random) -> AssessmentCase:
    """An exchange by rule: a base, and in some something wrong on top of it."""
    language = "he" if rng.random() < HEBREW_SHARE else "en"
    base = rng.choices((_live, _plain, _absurd, _given, _sum), weights=(6, 4, 2, 1, 0.5))[0]
    case = base(language, rng)
    return _worse(case, rng) if rng.random() < ADDED_SHARE else case


def _live(language: str, rng: random.Random) -> AssessmentCase:
    """Live data that a call gave, did not give, or gave otherwise."""
    table = rng.choice([table for table in _tables() if table["language"] == language])
    slots = _drawn(rng)
    slots.update(_numbers(table, rng))
    others = _others(table, slots, rng)
    call = ToolCall(table["tool"], _filled(table["arguments"], slots))
    good = replace(call, result=_filled(table["result"], slots))
    question = _filled(rng.choice(table["ask"]), slots)
    said = _filled(rng.choice(table["say"]), slots)
    phrases = _phrases()[language]
    kind = rng.choices(
        ("told", "rounded", "untold", "failed", "otherwise", "elsewhere", "admits", "cannot",
         "opposed", "evades"),
        weights=(5, 1.5, 5, 2, 3, 2, 1.5, 1.5, 1, 1),
    )[0]  # fmt: skip
    failed = replace(call, error=rng.choice(phrases["errors"]))
    calls: tuple[ToolCall, ...] = (good,)
    letters = _FINE
    if kind == "rounded":
        said = re.sub(r"(?<![\d.])(\d+\.\d+)", lambda m: _rounded(m[1]), said)
    elif kind == "untold":
        calls, letters = (), _MADE_UP_LIVE
    elif kind == "failed":
        calls, letters = (failed,), _MADE_UP_LIVE
    elif kind == "otherwise":
        calls, letters = (replace(call, result=_filled(table["result"], others)),), _MADE_UP_LIVE
    elif kind == "elsewhere":
        calls, letters = (_elsewhere(table, rng),), _MADE_UP_LIVE
    elif kind == "admits":
        calls, said = (failed,), rng.choice(phrases["admits"])
    elif kind == "cannot":
        calls, said = (), rng.choice(phrases["cannot"])
    elif kind == "opposed":
        said, letters = " ".join((said, *rng.choice(phrases["opposed"]))), "NYNNN"
    elif kind == "evades":
        said, letters = rng.choice(phrases["advice"])["say"], "NNNNN"
    return AssessmentCase(Exchange(question, said, calls), labels_of(letters), language)


def _plain(language: str, rng: random.Random) -> AssessmentCase:
    """Advice or a fact that needs no call; some answer another question."""
    phrases = _phrases()[language]
    pool = phrases["advice"] if rng.random() < 0.6 else phrases["facts"]
    pair, letters = rng.choice(pool), _FINE
    said = pair["say"]
    if rng.random() < 0.12:
        other = rng.choice(pool)["say"]
        said, letters = other, _FINE if other == said else "NNNNN"
    calls = (_elsewhere(rng.choice(_tables()), rng),) if rng.random() < 0.15 else ()
    return AssessmentCase(Exchange(pair["ask"], said, calls), labels_of(letters), language)


def _absurd(language: str, rng: random.Random) -> AssessmentCase:
    """What cannot be, as live data or not."""
    case = rng.choice(_phrases()[language]["absurd"])
    slots = _drawn(rng)
    letters = "NNYNY" if case["live"] else "NNNNY"
    exchange = Exchange(_filled(case["ask"], slots), _filled(case["say"], slots))
    return AssessmentCase(exchange, labels_of(letters), language)


def _given(language: str, rng: random.Random) -> AssessmentCase:
    """Values that the user brought."""
    pair, slots = rng.choice(_phrases()[language]["given"]), _drawn(rng)
    exchange = Exchange(_filled(pair["ask"], slots), _filled(pair["say"], slots))
    return AssessmentCase(exchange, labels_of(_FINE), language)


def _sum(language: str, rng: random.Random) -> AssessmentCase:
    """Arithmetic, which needs no call."""
    a, b = rng.randint(3, 60), rng.randint(3, 60)
    asks, says = {
        "en": (
            ("What is {a} times {b}?", "How much is {a} x {b}?"),
            ("It is {c}.", "{a} times {b} is {c}."),
        ),
        "he": (("כמה זה {a} כפול {b}?",), ("{a} כפול {b} הם {c}.", "התוצאה היא {c}.")),
    }[language]
    ask, say = (rng.choice(x).format(a=a, b=b, c=a * b) for x in (asks, says))
    return AssessmentCase(Exchange(ask, say), labels_of(_FINE), language)


def _worse(case: AssessmentCase, rng: random.Random) -> AssessmentCase:
    """The same with a vague sentence, a made-up source, or two sentences that cannot both hold."""
    phrases = _phrases()[case.language]
    kind = rng.choice(("vague", "sourced", "contradictions"))
    added = _filled(rng.choice(phrases[kind]), _drawn(rng))
    sense, contradicts, live, vague, made_up = case.answers
    if kind == "vague":
        vague = Label.YES
    elif kind == "sourced":
        made_up = Label.YES
    else:
        sense, contradicts = Label.NO, Label.YES
    said = case.exchange.response
    response = f"{added} {said}" if rng.random() < 0.25 else f"{said} {added}"
    answers = (sense, contradicts, live, vague, made_up)
    return replace(case, exchange=replace(case.exchange, response=response), answers=answers)


def _searched(row: Row, rng: random.Random) -> AssessmentCase:
    """A claim as the response, its context as a result: made up if that says otherwise."""
    query = json.dumps({"query": row.claim[:60]}, ensure_ascii=False)
    call = ToolCall("search", query, row.context)
    made_up = Label.NO if row.supported else Label.YES if row.contradicted else Label.UNSURE
    asked = "מה ידוע על זה?" if row.language == "he" else rng.choice(_SEARCHES)
    answers = (Label.YES, Label.NO, Label.NO, Label.NO, made_up)
    return AssessmentCase(Exchange(asked, row.claim, (call,)), answers, row.language)


def _paired(row: Row, rng: random.Random) -> AssessmentCase:
    """A short context and its claim as one response: they contradict each other, or do not."""
    letters = "YN---" if row.supported else "NY---" if row.contradicted else "-N---"
    asked = "ספרו לי על זה." if row.language == "he" else rng.choice(_TELLINGS)
    exchange = Exchange(asked, f"{row.context} {row.claim}")
    return AssessmentCase(exchange, labels_of(letters), row.language)


_TELLINGS = ("Tell me about it.", "Can you describe that?", "What do you know about it?")
_SEARCHES = ("What does the source say?", "Look it up and tell me.", "What do we know about this?")


def _elsewhere(table: Mapping[str, Any], rng: random.Random) -> ToolCall:
    """A call about another place or thing, perhaps of another kind."""
    other = rng.choice([t for t in _tables() if t["language"] == table["language"]])
    slots = _drawn(rng)
    slots.update(_numbers(other, rng))
    return ToolCall(
        other["tool"], _filled(other["arguments"], slots), _filled(other["result"], slots)
    )


def _numbers(table: Mapping[str, Any], rng: random.Random) -> dict[str, str]:
    return {
        name: f"{rng.uniform(low, high):.{digits}f}"
        for name, (low, high, digits) in table["numbers"].items()
    }


def _others(
    table: Mapping[str, Any], slots: Mapping[str, str], rng: random.Random
) -> dict[str, str]:
    """The same with other numbers, none of them near."""
    found = dict(slots)
    for name, (low, high, digits) in table["numbers"].items():
        while abs(float(found[name]) - float(slots[name])) < max(0.15 * (high - low), 1e-6):
            found[name] = f"{rng.uniform(low, high):.{digits}f}"
    return found


def _rounded(number: str) -> str:
    """With a digit less, or as a whole number."""
    value, digits = float(number), len(number.split(".")[1])
    return f"{value:.{digits - 1}f}" if value < 10 else f"{value:.0f}"


def _drawn(rng: random.Random) -> dict[str, str]:
    """A value for every slot."""
    slots = {name: rng.choice(values) for name, values in _slots().items()}
    slots |= {
        "n": str(rng.randint(11, 89)),
        "k": str(rng.randint(1200, 9800)),
        "v": f"{rng.uniform(3, 30):.1f}",
        "big": str(rng.randint(110, 900)),
        "tiny": str(rng.randint(2, 9)),
        "over": str(rng.randint(26, 47)),
        "heat": str(rng.randint(36, 52)),
    }
    return slots


def _filled(text: str, slots: Mapping[str, str]) -> str:
    return _SLOT.sub(lambda match: slots[match[1]], text)


@cache
def _tables() -> list[dict[str, Any]]:
    return list(json.loads((CASES / "live.json").read_text(encoding="utf-8")))


@cache
def _phrases() -> dict[str, dict[str, Any]]:
    return dict(json.loads((CASES / "phrases.json").read_text(encoding="utf-8")))


@cache
def _slots() -> dict[str, list[str]]:
    return dict(json.loads((CASES / "slots.json").read_text(encoding="utf-8")))
