"""What of a chat request is evidence, what is asked, and what was said before."""

import pytest

from groundwire import Document, Turn, TurnRole
from groundwire_server.doors.proxy import grounds as proxy_grounds
from groundwire_server.doors.proxy.grounds import KINDS, Grounds, grounds
from groundwire_server.rpc.status import MalformedRequestError


def of(*messages: object, kinds: tuple[str, ...] = KINDS[:3], **fields: object) -> Grounds:
    return grounds({"messages": list(messages), **fields}, kinds)


def user(content: object) -> dict[str, object]:
    return {"role": "user", "content": content}


def tool(content: object) -> dict[str, object]:
    return {"role": "tool", "tool_call_id": "call_1", "content": content}


def test_results_of_tools_are_sources_in_their_order() -> None:
    found = of(user("How high?"), tool("330 m"), {"role": "function", "content": "1889"})
    assert found.documents == (Document("S0", "330 m"), Document("S1", "1889"))


def test_blocks_are_sources_with_their_ids_and_titles() -> None:
    text = (
        '<document id="doc-7" title="The &quot;Tower&quot;">330 m</document> and '
        "<source title='Opening' id='b'>נפתח בשנת 1889</source>\nHow high?"
    )
    found = of(user(text))
    assert found.documents == (
        Document("doc-7", "330 m", 'The "Tower"'),
        Document("b", "נפתח בשנת 1889", "Opening"),
    )
    assert found.question == "and \nHow high?"


@pytest.mark.parametrize("role", ["system", "developer", "user", "tool"])
def test_blocks_count_in_what_all_but_the_model_say(role: str) -> None:
    message = {"role": role, "content": "<document>330 m</document>"}
    assert of(message).documents == (Document("S0", "330 m"),)


def test_what_the_model_says_is_no_evidence() -> None:
    message = {"role": "assistant", "content": "<document>330 m</document>"}
    assert of(message, kinds=KINDS).documents == ()


def test_fields_of_the_request_are_sources() -> None:
    documents = [{"id": "a", "title": "T", "text": "330 m"}, {"content": "1889"}, "In Paris."]
    found = of(user("How high?"), documents=documents, sources=[{"id": 7, "text": "Of iron."}])
    assert found.documents == (
        Document("a", "330 m", "T"),
        Document("S1", "1889"),
        Document("S2", "In Paris."),
        Document("7", "Of iron."),
    )


def test_what_the_system_says_is_evidence_where_it_is_chosen() -> None:
    system = {"role": "system", "content": "Answer from this: 330 m."}
    assert of(system).documents == ()
    assert of(system, kinds=("system",)).documents == (Document("S0", "Answer from this: 330 m."),)


@pytest.mark.parametrize("kind", ["tools", "blocks", "fields"])
def test_only_what_is_chosen_is_evidence(kind: str) -> None:
    found = of(tool("tools"), user("<source>blocks</source>"), documents=["fields"], kinds=(kind,))
    assert [each.text for each in found.documents] == [kind]


def test_a_block_that_nothing_closes_is_none() -> None:
    text = 'What does the tag <source> do? <document id="x">330 m</document> and </document>'
    found = of(user(text))
    assert found.documents == (Document("x", "330 m"),)
    assert found.question == "What does the tag <source> do?  and </document>"


def test_a_block_within_a_block_is_part_of_it() -> None:
    found = of(user("<document><source>a.pdf</source> 330 m</document> How high?"))
    assert found.documents == (Document("S0", "<source>a.pdf</source> 330 m"),)


def test_texts_with_one_id_are_one_source_and_a_repeated_text_counts_once() -> None:
    block = '<document id="a">{}</document>'
    texts = [block.format("330 m"), block.format("1889"), block.format("330 m")]
    assert of(user("".join(texts))).documents == (Document("a", "330 m\n\n1889"),)


def test_a_source_without_an_id_gets_one_that_is_free() -> None:
    found = of(user('<source>330 m</source><source id="S0">1889</source><source>Iron</source>'))
    assert [each.id for each in found.documents] == ["S1", "S0", "S2"]


def test_an_id_that_nobody_can_cite_is_a_title() -> None:
    long = "x" * 300
    found = of(user("How high?"), documents=[{"id": long, "text": "330 m"}])
    assert (found.documents[0].id, found.documents[0].title[:3]) == ("S0", "xxx")


@pytest.mark.parametrize("empty", ["", " \n", "\u200b"])
def test_what_nobody_can_read_is_no_source(empty: str) -> None:
    found = of(
        tool(empty), user(f"<document>{empty}</document>Why?"), documents=[empty, {"text": 1}]
    )
    assert found.documents == ()


def test_the_question_is_the_last_of_the_user_and_what_was_said_before_are_turns() -> None:
    found = of(
        {"role": "system", "content": "Be brief."},
        user("<source>330 m</source>How high is the tower?"),
        {"role": "assistant", "content": "330 m."},
        user([{"type": "text", "text": "ומתי "}, {"type": "image_url"}, {"text": "נפתח?"}]),
        {"role": "assistant", "content": None, "tool_calls": []},
        tool("1889"),
    )
    assert found.question == "ומתי \nנפתח?"
    assert found.turns == (
        Turn(TurnRole.USER, "How high is the tower?"),
        Turn(TurnRole.ASSISTANT, "330 m."),
    )


@pytest.mark.parametrize(
    "request_",
    [
        {},
        {"messages": "a"},
        {"messages": [1, {"role": 7}, {"content": {}}]},
        {"messages": [{"role": ["user"], "content": "a"}, {"role": {}, "content": "a"}]},
    ],
)
def test_a_request_of_another_form_has_neither_evidence_nor_question(
    request_: dict[str, object],
) -> None:
    assert grounds({**request_, "documents": {"a": "b"}}, KINDS) == Grounds((), "", ())


def test_more_tags_than_may_be_in_all_messages_are_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(proxy_grounds, "MAX_TAGS", 8)
    block = user("<source>330 m</source>")
    assert len(of(*[block] * 4).documents) == 4
    with pytest.raises(MalformedRequestError, match="messages: have more than 8 tags"):
        of(*[block] * 5)


def test_a_text_of_many_tags_is_read_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proxy_grounds, "MAX_TAGS", 1_000_000)
    # A search from each tag anew would take minutes.
    text = "<source>" * 60_000 + "<document " * 60_000 + 'id="' * 60_000
    assert of(user(text)).documents == ()


def test_many_sources_are_put_together_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proxy_grounds, "MAX_TAGS", 1_000_000)
    # To compare each with those before would take minutes.
    count = 15_000
    shared = "".join(f'<source id="a">{i}</source>' for i in range(count))
    taken = "".join(f'<source id="S{count + i}">x</source>' for i in range(count))
    found = of(user(shared), user(taken), user("<source>y</source>" * count))
    assert found.documents[0].text.count("\n\n") == count - 1
    assert len({each.id for each in found.documents}) == 1 + 2 * count


def test_blank_sources_can_be_cited() -> None:
    text = (
        '<document id="b.pdf" title="Prices"> </document><document id="c.pdf">12 euros</document>'
        '<document id="c.pdf"></document><source title="Terms">\u200b</source>'
    )
    found = of(user(text))
    assert found.documents == (Document("c.pdf", "12 euros"),)
    assert found.unread == ("b.pdf", "Prices", "Terms")
