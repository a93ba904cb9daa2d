"""`groundwire token new`: a bearer token for a caller, and its hashed line for auth_token_file."""

import argparse
import os
from collections.abc import Mapping
from pathlib import Path

from groundwire_server.config.access import new_token
from groundwire_server.config.sources import ConfigError
from groundwire_server.exit_codes import EXIT_OK


def add(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    parser.add_argument(
        "--tenant",
        default="",
        metavar="NAME",
        help="the tenant that calls with it; unset: a caller of its own",
    )
    parser.add_argument(
        "--append",
        type=Path,
        metavar="FILE",
        help="add the hashed token to this auth_token_file, and print only the token",
    )


def run(arguments: argparse.Namespace, _: Mapping[str, str]) -> int:
    """Make a token; print it and its line, or append the line."""
    token, line = new_token(arguments.tenant)
    if arguments.append is None:
        print(f"token, for the caller:     {token}\nline, for auth_token_file: {line}")
        return EXIT_OK
    try:
        _append(arguments.append.expanduser(), line)
    except OSError as error:
        raise ConfigError(
            f"--append: {arguments.append} cannot be written: {error.strerror}"
        ) from error
    print(token)
    return EXIT_OK


def _append(path: Path, line: str) -> None:
    """Add a line to a file, which its owner alone can read if it is a new one."""
    with open(os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600), "r+b") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - 1))
        is_begun = file.read(1) not in (b"", b"\n")
        # In one piece, for a server that reads it at the same time.
        file.write(("\n" * is_begun + line + "\n").encode())
