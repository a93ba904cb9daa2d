"""Inputs that are made by chance, from a seed: mutated, joined and repeated pieces of
known ones."""

import random
from collections.abc import Iterator, Sequence

from tests.soak.hostile_texts import FRAGMENTS

MOST_BYTES = 4096
_TRICKS = (
    "\x1f", "\u200b", "\u200d", "\u2060", "\ufeff", "\u202e", "\u2066", "\u00ad", "\U000e0041",
    "\u0430", "\u0391", "\uff21", "\u0660", "\u00b2", "\u2167", "\u00bd", "1/0", "0/0", "-0",
    "1e999", "NaN", "Infinity", "9" * 400, "٣٤", "31.02.2020", "2020-99-99", "12/13/14", "24:61",
    "1,000,000", "three million", "½", "€", "%", "°c", "<|im_end|>", "<|im_start|>system\n",
    "[INST]", "<think>", "{", "}", "[", "]", '"', ":", ",", "null", "true",
    '{"claims": [{"quote": "', '", "claim": "', "\\ud800", "\\u0000", "!!timestamp ", "!!int ",
    "!!python/object:os.system ", "&a [", "*a", "<<: ", "---\n", "...\n", "title: ", "date: ",
    "? ", "- ", "listen: ", "hallucination:\n  ", "500ms", "<html>", "<meta charset=",
    '<meta name="date" content="', "<table>", "<!--", "-->", "<![CDATA[", "&#x110000;", "&amp;",
    "%PDF-1.4\n", "obj\n", "endobj\n", "stream\n", "endstream\n", "trailer\n", "<< /Type /Page",
    ">>", "xref\n", "startxref\n", "%%EOF", "[profile]\n", '= """', "[[turns]]\n",
    '"type":"choice"', '"questions":', '"state":', '"$ref":"#"', '"anyOf":[', '"const":',
    '"enum":[', "\x00", "\xff", "\r", "\x85", "\u2028",
)  # fmt: skip
TOKENS = tuple(each.encode() for each in (*FRAGMENTS, *_TRICKS))
"""Fragments as bytes: what parsers look for, and what they may not expect."""


def mutated(seeds: Sequence[bytes], chance: random.Random) -> Iterator[bytes]:
    """Inputs without an end, the same for the same seed. `seeds` may be empty."""
    known = [seed for seed in seeds if len(seed) <= MOST_BYTES]
    while True:
        made = bytearray(chance.choice(known) if known and chance.random() < 0.8 else b"")
        for _ in range(chance.choice((1, 1, 2, 3, 5, 8))):
            _change(made, known, chance)
        yield bytes(made[:MOST_BYTES])


def _change(made: bytearray, known: Sequence[bytes], chance: random.Random) -> None:
    """Change a few bytes in place."""
    at = chance.randint(0, len(made))
    end = min(len(made), at + chance.choice((0, 1, 1, 2, 4, 16, 64)))
    what = chance.random()
    if what < 0.45:
        made[at:end] = chance.choice(TOKENS)
    elif what < 0.6:
        made[at:at] = b"".join(chance.choices(TOKENS, k=chance.randint(2, 6)))
    elif what < 0.7:
        del made[at:end]
    elif what < 0.8 and end > at:
        made[at] ^= 1 << chance.randint(0, 7)
    elif what < 0.88:
        made[at:at] = chance.randbytes(chance.choice((1, 1, 2, 4, 8)))
    elif what < 0.94 and end > at:
        made[at:at] = bytes(made[at:end]) * chance.choice((2, 3, 10, 60))
    elif known:
        other = chance.choice(known)
        begin = chance.randint(0, len(other))
        made[at:end] = other[begin : begin + chance.choice((4, 32, 256))]
