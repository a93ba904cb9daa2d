"""Pages of figures: tables and plots in SVG, in one style, that need nothing from elsewhere."""

from importlib import resources

from jinja2 import DictLoader, Environment, StrictUndefined
from markupsafe import Markup

from groundwire_server.cli.reports.page import page_policy, report_assets


def figure_page(template: str, **values: object) -> str:
    """The page of a template that extends `figures.html`, with these values."""
    style = report_assets()[0] + _asset("figures.css")
    parts = {name: _asset(name) for name in ("figures.html", "figures_table.html")}
    environment = Environment(
        loader=DictLoader(parts),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.from_string(template).render(
        **values,
        style=Markup(style),  # noqa: S704 - files of the package, without data
        policy=page_policy([style]),
    )


def _asset(name: str) -> str:
    return resources.files(__package__).joinpath(name).read_text(encoding="utf-8")
