"""What a server keeps of a caller is deleted: one detection or all, from every file, by call and by
command."""

import asyncio
import base64
import contextlib
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import TYPE_CHECKING

import grpc
import pytest
from grpc import aio

from groundwire.v1 import feedback_pb2 as pb
from groundwire.v1 import hallucination_detection_pb2 as detection_pb
from groundwire.v1.feedback_pb2_grpc import FeedbackStub
from groundwire_server.cli.main import main
from groundwire_server.exit_codes import EXIT_CONFIG, EXIT_OK
from groundwire_server.records.rotating_file import RotatingFile
from tests.scripted import (
    WAIT_LIMIT_S,
    Scripted,
    ScriptedEngine,
    reason_of,
    scripted_server,
    violations_of,
)
from tests.scripted_services.detection import believes, documents, stub_of
from tests.scripted_services.outputs import bearer, end_of, get, submit, tool
from tests.scripted_services.tenants import make_tokens

if TYPE_CHECKING:
    from groundwire.v1.feedback_pb2_grpc import FeedbackAsyncStub

ADAS, BOBS = "The violet anvil rose in May.", "הקומקום הכתום נפל ביוני."
PASSAGE = "It is known that {}"


@contextlib.asynccontextmanager
async def keeping(folder: Path, **changes: object) -> AsyncIterator[Scripted]:
    """A server that keeps all that it can."""
    async with scripted_server(
        feedback_enabled=True,
        feedback_file=folder / "feedback.sqlite",
        audit_record_file=folder / "audit.jsonl",
        audit_record_text=True,
        output_verification_enabled=True,
        output_verification_store=str(folder / "outputs.sqlite"),
        **changes,  # type: ignore[arg-type]
    ) as served:
        served.engine.answer = believes({})
        yield served


def feedback_of(served: Scripted) -> "FeedbackAsyncStub":
    return FeedbackStub(served.channel)


async def detected(served: Scripted, text: str, token: str = "") -> str:
    request = detection_pb.VerifyClaimsRequest(
        claims=[detection_pb.ClaimInput(text=text)], evidence=documents(PASSAGE.format(text))
    )
    response = await stub_of(served).VerifyClaims(
        request, timeout=WAIT_LIMIT_S, metadata=bearer(token)
    )
    return response.run.detection_id


async def verified(served: Scripted, text: str, token: str = "") -> str:
    """The id of an output that is verified."""
    status = await submit(served, text, tool(PASSAGE.format(text)), token=token)
    await end_of(served, status.id, token)
    return status.id


async def erase(
    served: Scripted, detection_id: str | None, token: str = ""
) -> tuple[int, int, int]:
    """One detection, or all; how much is gone."""
    request = (
        pb.EraseDetectionsRequest(all=True)
        if detection_id is None
        else pb.EraseDetectionsRequest(detection_id=detection_id)
    )
    gone = await feedback_of(served).EraseDetections(
        request, timeout=WAIT_LIMIT_S, metadata=bearer(token)
    )
    return gone.feedback, gone.outputs, gone.audit_lines


def holds(folder: Path, text: str) -> bool:
    """Whether a text lies in any file: as it is, as JSON writes it, or in base64 at any place."""
    forms = [text.encode(), json.dumps(text)[1:-1].encode()]
    # The first and the last characters depend on what stands around it.
    forms += [base64.b64encode(b"x" * shift + text.encode())[4:-4] for shift in range(3)]
    files = [path for path in folder.rglob("*") if path.is_file()]
    return any(form in path.read_bytes() for path in files for form in forms)


async def test_a_detection_goes_from_feedback_and_audit_record_and_the_others_stay(
    tmp_path: Path,
) -> None:
    async with keeping(tmp_path) as served:
        mine = await detected(served, ADAS)
        await detected(served, BOBS)
        assert await erase(served, mine) == (1, 0, 1)
        assert not holds(tmp_path, ADAS)
        assert holds(tmp_path, BOBS)
        assert await erase(served, mine) == (0, 0, 0)
    assert not holds(tmp_path, ADAS)


@pytest.mark.parametrize("by", ["its own id", "the id of its detection"])
async def test_an_output_goes_with_its_request_and_result(tmp_path: Path, by: str) -> None:
    async with keeping(tmp_path) as served:
        mine = await verified(served, ADAS)
        others = await verified(served, BOBS)
        assert holds(tmp_path, ADAS)
        detection_id = (await get(served, mine)).result.report.run.detection_id
        assert detection_id != mine
        gone = await erase(served, mine if by == "its own id" else detection_id)
        assert gone == (1, 1, 1)
        assert not holds(tmp_path, ADAS)
        with pytest.raises(aio.AioRpcError) as caught:
            await get(served, mine)
        assert caught.value.code() is grpc.StatusCode.NOT_FOUND
        assert (await get(served, others)).HasField("result")
    assert not holds(tmp_path, ADAS)


