"""How a page is made that needs nothing else: no request, no font, no script from elsewhere.

Its style and its script hold no data, and are the only ones that its own policy lets run, by their
hashes.
"""

import base64
import hashlib
from collections.abc import Sequence
from functools import cache, partial
from importlib import resources

from jinja2 import ChoiceLoader, Environment, FunctionLoader, StrictUndefined, Template
from markupsafe import Markup

REPORTS = "groundwire_server.reports"


def page(package: str, name: str, style: str, script: str = "", **values: object) -> str:
    """A page from a template of a package. `style` and `script` are files of packages."""
    return template(package, name).render(
        **values,
        style=Markup(style),  # noqa: S704 - without data
        script=Markup(script),  # noqa: S704
        policy=page_policy([style], [script] if script else []),
    )


@cache
def template(package: str, name: str) -> Template:
    """A template of a package, which may extend those of the reports."""
    loaders = [FunctionLoader(partial(_source, place)) for place in (package, REPORTS)]
    environment = Environment(
        loader=ChoiceLoader(loaders),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template(name)


def _source(package: str, name: str) -> str | None:
    file = resources.files(package).joinpath(name)
    return file.read_text(encoding="utf-8") if file.is_file() else None


@cache
def asset(package: str, name: str) -> str:
    """The text of a file of a package."""
    return resources.files(package).joinpath(name).read_text(encoding="utf-8")


def report_assets() -> tuple[str, str]:
    """The style and the script of every report, which hold no data."""
    return asset(REPORTS, "page.css"), asset(REPORTS, "page.js")


def figure_style() -> str:
    """The style of a page with tables and plots."""
    return report_assets()[0] + asset(REPORTS, "figures.css")


def page_policy(styles: Sequence[str], scripts: Sequence[str] = (), *more: str) -> str:
    """What a page may load: these styles and scripts, by their hashes, and nothing else.

    `more` are directives for what else it may do.
    """
    return "; ".join(
        [
            "default-src 'none'",
            f"style-src {_hashes(styles)}",
            f"script-src {_hashes(scripts)}",
            "base-uri 'none'",
            "form-action 'none'",
            *more,
        ]
    )


def _hashes(texts: Sequence[str]) -> str:
    digests = (hashlib.sha256(text.encode()).digest() for text in texts)
    return " ".join(f"'sha256-{base64.b64encode(each).decode()}'" for each in digests) or "'none'"
