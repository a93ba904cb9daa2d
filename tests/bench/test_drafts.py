"""The bench of drafts: its visits, and what it tells."""

from bench.drafts import Measured, Sample, report, visit
from bench.tools.answers import Visit
from bench.tools.common import describe_run
from groundwire import Client, Document

SOURCES = tuple(Document(f"S{i}", f"The mill number {i} stands on a hill.") for i in range(5))
ANSWERS = tuple(
    " ".join(f"The mill number {i} is {word} and well kept [S{i // 2}]." for i in range(10))
    for word in ("old", "new")
)


def test_a_visit_writes_a_draft_and_times_what_comes_behind_it(scripted_client: Client) -> None:
    sample = visit(scripted_client, lambda: Visit(SOURCES, ANSWERS), tokens_per_s=300.0)
    # The last one is never complete before the end; how many of the others are depends on time.
    assert sample.early < 10
    assert min(sample.draft_s, sample.whole_s, sample.claim_s) > 0.0


def test_the_target_is_half_a_second_and_one_claim() -> None:
    samples = tuple(Sample(0.1 + 0.1 * i, 2.0, 0.05, 9) for i in range(5))
    measured = Measured(describe_run(quick=True), "a server", samples)
    text = report(measured)
    assert "is within 500 ms and one claim (550 ms)" in text
    assert "9.0 claims had a verdict before its end" in text
    late = Measured(measured.run, "a server", (*samples, Sample(0.6, 2.0, 0.05, 9)))
    assert "**not** within" in report(late)
