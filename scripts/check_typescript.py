#!/usr/bin/env python3
"""Type-checks the example in TypeScript with types of the OpenAPI document, and runs it.

    .venv/bin/python scripts/check_typescript.py

It needs Node 20 with npm and an index of packages, so this is no part of `make test`. In
`build/typescript` it makes the types anew, has the example checked and run against a real server
with a scripted model, and sees that a field which the document has not is refused.
"""

import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
EXAMPLE, DOCUMENT = Path("examples/typescript"), Path("server/groundwire_server/doors/http/docs")
OUT = ROOT / "build" / "typescript"
# Two wrong fields: one of a request, one of a response.
WRONG = {
    "sources: [{ id:": "sources: [{ name:",
    "checked.hallucination_check.overall_grounded": "checked.hallucination_check.overall",
}
sys.path[:0] = [str(ROOT)]

from tests.scripted import scripted_process  # noqa: E402
from tests.serving import free_port  # noqa: E402


def main() -> int:
    """Check and run; 1 if something is not so."""
    shutil.rmtree(OUT, ignore_errors=True)
    for folder in (EXAMPLE, DOCUMENT):
        shutil.copytree(ROOT / folder, OUT / folder)
    try:
        for command in ("ci --no-audit --no-fund", "run types", "run check", "run build"):
            npm(*command.split())
        print(run_example())
    except subprocess.CalledProcessError as error:
        print(f"{' '.join(error.cmd)} ended with {error.returncode}", file=sys.stderr)
        return 1
    passed = [right for right, wrong in WRONG.items() if passes(right, wrong)]
    print("\n".join(f"is not checked: {each}" for each in passed) or "wrong fields are refused")
    return int(bool(passed))


def run_example() -> str:
    """What the example prints. Raises CalledProcessError."""
    address = f"127.0.0.1:{free_port()}"
    with scripted_process({}, http_listen=address):
        return subprocess.run(
            ("node", "verify.js", f"http://{address}"),
            cwd=OUT / EXAMPLE,
            check=True,
            stdout=subprocess.PIPE,
            text=True,
        ).stdout


def passes(right: str, wrong: str) -> bool:
    """Whether the example passes its check with something wrong in it."""
    file = OUT / EXAMPLE / "verify.ts"
    text = file.read_text(encoding="utf-8")
    if right not in text:
        raise ValueError(f"the example has no {right}")
    file.write_text(text.replace(right, wrong), encoding="utf-8")
    done = subprocess.run(
        ("npm", "run", "check"), cwd=file.parent, stdout=subprocess.DEVNULL, check=False
    )
    file.write_text(text, encoding="utf-8")
    return done.returncode == 0


def npm(*arguments: str) -> None:
    """Runs npm in the copy. Raises CalledProcessError."""
    subprocess.run(("npm", *arguments), cwd=OUT / EXAMPLE, check=True)


if __name__ == "__main__":
    sys.exit(main())
