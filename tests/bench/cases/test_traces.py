"""The bench of traces: its data, its scores, and what it tells."""

import pytest

from bench.cases.traces import Scored, Trace, load_traces, report
from groundwire_verifier.checks.traces.step_claims import claims_of_steps

FEWEST = 60
TRACES = load_traces()
BAD = ("CONTRADICTED", "NOT_IN_CONTEXT")


def test_there_are_enough_traces_of_every_kind() -> None:
    assert len(TRACES) >= FEWEST
    assert len({trace.id for trace in TRACES}) == len(TRACES)
    assert {trace.language for trace in TRACES} == {"en", "he"}
    assert {trace.kind for trace in TRACES} == {"arithmetic", "look-up", "hops"}
    assert {trace.case for trace in TRACES} == {"good", "wrong-step", "other-answer"}


@pytest.mark.parametrize("trace", TRACES, ids=lambda trace: trace.id)
def test_the_labels_of_a_trace_fit_each_other(trace: Trace) -> None:
    assert len(trace.steps) == len(trace.expected)
    first = next((i for i, label in enumerate(trace.expected) if label in BAD), None)
    assert trace.first_unsupported == first
    assert (first is not None) == (trace.case == "wrong-step")
    assert trace.follows == (trace.case != "other-answer")


@pytest.mark.parametrize("trace", TRACES, ids=lambda trace: trace.id)
def test_the_steps_that_assert_nothing_are_known_by_rules(trace: Trace) -> None:
    found = claims_of_steps(trace.steps, False)
    silent = [not step.claims for step in found]
    assert silent == [label == "UNVERIFIABLE" for label in trace.expected]


def scored(trace: Trace) -> Scored:
    """An audit that is right in everything."""
    return Scored(
        trace=trace,
        found=list(trace.expected),
        first=trace.first_unsupported,
        follows=trace.follows,
        sound=trace.case == "good",
        executor="READ",
        derived="",
        p1=[0.9 for _ in trace.steps],
        p0=[0.1 for _ in trace.steps],
        rounds=1,
    )


def test_an_audit_that_is_right_scores_all() -> None:
    told = "\n".join(report([scored(trace) for trace in TRACES]))
    shares = [cell for line in told.splitlines() for cell in line.split("|") if "%" in cell]
    assert shares
    assert all("100%" in share for share in shares)
