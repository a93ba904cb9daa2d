"""What ships for several servers: Envoy's configuration, the compose file, the chart's values."""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from groundwire._wire.affinity import HEADER
from groundwire_server.app import MIN_PING_INTERVAL_S
from groundwire_server.config.settings import ServerSettings
from groundwire_server.doors.edge import PROBES
from groundwire_server.rpc.reception import RECEIVE_TIMEOUT_S

ROOT = Path(__file__).resolve().parents[2]
CHART = ROOT / "deploy" / "helm" / "groundwire"
ENVOY = yaml.safe_load((CHART / "envoy.yaml").read_text())
COMPOSED = yaml.safe_load((ROOT / "deploy" / "compose.replicas.yaml").read_text())
VALUES = yaml.safe_load((CHART / "values.yaml").read_text())
TEMPLATES = "".join(path.read_text() for path in sorted((CHART / "templates").iterdir()))
CALLS = ENVOY["static_resources"]["listeners"][0]
SERVERS = ENVOY["static_resources"]["clusters"][0]
(FILTER,) = CALLS["filter_chains"][0]["filters"]
(HOST,) = FILTER["typed_config"]["route_config"]["virtual_hosts"]
IMAGE = r"[a-z0-9./-]+:[a-z0-9.-]+@sha256:[0-9a-f]{64}"
SERVICES = sorted(
    service
    for proto in (ROOT / "proto" / "groundwire" / "v1").glob("*.proto")
    for service in re.findall(r"^service (\w+)", proto.read_text(), re.MULTILINE)
)
KEPT_BY_ONE_SERVER = {"OutputVerification", "Feedback"}


def route_of(path: str) -> dict[str, Any]:
    """The first route that takes a path, as Envoy finds it."""
    found: dict[str, Any] = next(
        each for each in HOST["routes"] if path.startswith(each["match"]["prefix"])
    )
    return found


def buffer_of(path: str) -> int:
    """Bytes of a request that Envoy receives before a server gets it; 0 if it passes them on."""
    first, *_ = FILTER["typed_config"]["http_filters"]
    assert first["name"] == "envoy.filters.http.buffer"
    own = route_of(path).get("typed_per_filter_config", {}).get(first["name"], {})
    return 0 if own.get("disabled") else int(first["typed_config"]["max_request_bytes"])


def seconds(duration: str) -> float:
    return float(duration.removesuffix("s"))


@pytest.mark.parametrize("service", SERVICES)
def test_a_service_that_keeps_something_is_refused_and_every_other_one_is_shared(
    service: str,
) -> None:
    route = route_of(f"/groundwire.v1.{service}/Any")
    assert ("direct_response" in route) == (service in KEPT_BY_ONE_SERVER)


def test_calls_go_by_the_header_of_the_clients_with_bounded_load() -> None:
    route = route_of("/groundwire.v1.VerifierBackend/BatchEstimate")["route"]
    assert route["hash_policy"] == [{"header": {"header_name": HEADER}}]
    assert SERVERS["lb_policy"] == "MAGLEV"
    bounded = SERVERS["common_lb_config"]["consistent_hashing_lb_config"]
    assert bounded["hash_balance_factor"] > 100


def test_only_what_is_unavailable_is_tried_again_and_elsewhere() -> None:
    retries = route_of("/groundwire.v1.VerifierBackend/BatchEstimate")["route"]["retry_policy"]
    # The others are broken connections, which clients see as UNAVAILABLE.
    kinds = {"unavailable", "connect-failure", "refused-stream", "reset"}
    assert set(retries["retry_on"].split(",")) == kinds
    assert [each["name"] for each in retries["retry_host_predicate"]] == [
        "envoy.retry_host_predicates.previous_hosts"
    ]


