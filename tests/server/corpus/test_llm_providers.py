"""LLM providers of packages: the example's, as it is installed, and what is wrong with others."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from groundwire_server.config.sources import ConfigError
from groundwire_server.features.corpus.corpus_verification import GROUP
from tests.scripted_services.corpus import REMOVED, analyze, analyzing, reads, verdicts

EXAMPLE = Path(__file__).parents[3] / "examples" / "llm_provider"
WRITTEN = "The notes say that it was not removed."


class _Chat(BaseHTTPRequestHandler):
    """A chat server that answers the same to everything, and keeps what it was asked."""

    asked: list[dict[str, object]]

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.asked.append(json.loads(body))
        answer = json.dumps({"choices": [{"message": {"content": WRITTEN}}]}).encode()
        self.send_response(200)
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_: object) -> None:
        """Nothing."""


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[dict[str, object]]]:
    """What a chat server on this machine is asked, whose address the example has."""
    found: list[dict[str, object]] = []
    handler = type("Chat", (_Chat,), {"asked": found})
    with HTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        monkeypatch.setenv("EXAMPLE_LLM_URL", f"http://127.0.0.1:{server.server_port}/v1")
        yield found
        server.shutdown()
        thread.join()


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The example as pip would leave it: its module and its entry point, and a broken one."""
    about = tmp_path / "groundwire_example_llm_provider-1.0.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Name: groundwire-example-llm-provider\nVersion: 1.0.0\n")
    points = "chat = groundwire_example_llm:make_provider\nbroken = groundwire_no_module:make\n"
    (about / "entry_points.txt").write_text(f"[{GROUP}]\n{points}")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.syspath_prepend(str(EXAMPLE))


@pytest.mark.usefixtures("installed")
async def test_the_example_explains_what_is_not_grounded(asked: list[dict[str, object]]) -> None:
    async with analyzing(
        epistemic_risk_llm_provider="chat", epistemic_risk_llm_model="some-model"
    ) as served:
        served.engine.answer = reads
        response = await analyze(served, REMOVED)
    assert verdicts(response) == ["HALLUCINATED/CONTRADICTED"]
    assert response.claims[0].explanation == WRITTEN
    assert [each["model"] for each in asked] == ["some-model"]


@pytest.mark.usefixtures("installed")
async def test_a_chat_server_that_is_away_costs_the_explanation_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("EXAMPLE_LLM_URL", "http://127.0.0.1:1/v1")
    async with analyzing(epistemic_risk_llm_provider="chat") as served:
        served.engine.answer = reads
        response = await analyze(served, REMOVED)
    assert verdicts(response) == ["HALLUCINATED/CONTRADICTED"]
    assert not response.claims[0].explanation


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize("on", [True, False])
async def test_a_server_does_not_start_without_its_provider_and_names_the_ways_there_are(
    on: bool,
) -> None:
    with pytest.raises(ConfigError) as caught:
        async with analyzing(epistemic_risk_llm_provider="openai", epistemic_risk_enabled=on):
            pass
    for way in ("no package registers 'openai'", "registered: broken, chat", "add it to backends"):
        assert way in str(caught.value)
