"""Lines as logs of an OpenTelemetry collector."""

import time

from opentelemetry._logs import LogRecord, SeverityNumber
from opentelemetry.exporter.otlp.proto.grpc._log_exporter import OTLPLogExporter
from opentelemetry.sdk._logs import ReadableLogRecord
from opentelemetry.sdk._logs.export import LogRecordExportResult
from opentelemetry.sdk.resources import Resource

from groundwire_server.config.credentials import channel_options

EXPORT_TIMEOUT_S = 5.0


class OtlpLogs:
    """Sends lines to the collector at `endpoint`, each under the name of an event."""

    def __init__(self, endpoint: str, service_version: str, event: str) -> None:
        self._exporter = OTLPLogExporter(
            endpoint=endpoint,
            timeout=EXPORT_TIMEOUT_S,
            channel_options=channel_options(endpoint),  # type: ignore[arg-type]
        )
        self._resource = Resource.create(
            {"service.name": "groundwire", "service.version": service_version}
        )
        self._event = event

    def write(self, line: bytes) -> None:
        """Send a line, and wait until it is received. Raises OSError if it is not."""
        at_ns = time.time_ns()
        record = LogRecord(
            timestamp=at_ns,
            observed_timestamp=at_ns,
            severity_number=SeverityNumber.INFO,
            severity_text="INFO",
            body=line.decode().rstrip("\n"),
            event_name=self._event,
        )
        sent = self._exporter.export([ReadableLogRecord(record, self._resource)])
        if sent is not LogRecordExportResult.SUCCESS:
            raise ConnectionError(None, "the collector does not take it")

    def close(self) -> None:
        """End the connection."""
        self._exporter.shutdown()