def test_envoy_lets_calls_be_as_long_and_as_large_as_the_server_does() -> None:
    defaults = ServerSettings()
    longest = route_of("/groundwire.v1.VerifierBackend/BatchEstimate")["route"][
        "max_stream_duration"
    ]
    assert {seconds(value) > defaults.max_call_s for value in longest.values()} == {True}
    assert buffer_of("/groundwire.v1.VerifierBackend/BatchEstimate") > defaults.max_message_bytes
    assert seconds(FILTER["typed_config"]["request_timeout"]) >= RECEIVE_TIMEOUT_S


@pytest.mark.parametrize("service", [*SERVICES, "Health", "ServerReflection"])
def test_a_server_gets_whole_requests_unless_the_method_takes_a_stream(service: str) -> None:
    package = {"Health": "grpc.health.v1", "ServerReflection": "grpc.reflection.v1alpha"}
    path = f"/{package.get(service, 'groundwire.v1')}.{service}/Any"
    assert bool(buffer_of(path)) == (service != "ServerReflection")


def test_a_method_that_takes_a_stream_is_passed_on_as_it_comes_and_not_tried_again() -> None:
    streams = [
        f"/groundwire.v1.{service}/{method}"
        for proto in (ROOT / "proto" / "groundwire" / "v1").glob("*.proto")
        for service in re.findall(r"^service (\w+)", proto.read_text(), re.MULTILINE)
        for method in re.findall(r"rpc (\w+)\s*\(\s*stream", proto.read_text())
    ]
    assert streams == ["/groundwire.v1.HallucinationDetection/VerifyDraft"]
    for path in streams:
        assert buffer_of(path) == 0
        assert "retry_policy" not in route_of(path)["route"]
        assert route_of(path)["route"]["hash_policy"] == [{"header": {"header_name": HEADER}}]


def test_the_heap_of_envoy_fits_its_container() -> None:
    (heap,) = (
        monitor["typed_config"]["max_heap_size_bytes"]
        for monitor in ENVOY["overload_manager"]["resource_monitors"]
        if monitor["name"] == "envoy.resource_monitors.fixed_heap"
    )
    # Envoy has some 100 MB beside its heap, and receives on until it looks again.
    assert heap + (160 << 20) <= 512 << 20
    assert VALUES["envoy"]["resources"]["limits"]["memory"] == "512Mi"
    assert COMPOSED["services"]["envoy"]["mem_limit"] == "512m"


def test_envoy_asks_for_signs_of_life_no_more_often_than_a_server_takes_them() -> None:
    (options,) = SERVERS["typed_extension_protocol_options"].values()
    signs = options["explicit_http_config"]["http2_protocol_options"]["connection_keepalive"]
    assert seconds(signs["interval"]) > MIN_PING_INTERVAL_S


def test_the_admin_page_is_for_its_own_machine() -> None:
    assert ENVOY["admin"]["address"]["socket_address"]["address"] == "127.0.0.1"


def test_compose_starts_servers_under_the_name_that_envoy_looks_up() -> None:
    (endpoint,) = SERVERS["load_assignment"]["endpoints"][0]["lb_endpoints"]
    name = endpoint["endpoint"]["address"]["socket_address"]["address"]
    service = COMPOSED["services"]["groundwire"]
    assert service["networks"]["inside"]["aliases"] == [name]
    assert service["deploy"]["replicas"] == 2
    assert COMPOSED["networks"]["inside"]["internal"]
    assert seconds(service["stop_grace_period"]) > ServerSettings().shutdown_grace_s
    file = ROOT / "deploy" / COMPOSED["configs"]["envoy"]["file"]
    assert file == CHART / "envoy.yaml"


def test_servers_without_a_way_out_serve_the_model_that_is_in_the_image() -> None:
    service = COMPOSED["services"]["groundwire"]
    assert all(COMPOSED["networks"][name]["internal"] for name in service["networks"])
    assert service["environment"]["GROUNDWIRE_MODEL"] == "small"
    assert VALUES["settings"] == {"model": "small"}


