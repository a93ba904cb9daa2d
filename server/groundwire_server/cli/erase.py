"""`groundwire erase`: what a running server keeps of a caller's detections is deleted."""

import argparse
from collections.abc import Mapping

from groundwire import GroundwireError, InvalidRequestError
from groundwire_server.cli import flags
from groundwire_server.client_connection import connect, failed
from groundwire_server.config.sources import ConfigError
from groundwire_server.exit_codes import EXIT_OK


def add(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    which = parser.add_mutually_exclusive_group(required=True)
    which.add_argument(
        "detection_id",
        nargs="?",
        metavar="ID",
        help="the detection_id of a result, or the id of an output",
    )
    which.add_argument(
        "--all",
        action="store_true",
        help="everything of your tenant, or of your token if it has no tenant",
    )
    flags.add_client_settings(parser)


def run(arguments: argparse.Namespace, environment: Mapping[str, str]) -> int:
    """Delete a detection, or all of the caller's.

    Raises ConfigError if the id is none or the connection is misconfigured.
    """
    settings = flags.client(arguments, environment)
    detection_id = arguments.detection_id
    try:
        with connect(settings) as client:
            erased = (
                client.erase_all_detections()
                if detection_id is None
                else client.erase_detection(detection_id)
            )
    except InvalidRequestError:
        raise ConfigError(
            "ID: no id of 32 hexadecimal digits: give the detection_id of a result, the id of an "
            "output, or --all"
        ) from None
    except GroundwireError as error:
        return failed(error, settings)
    print(
        f"deleted: {erased.feedback} detections kept for feedback, {erased.outputs} outputs,"
        f" {erased.audit_lines} lines of the audit record"
    )
    return EXIT_OK
