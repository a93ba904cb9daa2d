"""The process that downloads: `pip download`, which ends when the process that started it ends.

Run as a script by `models.sources`, with the folder for temporary files and what pip is to do.
"""

import os
import runpy
import sys
import tempfile
import threading


def _leave_with_parent() -> None:
    # The parent keeps our standard input open and writes nothing: the end of it is the parent's.
    os.read(sys.stdin.fileno(), 1)
    os._exit(3)


if __name__ == "__main__":
    threading.Thread(target=_leave_with_parent, daemon=True).start()
    tempfile.tempdir = sys.argv[1]
    sys.argv = ["pip", "download", *sys.argv[2:]]
    runpy.run_module("pip", run_name="__main__")