def test_images_are_named_by_their_digest_and_ports_open_on_loopback_only() -> None:
    services = COMPOSED["services"].values()
    images = [service["image"] for service in services if "image" in service]
    assert [image for image in images if not re.fullmatch(IMAGE, image)] == []
    assert VALUES["envoy"]["image"] in images
    ports = [port for service in services for port in service.get("ports", ())]
    assert ports
    assert all(port.startswith("127.0.0.1:") for port in ports)


HTTP = ENVOY["static_resources"]["listeners"][1]
(HTTP_FILTER,) = HTTP["filter_chains"][0]["filters"]
(HTTP_HOST,) = HTTP_FILTER["typed_config"]["route_config"]["virtual_hosts"]
HTTP_SERVERS = ENVOY["static_resources"]["clusters"][1]
ALONE = yaml.safe_load((ROOT / "compose.yaml").read_text())


def http_route_of(path: str) -> dict[str, Any]:
    """The first route of the HTTP port that takes a path."""
    found: dict[str, Any] = next(
        each for each in HTTP_HOST["routes"] if path.startswith(each["match"]["prefix"])
    )
    return found


@pytest.mark.parametrize("service", SERVICES)
def test_over_http_the_same_services_are_refused_and_shared(service: str) -> None:
    route = http_route_of(f"/groundwire.v1.{service}/Any")
    assert ("direct_response" in route) == (service in KEPT_BY_ONE_SERVER)


@pytest.mark.parametrize("path", ["/", "/docs", "/v1/hallucination-check"])
def test_the_page_and_the_chatbots_call_go_to_the_http_door_of_a_server(path: str) -> None:
    route = http_route_of(path)["route"]
    assert route["cluster"] == HTTP_SERVERS["name"]
    assert route["hash_policy"] == [{"header": {"header_name": HEADER}}]
    assert seconds(route["timeout"]) > ServerSettings().max_call_s


def test_http_reaches_the_same_servers_with_the_same_bounds() -> None:
    (one,) = SERVERS["load_assignment"]["endpoints"][0]["lb_endpoints"]
    (other,) = HTTP_SERVERS["load_assignment"]["endpoints"][0]["lb_endpoints"]
    names = [each["endpoint"]["address"]["socket_address"]["address"] for each in (one, other)]
    assert len(set(names)) == 1
    for kept in ("lb_policy", "common_lb_config", "outlier_detection", "circuit_breakers"):
        assert HTTP_SERVERS[kept] == SERVERS[kept]
    filters = [each["typed_config"]["http_filters"] for each in (FILTER, HTTP_FILTER)]
    assert filters[0] == filters[1]


def test_readiness_over_http_is_asked_where_the_door_answers_without_a_token() -> None:
    (check,) = HTTP_SERVERS["health_checks"]
    path = check["http_health_check"]["path"]
    assert path in PROBES
    assert f"httpGet: {{path: {path}, port: http}}" in TEMPLATES


@pytest.mark.parametrize("composed", [ALONE, COMPOSED], ids=["alone", "replicas"])
def test_compose_opens_the_http_door_to_pages_of_this_machine_only(
    composed: dict[str, Any],
) -> None:
    services = composed["services"]
    settings = services["groundwire"]["environment"]
    address, port = settings["GROUNDWIRE_HTTP_LISTEN"].split(":")
    assert address == "0.0.0.0"  # noqa: S104 - of a container
    assert f"127.0.0.1:{port}:{port}" in services.get("envoy", services["groundwire"])["ports"]
    assert settings["GROUNDWIRE_HTTP_HOSTS"] == "localhost,127.0.0.1"


def test_compose_verifies_outputs_on_a_database_that_only_its_server_reaches() -> None:
    services = ALONE["services"]
    store = services["groundwire"]["environment"]["GROUNDWIRE_OUTPUT_VERIFICATION_STORE"]
    user = services["database"]["environment"]["POSTGRES_USER"]
    assert store == f"postgresql://{user}@database/{user}"
    assert "ports" not in services["database"]
    assert ALONE["networks"]["database"]["internal"]
    there = [name for name, each in services.items() if "database" in each.get("networks", ())]
    assert there == ["groundwire", "database"]


