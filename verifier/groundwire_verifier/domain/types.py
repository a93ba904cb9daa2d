"""The data that passes between layers: frozen, typed, units last in the names.

`nats` are natural-log units, `s` are seconds, `tokens` are the model's.
"""

import hashlib
import json
from dataclasses import asdict, dataclass, replace
from enum import Enum

from groundwire_verifier.numbers.calibration import Calibration
from groundwire_verifier.numbers.intervals import Interval

MAX_CLAIMS = 1000
"""The most claims that one batch may hold, whatever is configured."""


class ReadingOrigin(Enum):
    """Where a reading came from."""

    MODEL = "model"
    CACHE = "cache"
    SAMPLING = "sampling"


class NoProbabilityReason(Enum):
    """Why an estimate has no probability."""

    LABEL_MASS_BELOW_FLOOR = "label mass below the floor"
    TOO_FEW_SAMPLES = "too few samples"


class Label(Enum):
    """The answers. UNSURE is offered by some templates only, and is optional for a model."""

    YES = "YES"
    NO = "NO"
    UNSURE = "UNSURE"


class Template(Enum):
    """A wording of the question; the value is its version, which is part of cache keys."""

    YES_NO = "yes-no/1"
    YES_NO_UNSURE = "yes-no-unsure/1"
    ASSESSMENT = "assessment/1"


class Task(Enum):
    """What a model judges: whether a document supports a claim, or whether it is relevant to it."""

    SUPPORT = "support"
    RELEVANCE = "relevance"


@dataclass(frozen=True, slots=True)
class ChatTurn:
    """A turn of a conversation."""

    role: str
    text: str


NO_THINKING = json.dumps({"enable_thinking": False, "thinking": False})
"""What chat templates call the thought before the answer; those that know neither ignore it."""


@dataclass(frozen=True, slots=True)
class Profile:
    """How a model is asked, and what its answers mean.

    It is asked with `turns`, which its own chat template makes a text of, or with `prompt`, special
    tokens included, or, with neither, in our own words. `{context}` and `{claim}` in them, or in
    `template_values` (a JSON object that its template gets beside the turns), stand for the two
    texts. `answer_prefix` is put in front of its answer. `yes` and `no` are its words for both
    answers; those of our own questions where they are empty. `inverted` says that its yes speaks
    against the claim. `version` changes with the wording.
    """

    name: str
    version: int
    task: Task = Task.SUPPORT
    turns: tuple[ChatTurn, ...] = ()
    template_values: str = NO_THINKING
    prompt: str = ""
    answer_prefix: str = ""
    yes: tuple[str, ...] = ()
    no: tuple[str, ...] = ()
    inverted: bool = False

    @property
    def is_in_own_words(self) -> bool:
        """Whether it asks our own questions: all of them, and instructions, too."""
        return not self.turns and not self.prompt

    @property
    def templates(self) -> tuple[Template, ...]:
        """The questions that it can ask."""
        return tuple(Template) if self.is_in_own_words else (Template.YES_NO,)

    @property
    def prompt_version(self) -> str:
        """The version of the question YES_NO."""
        return Template.YES_NO.value if self.is_in_own_words else f"{self.name}/{self.version}"

    @property
    def prompt_versions(self) -> str:
        if self.is_in_own_words:
            return "+".join(template.value for template in Template)
        return self.prompt_version

    @property
    def digest(self) -> str:
        """SHA-256, in hex, of all that it holds."""
        content = json.dumps(asdict(self), default=lambda task: task.value)
        return hashlib.sha256(content.encode()).hexdigest()


INSTRUCT = Profile("instruct", 1)
"""Any model, asked in our own words through its chat template."""


@dataclass(frozen=True, slots=True)
class LabelForm:
    """A surface form of a label and the token that starts it.

    The label says what the form means for the claim, also where a model says yes against it.
    """

    label: Label
    text: str
    token_id: int


@dataclass(frozen=True, slots=True)
class Question:
    """One question: is `claim` true, given `context`? Both are plain text.

    With the template ASSESSMENT `claim` is the question itself, one of ours, and `context` is what
    it is about.

    `splits` allows a context that is too long to be read in chunks. What is remembered for one
    `cache_salt`, from tokens to readings, is used for no other.
    """

    claim: str
    context: str
    template: Template = Template.YES_NO
    splits: bool = False
    cache_salt: str = ""


@dataclass(frozen=True, slots=True)
class TextPart:
    """A piece of an instruction: words of ours, or a text of others, which stays text."""

    text: str
    is_ours: bool


@dataclass(frozen=True, slots=True)
class JsonForm:
    """The form that a written text is to have: a JSON Schema, as text, under a name.

    It holds nothing that only some servers understand: objects with all their properties required
    and no others, arrays, strings and numbers without limits.
    """

    name: str
    schema: str


@dataclass(frozen=True, slots=True)
class Instruction:
    """What the model is to write something about. What is remembered for one `cache_salt` is used
    for no other. A `form` is a wish: an engine or endpoint that cannot hold to it writes without,
    and who reads the text checks it anyway."""

    parts: tuple[TextPart, ...]
    cache_salt: str = ""
    form: JsonForm | None = None


@dataclass(frozen=True, slots=True)
class Chunk:
    """A part of a context that was too long: its number of `count`, and its characters."""

    index: int
    count: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Prompt:
    """A question as the tokens that the model reads.

    One whose context is split has its prompts in `chunks`; its own tokens are those of the first,
    and `context_tokens` are of the longest.
    """

    token_ids: tuple[int, ...]
    claim_tokens: int
    context_tokens: int
    chunks: "tuple[tuple[Prompt, Chunk], ...]" = ()
    cache_salt: str = ""

    @property
    def parts(self) -> "tuple[Prompt, ...]":
        """What is read: itself, or its chunks."""
        return tuple(prompt for prompt, _ in self.chunks) or (self,)


