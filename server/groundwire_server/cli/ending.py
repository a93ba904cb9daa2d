"""How a command ends: its exit code, and why it failed on standard error."""

import logging
import multiprocessing
import os
import sys
from collections.abc import Callable

from groundwire_server.exit_codes import (
    EXIT_CONFIG,
    EXIT_MODEL,
    EXIT_PIPE_CLOSED,
    EXIT_UNFORESEEN,
)


def ended(run: Callable[[], int]) -> int:
    """The exit code of what runs, and on standard error why it failed."""
    try:
        code = run()
        if sys.stdout is not None:
            sys.stdout.flush()
        return code
    except KeyboardInterrupt:
        return 128 + 2
    except (BrokenPipeError, SystemExit) as error:
        # Rich ends a command by itself, with a code that has a meaning.
        if isinstance(error, SystemExit) and not isinstance(error.__context__, BrokenPipeError):
            raise
        # Who read has seen enough. What is left would fail once more when Python ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return EXIT_PIPE_CLOSED
    except Exception as error:  # noqa: BLE001 - the edge of this process
        return _failed(error)


def _failed(error: Exception) -> int:
    # Here, since they bring all settings: a command that needs none starts half a second sooner.
    from groundwire_server.config.sources import ConfigError
    from groundwire_server.models.sources import ModelStoreError
    from groundwire_verifier.domain.errors import BackendFailedError, UnusableModelError

    if isinstance(error, ConfigError):
        return _fail(f"configuration: {error}", EXIT_CONFIG)
    if isinstance(error, (ModelStoreError, UnusableModelError, BackendFailedError)):
        return _fail(f"model: {error}", EXIT_MODEL)
    # Python itself would end with 1, which has a meaning.
    log = logging.getLogger("groundwire")
    log.critical("this is a bug of groundwire's:", exc_info=error)
    return EXIT_UNFORESEEN


def _fail(text: str, code: int) -> int:
    print(f"groundwire: {text}", file=sys.stderr)
    return code


def end_loading(code: int) -> int:
    """The same exit code, or the end of a process that was stopped in the middle of a load."""
    from groundwire_verifier.engine.loading import is_loading

    if is_loading():
        # It cannot be interrupted: end it and its processes.
        for child in multiprocessing.active_children():
            child.kill()
        logging.shutdown()
        os._exit(code)
    return code
