"""A backend on an endpoint that is an object here: probes, readings, samples, failures."""

import math
from collections.abc import Sequence

import pytest

from groundwire_verifier.domain.errors import (
    BackendBusyError,
    BackendLoadingError,
    BackendRefusedError,
    BackendUnreachableError,
    ImplausibleAnswerError,
    PromptTooLongError,
    UnusableModelError,
)
from groundwire_verifier.domain.estimates import estimates_of
from groundwire_verifier.domain.types import (
    Estimate,
    Instruction,
    JsonForm,
    NoProbabilityReason,
    Question,
    Reading,
    ReadingOrigin,
    TextPart,
)
from groundwire_verifier.domain.urgency import WHENEVER, Urgency
from groundwire_verifier.engine.base import BackendState
from groundwire_verifier.engine.endpoints.backend import (
    Abilities,
    EndpointBackend,
    EndpointUsage,
    Listing,
    Sampled,
)
from groundwire_verifier.engine.endpoints.top_tokens import ListedToken
from groundwire_verifier.engine.reading_store import MemoryStore
from groundwire_verifier.engine.result_cache import ResultCache
from groundwire_verifier.numbers.calibration import Calibration, Platt
from groundwire_verifier.numbers.intervals import wilson

LISTS = Abilities("chat/completions", is_chat=True, top_tokens=20)
SAMPLES = Abilities("chat/completions", is_chat=True, top_tokens=0)
QUESTION = Question("The tower is tall.", "The tower is 330 m high.")
FLOOR = 0.05


class FakeEndpoint:
    """Answers with `tokens`, or with the `samples` in turn; exceptions among them are raised."""

    def __init__(self, abilities: Abilities = LISTS) -> None:
        self.abilities = abilities
        self.probes: list[Exception] = []
        self.tokens: dict[str, float] = {"YES": 0.6, "NO": 0.3, "maybe": 0.01}
        self.samples: list[str | Exception] = ["YES"]
        self.usage = EndpointUsage()
        self.texts: list[str] = []
        self.counts: list[int] = []
        self.closed = False

    async def probe(self) -> Abilities:
        if self.probes:
            raise self.probes.pop(0)
        return self.abilities

    async def list_tokens(self, text: str, urgency: Urgency) -> Listing:
        self.texts.append(text)
        tokens = (ListedToken(t, math.log(p)) for t, p in self.tokens.items())
        return Listing(tuple(tokens), self.usage)

    async def sample(self, text: str, count: int, urgency: Urgency) -> Sampled:
        turn = self.samples[len(self.counts) % len(self.samples)]
        self.texts.append(text)
        self.counts.append(count)
        if isinstance(turn, Exception):
            raise turn
        return Sampled((turn,) * count, self.usage)

    async def write(
        self, text: str, most_tokens: int, urgency: Urgency, form: JsonForm | None = None
    ) -> str:
        self.texts.append(text)
        self.counts.append(most_tokens)
        return "330 m"

    async def close(self) -> None:
        self.closed = True


def backend_on(
    endpoint: FakeEndpoint,
    *,
    samples: int = 8,
    pauses: list[float] | None = None,
    calibration: Calibration | None = None,
) -> EndpointBackend:
    async def pause(seconds: float) -> None:
        if pauses is not None:
            pauses.append(seconds)

    return EndpointBackend(
        "some-model",
        "http://127.0.0.1/v1",
        endpoint,
        window_tokens=4096,
        samples=samples,
        calibrations=lambda _: calibration,
        pause=pause,
    )


async def read(backend: EndpointBackend, *questions: Question) -> Sequence[Reading]:
    prompts = await backend.encode(questions or [QUESTION])
    return (await backend.read(prompts, {}, WHENEVER)).readings


async def estimate(backend: EndpointBackend) -> Estimate:
    readings = await read(backend)
    return estimates_of(readings, FLOOR, backend.info.calibration)[0]


async def started(endpoint: FakeEndpoint, samples: int = 8) -> EndpointBackend:
    backend = backend_on(endpoint, samples=samples)
    await backend.start()
    return backend


