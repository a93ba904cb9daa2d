"""The client for asyncio."""

from groundwire._clients.agents import AsyncAgentCalls
from groundwire._clients.detectors import AsyncDetectorCalls
from groundwire._clients.verifier import AsyncVerifierCalls


class AsyncClient(AsyncVerifierCalls, AsyncAgentCalls, AsyncDetectorCalls):
    """As Client, for asyncio: the same arguments, results and errors.

    It may be made anywhere, and belongs to the event loop of its first call.
    Cancelling the task that awaits a call cancels the call in the server too.
    """
