from bench.tools.common import ROOT

HELD_OUT = ROOT / "bench" / "data" / "assessment" / "common_sense.jsonl"
"""Labelled exchanges, by hand. No training case has a place, a value or a sentence of theirs."""
