"""Outputs on the real model: what of a conversation carries them, and when they are read."""

from groundwire import Client, Turn, TurnRole, Verdict, verify_output

TRUE, FALSE = "The bridge of Arden opened in 1932.", "The bridge of Arden opened in 1871."
FOUND = Turn(TurnRole.TOOL, f"{TRUE} It is 503 metres long.", id="search-1")


def test_the_real_model_finds_what_an_agent_has_to_correct(client: Client) -> None:
    status = verify_output(f"{FALSE[:-1]} [search-1].", [FOUND], client=client)
    result = status.result
    assert result is not None
    assert [claim.verdict for claim in result.claims] != [Verdict.SUPPORTED]
    assert result.risk_bits > 0.0
    assert FALSE in result.instruction


def test_an_agent_that_repeats_itself_is_not_its_own_evidence(client: Client) -> None:
    said = Turn(TurnRole.ASSISTANT, TRUE)
    asked = Turn(TurnRole.USER, "Ada keeps bees in her garden. When did the bridge open?")
    carried = verify_output(TRUE, [FOUND], client=client).result
    repeated = verify_output(TRUE, [asked, said], client=client).result
    assert carried is not None
    assert repeated is not None
    assert (carried.risk_bits, carried.instruction) == (0.0, "")
    assert repeated.instruction
