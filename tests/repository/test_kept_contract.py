"""The contract keeps what it was for clients that exist, and its check finds what would break one.

`contract/` holds the contract of the last release as a descriptor set; until there is one, that of
the day on which it began to be kept. `buf build --exclude-source-info -o FILE` makes it.
"""

import subprocess
import sys
from pathlib import Path

from google.protobuf.descriptor_pb2 import FileDescriptorSet

REPOSITORY = Path(__file__).resolve().parents[2]
BUF = Path(sys.executable).with_name("buf")
KEPT = Path(__file__).with_name("contract") / "0.1.0.binpb"


def breaking(against: Path) -> subprocess.CompletedProcess[str]:
    command = [str(BUF), "breaking", "--against", str(against)]
    return subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False)


def test_nothing_that_a_client_may_use_has_changed() -> None:
    done = breaking(KEPT)
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_field_that_went_is_found(tmp_path: Path) -> None:
    kept = FileDescriptorSet.FromString(KEPT.read_bytes())
    (file,) = [each for each in kept.file if each.name == "groundwire/v1/verifier_backend.proto"]
    (request,) = [each for each in file.message_type if each.name == "BatchEstimateRequest"]
    request.field.add(name="gone", number=999, type=9, label=1, json_name="gone")
    changed = tmp_path / "changed.binpb"
    changed.write_bytes(kept.SerializeToString())
    done = breaking(changed)
    assert done.returncode != 0
    assert "999" in done.stdout
