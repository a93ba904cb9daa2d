"""The page at `/`, used by a person in a real browser. See scripts/check_web_page.py."""

import os
from collections.abc import AsyncIterator

import pytest
from playwright.async_api import Browser, async_playwright

from tests.outside.web_page.browsing import (
    ENGLISH,
    FEES,
    FEES_HE,
    HEBREW,
    HOSTILE,
    HOURS,
    HOURS_HE,
    NARROW,
    TOKEN,
    fill_by_keyboard,
    focused,
    library,
    picture,
    report_of,
    visit,
)
from tests.scripted import Scripted


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


async def test_a_person_has_a_small_screen(browser: Browser, served: Scripted) -> None:
    """Nothing is wider than the screen, in the dark as well."""
    async with visit(browser, served, viewport=NARROW, color_scheme="dark") as page:
        await fill_by_keyboard(page, "", ENGLISH, [HOURS, FEES])
        report = await report_of(page)
        for shown in (page, report):
            wide = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
            assert await shown.evaluate(wide) == 0
        await picture(page, "narrow-dark")
