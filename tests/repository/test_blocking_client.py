"""The blocking Python client is what the script makes of the client for asyncio."""

from pathlib import Path

import pytest

from scripts import blocking_client


@pytest.mark.parametrize("name", blocking_client.NAMES)
def test_the_committed_file_is_what_the_script_makes(name: str) -> None:
    assert (blocking_client.BLOCKING / name).read_text() == blocking_client.blocking(name)


def test_every_file_with_calls_is_generated() -> None:
    by_hand = {"__init__.py", "connections.py"}
    names = {path.name for path in blocking_client.SOURCES.glob("*.py")}
    assert names - by_hand == {*blocking_client.NAMES}


@pytest.mark.parametrize(
    ("line", "made"),
    [
        ("async with lock: pass", "with lock:"),
        ("x: AsyncGenerator[int, None]", "x: Generator[int, None, None]"),
        ("await asyncio.sleep(1)", "time.sleep(1)"),
    ],
)
def test_what_waits_becomes_what_blocks(
    line: str, made: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "calls.py").write_text(f"{line}\n")
    monkeypatch.setattr(blocking_client, "SOURCES", tmp_path)
    assert made in blocking_client.blocking("calls.py")


@pytest.mark.parametrize("word", ["asynccontextmanager", "__aiter__", "# for asyncio", "# await"])
def test_what_no_rule_covers_is_refused_with_its_line(
    word: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "calls.py").write_text(f"x = 1\n{word}\n")
    monkeypatch.setattr(blocking_client, "SOURCES", tmp_path)
    with pytest.raises(ValueError, match=r"calls\.py:2: no rule in CHANGES"):
        blocking_client.blocking("calls.py")
