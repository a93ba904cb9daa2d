"""Code that stands in a text without any mark.

Knows a few shapes of lines that prose does not have. Does not know programming languages.
"""

import re

MAX_CHARACTERS = 300
"""How much of a line is looked at."""

MAX_LINES = 200

_SQL = re.compile(r"(?:SELECT|INSERT INTO|UPDATE|DELETE FROM|CREATE|DROP|ALTER|WITH)\b")
_SQL_CLAUSE = re.compile(r"\b(?:FROM|SET|VALUES|WHERE|TABLE|INDEX|VIEW|AS|DATABASE)\b")
_ASSIGNMENT = re.compile(
    # A name that prose does not have: with an underscore, an index, a member or a call.
    r"[A-Za-z_](?=[^\W_]*+_|\w*+(?:\[\w*+\]|\.\w|\(\)))"
    r"\w*+(?:\(\))?[\w.\[\]]*+\s*+(?:[-+*/|&]?=|:=)"
)
_STATEMENT = re.compile(
    r"(?:import [\w.]+(?: as \w+)?$|from [\w.]+ import |def \w+\(|class \w+[(:]|#include\b|"
    r"(?:const|let|var) \w+ =|return [^.]*+(?<=;)$|\$ \w|</?\w[^<>]*+>$|>>> |SELECT [0-9*])"
)
_CONDITION, _CONDITION_END = "if (", ") {"
_END = re.compile(r"[\w)\]\"'}]\s*+(?:\{|;|=>|\};?|\);)$")
_CLOSERS = re.compile(r"[{}()\];]++")


def looks_like_code(lines: list[str]) -> bool:
    """Whether all of the lines are code, and there is one."""
    shown = [line.strip()[:MAX_CHARACTERS] for line in lines[:MAX_LINES]]
    shown = [line for line in shown if line]
    return bool(shown) and all(_is_code(line) for line in shown)


def _is_code(line: str) -> bool:
    if _ASSIGNMENT.match(line) or _STATEMENT.match(line):
        return True
    if (sql := _SQL.match(line)) and _SQL_CLAUSE.search(line, sql.end()):
        return True
    if line.startswith(_CONDITION) and line.find(_CONDITION_END, len(_CONDITION)) >= 0:
        return True
    ends = _CLOSERS.fullmatch(line) or _END.search(line)
    return bool(ends) and any(c in line for c in "(){}=[]")
