"""Put an adapter where the server merges it."""

import argparse
from pathlib import Path

from groundwire_server.models.convert import ADAPTER_WEIGHTS
from groundwire_training.embedded.choice import MODELS
from groundwire_training.learning.adapter import write_exported
from groundwire_training.run_folder import ADAPTER


def main() -> None:
    """Export a run's adapter."""
    parser = argparse.ArgumentParser(
        prog="python -m groundwire_training.embedded.export", description=__doc__
    )
    parser.add_argument("--model", choices=MODELS, required=True, help="which verifier it is of")
    parser.add_argument("--run", type=Path, required=True, metavar="DIR", help="a run's folder")
    parser.add_argument("--out", type=Path, metavar="DIR", help="default: where it ships")
    arguments = parser.parse_args()
    made = MODELS[arguments.model]
    out = arguments.out or made.adapter
    write_exported(arguments.run / ADAPTER, out, made.base_name)
    print(f"{out / ADAPTER_WEIGHTS}: {(out / ADAPTER_WEIGHTS).stat().st_size} B")


if __name__ == "__main__":
    main()
