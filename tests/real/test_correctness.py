"""The numbers: against a float32 forward pass, and against themselves.

docs/calibration.md states both bounds. What the forward pass says of these weights and prompts is
kept in float32.json; of others it is computed, which takes minutes. To record it anew:

    python -m tests.real.test_correctness
"""

import hashlib
import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Self

import numpy as np
import numpy.typing as npt
import pytest
from transformers import AutoTokenizer

from groundwire import BatchResult, Client
from groundwire_server.models.store import SMALL_MODEL, resolve
from groundwire_verifier.domain.prompts import PromptEncoder
from groundwire_verifier.domain.types import Question
from groundwire_verifier.engine.hf_tokenizer import HfTokenizer
from groundwire_verifier.engine.native_dtype import native_dtype
from groundwire_verifier.engine.reference import ReferenceModel
from tests.conftest import SHARED

MAX_REFERENCE_NATS = 0.5
"""Most that a label's log-probability may differ from the float32 forward pass: bfloat16's noise
over thirty layers. It is largest for the label that is all but excluded."""
MAX_REFERENCE_MEDIAN_NATS = 0.05
MAX_REFERENCE_PROBABILITY = 0.05
"""Most that P(YES) among YES and NO may differ from it."""
MAX_DRIFT = 0.03
"""Most that a probability may move with the batch, the order and the cache."""

SHORT_PER_SET, LONG_PER_SET = 22, 2
MAX_CONTEXT_CHARACTERS = 500
BATCH = 12
KEPT = Path(__file__).with_name("float32.json")
SETS = ("fm2", "halueval_qa", "attributionbench", "hebnli")


def rows(shared: Path, name: str) -> list[dict[str, str]]:
    with (shared / "data" / f"{name}.jsonl").open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def questions_of(shared: Path) -> list[Question]:
    """The shortest of four sets, in English and Hebrew, whose float32 pass takes the least, and
    a few long ones."""
    found = []
    for name in SETS:
        fit = (r for r in rows(shared, name) if len(r["context"]) <= MAX_CONTEXT_CHARACTERS)
        by_length = sorted((Question(r["claim"], r["context"]) for r in fit), key=characters)
        found += [*by_length[:SHORT_PER_SET], *by_length[SHORT_PER_SET:][-LONG_PER_SET:]]
    return found


def characters(question: Question) -> int:
    return len(question.context) + len(question.claim)


@dataclass(frozen=True)
class Float32:
    """ln P of YES and NO after each prompt by a forward pass, in nats; `key` is what was read."""

    key: str
    nats: list[list[float]]

    @classmethod
    def of(cls, model_folder: str, questions: list[Question]) -> Self:
        """What is kept, or else what is computed."""
        encoder = PromptEncoder.for_tokenizer(
            HfTokenizer(AutoTokenizer.from_pretrained(model_folder))
        )
        prompts = encoder.encode(questions)
        read = [Path(model_folder).name, *(list(prompt.token_ids) for prompt in prompts)]
        key = hashlib.sha256(json.dumps(read).encode()).hexdigest()
        if KEPT.exists() and (kept := cls(**json.loads(KEPT.read_text()))).key == key:
            return kept
        nats = ReferenceModel(model_folder).label_nats(prompts, encoder.label_forms())
        return cls(key, nats[:, :2].round(6).tolist())  # an estimate has YES and NO


def test_the_weights_have_a_data_type_that_this_cpu_does_not_emulate(client: Client) -> None:
    assert f"torch.{client.server_info().dtype}" == str(native_dtype())


