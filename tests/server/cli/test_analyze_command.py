"""`groundwire analyze` and `groundwire review`, against a server with a scripted engine."""

import asyncio
import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from groundwire import VerifyOptions
from groundwire_server.cli.main import epistemic_risk, main
from groundwire_server.cli.review import review
from groundwire_server.config.settings import ClientSettings
from tests.scripted import Scripted
from tests.scripted_services.corpus import OPTIONAL, REMOVED, analyzing, reads

HEBREW = "גרסה 3.12 הסירה את המנעול."
ATTACK = "The *tower* is <b>red</b> | [x](javascript:alert(1)) \x1b[31m."
Command = Callable[..., "asyncio.Future[int]"]


@pytest.fixture
async def served(tmp_path: Path) -> Iterator[Scripted]:  # type: ignore[misc]
    async with analyzing(feedback_enabled=True, feedback_file=tmp_path / "said.sqlite") as served:
        served.engine.answer = reads
        yield served


async def run(served: Scripted, *arguments: str) -> int:
    target = ("--target", served.running.target)
    return await asyncio.to_thread(main, [*arguments, *target])


async def test_a_card_has_verdict_numbers_evidence_and_notice(
    served: Scripted, capsys: pytest.CaptureFixture[str]
) -> None:
    assert await run(served, "analyze", REMOVED) == 1
    out = capsys.readouterr().out
    for word in (
        "HALLUCINATED",
        "98%",
        "0.35",
        "DIRECT_NEGATION",
        "[CONTRADICTS]",
        "gil.md",
        "old",
    ):
        assert word in out
    assert "signals, not judgments" in out


async def test_a_text_whose_claims_are_all_grounded_exits_with_0(served: Scripted) -> None:
    assert await run(served, "analyze", OPTIONAL) == 0


async def test_json_has_everything_under_the_clients_names(
    served: Scripted, capsys: pytest.CaptureFixture[str]
) -> None:
    await run(served, "analyze", REMOVED, "--json")
    value = json.loads(capsys.readouterr().out)
    (claim,) = value["claims"]
    assert claim["verdict"] == "HALLUCINATED"
    assert claim["evidence"][0]["dated"] == "2020-01-01"
    assert "people decide" in value["notice"]
    assert value["text"] == REMOVED


async def test_markdown_and_page_take_no_text_for_markup(
    served: Scripted, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "page.html"
    await run(served, "analyze", ATTACK, "--markdown", "--html", str(page))
    out, html = capsys.readouterr().out, page.read_text()
    assert "signals" in out
    assert "signals, not judgments" in html
    assert "<b>" not in out
    assert "<b>red" not in html
    assert "\x1b" not in out + html
    assert "default-src &#39;none&#39;" in html


async def test_a_hebrew_text_has_a_hebrew_page(served: Scripted, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    await run(served, "analyze", HEBREW, "--html", str(page))
    html = page.read_text()
    assert '<html lang="he" dir="rtl">' in html
    assert "בני אדם מחליטים" in html


async def test_a_text_can_stand_in_a_file(served: Scripted, tmp_path: Path) -> None:
    file = tmp_path / "text"
    file.write_text(OPTIONAL)
    assert await run(served, "analyze", "--file", str(file)) == 0


async def test_an_unknown_corpus_exits_with_2(
    served: Scripted, capsys: pytest.CaptureFixture[str]
) -> None:
    assert await run(served, "analyze", OPTIONAL, "--corpus", "other") == 2
    assert "names no corpus" in capsys.readouterr().err


async def test_the_other_name_has_the_same_command(served: Scripted) -> None:
    arguments = ["analyze", OPTIONAL, "--target", served.running.target]
    assert await asyncio.to_thread(epistemic_risk, arguments) == 0


class Person:
    """Answers questions in order; leaves when there is no answer left."""

    def __init__(self, *answers: str) -> None:
        self._answers = iter(answers)
        self.asked: list[str] = []

    def __call__(self, question: str) -> str:
        self.asked.append(question)
        try:
            return next(self._answers)
        except StopIteration:
            raise EOFError from None


async def reviewed(served: Scripted, person: Person, text: str, *, all_claims: bool = True) -> int:
    settings = ClientSettings(target=served.running.target)
    return await asyncio.to_thread(
        review, settings, text, "", VerifyOptions(), person, all_claims=all_claims
    )


async def test_a_review_keeps_what_a_person_says(
    served: Scripted, capsys: pytest.CaptureFixture[str]
) -> None:
    person = Person("x", "n", "they kept it", "g", "")
    assert await reviewed(served, person, f"{REMOVED} {OPTIONAL}") == 0
    assert "2 answers are kept" in capsys.readouterr().out
    assert len(person.asked) == 5


async def test_a_review_can_be_left_and_keeps_what_was_said_until_then(
    served: Scripted, capsys: pytest.CaptureFixture[str]
) -> None:
    assert await reviewed(served, Person("n", "", "q"), f"{REMOVED} {OPTIONAL}") == 0
    assert "1 answers are kept" in capsys.readouterr().out


async def test_a_review_passes_over_what_is_certain(served: Scripted) -> None:
    person = Person()
    await reviewed(served, person, f"{REMOVED} {OPTIONAL}", all_claims=False)
    assert not person.asked
