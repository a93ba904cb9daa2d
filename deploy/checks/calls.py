"""A real server with every feature on, and calls of every kind, for the checks of what it tells."""

import contextlib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from groundwire import (
    Client,
    FeedbackVerdict,
    GroundwireError,
    InvalidRequestError,
    ToolCall,
    Turn,
    TurnRole,
    VerificationState,
)
from tests.serving import Served, serving

TOKEN = "check-token-2231"
CONTEXT = "The bridge of Arden opened in 1932. It is 503 metres long and carries eight lanes."
TRUE, FALSE = "The bridge of Arden opened in 1932.", "The bridge of Arden has two lanes."
START_TIMEOUT_S, CALL_TIMEOUT_S = 900.0, 300.0
"""Of a machine that has much else to do."""

MOST_CLAIMS, MOST_PENDING = 30, 40
TOO_MANY_AT_ONCE = 4
"""So many calls with as many claims as one may have do not all get in."""

TEXTS = ("Arden", "lanes", "weather", "tickets", TOKEN)
"""Words of the requests: none of them may be seen in a trace or on the metrics page."""


@contextlib.contextmanager
def full_server(folder: Path, *flags: str) -> Iterator[tuple[Served, Client]]:
    """The server on the embedded model with every feature on that is tried here, and a client."""
    tokens = folder / "tokens"
    tokens.write_text(f"{TOKEN}\n")
    tokens.chmod(0o600)
    features = [f"--{name}-enabled" for name in (
        "memory-gate", "trace-auditing", "response-assessment", "output-verification", "similarity",
        "feedback",
    )]  # fmt: skip
    places = {
        "--auth-token-file": tokens,
        "--output-verification-store": folder / "outputs.sqlite",
        "--feedback-file": folder / "feedback.sqlite",
        "--audit-record-file": folder / "audit.jsonl",
        # Of a machine that has much else to do: nothing is left unread.
        "--hallucination-timeout": "5m",
        "--max-claims": MOST_CLAIMS,
        "--max-pending-claims": MOST_PENDING,
    }
    with_places = [word for item in places.items() for word in map(str, item)]
    with (
        serving(*features, *with_places, *flags, wait=False) as served,
        Client(served.target, token=TOKEN, timeout_s=CALL_TIMEOUT_S) as client,
    ):
        client.wait_until_serving(START_TIMEOUT_S)
        yield served, client


def call_everything(client: Client) -> str:
    """Use each feature once, and be wrong once. The id of the detection of an answer."""
    client.batch_estimate([TRUE, FALSE], CONTEXT)
    # The same again: from the cache of readings.
    client.batch_estimate([TRUE, FALSE], CONTEXT)
    with contextlib.suppress(InvalidRequestError):
        client.batch_estimate([" "], CONTEXT)
    report = client.verify_answer(f"{TRUE} {FALSE}", CONTEXT)
    for verdict in FeedbackVerdict:
        client.record_feedback(report.detection_id, 0, verdict)
    client.check_facts([TRUE, FALSE], CONTEXT)
    steps = ["A ticket costs 12 dollars.", "Three tickets cost 36 dollars."]
    client.audit_trace(steps, "Tickets are 12 dollars each.", answer="36 dollars")
    found = ToolCall("get_weather", "{}", result='{"weather": "snow", "temp_c": 3}')
    client.assess_response("The weather is sunny, at 20 °C.", [found], question="The weather?")
    client.check_similarity(f"{TRUE} Ada keeps bees.", [CONTEXT])
    said = Turn(TurnRole.TOOL, CONTEXT, id="search")
    submitted = client.submit_verification(f"{TRUE} {FALSE}", [said])
    *_, last = client.watch_verification(submitted.id)
    if last.state is not VerificationState.DONE:
        raise AssertionError(f"the output was not verified: {last.state_text}")
    return report.detection_id


def be_refused(client: Client, target: str) -> None:
    """Send too much at one time, what cannot be in time, and a token that the server has not."""

    def attempt(context: str, timeout_s: float | None) -> None:
        with contextlib.suppress(GroundwireError):
            client.batch_estimate([f"{TRUE} {i}" for i in range(MOST_CLAIMS)], context,
                                  timeout_s=timeout_s)  # fmt: skip

    with ThreadPoolExecutor(TOO_MANY_AT_ONCE) as threads:
        for number in range(TOO_MANY_AT_ONCE):
            threads.submit(attempt, f"{CONTEXT} {number}" * 20, None)
    attempt(f"{CONTEXT} late" * 20, 0.05)
    with Client(target, token="nobody's") as stranger, contextlib.suppress(GroundwireError):
        stranger.batch_estimate([TRUE], CONTEXT)
