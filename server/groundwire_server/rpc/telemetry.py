"""The instruments of the server, and the one place where OpenTelemetry is set up.

No text of a request and no secret leaves by it: attributes are ids, and names of methods, codes,
reasons and backends.
"""

import logging
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, fields
from urllib.parse import unquote

import grpc
from opentelemetry import propagate, trace
from opentelemetry.exporter.otlp.proto.grpc.metric_exporter import OTLPMetricExporter
from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter
from opentelemetry.exporter.prometheus import PrometheusMetricReader
from opentelemetry.metrics import CallbackOptions, Observation
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import MetricReader, PeriodicExportingMetricReader
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.trace import Link, Span, SpanKind, StatusCode

from groundwire_server.access.callers import Metadata
from groundwire_server.config.credentials import channel_options
from groundwire_server.records.detections import Detection
from groundwire_server.records.log_lines import Fields
from groundwire_server.records.worker import WorkCounts
from groundwire_server.rpc.admission import Admission, PendingLimit
from groundwire_server.rpc.metrics_page import MetricsPage
from groundwire_server.rpc.status import CallFailedError
from groundwire_verifier.checks.assessment.assessment import Assessment, LayerState
from groundwire_verifier.checks.traces.trace import PostHocStatus, TraceAudit
from groundwire_verifier.domain.types import BatchEstimate
from groundwire_verifier.domain.urgency import target_s
from groundwire_verifier.engine.base import Backend, BackendState
from groundwire_verifier.engine.queue.predictions import Predictions
from groundwire_verifier.engine.result_cache import CacheCounts
from groundwire_verifier.estimation import EstimationPlan
from groundwire_verifier.progress import VerificationPlan
from groundwire_verifier.verdicts.facts import FactDecision
from groundwire_verifier.verdicts.types import Verdict

log = logging.getLogger("groundwire.server")
detections = logging.getLogger("groundwire.detections")

HALLUCINATIONS = frozenset(
    verdict.name
    for verdict in (
        Verdict.UNSUPPORTED,
        Verdict.CONTRADICTED,
        Verdict.MISCITED,
        Verdict.PRIOR_KNOWLEDGE,
    )
)
"""Verdicts on claims that were judged and found not to stand on their evidence.

UNCERTAIN is no finding.
"""

SECONDS_BUCKETS = (
    0.005, 0.01, 0.025, 0.05, 0.1, 0.2, 0.35, 0.5, 0.75, 1.0, 1.5, 2.5, 5.0, 10.0, 30.0, 60.0, 120,
)  # fmt: skip
COUNT_BUCKETS = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1000)
TARGET_BUCKETS = (0.1, 0.2, 0.35, 0.5, 0.75, 0.9, 1.0, 1.25, 1.5, 2.0, 4.0, 8.0)
CLAIM_BANDS = ((1, "0-1"), (4, "2-4"), (16, "5-16"), (64, "17-64"))
MOST_CLAIMS_BAND = "65-"
MASS_BUCKETS = (0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99)
SERVER_FAULTS = frozenset(
    (
        grpc.StatusCode.UNKNOWN,
        grpc.StatusCode.DEADLINE_EXCEEDED,
        grpc.StatusCode.UNIMPLEMENTED,
        grpc.StatusCode.INTERNAL,
        grpc.StatusCode.UNAVAILABLE,
    )
)
"""What is an error of the server in its spans, and not of the caller."""

FLUSH_TIMEOUT_S = 3.0
TRACE_PARENT = "traceparent"


@dataclass(frozen=True, slots=True)
class TelemetryConfig:
    """Where telemetry goes. `metrics_listen` is host:port or empty; `otlp_endpoint` may be None."""

    service_version: str
    metrics_listen: str
    otlp_endpoint: str | None


