#!/usr/bin/env python3
"""Writes an SBOM (CycloneDX 1.6, JSON) of each set of packages that is shipped, from its lock.

    uv venv build/sbom-tools && uv pip install --python build/sbom-tools/bin/python cyclonedx-bom
    .venv/bin/python scripts/sbom.py --tool build/sbom-tools/bin/cyclonedx-py --out build/sbom

The tool needs packages that the server does not, so it has an environment of its own. Versions and
hashes are those of requirements/*.txt; nothing is fetched. A release carries these files.
"""

import argparse
import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SHIPPED = ("cpu", "gpu")


def main() -> int:
    """Write the files; 1 if one holds other packages than its lock."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tool", type=Path, required=True, help="cyclonedx-py")
    parser.add_argument("--out", type=Path, default=ROOT / "build" / "sbom")
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    return max(write(arguments.tool, name, arguments.out) for name in SHIPPED)


def write(tool: Path, name: str, out: Path) -> int:
    """One file; 1 if it is not whole."""
    lock = ROOT / "requirements" / f"{name}.txt"
    path = out / f"groundwire-server-{name}.cdx.json"
    command: list[str | Path] = [
        tool, "requirements", lock, "--pyproject", ROOT / "pyproject.toml", "--spec-version", "1.6",
        "--output-reproducible", "--of", "JSON", "-o", path,
    ]  # fmt: skip
    subprocess.run(command, check=True)
    components = json.loads(path.read_text(encoding="utf-8"))["components"]
    locked = sum("==" in line for line in lock.read_text(encoding="utf-8").splitlines())
    hashed = sum(bool(each.get("externalReferences") or each.get("hashes")) for each in components)
    print(f"{path.name}: {len(components)} packages, {hashed} with hashes, {locked} in the lock")
    return int(len(components) != locked)


if __name__ == "__main__":
    sys.exit(main())
