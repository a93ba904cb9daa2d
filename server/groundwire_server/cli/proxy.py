"""`groundwire proxy`: checks what a chat endpoint says; `doors/proxy` does it."""

import argparse
from collections.abc import Mapping
from pathlib import Path

from groundwire_server.cli import flags
from groundwire_server.config.extras import how_to_install
from groundwire_server.config.sources import ConfigError


def add(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    add = parser.add_argument
    add(
        "--upstream",
        required=True,
        metavar="URL",
        help="your chat endpoint, up to /v1, such as http://127.0.0.1:8000/v1",
    )
    add(
        "--upstream-key-file",
        type=Path,
        metavar="FILE",
        help="the key for the upstream, in place of the clients' own",
    )
    add(
        "--upstream-silence",
        type=flags.above(0.0),
        default=300.0,
        metavar="SECONDS",
        help="how long the upstream may be silent (default: 300)",
    )
    add(
        "--listen",
        default="127.0.0.1:8090",
        metavar="ADDRESS",
        help="where the proxy listens (default: 127.0.0.1:8090); elsewhere than on loopback it "
        "needs TLS, or --allow-plaintext",
    )
    add(
        "--listen-cert-file",
        type=Path,
        metavar="FILE",
        help="PEM certificate chain of the proxy; turns TLS on, with --listen-key-file. Both are "
        "read again when they change",
    )
    add(
        "--listen-key-file",
        type=Path,
        metavar="FILE",
        help="PEM private key of the proxy",
    )
    add(
        "--token-file",
        type=Path,
        metavar="FILE",
        help="let in only callers with a token of this file: one a line, as `groundwire token new` "
        "prints them. Tokens do not go upstream; the file is read again when it changes",
    )
    add(
        "--evidence",
        nargs="+",
        choices=("tools", "blocks", "fields", "system"),
        default=("tools", "blocks", "fields"),
        help="the evidence of a request: results of tools; <document> and <source> blocks; the "
        "fields documents and sources; system messages (default: tools blocks fields)",
    )
    add(
        "--keep-fields",
        action="store_true",
        help="send the fields documents and sources upstream, too",
    )
    add(
        "--block",
        action="store_true",
        help="hold replies back until they are verified, and replace claims that are not grounded",
    )
    add(
        "--notice",
        default="[withheld: not grounded in the sources]",
        metavar="TEXT",
        help="with --block: the text in their place (default: %(default)s)",
    )
    add(
        "--correct",
        action="store_true",
        help="put replies right that are not grounded; with --block the corrected sentence stands "
        "in place of the wrong one, or the notice where there is none",
    )
    add(
        "--fail-closed",
        action="store_true",
        help="fail a reply that could not be verified, instead of marking it",
    )
    add(
        "--parallel",
        type=flags.whole(1),
        default=64,
        metavar="N",
        help="requests at one time; further ones are refused (default: 64)",
    )
    flags.add_client_settings(parser)


def run(arguments: argparse.Namespace, environment: Mapping[str, str]) -> int:
    """Serve until SIGTERM or SIGINT."""
    try:
        from groundwire_server.doors.proxy.answering import Treatment
        from groundwire_server.doors.proxy.command import ProxyArguments, run_proxy
    except ImportError as error:
        extras = "http,endpoints"
        raise ConfigError(
            f"proxy needs the extras {extras} ({error}): {how_to_install(extras)}"
        ) from error
    return run_proxy(
        flags.client(arguments, environment),
        ProxyArguments(
            upstream=arguments.upstream,
            upstream_key_file=arguments.upstream_key_file,
            upstream_silence_s=arguments.upstream_silence,
            listen=arguments.listen,
            cert_file=arguments.listen_cert_file,
            key_file=arguments.listen_key_file,
            token_file=arguments.token_file,
            evidence=tuple(arguments.evidence),
            keep_fields=arguments.keep_fields,
            treatment=Treatment(
                blocks=arguments.block,
                notice=arguments.notice,
                corrects=arguments.correct,
                fails_closed=arguments.fail_closed,
            ),
            parallel=arguments.parallel,
        ),
    )
