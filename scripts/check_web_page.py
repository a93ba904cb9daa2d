#!/usr/bin/env python3
"""Uses the page at `/` of the HTTP port in a real browser, as a person with a keyboard does.

    .venv/bin/python scripts/check_web_page.py --chromium /usr/bin/chromium

It installs Playwright into `build/web-page`, runs the tests in `tests/outside/web_page` against
servers with a scripted model, and leaves pictures of what it saw there. They need a browser and an
index of packages, so this is no part of `make test`.
"""

import argparse
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
OUT = ROOT / "build" / "web-page"
PACKAGES = OUT / "packages"
# What else it asks for is among the tests' own packages.
PLAYWRIGHT = ("playwright==1.65.2", "pyee==13.0.1")


def main() -> int:
    """Install what is not there yet, and test; the exit code of pytest."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--chromium", default="/usr/bin/chromium", help="the browser")
    arguments = parser.parse_args()
    python = sys.executable
    if not PACKAGES.exists():
        OUT.mkdir(parents=True, exist_ok=True)
        install = (python, "-m", "pip", "install", "--quiet", "--no-deps", "--target", PACKAGES)
        subprocess.run((*install, *PLAYWRIGHT), check=True)
    tests = ROOT / "tests" / "outside" / "web_page" / "test_person.py"
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join((str(ROOT), str(PACKAGES), os.environ.get("PYTHONPATH", ""))),
        "GROUNDWIRE_CHROMIUM": arguments.chromium,
        "GROUNDWIRE_PICTURES": str(OUT),
    }
    done = subprocess.run(
        (python, "-m", "pytest", "-v", "-s", tests), cwd=ROOT, env=environment, check=False
    )
    print(f"pictures are in {OUT}")
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
