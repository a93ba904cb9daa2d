"""How an extra of a package that is installed is installed, too."""

from importlib.metadata import PackageNotFoundError, requires


def what_extras_ask_for(distribution: str, *extras: str) -> str:
    """The command that installs what some extras of an installed package ask for.

    It names these packages and not `distribution[extra]`: an index that is asked for that name may
    have none, or somebody else's.
    """
    try:
        needs = [need.partition(";") for need in requires(distribution) or ()]
    except PackageNotFoundError:
        needs = []
    wanted = {f'extra == "{extra}"' for extra in extras}
    found = [name.strip() for name, _, marker in needs if marker.strip() in wanted]
    return " ".join(["pip install", *(f"'{name}'" for name in found)])
