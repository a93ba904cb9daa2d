"""The standard reflection service, whose streams have an end."""

import asyncio
from collections.abc import AsyncIterator, Iterable

import grpc
from grpc import aio
from grpc_reflection.v1alpha import reflection
from grpc_reflection.v1alpha import reflection_pb2 as pb
from grpc_reflection.v1alpha._async import ReflectionServicer

from groundwire_server.rpc.admission import PendingLimit, QueueFullError
from groundwire_server.rpc.calls import Context, PeerLeftError, begin_response, end_call, to_its_end
from groundwire_server.rpc.status import CallTimeoutError, status_of

NAME: str = reflection.SERVICE_NAME
MAX_STREAMS = 20
STREAM_TIMEOUT_S = 60.0
MAX_QUESTION_BYTES = 4096
"""What is longer names nothing of ours, and is not sent back with the answer, as a question is."""


class Reflection:
    """Describes the services to tools that know no contract."""

    def __init__(self, services: Iterable[str]) -> None:
        self._standard = ReflectionServicer(services)
        self._places = PendingLimit("reflection streams", MAX_STREAMS)

    def add_to(self, server: aio.Server) -> None:
        """Let a server answer the calls of the service."""
        handler = grpc.stream_stream_rpc_method_handler(
            self._answer,
            _question,
            pb.ServerReflectionResponse.SerializeToString,
        )
        handlers = {"ServerReflectionInfo": handler}
        server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(NAME, handlers),))

    async def _answer(
        self, questions: AsyncIterator[pb.ServerReflectionRequest], context: Context
    ) -> None:
        try:
            with self._places.hold(1):
                async with asyncio.timeout(STREAM_TIMEOUT_S):
                    await begin_response(context)
                    async for answer in self._standard.ServerReflectionInfo(questions, context):
                        await to_its_end(context.write(answer))
        except TimeoutError:
            words = f"a reflection stream may take {STREAM_TIMEOUT_S:g} s; open another one"
            await end_call(context, status_of(CallTimeoutError(words)))
        except QueueFullError as error:
            await end_call(context, status_of(error))
        except PeerLeftError:
            pass  # nobody is there to be told


def _question(data: bytes) -> pb.ServerReflectionRequest:
    """A question; an empty one, which is answered as wrong, in place of one that is too long."""
    is_short = len(data) <= MAX_QUESTION_BYTES
    return pb.ServerReflectionRequest.FromString(data) if is_short else pb.ServerReflectionRequest()
