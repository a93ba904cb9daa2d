"""A process of our own that works beside the server, and ends with it."""

import subprocess
import tempfile

OUTPUT_LIMIT_CHARS = 2000


def run_child(command: list[str], limit_s: float) -> tuple[int, str]:
    """Its exit status and its last words, which no terminal shows; raises TimeoutExpired.

    Its standard input ends with this process: by that it knows that nobody waits for it.
    """
    with tempfile.TemporaryFile() as output:
        with subprocess.Popen(  # noqa: S603  our own interpreter and file
            command, stdin=subprocess.PIPE, stdout=output, stderr=subprocess.STDOUT
        ) as child:
            try:
                status = child.wait(timeout=limit_s)
            except BaseException:
                child.kill()
                raise
        output.seek(0)
        return status, output.read().decode(errors="replace").strip()[-OUTPUT_LIMIT_CHARS:]