class Telemetry:
    """The instruments. One object a server; nothing global is changed."""

    def __init__(self, config: TelemetryConfig, serves: Callable[[], bool]) -> None:
        """Set the SDK up and open the Prometheus page, whose probe asks `serves`.

        Raises ConfigError if the page's port cannot be used.
        """
        resource = Resource.create(
            {"service.name": "groundwire", "service.version": config.service_version}
        )
        self._page = MetricsPage(config.metrics_listen, serves) if config.metrics_listen else None
        self.metrics_port = self._page.port if self._page is not None else None
        self.spans = _spans(resource, config.otlp_endpoint)
        self._readers: list[MetricReader] = []
        if endpoint := config.otlp_endpoint:
            exporter = OTLPMetricExporter(
                endpoint=endpoint,
                channel_options=channel_options(endpoint),  # type: ignore[arg-type]
            )
            self._readers.append(PeriodicExportingMetricReader(exporter))
        if self._page is not None:
            self._readers.append(PrometheusMetricReader())
        self._meter_provider = MeterProvider(
            self._readers, resource=resource, shutdown_on_exit=False
        )
        tracers: trace.TracerProvider = self.spans or trace.NoOpTracerProvider()
        self._tracer = tracers.get_tracer("groundwire.server")
        self._create_instruments()

    def _create_instruments(self) -> None:
        meter = self._meter_provider.get_meter("groundwire.server")
        self._call_s = meter.create_histogram(
            "groundwire.call.duration", "s", "Time of a call in the server.",
            explicit_bucket_boundaries_advisory=SECONDS_BUCKETS,
        )  # fmt: skip
        self._target_share = meter.create_histogram(
            "groundwire.call.target.share", "1",
            "Time of an answered call over its target, 500 ms + N x 100 ms for N claims.",
            explicit_bucket_boundaries_advisory=TARGET_BUCKETS,
        )  # fmt: skip
        self._tenant_s = meter.create_histogram(
            "groundwire.tenant.call.duration", "s", "Time of a tenant's call in the server.",
            explicit_bucket_boundaries_advisory=SECONDS_BUCKETS,
        )  # fmt: skip
        self._refusals = meter.create_counter(
            "groundwire.call.errors", "{call}", "Calls that ended with an error, by its reason."
        )
        self._claims = meter.create_counter(
            "groundwire.claims", "{claim}", "Claims answered, by whether they got a probability."
        )
        self._batch = meter.create_histogram(
            "groundwire.batch.size", "{claim}", "Claims of a call.",
            explicit_bucket_boundaries_advisory=COUNT_BUCKETS,
        )  # fmt: skip
        self._queue_s = meter.create_histogram(
            "groundwire.queue.duration", "s", "Time until the engine first ran a prompt of a call.",
            explicit_bucket_boundaries_advisory=SECONDS_BUCKETS,
        )  # fmt: skip
        self._inference_s = meter.create_histogram(
            "groundwire.inference.duration", "s", "Time of the engine on a call's prompts.",
            explicit_bucket_boundaries_advisory=SECONDS_BUCKETS,
        )  # fmt: skip
        self._tokens = meter.create_counter(
            "groundwire.tokens", "{token}", "Prompt tokens, computed and taken from the cache."
        )
        self._mass = meter.create_histogram(
            "groundwire.label.mass", "1", "Probability on YES and NO together.",
            explicit_bucket_boundaries_advisory=MASS_BUCKETS,
        )  # fmt: skip
        self._verified = meter.create_counter(
            "groundwire.claims.verified", "{claim}",
            "Claims that were judged or estimated, over all calls.",
        )  # fmt: skip
        self._detected = meter.create_counter(
            "groundwire.hallucinations", "{claim}",
            "Claims, answers of traces and responses that are not grounded, by how.",
        )  # fmt: skip
        self._verdicts = meter.create_counter(
            "groundwire.verdicts", "{claim}", "Claims verified, by verdict and reason."
        )
        self._facts = meter.create_counter(
            "groundwire.facts", "{fact}", "Facts that the memory gate decided on, and why so."
        )
        self._outputs = meter.create_counter(
            "groundwire.outputs", "{output}", "Outputs submitted and ended, and why so."
        )
        self._steps = meter.create_counter(
            "groundwire.trace.steps", "{step}", "Steps of traces, by what is known of them."
        )
        self._post_hoc = meter.create_counter(
            "groundwire.trace.answers", "{trace}", "Traces, by whether their answer follows."
        )
        self._assessments = meter.create_counter(
            "groundwire.assessments", "{response}", "Responses assessed, by the suggested action."
        )
        self._layers = meter.create_counter(
            "groundwire.assessment.layers", "{layer}",
            "Layers of assessments, by whether they ran, and why not.",
        )  # fmt: skip
        self._layer_s = meter.create_histogram(
            "groundwire.assessment.layer.duration", "s", "Time of a layer that ran.",
            explicit_bucket_boundaries_advisory=SECONDS_BUCKETS,
        )  # fmt: skip
        self._feedback = meter.create_counter(
            "groundwire.feedback", "{claim}", "What people said of claims, by what they said."
        )
        self._compared = meter.create_counter(
            "groundwire.similarity.sentences", "{sentence}",
            "Sentences compared with contexts, by whether one is like them.",
        )  # fmt: skip
        self.meter = meter
        """Makes further instruments, see `access_metrics`."""

    def observe_pending(self, admission: Admission) -> None:
        """Show what is in the server, read when metrics are collected."""
        for name, unit, text, places in (
            ("claims", "{claim}", "Claims that wait or run.", admission.claims),
            ("calls", "{call}", "Calls that wait or run.", admission.calls),
            ("bytes", "By", "Bytes of their requests.", admission.bytes),
        ):

            def read(_: CallbackOptions, places: PendingLimit = places) -> Iterable[Observation]:
                yield Observation(places.pending)

            self.meter.create_observable_gauge(f"groundwire.pending.{name}", [read], unit, text)

    def observe_serving(self, backends: Mapping[str, Backend]) -> None:
        """Show which backends answer, read when metrics are collected."""

        def read(_: CallbackOptions) -> Iterable[Observation]:
            for name, backend in backends.items():
                serves = backend.state is BackendState.SERVING
                yield Observation(int(serves), {"backend": name})

        self.meter.create_observable_gauge(
            "groundwire.backend.serving", [read], "", "1 while a backend answers, else 0."
        )

    def observe_result_cache(self, backend: str, counts: CacheCounts) -> None:
        """Show how many prompts the result cache knew, shared and missed."""

        def read(_: CallbackOptions) -> Iterable[Observation]:
            for found in fields(counts):
                by = {"backend": backend, "result": found.name}
                yield Observation(getattr(counts, found.name), by)

        def read_rate(_: CallbackOptions) -> Iterable[Observation]:
            known = counts.hits + counts.joined
            if known + counts.misses:
                yield Observation(known / (known + counts.misses), {"backend": backend})

        self.meter.create_observable_counter(
            "groundwire.result.cache.prompts", [read], "{prompt}", "Prompts, by what was known."
        )
        self.meter.create_observable_gauge(
            "groundwire.result.cache.hit.rate", [read_rate], "1",
            "The share of prompts since the start that nobody had to compute for the call.",
        )  # fmt: skip

    def observe_records(self, place: str, counts: WorkCounts) -> None:
        """Show what was written down of detections, and what was lost."""

        def read(_: CallbackOptions) -> Iterable[Observation]:
            for found in fields(counts):
                by = {"place": place, "result": found.name}
                yield Observation(getattr(counts, found.name), by)

        self.meter.create_observable_counter(
            "groundwire.records", [read], "{record}", "Records of detections, by what became of it."
        )

    def observe_predicted_wait(self, backend: str, read_s: Callable[[], float | None]) -> None:
        """Show how long a call would wait that came now, read when metrics are collected."""

        def read(_: CallbackOptions) -> Iterable[Observation]:
            # Not known and 0 would look alike to whoever scales by it: then there is no number.
            if (wait_s := read_s()) is not None:
                yield Observation(wait_s, {"backend": backend})

        self.meter.create_observable_gauge(
            "groundwire.predicted.wait", [read], "s", "Time until all is read that waits or runs."
        )

    def observe_predictions(self, backend: str, predictions: Predictions) -> None:
        """Show how well the time of calls is foreseen, and how many were refused for it."""
        for name, unit, text in (
            ("calls", "{call}", "Calls whose time was foreseen."),
            ("actual_s", "s", "The time that they took, in sum."),
            ("absolute_error_s", "s", "How far it was from what was foreseen, in sum."),
            ("refused", "{call}", "Calls refused, since they would likely have been late."),
        ):

            def read(_: CallbackOptions, name: str = name) -> Iterable[Observation]:
                yield Observation(getattr(predictions, name), {"backend": backend})

            self.meter.create_observable_counter(
                f"groundwire.prediction.{name.removesuffix('_s').replace('_', '.')}",
                [read],
                unit,
                text,
            )

    def record_call(self, method: str, code: str, duration_s: float, tenant: str = "") -> None:
        """Count one finished call, and for its tenant, by the label, where there are any."""
        self._call_s.record(duration_s, {"method": method, "code": code})
        if tenant:
            self._tenant_s.record(duration_s, {"tenant": tenant, "code": code})

    def _record_target(self, method: str, claims: int, total_s: float) -> None:
        bands = (name for most, name in CLAIM_BANDS if claims <= most)
        by = {"method": method, "claims": next(bands, MOST_CLAIMS_BAND)}
        self._target_share.record(total_s / target_s(claims), by)

    def record_refusal(self, reason: str) -> None:
        """Count one call that ended with an error."""
        self._refusals.add(1, {"reason": reason})

    def record_batch(self, batch: BatchEstimate, method: str, total_s: float) -> None:
        """Count what one batch cost and gave, after so many seconds."""
        self._record_target(method, len(batch.estimates), total_s)
        by = {"backend": batch.backend}
        answered = sum(estimate.probability is not None for estimate in batch.estimates)
        self._verified.add(answered, {**by, "method": method})
        self._claims.add(answered, {**by, "answered": "true"})
        self._claims.add(len(batch.estimates) - answered, {**by, "answered": "false"})
        self._batch.record(len(batch.estimates), by)
        self._queue_s.record(batch.queue_s, by)
        self._inference_s.record(batch.inference_s, by)
        computed = batch.usage.prompt_tokens - batch.usage.cached_tokens
        self._tokens.add(computed, {**by, "kind": "computed"})
        self._tokens.add(batch.usage.cached_tokens, {**by, "kind": "cached"})
        for estimate in batch.estimates:
            self._mass.record(estimate.label_mass, by)

    def record_detection(self, detection: Detection) -> None:
        """Count what one detection cost and gave, and log it as one event."""
        done, method = detection.verification, detection.call.method
        if detection.call.is_awaited:
            self._record_target(method, len(done.verdicts), detection.total_s)
        by = {"backend": done.backend}
        verdicts: Counter[str] = Counter()
        for verdict in done.verdicts:
            named = {"verdict": verdict.verdict.name, "reason": verdict.reason.name}
            verdicts[verdict.verdict.name] += 1
            self._verdicts.add(1, {**by, **named})
            for estimate in (
                verdict.posterior,
                verdict.prior,
                verdict.closed_book,
                verdict.cited_alone,
            ):
                if estimate is not None:
                    self._mass.record(estimate.label_mass, by)
        for name, count in verdicts.items():
            if name != Verdict.NOT_VERIFIED.name:
                self._verified.add(count, {**by, "method": method})
            if name in HALLUCINATIONS:
                self._detected.add(count, {**by, "method": method, "status": name})
        self._batch.record(len(done.verdicts), by)
        if done.cut_short is None:
            # What was cut short had waited as long as nobody knows.
            self._queue_s.record(done.queue_s, by)
            self._inference_s.record(done.inference_s, by)
        usage = done.usage
        self._tokens.add(usage.computed_tokens, {**by, "kind": "computed"})
        self._tokens.add(usage.prompt_tokens - usage.computed_tokens, {**by, "kind": "cached"})
        self._log_detection(detection, verdicts)

    def _log_detection(self, detection: Detection, verdicts: Counter[str]) -> None:
        done = detection.verification
        if not detections.isEnabledFor(logging.INFO):
            return
        confidence = detection.confidence
        gaps = (v.budget.gap_bits for v in done.verdicts if v.budget is not None)
        detections.info(
            "detection %s",
            Fields(
                id=detection.call.id,
                method=detection.call.method,
                backend=done.backend,
                model=done.model or None,
                identity=None if done.info is None else done.info.identity,
                claims=len(done.verdicts),
                verdicts=verdicts,
                outcomes=Counter(detection.outcomes),
                largest_gap_bits=max(gaps, default=None),
                cut_short=None if done.cut_short is None else done.cut_short.name,
                queue_s=done.queue_s,
                inference_s=done.inference_s,
                total_s=detection.total_s,
                **({} if confidence is None else {"confidence": confidence}),
            ),
        )

    def record_facts(self, decisions: Iterable[FactDecision]) -> None:
        """Count what the memory gate decided."""
        for each in decisions:
            self._facts.add(1, {"decision": each.decision.name, "reason": each.reason.name})

    def record_output(self, event: str, reason: str = "") -> None:
        """Count what became of an output: queued, skipped, done, flagged, postponed or failed."""
        self._outputs.add(1, {"event": event, "reason": reason})

    def observe_queue(self, pieces: Callable[[], int], size_bytes: Callable[[], int]) -> None:
        """Show what waits or runs in the background, read when metrics are collected."""
        for name, unit, text, count in (
            ("outputs", "{output}", "Outputs that wait or run.", pieces),
            ("bytes", "By", "Bytes of them in their store.", size_bytes),
        ):

            def read(_: CallbackOptions, count: Callable[[], int] = count) -> Iterable[Observation]:
                yield Observation(count())

            self.meter.create_observable_gauge(f"groundwire.queued.{name}", [read], unit, text)

    def record_audit(self, audit: TraceAudit) -> None:
        """Count what one audit of a trace gave, beside its verdicts."""
        by = {"backend": audit.verification.backend}
        for step in audit.steps:
            self._steps.add(1, {**by, "status": step.status.name})
        self._post_hoc.add(1, {**by, "status": audit.post_hoc.status.name})
        if audit.post_hoc.status is PostHocStatus.MISMATCH and audit.post_hoc.verdict is None:
            # Where the answer was read as a claim, that counts already.
            self._detected.add(1, {**by, "method": "AuditTrace", "status": "POST_HOC_MISMATCH"})

    def record_assessment(self, assessment: Assessment, detection_id: str) -> None:
        """Count what an assessment of a response gave, and log each layer as one event."""
        self._assessments.add(1, {"action": assessment.action.name})
        if assessment.is_likely_hallucination:
            by = {"backend": assessment.verification.backend, "method": "AssessResponse"}
            self._detected.add(1, {**by, "status": "LIKELY_HALLUCINATION"})
        for report in assessment.layers:
            reason = "" if report.reason is None else report.reason.name
            by = {"layer": report.layer.name, "state": report.state.name}
            self._layers.add(1, {**by, "reason": reason})
            if report.state is LayerState.RAN:
                self._layer_s.record(report.duration_s, {"layer": report.layer.name})
            detections.info(
                "assessment_layer %s",
                Fields(
                    id=detection_id,
                    **by,
                    reason=reason or None,
                    score=report.score,
                    findings=Counter(finding.kind.name for finding in report.findings),
                    cut_characters=report.cut_characters or None,
                    duration_s=report.duration_s,
                ),
            )

    def record_feedback(self, verdict: str) -> None:
        """Count what a person has said."""
        self._feedback.add(1, {"verdict": verdict})

    def record_similarity(self, sentences: int, unsupported: int) -> None:
        """Count the sentences of an answer that were compared, and those that are like nothing."""
        self._compared.add(sentences - unsupported, {"supported": "true"})
        self._compared.add(unsupported, {"supported": "false"})

    def mark_span(self, detection_id: str) -> None:
        """Write the id of a detection on the span of its call."""
        trace.get_current_span().set_attribute("groundwire.detection_id", detection_id)

    @contextmanager
    def span(
        self, name: str, attributes: dict[str, str | int], asked_by: str = ""
    ) -> Iterator[Span]:
        """A span below the current one, linked to that of the call which `asked_by` is of."""
        call = trace.get_current_span(propagate.extract({TRACE_PARENT: asked_by}))
        with self._tracer.start_as_current_span(
            name,
            attributes=attributes,
            links=[Link(call.get_span_context())] if asked_by else [],
            record_exception=False,
            set_status_on_exception=False,
        ) as span:
            try:
                yield span
            except BaseException as error:
                # Not its text: that of a bug could repeat the text of a request.
                span.set_status(StatusCode.ERROR, type(error).__name__)
                raise

    @contextmanager
    def call_span(self, method: str, metadata: Metadata | None, peer: str) -> Iterator[None]:
        """A span around a call, in the trace of its metadata, which says how the call ended."""
        if self.spans is None:
            yield
            return
        headers = {name: value for name, value in metadata or () if isinstance(value, str)}
        service, _, name = method.removeprefix("/").partition("/")
        attributes: dict[str, str | int] = {
            "rpc.system": "grpc",
            "rpc.service": service,
            "rpc.method": name,
        }
        if "user-agent" in headers:
            attributes["rpc.user_agent"] = headers["user-agent"]
        host, _, port = unquote(peer).removeprefix("ipv4:").removeprefix("ipv6:").rpartition(":")
        if host and not peer.startswith("unix:"):
            attributes |= {"net.peer.ip": host, "net.peer.port": port}
        with self._tracer.start_as_current_span(
            method,
            propagate.extract(headers),
            SpanKind.SERVER,
            attributes,
            record_exception=False,
            set_status_on_exception=False,
        ) as span:
            code = grpc.StatusCode.OK
            try:
                yield
            except CallFailedError as error:
                code = error.status.code
                if code in SERVER_FAULTS:
                    span.set_status(StatusCode.ERROR, f"{code}:{error}")
                raise
            except BaseException:
                code = grpc.StatusCode.CANCELLED
                raise
            finally:
                span.set_attribute("rpc.grpc.status_code", code.value[0])

    @contextmanager
    def plan_span(self, claims: int) -> Iterator[None]:
        """A span around the tokenising of so many claims."""
        with self.span("groundwire.plan", {"groundwire.claims": claims}):
            yield

    @contextmanager
    def read_span(
        self, plan: EstimationPlan | VerificationPlan, distinct_prompts: int
    ) -> Iterator[dict[str, str]]:
        """A span around the model's work.

        Gives its trace context in W3C form, for the engine; empty without a trace.
        """
        if self.spans is None:
            yield {}
            return
        attributes: dict[str, str | int] = {
            "groundwire.backend": plan.backend,
            "groundwire.distinct_prompts": distinct_prompts,
            "groundwire.prompt_tokens": plan.prompt_tokens,
        }
        with self.traced_span("groundwire.read", attributes) as headers:
            yield headers

    @contextmanager
    def traced_span(self, name: str, attributes: dict[str, str | int]) -> Iterator[dict[str, str]]:
        """A span around work of the engine's. Gives its trace context, as `read_span` does."""
        with self.span(name, attributes) as span:
            headers: dict[str, str] = {}
            if span.get_span_context().is_valid:
                propagate.inject(headers)
            yield headers

    def trace_parent(self) -> str:
        """The current span in W3C form, for work that is done later; empty without a trace."""
        headers: dict[str, str] = {}
        propagate.inject(headers)
        return headers.get(TRACE_PARENT, "")

    def close(self) -> None:
        """Send what is left, for FLUSH_TIMEOUT_S at most, and close the page."""
        sending = [
            threading.Thread(target=reader.shutdown, daemon=True) for reader in self._readers
        ]
        if self.spans is not None:
            sending.append(threading.Thread(target=self.spans.shutdown, daemon=True))
        for thread in sending:
            thread.start()
        until_s = time.monotonic() + FLUSH_TIMEOUT_S
        for thread in sending:
            thread.join(max(0.0, until_s - time.monotonic()))
        if any(thread.is_alive() for thread in sending):
            log.warning("otlp_endpoint: the last metrics and spans were not sent: no answer")
        if self._page is not None:
            self._page.close()


def _spans(resource: Resource, endpoint: str | None) -> TracerProvider | None:
    """Where spans go; None where nobody collects them, since making them costs every call time."""
    if not endpoint:
        return None
    provider = TracerProvider(resource=resource, shutdown_on_exit=False)
    exporter = OTLPSpanExporter(
        endpoint=endpoint,
        channel_options=channel_options(endpoint),  # type: ignore[arg-type]
    )
    provider.add_span_processor(BatchSpanProcessor(exporter))
    return provider
