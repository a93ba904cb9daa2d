"""Calls that never raise into the work of their caller."""

import asyncio
import logging

import grpc
import pytest

from groundwire import (
    AsyncClient,
    Client,
    DeadlineExceededError,
    InternalError,
    InvalidRequestError,
    UnavailableError,
    attempted,
    attempted_async,
)
from tests.client.plain_answers import batch_response
from tests.client.scripted import Hold, ScriptedServer, Step, failing

SECRET = "the treaty of Elbonia"
CALLS_THAT_FAIL = [
    (failing(grpc.StatusCode.INTERNAL, "INTERNAL"), InternalError),
    (failing(grpc.StatusCode.INVALID_ARGUMENT, "CLAIM_TOO_LONG"), InvalidRequestError),
    (failing(grpc.StatusCode.DEADLINE_EXCEEDED), DeadlineExceededError),
]


def test_a_call_that_returns_has_its_result_and_no_error(server: ScriptedServer) -> None:
    with Client(server.target) as client:
        attempt = attempted(client.batch_estimate, ["0.75"], "context", timeout_s=20.0)
    assert attempt.error is None
    assert attempt.result is not None
    assert attempt.result[0].probability == 0.75


@pytest.mark.parametrize(("step", "kind"), CALLS_THAT_FAIL)
def test_a_call_that_fails_has_its_error_and_no_result(
    server: ScriptedServer, step: Step, kind: type[Exception]
) -> None:
    server.script(step)
    with Client(server.target) as client:
        attempt = attempted(client.batch_estimate, ["0.75"], "context")
    assert attempt.result is None
    assert isinstance(attempt.error, kind)


def test_a_server_that_is_gone_raises_nothing(server: ScriptedServer) -> None:
    server.stop()
    with Client(server.target) as client:
        attempt = attempted(client.verify_answer, "answer", "context", timeout_s=20.0)
    assert isinstance(attempt.error, UnavailableError)


def test_a_server_that_hangs_raises_nothing(server: ScriptedServer) -> None:
    server.script(Hold())
    with Client(server.target) as client:
        attempt = attempted(client.batch_estimate, ["0.75"], "context", timeout_s=0.2)
    assert isinstance(attempt.error, DeadlineExceededError)


def test_an_argument_that_cannot_be_used_raises_nothing(server: ScriptedServer) -> None:
    with Client(server.target) as client:
        attempt = attempted(client.batch_estimate, 3)  # type: ignore[arg-type]
    assert isinstance(attempt.error, TypeError)


def test_what_is_logged_names_the_error_and_no_text(
    server: ScriptedServer, caplog: pytest.LogCaptureFixture
) -> None:
    server.script(failing(grpc.StatusCode.INTERNAL, "INTERNAL", f"cannot read {SECRET}"))
    with Client(server.target) as client, caplog.at_level(logging.WARNING, "groundwire"):
        attempted(client.batch_estimate, ["0.75"], SECRET)
    assert "InternalError (INTERNAL)" in caplog.text
    assert SECRET not in caplog.text


def test_an_interrupt_is_no_failed_call() -> None:
    def interrupted() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        attempted(interrupted)


async def test_the_same_for_asyncio(server: ScriptedServer) -> None:
    server.script(batch_response("0.75"), failing(grpc.StatusCode.INTERNAL, "INTERNAL"))
    async with AsyncClient(server.target) as client:
        good = await attempted_async(client.batch_estimate, ["0.75"], "context")
        bad = await attempted_async(client.batch_estimate, ["0.75"], "context")
    assert good.error is None
    assert good.result is not None
    assert good.result[0].probability == 0.75
    assert bad.result is None
    assert isinstance(bad.error, InternalError)


async def test_a_cancelled_task_stays_cancelled(server: ScriptedServer) -> None:
    hold = Hold()
    server.script(hold)
    async with AsyncClient(server.target) as client:
        task = asyncio.create_task(attempted_async(client.batch_estimate, ["0.75"], "context"))
        await asyncio.to_thread(hold.entered.wait)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
