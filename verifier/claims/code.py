"""Code that stands in a text without any mark.

Knows a few shapes of lines that prose does not have. Does not know programming languages.
"""

import re

MAX_CHARACTERS = 300
"""How much of a line is looked at."""

MAX_LINES = 200

_SQL = re.compile(
    r"(?:SELECT|INSERT INTO|UPDATE|DELETE FROM|CREATE|DROP|ALTER|WITH)\b[^\n]*"
    r"\b(?:FROM|SET|VALUES|WHERE|TABLE|INDEX|VIEW|AS|DATABASE)\b|SELECT [0-9*]"
)
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*(?:\[\w*\]|\.\w+|_\w*|\(\))[\w.\[\]]*\s*(?:[-+*/|&]?=|:=)")
_STATEMENT = re.compile(
    r"(?:import [\w.]+(?: as \w+)?$|from [\w.]+ import |def \w+\(|class \w+[(:]|#include\b|"
    r"(?:const|let|var) \w+ =|return [^.]*;$|\$ \w|</?\w+[^<>]*>$|if \(.*\) \{|>>> )"
)
_END = re.compile(r"[\w)\]\"'}]\s*(?:\{|;|=>|\};?|\);)$|^[{}()\];]+$")


def looks_like_code(lines: list[str]) -> bool:
    """Whether all of the lines are code, and there is one."""
    shown = [line.strip()[:MAX_CHARACTERS] for line in lines[:MAX_LINES]]
    shown = [line for line in shown if line]
    return bool(shown) and all(_is_code(line) for line in shown)


def _is_code(line: str) -> bool:
    if _SQL.match(line) or _ASSIGNMENT.match(line) or _STATEMENT.match(line):
        return True
    return bool(_END.search(line)) and any(c in line for c in "(){}=[]")
