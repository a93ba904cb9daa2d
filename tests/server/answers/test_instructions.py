"""Instructions, code and headings that hold something to check; the engine is scripted."""

from collections.abc import AsyncIterator

import pytest

from groundwire.v1 import hallucination_detection_pb2 as pb
from tests.scripted import Scripted, scripted_server
from tests.scripted_services.detection import believes, documents, verify_answer

LEAFLET = "Norvia is a tablet. Adults take one tablet every eight hours."
HANDBOOK = "To prune: vaultctl prune --keep-days N. The file is /etc/vault.conf."
EVIDENCE = documents(LEAFLET, HANDBOOK)
TABLET = "Norvia is a tablet."
RIGHT, WRONG = "Take one tablet every eight hours.", "Take two tablets every four hours."
COMMAND, INVENTED = "vaultctl prune --keep-days 30", "vaultctl prune --keep-days 30 --force-all"
HEBREW = "קחו שתי כדורים כל ארבע שעות."


def told(text: str) -> str:
    return f"According to the sources: {text}"


def block(code: str) -> str:
    return f"```sh\n{code}\n```"


KNOWN = {
    TABLET: LEAFLET,
    told(RIGHT): LEAFLET,
    told(COMMAND): HANDBOOK,
    told(INVENTED): HANDBOOK,
    told("Run `vaultctl prune --fast` at night."): HANDBOOK,
}


@pytest.fixture
async def served() -> AsyncIterator[Scripted]:
    async with scripted_server() as served:
        served.engine.answer = believes(KNOWN)
        yield served


def verdict_of(claim: pb.AnswerClaim) -> tuple[str, str, str]:
    verdict = claim.verdict
    return (
        pb.NonAssertiveReason.Name(claim.claim.non_assertive_reason)[21:],
        pb.Verdict.Name(verdict.verdict)[8:],
        pb.VerdictReason.Name(verdict.reason)[15:],
    )


async def test_an_instruction_with_a_figure_is_read(served: Scripted) -> None:
    response = await verify_answer(served, f"{TABLET} {RIGHT}", EVIDENCE)
    assert verdict_of(response.claims[1]) == ("INSTRUCTION", "SUPPORTED", "BUDGET_COVERED")
    assert response.summary.overall_grounded

    response = await verify_answer(served, f"{TABLET} {WRONG}", EVIDENCE)
    assert verdict_of(response.claims[1]) == ("INSTRUCTION", "UNSUPPORTED", "LOW_POSTERIOR")
    assert list(response.claims[1].verdict.unstated_values) == ["two", "four hours"]
    assert not response.summary.overall_grounded


@pytest.mark.parametrize(
    ("text", "total"),
    [
        ("Take one tablet a day.", 1),
        ("Rinse twice a week.", 1),
        ("קחו כדור אחד ביום.", 1),
        ("יש ליטול כדור אחד ביום.", 1),
        ("Press one of the buttons.", 0),
        ("לחצו על אחד הכפתורים.", 0),
    ],
)
async def test_how_often_to_do_something_is_to_check(
    text: str, total: int, served: Scripted
) -> None:
    response = await verify_answer(served, text, EVIDENCE)
    assert response.summary.total_claims == total


async def test_a_hebrew_instruction_is_read_in_hebrew(served: Scripted) -> None:
    response = await verify_answer(served, HEBREW, EVIDENCE)
    assert verdict_of(response.claims[0])[:2] == ("INSTRUCTION", "UNSUPPORTED")
    assert f"לפי המקורות: {HEBREW}" in served.engine.claims


async def test_a_plain_instruction_is_counted_and_not_read(served: Scripted) -> None:
    response = await verify_answer(served, f"{TABLET} Open the door. Wash your hands.", EVIDENCE)
    assert (response.summary.plain_instructions, response.summary.total_claims) == (2, 1)
    assert response.summary.overall_grounded


async def test_code_is_grounded_where_the_sources_have_it(served: Scripted) -> None:
    response = await verify_answer(served, block(COMMAND), EVIDENCE)
    assert verdict_of(response.claims[0]) == ("CODE", "SUPPORTED", "BUDGET_COVERED")
    assert response.summary.overall_grounded


@pytest.mark.parametrize(
    ("answer", "kind", "named"),
    [
        (block(INVENTED), "CODE", "--force-all"),
        ("Run `vaultctl prune --fast` at night.", "INSTRUCTION", "--fast"),
    ],
)
async def test_a_flag_that_no_source_has_is_named_and_never_supported(
    served: Scripted, answer: str, kind: str, named: str
) -> None:
    response = await verify_answer(served, answer, EVIDENCE)
    assert verdict_of(response.claims[0]) == (kind, "UNSUPPORTED", "UNSTATED_CODE")
    assert response.claims[0].verdict.unstated_values[0] == named
    assert named in response.claims[0].verdict.reason_text
    assert not response.summary.overall_grounded


@pytest.mark.parametrize(
    ("code", "unstated"),
    [
        ("max_retries: 9\nport: 80", ["max_retries", "port", "9", "80"]),
        ("retry_limit = 9", ["retry_limit", "9"]),
        ('{"retries": 9}', ["retries", "9"]),
        ("keep-days: 30", []),
        ("port: 80\n# מספר הניסיונות\nretries: 9", ["port", "retries", "80", "9"]),
    ],
)
async def test_a_parameter_that_no_source_has_is_named_wherever_it_stands(
    served: Scripted, code: str, unstated: list[str]
) -> None:
    evidence = documents("Set keep-days to 30. השמירה היא ל-30 יום.")
    response = await verify_answer(served, block(code), evidence)
    assert list(response.claims[0].verdict.unstated_values) == unstated


