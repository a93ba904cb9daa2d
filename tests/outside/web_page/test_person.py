"""The page at `/`, used by a person in a real browser. See scripts/check_web_page.py."""

import json
import os
from collections.abc import AsyncIterator

import pytest
from playwright.async_api import Browser, async_playwright

from groundwire_server.doors.chatbot.page_words import WORDS
from tests.outside.web_page.browsing import (
    EARLY,
    EARLY_HE,
    ENGLISH,
    FEES,
    FEES_HE,
    FREE,
    HEBREW,
    HOSTILE,
    HOURS,
    HOURS_HE,
    LATE,
    LATE_HE,
    NARROW,
    TOKEN,
    WIDE,
    drop,
    fill_by_keyboard,
    focused,
    library,
    picture,
    report_of,
    visit,
)
from tests.scripted import Scripted

CLIPBOARD = ["clipboard-read", "clipboard-write"]


@pytest.fixture(scope="module")
async def browser() -> AsyncIterator[Browser]:
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(
            executable_path=os.environ["GROUNDWIRE_CHROMIUM"],
            args=["--no-sandbox", "--disable-gpu"],
        )
        print(f"\n{browser.browser_type.name} {browser.version}")
        yield browser
        await browser.close()


@pytest.fixture(scope="module")
async def served() -> AsyncIterator[Scripted]:
    async with library() as served:
        yield served


async def test_a_person_checks_an_answer(browser: Browser, served: Scripted) -> None:
    """By keyboard; the report is marked, cannot reach the page, and shows text as text."""
    async with visit(browser, served) as page:
        await picture(page, "english-empty")
        await fill_by_keyboard(page, "", ENGLISH, [HOURS, FEES])
        report = await report_of(page)
        assert await focused(page) == "result"
        assert await report.locator("mark").count() >= 2
        assert await report.locator(".claim.supported").count() == 1
        assert await report.locator(".claim.contradicted").count() == 1
        assert HOSTILE in (await report.locator(".answer").inner_text())
        assert await page.title() != "taken"
        # Its own script runs, and it has no origin to reach the page by.
        assert await report.locator("#hint").is_visible()
        assert await report.evaluate("origin") == "null"
        reach = "() => { try { return parent.document.title } catch (e) { return 'refused' } }"
        assert await report.evaluate(reach) == "refused"
        await report.locator(".answer .chip").first.focus()
        await page.keyboard.press("Enter")
        assert await report.locator("#claim-1.selected:focus").count() == 1
        await report.locator("h1").scroll_into_view_if_needed()
        await picture(page, "english-report")
        async with page.expect_download() as saved:
            await page.click("#save")
        assert (await saved.value).suggested_filename == "grounding-report.html"


async def test_a_person_sees_verdicts_as_they_come(browser: Browser, served: Scripted) -> None:
    """Each claim is listed with its badge; one that is still read has a grey one."""
    served.engine.stuck.add(FREE)
    async with visit(browser, served) as page:
        await fill_by_keyboard(page, "", ENGLISH, [HOURS, FEES])
        await page.wait_for_selector("#live .badge.supported")
        assert await page.locator("#live li").count() == 4
        assert await page.locator('#live [data-verdict=""]').count() >= 1
        assert "of 4 claims have a verdict" in await page.inner_text("#status")
        assert HOSTILE in await page.inner_text("#live")
        await picture(page, "english-live")
        await page.click("#stop")
        await page.wait_for_selector("#live", state="hidden")
    served.engine.stuck.clear()


