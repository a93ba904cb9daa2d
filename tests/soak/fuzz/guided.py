"""One target under atheris, which follows the code that inputs reach: a process of its own.

`python -m tests.soak.fuzz.guided TARGET FOLDER [flags of libFuzzer]` from an environment that has
atheris and sees the project's packages. New inputs go into FOLDER; an input at fault ends the
process and is written to a file that libFuzzer names.
"""

import shlex
import sys

import atheris

with atheris.instrument_imports(
    include=["groundwire_verifier", "groundwire_server", "tests.soak.fuzz.request_targets"]
):
    from tests.soak.fuzz.request_targets import REQUEST_TARGETS
    from tests.soak.fuzz.text_targets import TEXT_TARGETS

TARGETS = {**TEXT_TARGETS, **REQUEST_TARGETS}


def main() -> None:
    """Hand the target to atheris, which ends the process."""
    name, *flags = sys.argv[1:]
    # libFuzzer hands this to a shell where it starts processes of its own, such as for -merge=1.
    program = f"{shlex.quote(sys.executable)} -m tests.soak.fuzz.guided {name}"
    atheris.Setup([program, *flags], TARGETS[name])
    atheris.Fuzz()


if __name__ == "__main__":
    main()
