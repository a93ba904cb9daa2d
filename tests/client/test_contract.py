"""Responses in proto/testdata that keep the contract or break it. Go's tests read them, too.

What the clients read of a response is recorded in read.json, anew by `python -m
tests.client.test_contract`. A line of breaches.jsonl has the name of a response, what is wrong with
it, words that the error of each client has, and what the paths of the response become.
"""

import asyncio
import copy
import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from google.protobuf.json_format import ParseDict
from google.protobuf.message import Message

from groundwire import Client, InvalidResponseError
from groundwire.v1 import corpus_verification_pb2 as corpus_pb
from groundwire.v1 import hallucination_detection_pb2 as detection_pb
from groundwire.v1 import memory_gate_pb2 as gate_pb
from groundwire.v1 import output_verification_pb2 as output_pb
from groundwire.v1 import response_assessment_pb2 as assessment_pb
from groundwire.v1 import similarity_pb2 as similarity_pb
from groundwire.v1 import trace_audit_pb2 as trace_pb
from groundwire.v1 import verifier_backend_pb2 as backend_pb
from tests.client.scripted import AnyClient, ScriptedServer, settle

Json = dict[str, Any]

DATA = Path(__file__).parents[2] / "proto" / "testdata"
RESPONSES: dict[str, Json] = json.loads((DATA / "responses.json").read_text())
BREACHES = [json.loads(line) for line in (DATA / "breaches.jsonl").read_text().splitlines()]
READ = Path(__file__).with_name("read.json")

# What makes each call, and the response that it reads.
CALLS: Mapping[str, tuple[Callable[[AnyClient, Json], Any], type[Message]]] = {
    "GetServerInfo": (
        lambda client, _: client.server_info(),
        backend_pb.GetServerInfoResponse,
    ),
    "BatchEstimate": (
        lambda client, asked: client.batch_estimate(asked["claims"]),
        backend_pb.BatchEstimateResponse,
    ),
    "ExtractClaims": (
        lambda client, asked: client.extract_claims(asked["text"]),
        detection_pb.ExtractClaimsResponse,
    ),
    "VerifyClaims": (
        lambda client, asked: client.verify_claims(
            [claim["text"] for claim in asked["claims"]], "context"
        ),
        detection_pb.VerifyClaimsResponse,
    ),
    "VerifyAnswer": (
        lambda client, asked: client.verify_answer(asked["answer"], "context"),
        detection_pb.VerifyAnswerResponse,
    ),
    "AuditTrace": (
        lambda client, asked: client.audit_trace(asked["steps"]),
        trace_pb.AuditTraceResponse,
    ),
    "CheckFacts": (
        lambda client, asked: client.check_facts(
            [fact["text"] for fact in asked["facts"]], "context"
        ),
        gate_pb.CheckFactsResponse,
    ),
    "AssessResponse": (
        lambda client, asked: client.assess_response(asked["response"]),
        assessment_pb.AssessResponseResponse,
    ),
    "AnalyzeText": (
        lambda client, asked: client.analyze_text(asked["text"]),
        corpus_pb.AnalyzeTextResponse,
    ),
    "SearchCorpus": (
        lambda client, asked: client.search_corpus(asked["query"]),
        corpus_pb.SearchCorpusResponse,
    ),
    "CheckSimilarity": (
        lambda client, asked: client.check_similarity(asked["answer"], asked["contexts"]),
        similarity_pb.CheckSimilarityResponse,
    ),
    "GetVerification": (
        lambda client, asked: client.get_verification(asked["id"]),
        output_pb.GetVerificationResponse,
    ),
}


def changed(value: Any, path: str, new: object) -> None:  # noqa: ANN401 - any JSON
    """Sets what the path leads to; None takes it out."""
    *way, last = [int(key) if key.isdigit() else key for key in path.split(".")]
    for key in way:
        value = value[key]
    if new is None:
        value.pop(last, *([None] if isinstance(value, dict) else []))
    elif isinstance(value, list) and last == len(value):
        value.append(new)
    else:
        value[last] = new


async def call(
    client: AnyClient, server: ScriptedServer, name: str, changes: Json | None = None
) -> Json:
    """What the call that the response is for reads of it after the changes, as JSON."""
    asked = copy.deepcopy(RESPONSES[name])
    for path, new in (changes or {}).items():
        changed(asked["response"], path, new)
    make, response = CALLS[asked["method"]]
    server.script(ParseDict(asked["response"], response()))
    found: Json = json.loads(
        json.dumps(asdict(await settle(make(client, asked["request"]))), default=str)
    )
    return found


@pytest.mark.parametrize("name", RESPONSES)
async def test_a_response_that_keeps_the_contract_is_read_as_it_was_recorded(
    client: AnyClient, server: ScriptedServer, name: str
) -> None:
    assert await call(client, server, name) == json.loads(READ.read_text("utf-8"))[name]


def fields_of(kind: Any) -> Iterator[str]:  # noqa: ANN401 - the descriptor of a message
    """The fields of a message of ours, and of those within it."""
    seen, left = set(), [kind]
    while left:
        kind = left.pop()
        if kind.file.package == "groundwire.v1" and kind.full_name not in seen:
            seen.add(kind.full_name)
            yield from (field.full_name for field in kind.fields)
            left += [field.message_type for field in kind.fields if field.message_type]


def fields_in(message: Message) -> Iterator[str]:
    """The fields that a message and those within it have set."""
    for field, value in message.ListFields():
        yield field.full_name
        for each in value if field.is_repeated else [value]:
            yield from fields_in(each) if isinstance(each, Message) else ()


def test_the_responses_have_every_field_of_the_contract() -> None:
    kinds = {response for _, response in CALLS.values()}
    made = [ParseDict(each["response"], CALLS[each["method"]][1]()) for each in RESPONSES.values()]
    wanted = {name for kind in kinds for name in fields_of(kind.DESCRIPTOR)}
    # The one is the caller's own, and no call here gives any.
    wanted.remove("groundwire.v1.CheckedFact.id")
    assert wanted <= {name for each in made for name in fields_in(each)}


@pytest.mark.parametrize(
    ("name", "words", "changes"),
    [
        pytest.param(name, words, changes, id=f"{name}, {what}")
        for name, what, words, changes in BREACHES
    ],
)
async def test_a_response_that_breaks_the_contract_is_refused_for_its_breach(
    client: AnyClient, server: ScriptedServer, name: str, words: str, changes: Json
) -> None:
    with pytest.raises(InvalidResponseError, match=re.escape(words)):
        await call(client, server, name, changes)


async def record() -> None:
    """Write down what a client reads of each response."""
    server = ScriptedServer()
    with Client(server.target) as client:
        found = {name: await call(client, server, name) for name in RESPONSES}
    server.stop()
    READ.write_text(json.dumps(found, ensure_ascii=False).replace("}, ", "},\n") + "\n", "utf-8")


if __name__ == "__main__":
    asyncio.run(record())
