"""Claims and feedback in a SQLite file, which only the server's own user can read.

Whose a claim is, is told by a hash of its owner with a key that lies in the file, so that it
holds after a restart and names no caller. Old and surplus claims go, texts overwritten. Its owner
calls it from one thread at a time.
"""

import contextlib
import hashlib
import itertools
import json
import os
import secrets
import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from groundwire_verifier.checks.feedback import (
    Corrected,
    DetectionNotFoundError,
    Feedback,
    FeedbackStoreError,
    FeedbackVerdict,
    KeptClaim,
)

OWNER_ONLY_FILE, OWNER_ONLY_FOLDER = 0o600, 0o700
FORM_VERSION = 1
"""Of the tables: a file of another one is refused."""

KEY_BYTES = 32
BUSY_TIMEOUT_S = 5.0
CLAIM_OVERHEAD_BYTES = 300
"""About what a claim takes beside its texts."""

_TABLES = """
CREATE TABLE key (value BLOB NOT NULL);
CREATE TABLE detections (
    number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, caller BLOB NOT NULL, model TEXT NOT NULL,
    at_s REAL NOT NULL, size_bytes INTEGER NOT NULL
);
CREATE TABLE contexts (
    number INTEGER PRIMARY KEY, text TEXT NOT NULL,
    detection INTEGER NOT NULL REFERENCES detections ON DELETE CASCADE
);
CREATE TABLE claims (
    detection INTEGER NOT NULL REFERENCES detections ON DELETE CASCADE, place INTEGER NOT NULL,
    claim TEXT NOT NULL, context INTEGER NOT NULL REFERENCES contexts, verdict TEXT NOT NULL,
    p1 REAL, p0 REAL, PRIMARY KEY (detection, place)
) WITHOUT ROWID;
CREATE TABLE feedback (
    detection INTEGER NOT NULL, place INTEGER NOT NULL, verdict TEXT NOT NULL, note TEXT NOT NULL,
    at_s REAL NOT NULL, PRIMARY KEY (detection, place),
    FOREIGN KEY (detection, place) REFERENCES claims ON DELETE CASCADE
) WITHOUT ROWID;
CREATE INDEX contexts_of ON contexts (detection);
CREATE INDEX claims_on ON claims (context);
CREATE INDEX detections_at ON detections (at_s);
"""

SURPLUS = (
    "SELECT number, size_bytes FROM detections AS d "
    "WHERE NOT EXISTS (SELECT 1 FROM feedback WHERE detection = d.number) ORDER BY number",
    "SELECT number, size_bytes FROM detections AS d "
    "WHERE EXISTS (SELECT 1 FROM feedback WHERE detection = d.number) ORDER BY number",
)
"""What goes where room is needed: what has feedback last, and of both the oldest first.

One query for both would have to sort all detections for each that is kept.
"""

_CORRECTED = """
SELECT d.id, c.place, c.claim, x.text, c.verdict, c.p1, c.p0, d.model, f.verdict, f.note
FROM feedback AS f
JOIN claims AS c ON c.detection = f.detection AND c.place = f.place
JOIN contexts AS x ON x.number = c.context
JOIN detections AS d ON d.number = c.detection
ORDER BY d.number, c.place
"""

_KEPT = """
SELECT d.id, d.at_s, d.model, c.verdict, f.verdict
FROM detections AS d
JOIN claims AS c ON c.detection = d.number
LEFT JOIN feedback AS f ON f.detection = c.detection AND f.place = c.place
WHERE ?1 IS NULL OR d.caller = ?1
ORDER BY d.number, c.place
"""