async def test_a_person_drops_files(browser: Browser, served: Scripted) -> None:
    """Each is a source; on the answer it is the answer; what is no text is named and left out."""
    async with visit(browser, served) as page:
        await drop(page, "#answer", ("answer.txt", ENGLISH.encode()))
        assert await page.input_value("#answer") == ENGLISH
        files = (("b.txt", FEES.encode()), ("a.md", b"\xef\xbb\xbf" + HOURS.encode()))
        await drop(page, "#sources", *files, ("c.pdf", b"%PDF-1.7 \xff\xfe"), ("d.txt", b"a\0b"))
        await page.wait_for_selector("#error:not([hidden])")
        told = await page.inner_text("#error")
        assert "Not every file was taken." in told
        assert "c.pdf: it is no text in UTF-8 of at most 16 MiB" in told
        assert "d.txt: it is no text" in told
        fields = page.locator('[data-field="text"]')
        assert [await fields.nth(i).input_value() for i in range(2)] == [HOURS, FEES]
        assert await fields.count() == 2
        assert await page.locator('[data-field="title"]').first.input_value() == "a.md"
        await picture(page, "english-dropped")
        await page.focus("#pick")
        async with page.expect_file_chooser() as chosen:
            await page.keyboard.press("Enter")
        more = {"name": "e.txt", "mimeType": "text/plain", "buffer": b"More."}
        await (await chosen.value).set_files([more])
        third = page.locator('[data-field="id"]').nth(2)
        await third.wait_for()
        assert await third.input_value() == "S2"
        await page.click("#check")
        await page.wait_for_selector("#result:not([hidden])")


async def test_a_person_copies_the_report(browser: Browser, served: Scripted) -> None:
    """As Markdown and as JSON, by keyboard; also where the page has no clipboard."""
    async with visit(browser, served, permissions=CLIPBOARD) as page:
        await fill_by_keyboard(page, "", ENGLISH, [HOURS, FEES])
        await report_of(page)
        copied = "navigator.clipboard.readText()"
        for kind, head in (("markdown", "# Grounding report"), ("json", "{")):
            await page.focus(f'[data-copy="{kind}"]')
            await page.keyboard.press("Enter")
            await page.wait_for_selector("#copied:not(:empty)")
            text = await page.evaluate(copied)
            assert text.startswith(head)
        assert len(json.loads(text)["claims"]) == 4
        await page.evaluate("navigator.clipboard.writeText('')")
        clipboard = "navigator.__proto__, 'clipboard'"
        await page.evaluate(
            f"window.kept = Object.getOwnPropertyDescriptor({clipboard});"
            f"Object.defineProperty({clipboard}, {{ value: undefined, configurable: true }})"
        )
        await page.click('[data-copy="markdown"]')
        await page.evaluate(f"Object.defineProperty({clipboard}, window.kept)")
        assert (await page.evaluate(copied)).startswith("# Grounding report")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(
    ("language", "wrong", "right", "source", "name"),
    [
        ("en", LATE, EARLY, HOURS, "Suggest a corrected answer"),
        ("he", LATE_HE, EARLY_HE, HOURS_HE, "הצעת תשובה מתוקנת"),
    ],
)
async def test_a_person_asks_for_a_corrected_answer(
    browser: Browser,
    served: Scripted,
    *,
    language: str,
    wrong: str,
    right: str,
    source: str,
    name: str,
    scheme: str,
) -> None:
    """It stands in the report with its edits and can be copied; there is none unless they ask."""
    looks = {"permissions": CLIPBOARD, "color_scheme": scheme}
    async with visit(browser, served, f"?language={language}", **looks) as page:
        await fill_by_keyboard(page, "", wrong, [source])
        await report_of(page)
        assert await page.is_hidden('[data-copy="corrected"]')
        await page.get_by_label(name).check()
        await page.click("#check")
        await page.wait_for_selector('[data-copy="corrected"]')
        report = await report_of(page)
        shown = report.locator("section:has(#corrected)")
        assert right in await shown.inner_text()
        assert await shown.locator("li").count() == 1
        await shown.scroll_into_view_if_needed()
        await picture(page, f"{language}-corrected-{scheme}")
        await page.click('[data-copy="corrected"]')
        await page.wait_for_selector("#copied:not(:empty)")
        assert await page.evaluate("navigator.clipboard.readText()") == right
        await page.fill("#answer", right)
        await page.click("#check")
        await page.wait_for_selector("#result:not([hidden])")
        assert await page.is_hidden('[data-copy="corrected"]')


