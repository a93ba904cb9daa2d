"""A small OpenTelemetry collector for the tests: keeps the spans and logs that it is sent."""

import contextlib
import threading
from collections.abc import Iterator
from concurrent import futures
from dataclasses import dataclass, field

import grpc
from opentelemetry.proto.collector.logs.v1 import logs_service_pb2 as logs_pb
from opentelemetry.proto.collector.logs.v1 import logs_service_pb2_grpc as logs_grpc
from opentelemetry.proto.collector.metrics.v1 import metrics_service_pb2 as metrics_pb
from opentelemetry.proto.collector.metrics.v1 import metrics_service_pb2_grpc as metrics_grpc
from opentelemetry.proto.collector.trace.v1 import trace_service_pb2 as trace_pb
from opentelemetry.proto.collector.trace.v1 import trace_service_pb2_grpc as trace_grpc
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord
from opentelemetry.proto.trace.v1.trace_pb2 import Span


@dataclass
class Collector:
    """What was received so far, and a condition that is notified at each arrival of spans."""

    endpoint: str = ""
    spans: list[Span] = field(default_factory=list)
    logs: list[LogRecord] = field(default_factory=list)
    refuses_logs: bool = False
    arrived: threading.Condition = field(default_factory=threading.Condition)

    def wait_for(self, trace_id: str, names: set[str], timeout_s: float) -> dict[str, Span]:
        """The spans of a trace by name, once all of `names` are there."""

        def found() -> dict[str, Span]:
            return {s.name: s for s in self.spans if s.trace_id.hex() == trace_id}

        with self.arrived:
            self.arrived.wait_for(lambda: names <= found().keys(), timeout_s)
            return found()


class _Traces(trace_grpc.TraceServiceServicer):
    def __init__(self, collector: Collector) -> None:
        self._collector = collector

    def Export(
        self, request: trace_pb.ExportTraceServiceRequest, context: grpc.ServicerContext
    ) -> trace_pb.ExportTraceServiceResponse:
        with self._collector.arrived:
            for resource in request.resource_spans:
                for scope in resource.scope_spans:
                    self._collector.spans.extend(scope.spans)
            self._collector.arrived.notify_all()
        return trace_pb.ExportTraceServiceResponse()


class _Logs(logs_grpc.LogsServiceServicer):
    def __init__(self, collector: Collector) -> None:
        self._collector = collector

    def Export(
        self, request: logs_pb.ExportLogsServiceRequest, context: grpc.ServicerContext
    ) -> logs_pb.ExportLogsServiceResponse:
        if self._collector.refuses_logs:
            context.abort(grpc.StatusCode.INVALID_ARGUMENT, "no logs here")
        for resource in request.resource_logs:
            for scope in resource.scope_logs:
                self._collector.logs.extend(scope.log_records)
        return logs_pb.ExportLogsServiceResponse()


class _Metrics(metrics_grpc.MetricsServiceServicer):
    def Export(
        self, request: metrics_pb.ExportMetricsServiceRequest, context: grpc.ServicerContext
    ) -> metrics_pb.ExportMetricsServiceResponse:
        return metrics_pb.ExportMetricsServiceResponse()


@contextlib.contextmanager
def collecting() -> Iterator[Collector]:
    """A collector on a free port of loopback."""
    collector = Collector()
    server = grpc.server(futures.ThreadPoolExecutor(2))
    trace_grpc.add_TraceServiceServicer_to_server(  # type: ignore[no-untyped-call]
        _Traces(collector), server
    )
    logs_grpc.add_LogsServiceServicer_to_server(  # type: ignore[no-untyped-call]
        _Logs(collector), server
    )
    metrics_grpc.add_MetricsServiceServicer_to_server(  # type: ignore[no-untyped-call]
        _Metrics(), server
    )
    collector.endpoint = f"http://127.0.0.1:{server.add_insecure_port('127.0.0.1:0')}"
    server.start()
    try:
        yield collector
    finally:
        server.stop(None).wait()
