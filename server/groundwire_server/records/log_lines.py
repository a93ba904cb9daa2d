"""How lines of the log look: text for people, or JSON, an object a line.

An event is logged as `log.info("name %s", Fields(...))`. As text its fields stand behind its name
as `key=value`, so that programs can read them there, too. Knows forms, and not what is logged.
"""

import json
import logging
from collections.abc import Mapping
from datetime import UTC, datetime

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


class JsonLines(logging.Formatter):
    """An object a line: time, level, logger, then event and its fields, or the message."""

    def format(self, record: logging.LogRecord) -> str:
        """The line of a record."""
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
        if record.exc_info:
            line["exception"] = self.formatException(record.exc_info)
        return json.dumps(line, ensure_ascii=False, default=str)


def formatter(log_format: str) -> logging.Formatter:
    """How lines look under the setting `log_format`."""
    return JsonLines() if log_format == "json" else logging.Formatter(TEXT_FORM)