async def test_an_output_that_is_being_read_is_stopped_and_kept_nowhere(tmp_path: Path) -> None:
    engine = ScriptedEngine()
    async with keeping(tmp_path, engine=engine) as served:
        engine.hold()
        status = await submit(served, ADAS, tool(PASSAGE.format(ADAS)))
        await engine.until(lambda: ADAS in engine.claims)
        assert await erase(served, status.id) == (0, 1, 0)
        engine.release()
        # Whatever it would leave, it has left before this one.
        await verified(served, BOBS)
        assert await erase(served, status.id) == (0, 0, 0)
    assert not holds(tmp_path, ADAS)


async def test_everything_of_a_tenant_goes_of_whatever_token_and_nothing_of_others(
    tmp_path: Path,
) -> None:
    ada, again, bob = make_tokens(tmp_path / "tokens", "ada", "ada", "bob")
    folder = tmp_path / "data"
    async with keeping(folder, auth_token_file=tmp_path / "tokens") as served:
        for token, text in ((ada, ADAS), (again, ADAS), (bob, BOBS)):
            await detected(served, text, token)
            await verified(served, text, token)
        assert await erase(served, None, again) == (4, 2, 4)
        assert not holds(folder, ADAS)
        assert await erase(served, None, ada) == (0, 0, 0)
        assert holds(folder, BOBS)
        assert await erase(served, None, bob) == (2, 1, 2)
    assert not holds(folder, BOBS)


async def test_nobody_deletes_what_is_anothers(tmp_path: Path) -> None:
    ada, bob = make_tokens(tmp_path / "tokens", "ada", "bob")
    async with keeping(tmp_path / "data", auth_token_file=tmp_path / "tokens") as served:
        mine, output = await detected(served, ADAS, ada), await verified(served, ADAS, ada)
        for each in (mine, output):
            assert await erase(served, each, bob) == (0, 0, 0)
        assert await erase(served, None, bob) == (0, 0, 0)
        assert await erase(served, output, ada) == (1, 1, 1)


def test_lines_go_from_files_that_were_rotated_and_new_ones_are_written_on(tmp_path: Path) -> None:
    path = tmp_path / "audit.jsonl"
    file = RotatingFile(path, max_bytes=8, max_files=3)
    for line in (b"violet\n", b"orange\n", b"violet\n"):
        file.write(line)
    assert file.erase(b"violet\n".__eq__) == 2
    file.write(b"green\n")
    file.close()
    contents = {each.name: each.read_bytes() for each in tmp_path.iterdir()}
    assert contents == {
        "audit.jsonl": b"green\n",
        "audit.jsonl.1": b"orange\n",
        "audit.jsonl.2": b"",
    }
    assert {each.stat().st_mode & 0o777 for each in tmp_path.iterdir()} == {0o600}


@pytest.mark.parametrize(
    "request_",
    [
        pb.EraseDetectionsRequest(),
        pb.EraseDetectionsRequest(all=False),
        pb.EraseDetectionsRequest(detection_id=""),
        pb.EraseDetectionsRequest(detection_id="%"),
        pb.EraseDetectionsRequest(detection_id="f" * 31),
    ],
)
async def test_what_names_nothing_deletes_nothing(
    tmp_path: Path, request_: pb.EraseDetectionsRequest
) -> None:
    async with keeping(tmp_path) as served:
        mine = await detected(served, ADAS)
        with pytest.raises(aio.AioRpcError) as caught:
            await feedback_of(served).EraseDetections(request_, timeout=WAIT_LIMIT_S)
        assert list(violations_of(caught.value)) == ["detection_id"]
        assert await erase(served, mine) == (1, 0, 1)


async def test_a_server_that_keeps_nothing_has_nothing_to_delete() -> None:
    async with scripted_server() as served:
        assert await erase(served, await detected(served, ADAS)) == (0, 0, 0)


async def test_a_record_that_cannot_be_written_is_told_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with keeping(tmp_path) as served:
        mine = await detected(served, ADAS)

        def full(*_: object) -> int:
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(RotatingFile, "erase", full)
        with pytest.raises(aio.AioRpcError) as caught:
            await erase(served, mine)
    assert caught.value.code() is grpc.StatusCode.UNAVAILABLE
    assert reason_of(caught.value) == "FEEDBACK_NOT_STORED"
    assert str(tmp_path) not in str(caught.value)


async def test_the_command_deletes_one_or_all_and_says_how_many(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async with keeping(tmp_path) as served:
        mine = await detected(served, ADAS)
        await detected(served, BOBS)
        target = ("--target", served.running.target)
        assert await asyncio.to_thread(main, ["erase", mine, *target]) == EXIT_OK
        one = "deleted: 1 detections kept for feedback, 0 outputs, 1 lines of the audit record\n"
        assert capsys.readouterr().out == one
        assert holds(tmp_path, BOBS)
        assert await asyncio.to_thread(main, ["erase", "--all", *target]) == EXIT_OK
        assert capsys.readouterr().out == one
        assert await asyncio.to_thread(main, ["erase", "nonsense", *target]) == EXIT_CONFIG
        assert "give the detection_id of a result, the id of an output, or --all" in (
            capsys.readouterr().err
        )
    assert not holds(tmp_path, BOBS)
    with pytest.raises(SystemExit):
        main(["erase", *target])
