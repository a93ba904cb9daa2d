"""The operator's own words for the first layer of an assessment, out of a file."""

import json

from groundwire_server.config.settings import ServerSettings
from groundwire_server.config.sources import ConfigError, read_bytes
from groundwire_verifier.checks.assessment.patterns import Patterns, checked_tables

SETTING = "response_assessment_patterns_file"


def read_patterns(settings: ServerSettings) -> Patterns:
    """The patterns that ship and those of the file, where one is set.

    Raises ConfigError if the file cannot be read, or is not what it has to be.
    """
    path = settings.response_assessment_patterns_file
    if path is None:
        return Patterns()
    data = read_bytes(path.expanduser(), SETTING)
    try:
        return Patterns(checked_tables(json.loads(data)))
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"{SETTING}: {path}: {error}") from error
