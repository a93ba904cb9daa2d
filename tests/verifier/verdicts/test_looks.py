"""What the sources of a plan state is looked for once."""

from collections import Counter

import pytest

from groundwire_verifier.domain.evidence import Document, Evidence
from groundwire_verifier.text.quantities.unstated import values_in
from groundwire_verifier.verdicts.looks import Looks

LOOK = "groundwire_verifier.verdicts.looks.values_in"
HALL = "The hall holds 750 people. | Hall | Sauna |\n| --- | --- |\n| Bronze | no |"
TRAM = "The tram takes 0.5 hours."


def test_each_source_is_looked_through_once_whoever_cites_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seen: Counter[str] = Counter()
    monkeypatch.setattr(LOOK, lambda text: (seen.update([text]), values_in(text))[1])
    looks = Looks(Evidence.of_documents([Document("S0", HALL, ""), Document("S1", TRAM, "")]))
    for cited in (("S0",), ("S1",), ("S0", "S1"), ("S0",)):
        for claim in ("It takes 30 minutes.", "It holds 800 people."):
            looks.writing(cited).of(claim)
            looks.stated(cited).unstated_in(claim)
    assert seen == {HALL: 1, TRAM: 1}


def test_a_source_without_a_claim_with_values_is_not_looked_through(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(LOOK, pytest.fail)
    looks = Looks(Evidence.of_context(HALL))
    assert looks.writing(()).of("The hall is large.") == "The hall is large."
    assert looks.stated(()).unstated_in("The hall is large.").values == ()


@pytest.mark.parametrize(
    ("claim", "written"),
    [
        ("It is open 24 hours.", "It is open 24 hours."),
        ("הוא פתוח 24 שעות.", "הוא פתוח 24 שעות."),
        ("It takes 60 minutes.", "It takes one hour."),
    ],
)
def test_a_unit_without_a_number_is_no_way_to_write_one(claim: str, written: str) -> None:
    looks = Looks(Evidence.of_context("Fed twice a day, פעמיים ביום, for one hour."))
    assert looks.writing(()).of(claim) == written
