"""The bench of long evidence: what it measures of one set at one length."""

from bench.length import measure
from bench.tools.labelled import Row, among
from groundwire import Client, Read, Span

FILLER = "Nothing of note was said about the weather on that long day. " * 10


def test_a_set_is_measured_with_the_right_source_that_was_read(scripted_client: Client) -> None:
    contexts = ["The tower of Arden opened in 1889.", *(f"{FILLER} Day {i}." for i in range(6))]
    rows = [
        Row(f"{number}", text, number, "The tower opened in 1889.", number == 0, (Span(0, 9),))
        for number, text in enumerate(contexts)
    ]
    calls = among(rows, 900, 8)
    passages = measure(scripted_client, "towers", 900, Read.PASSAGES, calls)
    whole = measure(scripted_client, "towers", 900, Read.WHOLE, calls)
    assert (passages.rows, whole.rows) == (7, 7)
    assert passages.found_share is not None
    assert whole.found_share is None
    assert passages.computed_tokens < whole.computed_tokens
    assert passages.auroc == whole.auroc == 0.5
