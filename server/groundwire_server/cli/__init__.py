"""Where the commands begin. The rest takes seconds to import, and so it is imported in `start`."""

import os
import signal
import sys


def start() -> int:
    """Run one command and return the process's exit code."""
    if os.getpid() == 1:
        # The kernel drops a SIGTERM to the first process of a container that has no handler for it,
        # and the server would go on to start.
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    try:
        from groundwire_server.cli.main import main

        return main()
    except KeyboardInterrupt:  # while a command is still imported, which takes seconds
        return 128 + signal.SIGINT
