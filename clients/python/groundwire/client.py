"""The client that blocks. Its calls are generated from those of the client for asyncio."""

from groundwire._clients.blocking.agents import AgentCalls
from groundwire._clients.blocking.detectors import DetectorCalls
from groundwire._clients.blocking.verifier import VerifierCalls


class Client(VerifierCalls, AgentCalls, DetectorCalls):
    """A client of one Groundwire server, over one channel. Threads may share it.

    A call that finds the server UNAVAILABLE is tried up to four times, about
    0.2, 0.4 and 0.8 s apart; nothing else is tried again. Retries have a budget,
    which all clients of a process share for one target: after four or five
    failures in a row there are none until calls have succeeded, ten for each.
    Every call has a time-out, retries included. Calls raise the exceptions of
    `groundwire.errors`.
    """
