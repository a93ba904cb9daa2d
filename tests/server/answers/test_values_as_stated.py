"""Values of a claim are read as its sources write them; the engine is scripted."""

from dataclasses import replace

from groundwire.v1 import hallucination_detection_pb2 as pb
from groundwire_verifier.domain.claims import ConfidenceSource
from groundwire_verifier.domain.evidence import Evidence
from groundwire_verifier.verdicts.looks import Looks
from groundwire_verifier.verdicts.questions import ClaimTask, with_values_as_stated
from tests.scripted import scripted_server
from tests.scripted_services.detection import believes, documents, verify_answer

JUG, LITRES = "The jug holds 0.75 litres.", "0.75 litres"


async def test_a_claim_is_read_with_its_values_as_its_sources_write_them() -> None:
    async with scripted_server() as served:
        served.engine.answer = believes({JUG: LITRES})
        response = await verify_answer(served, "The jug holds 750 ml [S0].", documents(JUG))
        (claim,) = response.claims
        assert claim.claim.content == "The jug holds 750 ml."
        assert claim.verdict.verdict == pb.VERDICT_SUPPORTED

        await verify_answer(served, "The jug holds 75 ml [S0].", documents(JUG))
        assert "The jug holds 75 ml." in served.engine.claims


async def test_what_another_source_writes_is_not_put_in_for_what_is_cited() -> None:
    async with scripted_server() as served:
        evidence = documents("The jug is blue.", JUG)
        await verify_answer(served, "The jug holds 750 ml [S0].", evidence)
        assert set(served.engine.claims) == {"The jug holds 750 ml."}


async def test_the_values_of_a_question_are_those_of_a_bare_answer_alone() -> None:
    question = "Is the jug that holds 2 litres blue?"
    async with scripted_server() as served:
        for answer, named in (("It is 9 cm high.", ["9 cm"]), ("Yes.", ["2 litres"])):
            response = await verify_answer(served, answer, documents(JUG), question=question)
            assert list(response.claims[0].verdict.unstated_values) == named


def test_a_claim_that_was_changed_is_read_by_its_own_words() -> None:
    looks = Looks(Evidence.of_context(JUG))
    task = ClaimTask("The jug holds 750 ml.", (), 0.95, ConfidenceSource.DEFAULT, "en")
    (told,) = with_values_as_stated([task], looks)
    assert told.asked == JUG
    (changed,) = with_values_as_stated([replace(told, text="The jug is blue.")], looks)
    assert changed.asked == "The jug is blue."