@dataclass(frozen=True, slots=True)
class LabelNats:
    """ln P of each label, in nats, at most 0; minus infinity for a label without any mass."""

    yes: float
    no: float
    unsure: float


@dataclass(frozen=True, slots=True)
class Bounds:
    """In what ranges the truth lies where it was not read exactly.

    `probability` is of P(YES) / (P(YES) + P(NO)), `label_mass` of P(YES) + P(NO). `samples` are the
    answers that were counted; 0 where log-probabilities were read, but not of all label tokens.
    """

    probability: Interval
    label_mass: Interval
    samples: int = 0


@dataclass(frozen=True, slots=True)
class Reading:
    """What the model put on the labels after one prompt.

    The log-probabilities are in nats, at most 0, over the full vocabulary and summed over the
    forms of the label; `unsure_nats` is minus infinity for a model without a token for UNSURE.
    `cached_tokens` of `prompt_tokens` came from the prefix cache. `chunk` is the one that was
    chosen, if the context was split; the tokens are of all of them then.

    With `bounds` they are the likeliest values within those. With a `reason` they say nothing.
    """

    yes_nats: float
    no_nats: float
    unsure_nats: float
    prompt_tokens: int
    cached_tokens: int
    source: ReadingOrigin
    chunk: Chunk | None = None
    bounds: Bounds | None = None
    reason: NoProbabilityReason | None = None


@dataclass(frozen=True, slots=True)
class TimedReadings:
    """The readings of a set of prompts, in their order, and where the time went."""

    readings: tuple[Reading, ...]
    queue_s: float
    inference_s: float


@dataclass(frozen=True, slots=True)
class Estimate:
    """What is known of one claim. `probability` is None exactly when `reason` is set.

    `raw_probability` is the one before calibration: the same, unless `calibrated`. `interval` is
    where the probability lies, calibrated as it is; None where it was read exactly. Then
    `label_mass` is the least that it can be, and `max_label_mass` the most. Sampled answers have no
    log-probabilities; `samples` counts them.
    """

    probability: float | None
    raw_probability: float | None
    calibrated: bool
    label_mass: float
    yes_nats: float | None
    no_nats: float | None
    source: ReadingOrigin
    reason: NoProbabilityReason | None
    chunk: Chunk | None = None
    interval: Interval | None = None
    max_label_mass: float | None = None
    samples: int = 0

    def of_denial(self) -> "Estimate":
        """What is known of the claim's denial."""
        range_ = self.interval
        return replace(
            self,
            probability=None if self.probability is None else 1.0 - self.probability,
            raw_probability=None if self.raw_probability is None else 1.0 - self.raw_probability,
            yes_nats=self.no_nats,
            no_nats=self.yes_nats,
            interval=None if range_ is None else Interval(1.0 - range_.high, 1.0 - range_.low),
        )


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of a call: of all distinct prompts, of those cached, and of the context once."""

    prompt_tokens: int
    cached_tokens: int
    context_tokens: int
    distinct_prompts: int


@dataclass(frozen=True, slots=True)
class BatchEstimate:
    """The estimates of a batch, in the order of its claims."""

    estimates: tuple[Estimate, ...]
    usage: Usage
    queue_s: float
    inference_s: float
    model: str
    prompt_version: str
    backend: str


@dataclass(frozen=True, slots=True)
class BackendInfo:
    """What a loaded backend is.

    `overhead_tokens` is the longest template without its two texts, `block_tokens` the unit of
    the prefix cache. `identity` is the SHA-256 in hex of weights and prompt, for which a
    `calibration` holds. `reading_identity` is that of all that can change a reading beside its
    tokens: data types and the engine as well. Only equal ones may share readings. `samples` are
    the answers that are sampled for a prompt; 0 where probabilities are read. `languages` are those
    that the model's card names, as BCP 47 tags without a region; none where it names none. `writes`
    says that it can write sentences, too: it was not trained to judge alone.
    """

    model: str
    identity: str
    reading_identity: str
    calibration: Calibration | None
    window_tokens: int
    dtype: str
    profile: Profile
    label_forms: tuple[LabelForm, ...]
    overhead_tokens: int
    block_tokens: int
    samples: int = 0
    languages: tuple[str, ...] = ()
    writes: bool = False

    @property
    def prompt_version(self) -> str:
        """The version of the question that `EstimateProbability` asks."""
        return self.profile.prompt_version


CLAIM_CHARACTERS = 2000
"""Of a long claim: the 512 tokens that one may have by default, at four characters a token."""


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits on one batch.

    Those in characters are checked before anything is tokenised, so that no text can keep the
    tokeniser busy or fill the memory; the token limits are checked after. `text_characters` are of
    one text, `claims_characters` of all claims, `evidence_characters` of all distinct contexts that
    a request needs. `prompts` are those that it may need.
    """

    claims: int
    claim_tokens: int = 512
    text_characters: int = 200_000
    sources: int = 1000
    prompts: int = 8000
    evidence_characters: int = 10_000_000

    @property
    def claims_characters(self) -> int:
        """Most characters of all claims: a claim of the most tokens has about so many."""
        return self.claims * CLAIM_CHARACTERS

    def context_tokens(self, info: BackendInfo) -> int:
        """Tokens that are left for the context beside the longest claim and one answer token."""
        return info.window_tokens - info.overhead_tokens - self.claim_tokens - 1