class SqliteFeedback:
    """The claims and the feedback in one file; implements `FeedbackStore` of the verifier."""

    def __init__(
        self,
        path: Path,
        retention_s: float,
        max_bytes: int,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """Open the file, or make it. `clock` is in seconds since 1970.

        Raises FeedbackStoreError if it cannot be used.
        """
        self._retention_s = retention_s
        self._max_bytes = max_bytes
        self._clock = clock
        with _failures(path):
            path.parent.mkdir(parents=True, exist_ok=True, mode=OWNER_ONLY_FOLDER)
            # Before SQLite makes it, which asks nobody who may read it.
            os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, OWNER_ONLY_FILE))
            path.chmod(OWNER_ONLY_FILE)
            self._path = path
            self._db = _connect(path)
            self._key = self._prepared()
            self._size_bytes = self._seen_changes = 0
        with self._transaction():
            self._forget(room_bytes=0)

    def keep(self, detection_id: str, owner: str, model: str, claims: Sequence[KeptClaim]) -> None:
        """Keep the claims of a detection. Raises FeedbackStoreError."""
        contexts = list(dict.fromkeys(claim.context for claim in claims))
        texts = [*contexts, *(claim.claim for claim in claims)]
        size_bytes = sum(len(text.encode()) for text in texts) + CLAIM_OVERHEAD_BYTES * len(claims)
        if size_bytes > self._max_bytes:
            raise FeedbackStoreError(f"a detection of {size_bytes:,} bytes is above the limit")
        with self._transaction() as db:
            # An output that was read again after a kill has the id of its first reading.
            again = db.execute(
                "DELETE FROM detections WHERE id = ? RETURNING size_bytes", (detection_id,)
            ).fetchall()
            self._size_bytes -= sum(size for (size,) in again)
            self._forget(room_bytes=size_bytes)
            number = db.execute(
                "INSERT INTO detections (id, caller, model, at_s, size_bytes) VALUES (?,?,?,?,?)",
                (detection_id, self._hash(owner), model, self._clock(), size_bytes),
            ).lastrowid
            numbers = {
                text: db.execute(
                    "INSERT INTO contexts (text, detection) VALUES (?,?)", (text, number)
                ).lastrowid
                for text in contexts
            }
            db.executemany(
                "INSERT INTO claims VALUES (?,?,?,?,?,?,?)",
                [
                    (number, c.index, c.claim, numbers[c.context], c.verdict, c.p1, c.p0)
                    for c in claims
                ],
            )
            self._size_bytes += size_bytes

    def record(self, feedback: Feedback, owner: str) -> bool:
        """Keep feedback; whether there was some before."""
        with self._transaction() as db:
            self._forget(room_bytes=0)
            found = db.execute(
                "SELECT d.number, f.verdict IS NOT NULL FROM detections AS d "
                "JOIN claims AS c ON c.detection = d.number AND c.place = ? "
                "LEFT JOIN feedback AS f ON f.detection = d.number AND f.place = c.place "
                "WHERE d.id = ? AND d.caller = ?",
                (feedback.index, feedback.detection_id, self._hash(owner)),
            ).fetchone()
            if found is None:
                raise DetectionNotFoundError
            number, replaced = found
            db.execute(
                "INSERT OR REPLACE INTO feedback VALUES (?,?,?,?,?)",
                (number, feedback.index, feedback.verdict.name, feedback.note, self._clock()),
            )
            return bool(replaced)

    def erase(self, owner: str, ids: frozenset[str] | None) -> int:
        """Delete detections of an owner with all that is said of them, or all where it is None.

        Gives their number. Raises FeedbackStoreError.
        """
        wanted = None if ids is None else json.dumps(sorted(ids))
        with self._transaction() as db:
            gone = db.execute(
                "DELETE FROM detections WHERE caller = ?1 "
                "AND (?2 IS NULL OR id IN (SELECT value FROM json_each(?2))) RETURNING size_bytes",
                (self._hash(owner), wanted),
            ).fetchall()
            self._size_bytes -= sum(size for (size,) in gone)
        with _failures(self._path):
            # Its log would have the texts until a thousand pages more were written.
            self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        return len(gone)

    def close(self) -> None:
        self._db.close()

    def _prepared(self) -> bytes:
        """The key of the file, whose tables are made if it is new."""
        (version,) = self._db.execute("PRAGMA user_version").fetchone()
        if version not in (0, FORM_VERSION):
            raise FeedbackStoreError(
                f"{self._path} is of another version of the server: name another file"
            )
        if version == 0:
            self._db.executescript(f"BEGIN IMMEDIATE;{_TABLES}")
            self._db.execute("INSERT INTO key VALUES (?)", (secrets.token_bytes(KEY_BYTES),))
            self._db.execute(f"PRAGMA user_version={FORM_VERSION}")
            self._db.commit()
        (key,) = self._db.execute("SELECT value FROM key").fetchone()
        return bytes(key)

    def _hash(self, owner: str) -> bytes:
        return _owner_hash(owner, self._key)

    def _forget(self, room_bytes: int) -> None:
        """Let go of what is too old, and of as much as needs room for so many bytes."""
        old = self._clock() - self._retention_s
        gone = self._db.execute(
            "DELETE FROM detections WHERE at_s < ? RETURNING size_bytes", (old,)
        ).fetchall()
        self._size_bytes -= sum(size for (size,) in gone)
        if self._size_bytes + room_bytes <= self._max_bytes:
            return
        surplus: list[tuple[int]] = []
        found = itertools.chain.from_iterable(map(self._db.execute, SURPLUS))
        for number, size in found:
            if self._size_bytes + room_bytes <= self._max_bytes:
                break
            surplus.append((number,))
            self._size_bytes -= size
        self._db.executemany("DELETE FROM detections WHERE number = ?", surplus)

    def _look_for_changes(self) -> None:
        """Measure what is kept, if another server may have changed it."""
        (changes,) = self._db.execute("PRAGMA data_version").fetchone()
        if changes != self._seen_changes:
            self._seen_changes = changes
            (self._size_bytes,) = self._db.execute(
                "SELECT coalesce(sum(size_bytes), 0) FROM detections"
            ).fetchone()

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        with _failures(self._path):
            self._db.execute("BEGIN IMMEDIATE")
            try:
                self._look_for_changes()
                yield self._db
                self._db.commit()
            except BaseException:
                self._db.rollback()
                self._seen_changes = 0
                raise


