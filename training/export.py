"""`python -m training.export --run DIR`: put a trained adapter where the server merges it from."""

import argparse
from pathlib import Path

from groundwire_server.models.convert import ADAPTER_WEIGHTS
from groundwire_server.models.store import DEFAULT_MODEL, EMBEDDED_MODELS
from groundwire_server.training.learning.adapter import write_exported
from groundwire_server.training.run_folder import ADAPTER
from training.embedded import BASE_NAME


def main() -> None:
    """Export a run's adapter."""
    parser = argparse.ArgumentParser(prog="python -m training.export", description=__doc__)
    parser.add_argument("--run", type=Path, required=True, metavar="DIR", help="a run's folder")
    target = EMBEDDED_MODELS[DEFAULT_MODEL].adapter
    assert target is not None  # noqa: S101 - the default model is the trained one
    parser.add_argument("--out", type=Path, default=target, metavar="DIR")
    arguments = parser.parse_args()
    write_exported(arguments.run / ADAPTER, arguments.out, BASE_NAME)
    print(
        f"{arguments.out / ADAPTER_WEIGHTS}: {(arguments.out / ADAPTER_WEIGHTS).stat().st_size} B"
    )


if __name__ == "__main__":
    main()
