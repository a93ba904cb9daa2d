"""The report of what settings are worth."""

from dataclasses import replace

from bench.studies.cpu_settings import AS_IT_IS, Visit, report

OWN = Visit(AS_IT_IS, 14.0, 2000.0, 1000.0, 0.3, 0.08, 3.0)


def test_a_variant_is_told_as_times_as_fast_whichever_way_its_figure_runs() -> None:
    other = replace(OWN, variant="other", cold_tokens_s=2000.0, warm_64_s=1.5)
    text = report([AS_IT_IS, "other"], [[OWN, other]])
    assert "| other | 1.00 | 2,000 MiB | 2.00 | 1.00 | 1.00 | 2.00 |" in text


def test_a_ratio_is_taken_within_its_round() -> None:
    slow = replace(OWN, cold_single_s=0.6)
    rounds = [
        [OWN, replace(OWN, variant="other", cold_single_s=0.15)],
        [slow, replace(slow, variant="other", cold_single_s=0.3)],
    ]
    assert "| other | 1.00 | 2,000 MiB | 1.00 | 2.00 | 1.00 | 1.00 |" in report(["other"], rounds)