def test_label_log_probabilities_agree_with_a_float32_forward_pass(
    client: Client, shared: Path, model_folder: str
) -> None:
    questions = questions_of(shared)
    expected = np.array(Float32.of(model_folder, questions).nats)
    with ThreadPoolExecutor(8) as threads:
        calls = [
            threads.submit(client.estimate, q.claim, q.context, skip_result_cache=True)
            for q in questions
        ]
        read = [call.result().estimate for call in calls]

    assert len(read) >= 70
    measured = np.array([(e.yes_log_probability, e.no_log_probability) for e in read])
    apart = np.abs(measured - expected)
    moved = np.abs(_p_yes(measured) - _p_yes(expected))
    worst = np.unravel_index(apart.argmax(), apart.shape)[0]
    print(
        f"median {np.median(apart):.4f}, p95 {np.quantile(apart, 0.95):.4f}, "
        f"max {apart.max():.4f}, P(YES) max {moved.max():.4f}"
    )
    print("farthest:", questions[worst], measured[worst], expected[worst])
    assert apart.max() <= MAX_REFERENCE_NATS
    assert np.median(apart) <= MAX_REFERENCE_MEDIAN_NATS
    assert moved.max() <= MAX_REFERENCE_PROBABILITY


@pytest.fixture(scope="module")
def contexts(shared: Path) -> list[str]:
    """Contexts that no other test sends, so that their first read is cold."""
    return [f"{r['context']} (drift)" for r in rows(shared, "fm2")[300:400:50]]


@pytest.fixture(scope="module")
def claims(shared: Path) -> list[str]:
    return list(dict.fromkeys(r["claim"] for r in rows(shared, "fm2")))[:BATCH]


def _p_yes(nats: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """P(YES) among YES and NO; their log-probabilities are the last axis."""
    shares: npt.NDArray[np.float64] = 1 / (1 + np.exp(nats[..., 1] - nats[..., 0]))
    return shares


def drift(one: BatchResult, other: BatchResult) -> float:
    pairs = zip(one, other, strict=True)
    logits = [
        [e.yes_log_probability or 0.0, e.no_log_probability or 0.0] for pair in pairs for e in pair
    ]
    table = np.array(logits).reshape(-1, 2, 2)
    p = _p_yes(table)
    apart = float(np.abs(p[:, 0] - p[:, 1]).max())
    print(f"drift {apart:.4f} over {len(p)} claims")
    return apart


def test_a_cold_read_alone_equals_a_warm_read_in_a_batch(
    client: Client, contexts: list[str], claims: list[str]
) -> None:
    alone = client.batch_estimate(claims[:1], contexts[0], skip_result_cache=True)
    batch = client.batch_estimate(claims, contexts[0], skip_result_cache=True)

    assert alone.usage.cached_tokens < alone.usage.context_tokens
    assert batch.usage.cached_tokens > alone.usage.context_tokens
    first = BatchResult(
        batch.estimates[:1], batch.usage, batch.timing, batch.model, batch.prompt_version, ""
    )
    assert drift(alone, first) <= MAX_DRIFT


def test_a_batch_read_cold_equals_its_claims_read_alone_and_warm(
    client: Client, contexts: list[str], claims: list[str]
) -> None:
    batch = client.batch_estimate(claims, contexts[1], skip_result_cache=True)
    picked = range(0, BATCH, 4)
    singles = [
        client.batch_estimate([claims[i]], contexts[1], skip_result_cache=True) for i in picked
    ]

    for i, single in zip(picked, singles, strict=True):
        assert single.usage.cached_tokens > 0
        same = BatchResult((batch[i],), batch.usage, batch.timing, "", "", "")
        assert drift(single, same) <= MAX_DRIFT


def test_the_order_of_a_batch_does_not_matter(
    client: Client, contexts: list[str], claims: list[str]
) -> None:
    forward = client.batch_estimate(claims, contexts[1], skip_result_cache=True)
    backward = client.batch_estimate(claims[::-1], contexts[1], skip_result_cache=True)

    turned = BatchResult(backward.estimates[::-1], backward.usage, backward.timing, "", "", "")
    assert drift(forward, turned) <= MAX_DRIFT


if __name__ == "__main__":
    folder = resolve(SMALL_MODEL, Path("~/.cache/groundwire").expanduser(), print)
    KEPT.write_text(json.dumps(asdict(Float32.of(folder, questions_of(SHARED)))) + "\n")
