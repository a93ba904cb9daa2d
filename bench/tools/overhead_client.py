"""The client side of the overhead bench: a process of its own, so that it does not share the
server's interpreter. A module of its own, so that this process loads the client alone, as a user's
does: `bench.overhead` would bring the server along.

Reads one JSON object a line, `claims` and `context`, calls BatchEstimate, and writes one JSON
object a line: how long the call took here and what the server said of it.
"""

import json
import sys
import time

from groundwire import Client

CALL_TIMEOUT_S = 120.0


def main(target: str) -> None:
    """Answer lines until there are no more."""
    with Client(target, timeout_s=CALL_TIMEOUT_S) as client:
        for line in sys.stdin:
            request = json.loads(line)
            began_s = time.perf_counter()
            result = client.batch_estimate(request["claims"], request["context"])
            elapsed_s = time.perf_counter() - began_s
            answer = {
                "elapsed_s": elapsed_s,
                "server_s": result.timing.total_s,
                "queue_s": result.timing.queue_s,
                "inference_s": result.timing.inference_s,
                "prompt_tokens": result.usage.prompt_tokens,
                "cached_tokens": result.usage.cached_tokens,
            }
            print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