async def test_a_person_sees_what_is_wrong(browser: Browser, served: Scripted) -> None:
    """An error is told, its fields are marked, and the first has the focus."""
    async with visit(browser, served) as page:
        await fill_by_keyboard(page, "", "", [HOURS, ""])
        await page.wait_for_selector("#error:not([hidden])")
        assert await page.get_attribute("#answer", "aria-invalid") == "true"
        assert await focused(page) == "answer"
        assert "Source 2, Text: has no visible" in await page.inner_text("#error")
        described = await page.get_attribute("#answer", "aria-describedby")
        assert described == "answer-hint fault-0"
        assert "no visible character" in await page.inner_text("#fault-0")
        await page.fill("#answer", ENGLISH)
        await page.locator('[data-field="text"]').last.fill(FEES)
        await page.click("#check")
        await report_of(page)
        assert await page.locator("[aria-invalid], .fault").count() == 0
        assert await page.get_attribute("#answer", "aria-describedby") == "answer-hint"
        await page.fill("#answer", "")
        await page.click("#check")
        await page.wait_for_selector("#error:not([hidden])")
        assert await page.is_hidden("#result")
        await picture(page, "english-error")


async def test_a_person_stops(browser: Browser, served: Scripted) -> None:
    """A check that is stopped is cancelled on the server."""
    served.engine.hold()
    async with visit(browser, served) as page:
        await fill_by_keyboard(page, "", ENGLISH, [HOURS, FEES])
        await served.engine.until(lambda: bool(served.engine.prompts))
        await page.click("#stop")
        await page.wait_for_function("document.getElementById('status').textContent === 'Stopped.'")
        await served.engine.until(lambda: served.engine.cancelled > 0)
    served.engine.release()


async def test_a_person_reads_hebrew(browser: Browser, served: Scripted) -> None:
    """Page, report and error from right to left."""
    async with visit(browser, served, "?language=he") as page:
        assert await page.evaluate("getComputedStyle(document.body).direction") == "rtl"
        await fill_by_keyboard(page, "", HEBREW, [HOURS_HE, FEES_HE])
        report = await report_of(page)
        assert await report.get_attribute("html", "dir") == "rtl"
        assert "נתמכת" in await report.inner_text("body")
        await picture(page, "hebrew-report")
        await page.fill("#answer", "")
        await page.click("#check")
        await page.wait_for_selector("#error:not([hidden])")
        assert WORDS["he"].errors["BLANK"] in await page.inner_text("#error")
        await picture(page, "hebrew-error")


async def test_a_person_has_a_token(browser: Browser) -> None:
    """It is asked for, told when it is wrong, and gone when the page is loaded anew."""
    async with library(auth_token=TOKEN) as served, visit(browser, served) as page:
        await fill_by_keyboard(page, "", ENGLISH, [HOURS, FEES])
        await page.wait_for_selector("#error:not([hidden])")
        assert await focused(page) == "token"
        await picture(page, "token-wanted")
        await page.keyboard.insert_text(TOKEN)
        await page.keyboard.press("Enter")
        await report_of(page)
        await page.reload()
        assert await page.input_value("#token") == ""
        assert await page.input_value("#answer") == ""


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", ["narrow", "wide"])
async def test_a_person_has_any_screen(
    browser: Browser, served: Scripted, width: str, scheme: str
) -> None:
    """Nothing is wider than the screen, in either language, in the light or the dark."""
    size = NARROW if width == "narrow" else WIDE
    for language, answer, sources in (
        ("en", ENGLISH, [HOURS, FEES]),
        ("he", HEBREW, [HOURS_HE, FEES_HE]),
    ):
        query = f"?language={language}"
        async with visit(browser, served, query, viewport=size, color_scheme=scheme) as page:
            await fill_by_keyboard(page, "", answer, sources)
            report = await report_of(page)
            await report.locator(".answer .chip").nth(1).click()
            assert await report.locator(".decides.selected.against").count() == 1
            for shown in (page, report):
                wide = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
                assert await shown.evaluate(wide) == 0
            await picture(page, f"{language}-{width}-{scheme}")
