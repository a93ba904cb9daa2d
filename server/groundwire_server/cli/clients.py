"""Whom a command asks: a running server, or a model that it loads itself."""

import logging
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager

from rich.console import Console

from groundwire import Client
from groundwire_server.client_connection import connect
from groundwire_server.config.settings import ClientSettings, ServerSettings
from groundwire_verifier.checks.corpus.passages import EvidenceProvider


@contextmanager
def client_of(
    asked: ClientSettings | ServerSettings,
    corpora: Mapping[str, EvidenceProvider],
    loading: str = "loading the model",
) -> Iterator[Client]:
    """A client of a running server, or of one in this process, which has these corpora, too.

    A terminal shows `loading` while the model loads. Raises what `connect` or `in_process` does.
    """
    if isinstance(asked, ClientSettings):
        with connect(asked) as client:
            yield client
        return
    # It takes seconds to import.
    from groundwire_server.in_process import alone, in_process

    logging.getLogger("vllm").setLevel(logging.ERROR)
    with ExitStack() as stack:
        with Console(stderr=True).status(loading):
            client = stack.enter_context(in_process(alone(asked), corpora))
        yield client
