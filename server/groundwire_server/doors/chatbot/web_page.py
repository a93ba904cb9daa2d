"""The page on which a person has an answer checked. It shows the report that exists.

The report comes as a page of its own and is shown in a frame without an origin, so that it can
reach neither this page nor the token in its memory.
"""

from functools import cache

from markupsafe import Markup

from groundwire import Verdict
from groundwire_server.doors.chatbot.words import WORDS, PageWords
from groundwire_server.reports.page import badge
from groundwire_server.reports.pages import asset, page_policy, report_assets, template
from groundwire_server.reports.phrases import words_for as report_words_for


@cache
def web_page(words: PageWords, path: str, *, wants_token: bool, most_bytes: int) -> str:
    """The page in one language, which sends answers of at most so many bytes to `path`."""
    report_style, _ = report_assets()
    report_words = report_words_for(words.language)
    return template(__package__, "page.html").render(
        words=words,
        languages=list(WORDS.values()),
        path=path,
        most_bytes=most_bytes,
        verdicts={verdict.value: badge(verdict, report_words) for verdict in Verdict},
        wants_token=wants_token,
        # Files of packages, without data.
        styles=[Markup(report_style), Markup(asset(__package__, "page.css"))],  # noqa: S704
        script=Markup(asset(__package__, "page.js")),  # noqa: S704
    )


@cache
def web_page_policy() -> str:
    """What the page may load, and by inheritance the report in its frame."""
    report_style, report_script = report_assets()
    return page_policy(
        [report_style, asset(__package__, "page.css")],
        [report_script, asset(__package__, "page.js")],
        "connect-src 'self'",
        "frame-src blob:",
        "frame-ancestors 'none'",
    )