def test_the_chart_has_the_address_of_its_database_from_a_secret_only() -> None:
    line = r"STORE\n +valueFrom: \{secretKeyRef: \{name: \{\{ \$stores \}\}, key: url\}\}"
    assert re.search(line, TEMPLATES)
    assert VALUES["outputVerification"] == {"storeSecret": ""}
    assert "replicas: 1\n  strategy: {type: Recreate}" in TEMPLATES


def test_a_server_alone_is_kept_in_as_one_of_several_is() -> None:
    alone = ALONE["services"]["groundwire"]
    for name in ("read_only", "tmpfs", "shm_size", "cap_drop", "security_opt"):
        assert alone[name] == COMPOSED["services"]["groundwire"][name]


def test_pods_ask_the_clusters_own_servers_for_names_and_nobody_else() -> None:
    assert all(peer["podSelector"]["matchLabels"] for peer in VALUES["networkPolicy"]["dns"])
    rules = re.findall(r"^(.*)\n.*ports: \[\{port: 53", TEMPLATES, re.MULTILINE)
    assert rules == ["    - to: {{- toYaml .Values.networkPolicy.dns | nindent 8 }}"] * 2


@pytest.mark.parametrize("dockerfile", ["Dockerfile.cpu", "Dockerfile.gpu"])
def test_the_builder_of_an_image_gets_what_it_copies_and_no_more(dockerfile: str) -> None:
    copied = {
        name.split("/")[0] if name.startswith("requirements") else name
        for line in re.findall(r"^COPY (.*)$", (ROOT / dockerfile).read_text(), re.MULTILINE)
        for name in line.split()[:-1]
    }
    lines = (ROOT / ".dockerignore").read_text().splitlines()
    assert lines[1] == "*"
    assert {line[1:] for line in lines if line.startswith("!")} == copied
    assert {"**/*.key", "**/*.pem"} <= set(lines)


def test_the_chart_knows_settings_that_the_server_has() -> None:
    found = re.findall(r"name: GROUNDWIRE_([A-Z_]+)", TEMPLATES)
    assert found
    assert {name.lower() for name in found} <= set(ServerSettings.model_fields)


def test_the_chart_has_the_version_of_the_server() -> None:
    version = re.search(r'^version = "(.+)"', (ROOT / "pyproject.toml").read_text(), re.MULTILINE)
    assert version is not None
    chart = yaml.safe_load((CHART / "Chart.yaml").read_text())
    assert chart["appVersion"] == version[1]


def test_the_user_of_the_pods_can_be_left_to_the_cluster() -> None:
    assert VALUES["runAsUser"] == VALUES["runAsGroup"] == VALUES["fsGroup"] == 10001
    assert not re.search(r"^\s*(runAsUser|runAsGroup|fsGroup): \d", TEMPLATES, re.MULTILINE)


def test_no_pod_has_a_token_of_the_cluster() -> None:
    pods = TEMPLATES.count("kind: Deployment\n")
    assert TEMPLATES.count("automountServiceAccountToken: false\n") == pods > 0


def test_a_container_has_the_time_to_end_that_calls_are_promised() -> None:
    promised_s = ServerSettings().shutdown_grace_s
    assert seconds(ALONE["services"]["groundwire"]["stop_grace_period"]) > promised_s
    assert VALUES["shutdownGraceSeconds"] >= promised_s
    pods = (CHART / "templates" / "servers.yaml").read_text()
    more_s = re.search(r"GracePeriodSeconds: {{ add .Values.shutdownGraceSeconds (\d+) }}", pods)
    before_s = re.search(r"preStop:\s+sleep: {seconds: (\d+)}", pods)
    assert more_s is not None
    assert before_s is not None
    assert int(more_s[1]) > int(before_s[1])
