"""What a user's run is made by, and that a run which goes on is the same one."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from groundwire_server.config.sources import ConfigError
from groundwire_training.data.rows import Row

FILE_NAME = "options.json"


@dataclass(frozen=True, slots=True)
class Options:
    """All that decides what a run learns, but for its length."""

    base: str
    """Its weights_id."""
    data: str
    """SHA-256 of the rows that are learnt."""
    seed: int
    rank: int
    learning_rate: float
    max_tokens: int
    max_context_tokens: int
    frozen_layers: int
    exchanges: float
    rehearsal: float
    without: tuple[str, ...]

    def keep(self, folder: Path) -> None:
        """Write them down, or compare them with those of a run that is to go on.

        Raises ConfigError that names what differs.
        """
        path, own = folder / FILE_NAME, json.loads(json.dumps(asdict(self)))
        if not path.is_file():
            folder.mkdir(parents=True, exist_ok=True)
            partial = path.with_suffix(".part")
            partial.write_text(json.dumps(own, indent=2) + "\n", encoding="utf-8")
            partial.replace(path)
            return
        try:
            before = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise ConfigError(f"{path} cannot be read: {error}") from error
        differ = sorted(name for name in own if own[name] != before.get(name))
        if differ:
            raise ConfigError(
                f"--out: the run in {folder} was begun with another {', '.join(differ)}; name "
                "another folder, or give the same"
            )


def rows_sha256(rows: Sequence[Row]) -> str:
    """What tells these rows from others; their order counts."""
    digest = hashlib.sha256()
    for row in rows:
        digest.update(json.dumps(asdict(row)).encode())
    return digest.hexdigest()
