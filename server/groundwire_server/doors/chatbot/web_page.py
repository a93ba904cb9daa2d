"""The page on which a person has an answer checked. It shows the report that exists.

The report comes as a page of its own and is shown in a frame without an origin, so that it can
reach neither this page nor the token in its memory.
"""

from functools import cache
from importlib import resources

from jinja2 import Environment, StrictUndefined
from markupsafe import Markup

from groundwire import Verdict
from groundwire_server.doors.chatbot.words import WORDS, PageWords
from groundwire_server.reports.page import badge, page_policy, report_assets
from groundwire_server.reports.phrases import words_for as report_words_for


@cache
def web_page(words: PageWords, path: str, *, wants_token: bool, most_bytes: int) -> str:
    """The page in one language, which sends answers of at most so many bytes to `path`."""
    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    report_style, _ = report_assets()
    report_words = report_words_for(words.language)
    return environment.from_string(_asset("page.html")).render(
        words=words,
        languages=list(WORDS.values()),
        path=path,
        most_bytes=most_bytes,
        verdicts={verdict.value: badge(verdict, report_words) for verdict in Verdict},
        wants_token=wants_token,
        # Files of packages, without data.
        styles=[Markup(report_style), Markup(_asset("page.css"))],  # noqa: S704
        script=Markup(_asset("page.js")),  # noqa: S704
    )


@cache
def web_page_policy() -> str:
    """What the page may load, and by inheritance the report in its frame."""
    report_style, report_script = report_assets()
    return page_policy(
        [report_style, _asset("page.css")],
        [report_script, _asset("page.js")],
        "connect-src 'self'",
        "frame-src blob:",
        "frame-ancestors 'none'",
    )


@cache
def _asset(name: str) -> str:
    return resources.files(__package__).joinpath(name).read_text(encoding="utf-8")