async def test_before_its_endpoint_has_answered_it_is_loading() -> None:
    backend = backend_on(FakeEndpoint())
    states = [backend.state]
    with pytest.raises(BackendLoadingError, match="has not answered yet"):
        await backend.encode([QUESTION])
    await backend.start()
    assert [*states, backend.state] == [BackendState.LOADING, BackendState.SERVING]


async def test_an_endpoint_that_cannot_be_reached_is_probed_again_after_longer_and_longer() -> None:
    endpoint, pauses = FakeEndpoint(), list[float]()
    endpoint.probes = [BackendUnreachableError("down")] * 8
    endpoint.probes.append(BackendBusyError("come later", 300.0))
    backend = backend_on(endpoint, pauses=pauses)
    await backend.start()
    assert pauses == [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 60.0, 60.0, 300.0]
    assert backend.state is BackendState.SERVING


async def test_an_endpoint_that_refuses_is_a_backend_that_failed() -> None:
    endpoint = FakeEndpoint()
    endpoint.probes = [BackendRefusedError("HTTP 401; check the key of external")]
    backend = backend_on(endpoint)
    with pytest.raises(UnusableModelError, match="the key of external"):
        await backend.start()
    assert backend.state is BackendState.FAILED
    with pytest.raises(BackendRefusedError, match="the key of external"):
        await backend.encode([QUESTION])


async def test_listed_tokens_are_an_estimate_with_an_interval() -> None:
    found = await estimate(await started(FakeEndpoint()))
    assert found.probability == pytest.approx(0.6 / 0.9)
    assert found.interval is not None
    # Five more forms of each label, at most as likely as the last of the list.
    assert found.interval.low == pytest.approx(0.6 / (0.9 + 5 * 0.01))
    assert found.interval.high == pytest.approx(0.65 / (0.65 + 0.3))
    assert (found.source, found.samples) == (ReadingOrigin.MODEL, 0)
    assert found.label_mass == pytest.approx(0.9)
    assert found.max_label_mass == pytest.approx(0.99)
    assert found.yes_nats == pytest.approx(math.log(0.6))


async def test_a_label_mass_that_may_be_below_the_floor_is_no_answer() -> None:
    endpoint = FakeEndpoint()
    endpoint.tokens = {"The": 0.9, "YES": 0.04, "So": 0.04}
    found = await estimate(await started(endpoint))
    assert found.max_label_mass is not None
    assert found.label_mass < FLOOR < found.max_label_mass
    assert (found.probability, found.interval) == (None, None)
    assert found.reason is NoProbabilityReason.LABEL_MASS_BELOW_FLOOR


async def test_an_implausible_list_is_an_error_and_no_reading() -> None:
    endpoint = FakeEndpoint()
    endpoint.tokens = {"YES": 0.9, "NO": 0.9}
    backend = await started(endpoint)
    with pytest.raises(
        ImplausibleAnswerError, match=r"some-model gave no usable answer.*more than 1"
    ):
        await read(backend)


async def test_a_calibration_maps_the_interval_with_the_probability() -> None:
    curve = Platt(slope=2.0, intercept=-1.0)
    backend = backend_on(FakeEndpoint(), calibration=Calibration(curve, 10, "rows", {}))
    await backend.start()
    found = await estimate(backend)
    assert found.calibrated
    assert found.interval is not None
    assert found.probability is not None
    assert found.interval.low < found.probability < found.interval.high
    assert found.interval.low == pytest.approx(float(curve.apply(0.6 / 0.95)))


async def test_without_log_probabilities_answers_are_sampled_and_marked() -> None:
    endpoint = FakeEndpoint(SAMPLES)
    endpoint.samples = ["YES", "YES", "YES", "NO"]
    found = await estimate(await started(endpoint))
    assert endpoint.counts == [1] * 8
    assert found.interval == wilson(6, 8)
    assert found.probability == pytest.approx(wilson(6, 8).center)
    assert (found.source, found.samples) == (ReadingOrigin.SAMPLING, 8)
    assert (found.yes_nats, found.no_nats) == (None, None)


async def test_too_few_samples_are_no_probability() -> None:
    endpoint = FakeEndpoint(SAMPLES)
    endpoint.samples = ["NO", *[BackendUnreachableError("cut off")] * 3]
    found = await estimate(await started(endpoint))
    assert (found.samples, found.probability, found.interval) == (2, None, None)
    assert found.reason is NoProbabilityReason.TOO_FEW_SAMPLES


