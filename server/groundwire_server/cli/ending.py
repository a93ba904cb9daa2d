"""How a command ends: its exit code, and why it failed on standard error."""

import logging
import multiprocessing
import os
import sys
from collections.abc import Callable

from groundwire_server.config.sources import ConfigError
from groundwire_server.exit_codes import (
    EXIT_CONFIG,
    EXIT_MODEL,
    EXIT_PIPE_CLOSED,
    EXIT_UNFORESEEN,
)
from groundwire_server.models.store import ModelStoreError
from groundwire_verifier.domain.errors import BackendFailedError, UnusableModelError


def ended(run: Callable[[], int]) -> int:
    """The exit code of what runs, and on standard error why it failed."""
    try:
        code = run()
        if sys.stdout is not None:
            sys.stdout.flush()
        return code
    except ConfigError as error:
        return _fail(f"configuration: {error}", EXIT_CONFIG)
    except (ModelStoreError, UnusableModelError, BackendFailedError) as error:
        return _fail(f"model: {error}", EXIT_MODEL)
    except KeyboardInterrupt:
        return 128 + 2
    except BrokenPipeError:
        # Who read has seen enough. What is left would fail once more when Python ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return EXIT_PIPE_CLOSED
    except Exception:
        # Python itself would end with 1, which has a meaning.
        logging.getLogger("groundwire").critical("this is a bug of groundwire's:", exc_info=True)
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
