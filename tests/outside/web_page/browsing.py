"""A person with a browser: what they see, and what they do with nothing but keys."""

import contextlib
import os
from collections.abc import AsyncIterator
from pathlib import Path

from playwright.async_api import Browser, Frame, Page

from tests.scripted import Scripted, scripted_server
from tests.scripted_services.detection import believes

OUT = Path(os.environ["GROUNDWIRE_PICTURES"])
WIDE, NARROW = {"width": 1200, "height": 900}, {"width": 360, "height": 740}
TOKEN = "a-token-of-this-test"
HOSTILE = "<img src=x onerror=document.title='taken'>"

HOURS, FEES = "On Friday the library closes at 13:00.", "A card costs 40 shekels a year."
EARLY, FREE = "The library closes at 13:00 on Friday.", "A card is free of charge."
HOURS_HE, FEES_HE = "ביום שישי הספרייה נסגרת בשעה 13:00.", "כרטיס עולה 40 שקלים לשנה."
EARLY_HE, FREE_HE = "הספרייה נסגרת ביום שישי בשעה 13:00.", "הכרטיס ניתן בחינם לכולם."


def cited(text: str, source: str) -> str:
    """A sentence that cites a source."""
    return f"{text.removesuffix('.')} [{source}]."


LATE, LATE_HE = EARLY.replace("13", "14"), EARLY_HE.replace("13", "14")

ENGLISH = f"{cited(EARLY, 'S0')} {cited(FREE, 'S1')}\n\nIt also says {HOSTILE}. Is it open today?"
HEBREW = f"{cited(EARLY_HE, 'S0')} {cited(FREE_HE, 'S1')}"


@contextlib.asynccontextmanager
async def library(**changes: object) -> AsyncIterator[Scripted]:
    """A server whose model knows when the library closes, and that cards are not free."""
    async with scripted_server(http_listen="127.0.0.1:0", **changes) as served:  # type: ignore[arg-type]
        known = {EARLY: HOURS, EARLY_HE: HOURS_HE}
        served.engine.answer = believes(known, frozenset({FREE, FREE_HE}))
        yield served


@contextlib.asynccontextmanager
async def visit(
    browser: Browser, served: Scripted, query: str = "", **looks: object
) -> AsyncIterator[Page]:
    """The page, alone in a browser that is new. Fails if it asked for anything from elsewhere."""
    assert served.running.http is not None
    origin = f"http://{served.running.http.target}"
    context = await browser.new_context(**({"viewport": WIDE} | looks))
    page = await context.new_page()
    asked: list[str] = []
    said: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("console", lambda line: said.append(line.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    await page.goto(f"{origin}/{query}")
    yield page
    others = [url for url in asked if not url.startswith((origin, f"blob:{origin}"))]
    assert not others, f"the page asked for {others}"
    wrong = [line for line in said if "status of 4" not in line]  # a refusal, which is told
    assert not wrong, f"the browser complains: {wrong}"
    assert await context.cookies() == []
    kept = await page.evaluate("localStorage.length + sessionStorage.length")
    assert kept == 0, "the page keeps something"
    await context.close()


async def fill_by_keyboard(page: Page, question: str, answer: str, sources: list[str]) -> None:
    """Fill the form and send it, with nothing but keys, from the question on."""
    press, write = page.keyboard.press, page.keyboard.insert_text
    await page.focus("#question")
    await write(question)
    await press("Tab")
    await write(answer)
    for at, text in enumerate(sources):
        if at:
            # To the button that adds a source, past the one that removes the last.
            await press("Tab")
            while await focused(page) != "add":
                await press("Tab")
            await press("Enter")
        else:
            for _ in ("id", "title", "text"):
                await press("Tab")
        await write(text)
    while await focused(page) != "check":
        await press("Tab")
    await press("Enter")


async def focused(page: Page) -> str:
    """The id of what has the focus, or the name of its field."""
    found = await page.evaluate(
        "document.activeElement.id || document.activeElement.dataset.field || ''"
    )
    return str(found)


async def drop(page: Page, target: str, *files: tuple[str, bytes]) -> None:
    """Drop files, each with its name and its bytes, on what the selector finds."""
    script = """([target, files]) => {
      const data = new DataTransfer();
      for (const [name, bytes] of files) data.items.add(new File([new Uint8Array(bytes)], name));
      const on = document.querySelector(target);
      for (const kind of ["dragover", "drop"]) {
        const options = { dataTransfer: data, bubbles: true, cancelable: true };
        if (on.dispatchEvent(new DragEvent(kind, options))) throw new Error("the page is left");
      }
    }"""
    await page.evaluate(script, [target, [[name, list(data)] for name, data in files]])


async def report_of(page: Page) -> Frame:
    """The frame with the report, once it is shown."""
    await page.wait_for_selector("#result:not([hidden])")
    frame = page.frame_locator("#report")
    await frame.locator("h1").wait_for()
    handle = await page.query_selector("#report")
    assert handle is not None
    content = await handle.content_frame()
    assert content is not None
    return content


async def picture(page: Page, name: str) -> None:
    """A picture of the whole page, beside the others."""
    await page.screenshot(path=OUT / f"{name}.png", full_page=True)
