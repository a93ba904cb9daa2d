"""The block `hallucination` of a configuration file: which setting its nested keys stand for.

One rule: the keys on the way to a value, joined by `_`, are the setting's name; `hallucination`
itself is left out, but for settings whose names begin with it. Some sections of the block can stand
at the top of a file, too.
"""

import difflib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from groundwire_server.config.settings import ServerSettings

BLOCK = "hallucination"

TOP: Mapping[str, tuple[str, ...]] = {
    BLOCK: (),
    "retrieval": ("retrieval",),
    "llm": ("epistemic_risk", "llm"),
    "calibration": ("epistemic_risk", "calibration"),
    "verdict": ("epistemic_risk", "verdict"),
}
"""The keys at the top of a file that have keys of their own, and which section of the block each
is. The last four are the file of an analysis against a corpus."""

SETTINGS = {name.removeprefix(f"{BLOCK}_"): name for name in ServerSettings.model_fields}
"""Each setting by its name in the block."""

SECTIONS = {
    "_".join(words[:count])
    for words in (name.split("_") for name in SETTINGS)
    for count in range(1, len(words))
}
"""What names in the block begin with, and go on: the keys that may have keys of their own."""


@dataclass(frozen=True, slots=True)
class NestedValue:
    """A value in the block, with the keys on the way to it."""

    keys: tuple[str, ...]
    value: object

    @property
    def setting(self) -> str | None:
        """The setting that it is for; None if there is no such setting."""
        return SETTINGS.get("_".join(self.keys))


def path_of(top: str, keys: tuple[str, ...]) -> str:
    """Where the keys lead to in a file where the section of the block stands under `top`.

    Such as `hallucination.memory_gate.enabled`.
    """
    return ".".join((top, *keys[len(TOP[top]) :]))


def values_in(block: Mapping[object, object], above: tuple[str, ...] = ()) -> Iterator[NestedValue]:
    """All values of the block. A key that leads to no setting has its value as it stands.

    An empty section, as one has whose lines are all comments, holds none.
    """
    for key, value in block.items():
        keys = (*above, str(key))
        name = "_".join(keys)
        if isinstance(value, dict) and name in SECTIONS:
            yield from values_in(value, keys)
        elif value is not None or name in SETTINGS or name not in SECTIONS:
            yield NestedValue(keys, value)


def keys_of(section: str) -> list[str]:
    """The keys that a section may hold: of `a_b_c` in the block `a`, `a_b` and `a_b_c`."""
    start = f"{section}_" if section else ""
    ways: dict[str, None] = {}
    for name in SETTINGS:
        if name.startswith(start):
            words = name.removeprefix(start).split("_")
            ways.update(dict.fromkeys("_".join(words[:n]) for n in range(1, len(words) + 1)))
    return list(ways)


def nearest(top: str, keys: tuple[str, ...]) -> str | None:
    """The path that somebody may have meant who wrote keys which lead to no setting."""
    name = "_".join(keys)
    if name in SECTIONS:
        first = next(each for each in SETTINGS if each.startswith(f"{name}_"))
        return path_of(top, (*keys, first.removeprefix(f"{name}_")))
    meant = name.removeprefix(f"{BLOCK}_")
    if meant in SETTINGS:
        return f"{BLOCK}.{meant}"
    *above, last = keys
    near = difflib.get_close_matches(last, keys_of("_".join(above)), n=1)
    return path_of(top, (*above, near[0])) if near else None