def read_corrected(path: Path) -> list[Corrected]:
    """All claims with feedback in a file, the oldest detection first. Raises FeedbackStoreError.

    Nothing in the file is changed, whatever its age: what may go is for its server to say.
    """
    with _read_only(path) as db:
        return [
            Corrected(
                KeptClaim(place, claim, context, verdict, p1, p0),
                model,
                Feedback(detection_id, place, FeedbackVerdict[said], note),
            )
            for detection_id, place, claim, context, verdict, p1, p0, model, said, note in (
                db.execute(_CORRECTED)
            )
        ]


@dataclass(frozen=True, slots=True)
class KeptRow:
    """A claim without its texts, and what a person says of it; `at_s` is in seconds since 1970."""

    detection_id: str
    at_s: float
    model: str
    verdict: str
    said: FeedbackVerdict | None


def read_kept(path: Path, owner: str | None) -> Iterator[KeptRow]:
    """All claims of an owner in a file, or all where it is None, one after the other.

    Those of a detection follow each other, the oldest first. Nothing in the file is changed. Raises
    FeedbackStoreError.
    """
    with _read_only(path) as db:
        (key,) = db.execute("SELECT value FROM key").fetchone()
        caller = None if owner is None else _owner_hash(owner, bytes(key))
        for detection_id, at_s, model, verdict, said in db.execute(_KEPT, (caller,)):
            told = None if said is None else FeedbackVerdict[said]
            yield KeptRow(detection_id, at_s, model, verdict, told)


@contextlib.contextmanager
def _read_only(path: Path) -> Iterator[sqlite3.Connection]:
    """A file of this version. Raises FeedbackStoreError."""
    with _failures(path):
        address = f"{path.absolute().as_uri()}?mode=ro"
        with contextlib.closing(sqlite3.connect(address, BUSY_TIMEOUT_S, uri=True)) as db:
            (version,) = db.execute("PRAGMA user_version").fetchone()
            if version != FORM_VERSION:
                raise FeedbackStoreError(f"{path} has no feedback of this version of the server")
            yield db


def _owner_hash(owner: str, key: bytes) -> bytes:
    return hashlib.blake2b(owner.encode(), key=key, digest_size=16).digest()


def _connect(path: Path) -> sqlite3.Connection:
    db = sqlite3.connect(
        path, timeout=BUSY_TIMEOUT_S, isolation_level=None, check_same_thread=False
    )
    # WAL: an export reads while the server writes. FULL: what is acknowledged is on the disk.
    for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", "secure_delete=ON"):
        db.execute(f"PRAGMA {pragma}")
    return db


@contextlib.contextmanager
def _failures(path: Path) -> Iterator[None]:
    """Errors of SQLite and of the disk, which repeat no text, as FeedbackStoreError."""
    try:
        yield
    except sqlite3.Error as error:
        raise FeedbackStoreError(f"{path}: {error}") from error
    except OSError as error:
        raise FeedbackStoreError(f"{path}: {error.strerror}") from error
