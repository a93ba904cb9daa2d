"""Traces and metrics of the real server."""

from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider

from groundwire import Client
from tests.collector import Collector
from tests.serving import Served

CONTEXT = "The well is eleven metres deep."
MARKER = "zanzibar-marker-5519"


def test_a_clients_trace_continues_to_the_engines_work(
    client: Client, collector: Collector
) -> None:
    tracer = TracerProvider().get_tracer("test")
    with tracer.start_as_current_span("caller") as span:
        client.batch_estimate(["The well is deep.", "The well is dry."], CONTEXT)
    trace_id = trace.format_trace_id(span.get_span_context().trace_id)

    wanted = {"groundwire.plan", "groundwire.read", "llm_request"}
    spans = collector.wait_for(trace_id, wanted, timeout_s=60)

    assert wanted <= spans.keys()
    read, engine = spans["groundwire.read"], spans["llm_request"]
    assert engine.parent_span_id == read.span_id
    assert any(name.endswith("BatchEstimate") for name in spans)


def test_the_metrics_page_counts_claims_tokens_and_calls(client: Client, served: Served) -> None:
    client.batch_estimate(["The well is deep."], CONTEXT)

    text = served.metrics()

    for name in (
        "groundwire_call_duration_seconds_count",
        "groundwire_claims_total",
        "groundwire_tokens_total",
        "groundwire_batch_size_bucket",
        "groundwire_queue_duration_seconds_bucket",
        "groundwire_inference_duration_seconds_bucket",
        "groundwire_pending_claims",
    ):
        assert name in text, name


def test_no_text_of_a_request_leaves_in_logs_metrics_or_spans(
    client: Client, served: Served, collector: Collector
) -> None:
    tracer = TracerProvider().get_tracer("test")
    with tracer.start_as_current_span("caller") as span:
        client.batch_estimate([f"The {MARKER} is deep."], f"About the {MARKER}.")
    trace_id = trace.format_trace_id(span.get_span_context().trace_id)
    spans = collector.wait_for(trace_id, {"groundwire.read", "llm_request"}, timeout_s=60)

    assert spans
    assert not any(MARKER in str(s) for s in spans.values())
    assert MARKER not in served.metrics()
    assert MARKER not in served.log
