"""Two callers of one server, which tell them apart by their tokens."""

from collections.abc import Callable

from groundwire import BatchResult, Client
from tests.serving import Served

ONE, ANOTHER = "violet-anvil-7", "amber-kettle-3"
CONTEXT = "The windmill at Thornby was finished in 1871 and is 42 metres high. " * 8
CLAIM, NEXT_CLAIM = "The windmill is 42 metres high.", "The windmill was built in 1871."


def asking(served: Served) -> Callable[[str, str], BatchResult]:
    """What the server reads of a claim on CONTEXT, by the caller's token."""

    def ask(token: str, claim: str) -> BatchResult:
        with Client(served.target, token=token, timeout_s=120) as client:
            return client.batch_estimate([claim], CONTEXT)

    return ask
