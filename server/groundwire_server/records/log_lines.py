"""How lines of the log look: text for people, or JSON, an object a line.

An event is logged as `log.info("name %s", Fields(...))`. As text its fields stand behind its name
as `key=value`, so that programs can read them there, too. A line that is logged while a span is
open ends with the ids of its trace and its span.
"""

import json
import logging
from collections.abc import Mapping
from datetime import UTC, datetime

from opentelemetry import trace

TEXT_FORM = "%(asctime)s %(levelname)s %(name)s: %(message)s"


class Fields(dict[str, str | int | float | Mapping[str, int] | None]):
    """Fields of a line by their names. As text: `a=1 b.C=2`; what is None is left out."""

    def __str__(self) -> str:
        words = []
        for name, value in self.items():
            if isinstance(value, Mapping):
                words += [f"{name}.{key}={count}" for key, count in value.items()]
            elif isinstance(value, float):
                words.append(f"{name}={value:.6g}")
            elif value is not None:
                words.append(f"{name}={value}")
        return " ".join(words)


def _trace_ids() -> Fields:
    """The ids of the open span, under OpenTelemetry's names in logs that are no OTLP."""
    span = trace.get_current_span().get_span_context()
    if not span.is_valid:
        return Fields()
    return Fields(
        trace_id=trace.format_trace_id(span.trace_id), span_id=trace.format_span_id(span.span_id)
    )


class TextLines(logging.Formatter):
    """Time, level, logger and message, as people read them."""

    def __init__(self) -> None:
        super().__init__(TEXT_FORM)

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - named by logging
        """The first line of a record; what an exception adds comes after it."""
        return f"{super().formatMessage(record)} {_trace_ids()}".rstrip(" ")


class JsonLines(logging.Formatter):
    """An object a line: time, level, logger, then event and its fields, or the message."""

    def format(self, record: logging.LogRecord) -> str:
        at = datetime.fromtimestamp(record.created, UTC)
        line: dict[str, object] = {
            "time": at.isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
        }
        fields = record.args[0] if isinstance(record.args, tuple) and record.args else record.args
        if isinstance(fields, Fields):
            line |= {"event": record.msg.partition(" ")[0], **fields}
        else:
            line["message"] = record.getMessage()
        line |= _trace_ids()
        if record.exc_info:
            line["exception"] = self.formatException(record.exc_info)
        return json.dumps(line, ensure_ascii=False, default=str)


def formatter(log_format: str) -> logging.Formatter:
    """How lines look under the setting `log_format`."""
    return JsonLines() if log_format == "json" else TextLines()
