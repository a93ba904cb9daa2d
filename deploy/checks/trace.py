"""Sends what a real server tells to a real OpenTelemetry collector, and looks at what arrives.

    python -m deploy.checks.trace build/collector/collector

`deploy/collector/builder.yaml` says how the collector is built. The calls are made below one span
of a caller. Looked at are the parents and links of spans, ids that join them to logs and records,
and that no text of a request is in anything. Exits with 1 if something is wrong. Is no part of the
gate: it takes a minute, with a model.
"""

import contextlib
import os
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider

from deploy.checks.calls import TEXTS, call_everything, full_server
from tests.serving import free_port

CONFIG = Path(__file__).resolve().parents[1] / "collector" / "collector.yaml"
TIMEOUT_S = 30.0
SERVICE = "/groundwire.v1."
BELOW: Mapping[str, str | tuple[str, ...]] = {
    "groundwire.output": "nothing",
    "groundwire.plan": (SERVICE, "groundwire.output"),
    "groundwire.read": (SERVICE, "groundwire.output"),
    "llm_request": ("groundwire.read", "groundwire.audit", "groundwire.assess"),
}
"""What spans stand below, by how the names begin."""

SPAN = re.compile(r"^Span #\d+\n", re.MULTILINE)
BEHIND_SPANS = re.compile(
    r"^(?:ResourceSpans|ScopeSpans|Resource|Metric|LogRecord)\b", re.MULTILINE
)
FIELD = re.compile(r"^    (Trace ID|Parent ID|ID|Name) +: ?(.*)$", re.MULTILINE)
ATTRIBUTE = re.compile(r"^     -> ([\w.]+): \w+\((.*)\)$", re.MULTILINE)
LINK = re.compile(r"^     -> Trace ID: (\w+)\n     -> ID: (\w+)$", re.MULTILINE)
EXEMPLAR = re.compile(r"^Exemplar #\d+\n(?:     -> .*\n)*?     -> Trace ID: (\w+)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Span:
    """A span as the collector prints it."""

    trace_id: str
    parent_id: str
    id: str
    name: str
    attributes: dict[str, str]
    links: list[tuple[str, str]]


def spans_of(printed: str) -> Sequence[Span]:
    """The spans in what the collector has printed."""
    found = []
    for text in SPAN.split(printed)[1:]:
        own = BEHIND_SPANS.split(text)[0]
        fields = dict(FIELD.findall(own))
        found.append(
            Span(fields["Trace ID"], fields["Parent ID"], fields["ID"], fields["Name"],
                 dict(ATTRIBUTE.findall(own)), LINK.findall(own))
        )  # fmt: skip
    return found


@contextlib.contextmanager
def collecting(program: str, log: Path) -> Iterator[str]:
    """A collector that prints into `log`; gives its address. What it has is printed on leaving."""
    address = f"127.0.0.1:{free_port()}"
    environment = {**os.environ, "CHECK_ENDPOINT": address}
    with (
        log.open("wb") as out,
        subprocess.Popen(
            [program, "--config", str(CONFIG)], stdout=out, stderr=out, env=environment
        ) as process,
    ):
        try:
            until_s = time.monotonic() + TIMEOUT_S
            while "Everything is ready" not in log.read_text():
                if process.poll() is not None or time.monotonic() > until_s:
                    raise RuntimeError(f"the collector does not run:\n{log.read_text()}")
                time.sleep(0.1)
            yield f"http://{address}"
        finally:
            process.terminate()
            process.wait(TIMEOUT_S)


def faults(spans: Sequence[Span], caller: tuple[str, str], detection_id: str) -> Iterator[str]:
    """What is wrong with the spans of calls that were made below a span of the caller's, and with
    those of what was done for them later. Others, as of the warm-up, are nobody's."""
    works = [span for span in spans if span.name == "groundwire.output"]
    traces = {caller[0]} | {work.trace_id for work in works}
    by_id = {span.id: span for span in spans if span.trace_id in traces}
    calls = [span for span in by_id.values() if span.name.startswith(SERVICE)]
    yield from (f"{c.name} is not below its caller" for c in calls if c.parent_id != caller[1])
    parents = Counter(
        (span.name, by_id[span.parent_id].name if span.parent_id in by_id else "nothing")
        for span in by_id.values()
        if span not in calls
    )
    for (name, parent), count in sorted(parents.items()):
        print(f"{count:4} {name:20} below {parent}")
    for name, wanted in BELOW.items():
        found = [parent for own_name, parent in parents if own_name == name]
        yield from (f"{name} is below {each}" for each in found if not each.startswith(wanted))
        if not found:
            yield f"there is no span {name}"
    submits = [(s.trace_id, s.id) for s in calls if s.name.endswith("/SubmitVerification")]
    if [link for work in works for link in work.links] != submits or not submits:
        yield "work in the background does not link to the calls that asked for it"
    if not any(s.attributes.get("groundwire.detection_id") == detection_id for s in calls):
        yield "no span has the id of the detection"


def main(program: str) -> int:
    """Print what arrived and what is wrong with it. Returns the exit code."""
    with tempfile.TemporaryDirectory(prefix="groundwire-check-") as name:
        folder, log = Path(name), Path(name, "collector.log")
        with collecting(program, log) as endpoint:
            flags = ("--otlp-endpoint", endpoint, "--audit-record-otlp", "--log-format", "json")
            with full_server(folder, *flags) as (served, client):
                tracer = TracerProvider().get_tracer("check")
                with tracer.start_as_current_span("caller") as span:
                    detection_id = call_everything(client)
                # What is left is sent at the end.
                served.stop()
                lines = served.log
        printed = log.read_text()
        audit = (folder / "audit.jsonl").read_text()
    context = span.get_span_context()
    caller = (trace.format_trace_id(context.trace_id), trace.format_span_id(context.span_id))
    spans = spans_of(printed)
    wrong = list(faults(spans, caller, detection_id))
    for place, text in (("collector", printed), ("log", lines), ("audit record", audit)):
        wrong += [f"{word} stands in the {place}" for word in TEXTS if word in text]
    (event,) = [line for line in lines.splitlines() if detection_id in line]
    (record,) = [line for line in audit.splitlines() if detection_id in line]
    if f'"trace_id": "{caller[0]}"' not in event:
        wrong.append("the line of the log has another trace")
    exemplars = EXEMPLAR.findall(printed).count(caller[0])
    logs = printed.count("LogRecord #")
    print(f"{len(spans)} spans, {logs} log records, {exemplars} exemplars of the trace")
    print(f"log line:     {event}\naudit record: {record[:160]}…")
    print("wrong:", "; ".join(wrong) or "nothing")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
