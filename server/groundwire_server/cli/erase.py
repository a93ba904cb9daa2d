"""`groundwire erase`: what a running server keeps of a caller's detections is deleted."""

from groundwire import GroundwireError
from groundwire_server.client_connection import connect, failed
from groundwire_server.config.settings import ClientSettings
from groundwire_server.exit_codes import EXIT_OK


def erase(settings: ClientSettings, detection_id: str | None) -> int:
    """Delete a detection, or all of the caller's where it is None; the exit code.

    Raises ConfigError if the connection is misconfigured.
    """
    try:
        with connect(settings) as client:
            erased = (
                client.erase_all_detections()
                if detection_id is None
                else client.erase_detection(detection_id)
            )
    except GroundwireError as error:
        return failed(error, settings)
    print(
        f"deleted: {erased.feedback} detections kept for feedback, {erased.outputs} outputs,"
        f" {erased.audit_lines} lines of the audit record"
    )
    return EXIT_OK