async def test_empty_answers_are_no_samples_that_a_probability_could_stand_on() -> None:
    endpoint = FakeEndpoint(SAMPLES)
    endpoint.samples = ["YES", "", "", ""]
    found = await estimate(await started(endpoint))
    assert found.probability is None
    assert found.reason is NoProbabilityReason.TOO_FEW_SAMPLES


async def test_answers_that_are_empty_everywhere_are_an_error() -> None:
    endpoint = FakeEndpoint(SAMPLES)
    endpoint.abilities = Abilities("chat", is_chat=True, top_tokens=0, samples_a_call=0)
    backend = await started(endpoint)

    async def nothing(text: str, count: int, urgency: Urgency) -> Sampled:
        return Sampled(("",) * count, EndpointUsage())

    endpoint.sample = nothing  # type: ignore[method-assign]
    with pytest.raises(BackendUnreachableError, match="gave no answer"):
        await read(backend)


@pytest.mark.parametrize(
    ("usage", "tokens", "cached"),
    [
        (EndpointUsage(40, 10), 40, 10),
        (EndpointUsage(40, 90), 40, 40),
        (EndpointUsage(40, -5), 40, 0),
        (EndpointUsage(-3, 0), None, 0),
        (EndpointUsage(10**30, 10**29), None, None),
        (EndpointUsage(), None, 0),
    ],
)
async def test_usage_is_what_the_endpoint_says_as_far_as_it_can_be(
    usage: EndpointUsage, tokens: int | None, cached: int | None
) -> None:
    endpoint = FakeEndpoint()
    endpoint.usage = usage
    backend = await started(endpoint)
    (prompt,) = await backend.encode([QUESTION])
    (reading,) = await read(backend)
    pieces = len(prompt.token_ids)
    assert reading.prompt_tokens == (pieces if tokens is None else tokens)
    assert reading.cached_tokens == (pieces if cached is None else cached)


async def test_sampled_readings_are_remembered_with_their_interval() -> None:
    endpoint = FakeEndpoint(SAMPLES)
    backend = await started(endpoint)
    cache = ResultCache(backend, MemoryStore(10, 60.0))
    prompts = await backend.encode([QUESTION])
    (first,) = (await cache.read(prompts, {}, WHENEVER)).readings
    (again,) = (await cache.read(prompts, {}, WHENEVER)).readings
    assert len(endpoint.counts) == 8
    assert (first.source, again.source) == (ReadingOrigin.SAMPLING, ReadingOrigin.CACHE)
    assert again.bounds == first.bounds
    assert again.bounds is not None
    assert again.bounds.samples == 8


async def test_a_reading_of_too_few_samples_is_not_remembered() -> None:
    endpoint = FakeEndpoint(SAMPLES)
    endpoint.samples = ["YES", *[BackendUnreachableError("cut off")] * 7]
    backend = await started(endpoint)
    cache = ResultCache(backend, MemoryStore(10, 60.0))
    prompts = await backend.encode([QUESTION])
    await cache.read(prompts, {}, WHENEVER)
    endpoint.samples = ["YES"]
    (again,) = (await cache.read(prompts, {}, WHENEVER)).readings
    assert again.reason is None


async def test_what_changes_a_reading_is_part_of_its_identity() -> None:
    chat = await started(FakeEndpoint(LISTS))
    same = await started(FakeEndpoint(LISTS))
    sampled = await started(FakeEndpoint(SAMPLES))
    more = await started(FakeEndpoint(SAMPLES), samples=16)
    text = await started(FakeEndpoint(Abilities("completions", is_chat=False, top_tokens=20)))
    identities = [b.info.reading_identity for b in (chat, same, sampled, more, text)]
    assert identities[0] == identities[1]
    assert len(set(identities)) == 4
    assert sampled.info.identity == more.info.identity != chat.info.identity


async def test_what_leaves_no_room_to_write_is_too_long() -> None:
    backend = backend_on(FakeEndpoint())
    await backend.start()
    with pytest.raises(PromptTooLongError):
        await backend.generate(
            Instruction((TextPart("a" * 12_300, is_ours=False),)), 12, {}, WHENEVER
        )
