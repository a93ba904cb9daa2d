#!/usr/bin/env python3
"""Makes `docs/report.png`, the picture of a report in README.md, from what `make demo` writes.

    make demo && .venv/bin/python scripts/screenshot.py [--chromium /usr/bin/chromium]

It needs Chromium, so it is no part of `make test`.
"""

import argparse
import subprocess
import sys
from pathlib import Path

from PIL import Image

ROOT = Path(__file__).resolve().parents[1]
PAGE, PICTURE = ROOT / "build" / "demo-report.html", ROOT / "docs" / "report.png"
MAX_BYTES = 150_000


def main() -> int:
    """Take the picture; 1 if it is too large to stand in a README."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--chromium", default="/usr/bin/chromium", help="the browser")
    arguments = parser.parse_args()
    command = (
        arguments.chromium,
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--hide-scrollbars",
        "--window-size=1120,800",
        f"--screenshot={PICTURE}",
        PAGE.as_uri(),
    )
    subprocess.run(command, check=True, capture_output=True)
    with Image.open(PICTURE) as picture:
        few = picture.convert("RGB").quantize(64)
    few.save(PICTURE, optimize=True)
    size_bytes = PICTURE.stat().st_size
    print(f"{PICTURE}: {size_bytes:,} bytes")
    return int(size_bytes > MAX_BYTES)


if __name__ == "__main__":
    sys.exit(main())
