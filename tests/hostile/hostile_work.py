"""Work on texts that never ends, ends its process or finds much, in place of the parser's."""

import os
import re
from collections.abc import Sequence
from pathlib import Path

from groundwire_verifier.domain.claims import Claim, ClaimOptions
from groundwire_verifier.text.claims.extract import extract_claims


def endless(text: str, options: ClaimOptions, count: int, max_ids: int) -> tuple[Claim, ...]:
    """Holds the interpreter's lock for ever. `text` may name a file to tell of its process."""
    if text.startswith("/"):
        Path(text).write_text(str(os.getpid()))
    backtrack()
    return ()


def endless_evidence(texts: Sequence[str]) -> tuple[()]:
    """The same for evidence."""
    backtrack()
    return ()


def backtrack() -> None:
    """In C code, where no Python signal handler ever runs."""
    re.fullmatch("(a+)+b", "a" * 200)


def deadly(text: str, options: ClaimOptions, count: int, max_ids: int) -> tuple[Claim, ...]:
    """Ends its process, as the kernel does where memory is short."""
    os.abort()


def many(text: str, options: ClaimOptions, count: int, max_ids: int) -> tuple[Claim, ...]:
    """More claims than some windows of flow control hold."""
    return extract_claims("The tower has two floors.") * 3000
