#!/usr/bin/env python3
"""Writes an SBOM (CycloneDX 1.6, JSON) of each set of packages that is shipped, from its lock.

    .venv/bin/python -m scripts.sbom --out build/sbom

Versions and hashes are those of requirements/*.txt and of the Go client's go.sum, licences those of
THIRD_PARTY.md. Nothing is fetched, no tool is needed, and the same locks make the same bytes. An
installation with extras has two files. A release carries all of them.
"""

import argparse
import json
import tomllib
from pathlib import Path
from uuid import NAMESPACE_URL, uuid5

from scripts.licences import ROOT, SETS, Package, licences, shipped

GO_SUM = "h1:"
# What SPDX has no identifier for, or what is more than one.
_NAMES_ONLY = frozenset({"Apache-2.0 WITH LLVM-exception", "BSD", "NVIDIA", "Repoze"})


def document(name: str) -> dict[str, object]:
    """One SBOM; ValueError if a package has no hash."""
    packages = shipped(name)
    if unknown := [str(each) for each in packages if not each.hashes]:
        raise ValueError(f"{name}: no hash of {', '.join(unknown)}")
    known = licences(packages)
    components = [_component(each, known[str(each)]) for each in packages]
    subject = _subject(name)
    body = {
        "metadata": {"component": subject},
        "components": components,
        "dependencies": [
            {"ref": subject["bom-ref"], "dependsOn": [each["bom-ref"] for each in components]}
        ],
    }
    serial = uuid5(NAMESPACE_URL, json.dumps(body, sort_keys=True))
    head = {"bomFormat": "CycloneDX", "specVersion": "1.6", "version": 1}
    return head | {"serialNumber": f"urn:uuid:{serial}"} | body


def _subject(name: str) -> dict[str, object]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    part = "client-go" if name == "go" else f"server-{name}"
    return {
        "type": "library" if name == "go" else "application",
        "bom-ref": f"groundwire-{part}",
        "name": f"groundwire-{part}",
        "version": project["version"],
        "licenses": [{"license": {"id": project["license"]}}],
    }


def _component(package: Package, licence: str) -> dict[str, object]:
    kind = "golang" if package.hashes[0].startswith(GO_SUM) else "pypi"
    address = f"pkg:{kind}/{package.name}@{package.version}"
    found: dict[str, object] = {
        "type": "library",
        "bom-ref": address,
        "name": package.name,
        "version": package.version,
        "purl": address,
        "licenses": [
            {"license": {"name" if each in _NAMES_ONLY else "id": each}}
            for each in licence.split(", ")
        ],
    }
    if kind == "golang":
        # Go's sum is of the names and the hashes of a module's files, and of no archive.
        return found | {"properties": [{"name": "groundwire:go.sum", "value": package.hashes[0]}]}
    wheels = [
        {
            "type": "distribution",
            "url": address,
            "comment": "a wheel",
            "hashes": [{"alg": "SHA-256", "content": text}],
        }
        for text in package.hashes
    ]
    return found | {"externalReferences": wheels}


def main() -> None:
    """Write the files."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=ROOT / "build" / "sbom")
    out: Path = parser.parse_args().out
    out.mkdir(parents=True, exist_ok=True)
    for name in SETS:
        text = json.dumps(document(name), indent=2) + "\n"
        path = out / f"{_subject(name)['name']}.cdx.json"
        path.write_text(text, encoding="utf-8")
        print(path)


if __name__ == "__main__":
    main()
