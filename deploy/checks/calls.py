"""A real server with every feature on, and calls of every kind, for the checks of what it tells.

Knows the Python client. Does not know who reads metrics or traces.
"""

import contextlib
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from groundwire import (
    Client,
    FeedbackVerdict,
    GroundwireError,
    ToolCall,
    Turn,
    TurnRole,
    VerificationState,
)
from tests.serving import Served, serving

TOKEN = "check-token-2231"
CONTEXT = "The bridge of Arden opened in 1932. It is 503 metres long and carries eight lanes."
TRUE, FALSE = "The bridge of Arden opened in 1932.", "The bridge of Arden has two lanes."
MOST_CLAIMS, MOST_PENDING = 30, 40
TOO_MANY_AT_ONCE = 4
"""So many calls with as many claims as one may have do not all get in."""

TEXTS = ("Arden", "lanes", "weather", "tickets", TOKEN)
"""Words of the requests: none of them may be seen in a trace or on the metrics page."""


@contextlib.contextmanager
def full_server(folder: Path, *flags: str) -> Iterator[Served]:
    """The server on the embedded model, with all that can be switched on without other machines."""
    tokens = folder / "tokens"
    tokens.write_text(f"{TOKEN}\n")
    features = [f"--{name}-enabled" for name in (
        "memory-gate", "trace-auditing", "response-assessment", "output-verification", "similarity",
        "feedback",
    )]  # fmt: skip
    places = {
        "--auth-token-file": tokens,
        "--output-verification-store": folder / "outputs.sqlite",
        "--feedback-file": folder / "feedback.sqlite",
        "--audit-record-file": folder / "audit.jsonl",
        "--max-claims": MOST_CLAIMS,
        "--max-pending-claims": MOST_PENDING,
    }
    with_places = [word for item in places.items() for word in map(str, item)]
    with serving(*features, *with_places, *flags, token=TOKEN) as served:
        yield served


def call_everything(target: str) -> Sequence[str]:
    """Use each feature once, refusals and errors too. The ids of the detections of answers."""
    with Client(target, token=TOKEN, timeout_s=120) as client:
        client.batch_estimate([TRUE, FALSE], CONTEXT)
        # The same again: from the cache of readings.
        client.batch_estimate([TRUE, FALSE], CONTEXT)
        report = client.verify_answer(f"{TRUE} {FALSE}", CONTEXT)
        for verdict in FeedbackVerdict:
            client.record_feedback(report.detection_id, 0, verdict)
        client.check_facts([TRUE, FALSE], CONTEXT)
        client.audit_trace(["A ticket costs 12 dollars.", "Three tickets cost 36 dollars."],
                           "Tickets are 12 dollars each.", answer="36 dollars")  # fmt: skip
        found = ToolCall("get_weather", "{}", result='{"weather": "snow", "temp_c": 3}')
        client.assess_response("The weather is sunny, at 20 °C.", [found], question="The weather?")
        client.check_similarity(f"{TRUE} Ada keeps bees.", [CONTEXT])
        submitted = client.submit_verification(
            f"{TRUE} {FALSE}", [Turn(TurnRole.TOOL, CONTEXT, id="search")]
        )
        *_, last = client.watch_verification(submitted.id)
        if last.state is not VerificationState.DONE:
            raise AssertionError(f"the output was not verified: {last.state_text}")
        _be_refused(client)
    with Client(target, token="nobody's") as stranger, contextlib.suppress(GroundwireError):
        stranger.batch_estimate([TRUE], CONTEXT)
    return [report.detection_id]


def _be_refused(client: Client) -> None:
    """Send what is wrong, what is too much at one time, and what cannot be in time."""

    def attempt(claims: Sequence[str], context: str, timeout_s: float | None) -> None:
        with contextlib.suppress(GroundwireError):
            client.batch_estimate(claims, context, timeout_s=timeout_s)

    attempt([" "], CONTEXT, None)
    many = [f"{TRUE} {i}" for i in range(MOST_CLAIMS)]
    with ThreadPoolExecutor(TOO_MANY_AT_ONCE) as threads:
        for number in range(TOO_MANY_AT_ONCE):
            threads.submit(attempt, many, f"{CONTEXT} {number}" * 20, None)
    attempt(many, f"{CONTEXT} late" * 20, 0.05)