@pytest.mark.parametrize(
    ("claim", "named"),
    [
        ("The tool accepts `--force-all`.", "--force-all"),
        ("Führen Sie `vaultctl --force` aus.", "--force"),
        ("Edit `/etc/tool.conf`.", "/etc/tool.conf"),
        ("הריצו `vaultctl --force`.", "--force"),
        ("הכלי מקבל את `--force-all`.", "--force-all"),
        ("The tool accepts `--keep-days`.", ""),
        ("Edit `/etc/vault.conf`.", ""),
        ("הכלי מקבל את `--keep-days`.", ""),
    ],
)
async def test_code_between_back_ticks_is_compared_in_every_claim(
    served: Scripted, claim: str, named: str
) -> None:
    said = {claim: HANDBOOK, told(claim): HANDBOOK, f"לפי המקורות: {claim}": HANDBOOK}
    served.engine.answer = believes(said)
    response = await verify_answer(served, claim, EVIDENCE)
    verdict = response.claims[0].verdict
    assert list(verdict.unstated_values) == ([named] if named else [])
    assert verdict_of(response.claims[0])[1:] == (
        ("UNSUPPORTED", "UNSTATED_CODE") if named else ("SUPPORTED", "BUDGET_COVERED")
    )


@pytest.mark.parametrize(
    ("answer", "named"),
    [
        ("`--force`", "--force"),
        ("--force", "--force"),
        ("--keep-days or --force", "--force"),
        ("`max_days`", "max_days"),
        ("/etc/tool.conf", "/etc/tool.conf"),
        (block("vaultctl --force"), "--force"),
        ("`--keep-days`", ""),
        ("--keep-days", ""),
        ("/etc/vault.conf", ""),
        ("`vaultctl`", ""),
    ],
)
@pytest.mark.parametrize("question", ["Which one prunes?", "מה מוחק?"])
async def test_a_short_answer_that_is_code_is_compared_as_code(
    served: Scripted, question: str, answer: str, named: str
) -> None:
    asked = f"Question: {question} Answer: {answer.strip('`').removeprefix('sh').strip()}"
    ticked = f"Question: {question} Answer: {answer}"
    served.engine.answer = believes({asked: HANDBOOK, ticked: HANDBOOK})
    response = await verify_answer(served, answer, EVIDENCE, question=question)
    assert list(response.claims[0].verdict.unstated_values) == ([named] if named else [])
    assert verdict_of(response.claims[0])[1:] == (
        ("UNSUPPORTED", "UNSTATED_CODE") if named else ("SUPPORTED", "BUDGET_COVERED")
    )


@pytest.mark.parametrize(
    "claim",
    [
        "There is no `--force` option.",
        "The tool does not support `--force`.",
        "`--force` is not a valid flag.",
        "אין אפשרות `--force`.",
        "הדגל `--force` אינו קיים.",
    ],
)
async def test_that_there_is_no_such_flag_needs_no_source_that_names_it(
    served: Scripted, claim: str
) -> None:
    served.engine.answer = believes({claim: HANDBOOK})
    response = await verify_answer(served, claim, EVIDENCE)
    verdict = response.claims[0].verdict
    assert not verdict.unstated_values
    assert verdict_of(response.claims[0])[1:] == ("SUPPORTED", "BUDGET_COVERED")
    # That it is so is for the model to read.
    served.engine.answer = believes({})
    response = await verify_answer(served, claim, EVIDENCE)
    assert not response.claims[0].verdict.grounded


async def test_an_answer_with_unread_code_is_not_grounded(served: Scripted) -> None:
    answer = f"{TABLET} " * 4 + f"\n\n{block(COMMAND)}"
    served.engine.answers = {told(COMMAND): (0.0, 0.0)}
    believed = believes(KNOWN)
    served.engine.answer = lambda prompt: None if COMMAND in prompt[-200:] else believed(prompt)
    response = await verify_answer(served, answer, EVIDENCE)
    assert verdict_of(response.claims[-1])[1:] == ("NOT_VERIFIED", "LABEL_MASS_BELOW_FLOOR")
    assert response.summary.grounding_ratio == 0.8
    assert not response.summary.overall_grounded


async def test_a_heading_that_states_something_is_a_claim(served: Scripted) -> None:
    answer = f"## Opening hours\n\n{TABLET}\n\n## The tower has 900 floors\n\n{TABLET}"
    response = await verify_answer(served, answer, EVIDENCE)
    assert [verdict_of(each)[:2] for each in response.claims] == [
        ("HEADING", "NOT_VERIFIED"),
        ("UNSPECIFIED", "SUPPORTED"),
        ("UNSPECIFIED", "UNSUPPORTED"),
        ("UNSPECIFIED", "SUPPORTED"),
    ]


async def test_with_the_setting_off_no_instruction_is_read() -> None:
    async with scripted_server(verify_instructions=False) as served:
        served.engine.answer = believes(KNOWN)
        response = await verify_answer(served, f"{TABLET} {WRONG}\n\n{block(INVENTED)}", EVIDENCE)
        assert [verdict_of(each)[2] for each in response.claims] == [
            "BUDGET_COVERED",
            "NON_ASSERTIVE",
            "NON_ASSERTIVE",
        ]
        assert response.summary.overall_grounded
