"""The prompt: one question as tokens."""

import hashlib
import json
import re
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from groundwire_verifier.domain.errors import UnsupportedByProfileError, UnusableModelError
from groundwire_verifier.domain.labels import find_label_forms, forms_of
from groundwire_verifier.domain.types import (
    INSTRUCT,
    ChatTurn,
    Instruction,
    LabelForm,
    Profile,
    Prompt,
    Question,
    Task,
    Template,
    TextPart,
)

MAX_CHARACTERS = 2_000_000
"""Of all texts that are kept: some 20 MB with their tokens."""

ENTRY_CHARACTERS = 300
"""What an entry counts besides its text: two million texts of one character took 700 MB."""

BATCH_CHARACTERS = 1_000_000
"""Of the texts that are tokenised at one time: the tokeniser takes some 100 bytes a token then."""

Tokens = tuple[int, ...]
Salted = tuple[str, str]
"""A cache salt, and a text."""


class RecentTexts:
    """Tokenises with `encode`, and keeps at most `max_characters`. Safe to share by threads.

    A text is kept under the cache salt of its caller, since the time that tokenising takes would
    tell others what was asked.
    """

    def __init__(
        self,
        encode: Callable[[Sequence[str]], list[list[int]]],
        max_characters: int = MAX_CHARACTERS,
    ) -> None:
        self._encode = encode
        self._max_characters = max_characters
        self._characters = 0
        self._kept: OrderedDict[Salted, Tokens] = OrderedDict()
        # One number object for each token of the vocabulary: a number takes four times its place.
        self._one: dict[int, int] = {}
        self._lock = threading.Lock()

    def tokens(self, texts: Sequence[Salted]) -> dict[Salted, Tokens]:
        """The tokens of each text, which is tokenised unless it is known."""
        with self._lock:
            found = {text: self._kept[text] for text in texts if text in self._kept}
            for text in found:
                self._kept.move_to_end(text)
        new = [text for text in dict.fromkeys(texts) if text not in found]
        for batch in _batches(new):
            encoded = self._encode([text for _, text in batch])
            made = {
                salted: tuple(map(self._one.setdefault, ids, ids))
                for salted, ids in zip(batch, encoded, strict=True)
            }
            self._keep(made)
            found |= made
        return found

    def _keep(self, made: dict[Salted, Tokens]) -> None:
        with self._lock:
            for salted, ids in made.items():
                # Another thread may have been first.
                if salted not in self._kept:
                    self._kept[salted] = ids
                    self._characters += len(salted[1]) + ENTRY_CHARACTERS
            while self._characters > self._max_characters:
                (_, text), _ = self._kept.popitem(last=False)
                self._characters -= len(text) + ENTRY_CHARACTERS


def _batches(texts: Sequence[Salted]) -> Iterator[list[Salted]]:
    """The texts in their order, in as few lists as hold BATCH_CHARACTERS each, or one text."""
    batch: list[Salted] = []
    characters = 0
    for salt, text in texts:
        if batch and characters + len(text) > BATCH_CHARACTERS:
            yield batch
            batch, characters = [], 0
        batch.append((salt, text))
        characters += len(text)
    if batch:
        yield batch


PROMPT_VERSION = Template.YES_NO.value
"""Part of every response and of cache keys. A change of the wording below or of the way its
parts are joined needs a new version of the template."""

CONTEXT_LEAD = "Given the following context:\n"
QUESTION_LEADS = {
    Template.YES_NO: "\n\nIs the following claim true? Answer YES or NO.\nClaim:",
    Template.YES_NO_UNSURE: (
        "\n\nDoes the context say that the following claim is true? Answer YES if it does, NO if "
        "it says otherwise, or UNSURE if it does not say.\nClaim:"
    ),
    Template.ASSESSMENT: (
        "\n\nJudge the response by common sense. Answer YES, NO, or UNSURE if you cannot tell.\n"
        "Question:"
    ),
}
PLAIN_ANSWER_LEAD = "\nAnswer:"
"""Ends the prompt of a model without a chat template."""


def wording_id(*texts: str) -> str:
    """What tells one wording from another, as SHA-256 in hex. The order of the texts counts."""
    return hashlib.sha256(json.dumps(texts).encode()).hexdigest()


def prompt_wording_id() -> str:
    """The `wording_id` of all that we write around a claim and its context.

    A chat template is the model's and not in it; `PromptEncoder.identity` has the tokens.
    """
    return wording_id(CONTEXT_LEAD, *QUESTION_LEADS.values(), PLAIN_ANSWER_LEAD)


_NEEDS = {
    Template.YES_NO_UNSURE: "answers YES, NO or UNSURE",
    Template.ASSESSMENT: "answers questions of common sense",
}
"""What a model has to do for each question that not every profile has."""


def require(profile: Profile, templates: Iterable[Template]) -> None:
    """Raise UnsupportedByProfileError unless a profile can ask all these questions."""
    for template in templates:
        if template not in profile.templates:
            raise UnsupportedByProfileError(profile.name, _NEEDS[template])


def require_verdicts(profile: Profile) -> None:
    """Raise UnsupportedByProfileError unless its answers say what verdicts rest on."""
    if profile.task is not Task.SUPPORT:
        raise UnsupportedByProfileError(profile.name, "says whether a text supports a claim")


class Tokenizer(Protocol):
    """What the prompt needs from a model's tokeniser."""

    def encode_template(self, text: str) -> list[int]:
        """Tokens of text of ours; special tokens written in it are honoured."""

    def encode_texts(self, texts: Sequence[str]) -> list[list[int]]:
        """Tokens of texts of others; what looks like a special token stays text."""

    def marker_span(self, text: str) -> tuple[int, int] | None:
        """From where to where text of ours has special tokens, if it has any."""

    def decode_token(self, token_id: int) -> str:
        """The text of one token."""

    def decode(self, token_ids: Sequence[int]) -> str:
        """The text of tokens that a model wrote, without special tokens."""

    def render_chat(self, turns: Sequence[ChatTurn], template_values: str) -> str | None:
        """Turns and the start of the answer, or None without a chat template.

        `template_values` is a JSON object that the template gets beside the turns. Raises
        UnusableModelError if the template refuses them.
        """


@dataclass(frozen=True, slots=True)
class Setting:
    """Words of ours that a text of others is tokenised with, as one piece.

    Around many texts a tokeniser would cut at other places if they stood alone. `is_json` says that
    the text stands in a JSON string.
    """

    before: str = ""
    after: str = ""
    is_json: bool = False

    def around(self, text: str) -> str:
        if self.is_json:
            text = _escaped(text)
        # As it is, where it can be: it may be long.
        return f"{self.before}{text}{self.after}" if self.before or self.after else text

    def overhead(self, tokenizer: Tokenizer) -> int:
        """Tokens of it without a text. Blanks are the text's."""
        words = f"{self.before}{self.after}"
        return len(tokenizer.encode_texts([words])[0]) if words.strip() else 0


@dataclass(frozen=True, slots=True)
class PromptEncoder:
    """Joins the fixed parts of the prompt and the two texts at fixed token boundaries.

    A context is tokenised by itself, so all claims on it share their tokens up to its end, and
    a claim's tokens do not depend on its neighbours. With `claim_first` the claim stands before the
    context, as a published prompt may have it, and only the head is shared.
    """

    tokenizer: Tokenizer
    profile: Profile
    turn_lead: str
    head: tuple[int, ...]
    context_setting: Setting
    middles: Mapping[Template, tuple[int, ...]]
    claim_setting: Setting
    tail: tuple[int, ...]
    answer_lead: str
    contexts: RecentTexts
    claim_first: bool = False

    @classmethod
    def for_tokenizer(cls, tokenizer: Tokenizer, profile: Profile = INSTRUCT) -> "PromptEncoder":
        """Prepare the fixed parts, from the model's chat template if it has one.

        Raises UnusableModelError if model and profile do not fit.
        """
        if profile.is_in_own_words:
            return cls._in_own_words(tokenizer, profile)
        return cls._published(tokenizer, profile)

    @classmethod
    def _in_own_words(cls, tokenizer: Tokenizer, profile: Profile) -> "PromptEncoder":
        chat = tokenizer.render_chat([ChatTurn("user", _MARK)], profile.template_values)
        parts = chat.split(_MARK) if chat is not None else ["", PLAIN_ANSWER_LEAD]
        if len(parts) != 2:  # noqa: PLR2004 - before and after
            raise UnusableModelError(
                "the model's chat template does not render the user's text exactly once; "
                "use another model"
            )
        before, after = parts
        return cls(
            tokenizer=tokenizer,
            profile=profile,
            turn_lead=before,
            head=tuple(tokenizer.encode_template(before + CONTEXT_LEAD)),
            context_setting=Setting(),
            middles={
                template: tuple(tokenizer.encode_template(lead))
                for template, lead in QUESTION_LEADS.items()
            },
            # The space belongs to the claim: a word with its space before it is one token.
            claim_setting=Setting(before=" "),
            tail=tuple(tokenizer.encode_template(after)),
            answer_lead=after,
            contexts=RecentTexts(tokenizer.encode_texts),
        )

    @classmethod
    def _published(cls, tokenizer: Tokenizer, profile: Profile) -> "PromptEncoder":
        """The prompt that a profile has, cut so that its tokens are those of the whole text."""
        found = _Published.of(tokenizer, profile)
        head, before_first = _after_markers(tokenizer, found.before)
        after_first, middle, before_second = _around_markers(tokenizer, found.between)
        after_second, tail = _before_markers(tokenizer, found.after)
        first, second = Setting(before_first, after_first), Setting(before_second, after_second)
        context, claim = (second, first) if found.claim_first else (first, second)
        encoder = cls(
            tokenizer=tokenizer,
            profile=profile,
            turn_lead="",
            head=tuple(tokenizer.encode_template(head)),
            context_setting=replace(context, is_json=found.context_is_json),
            middles={Template.YES_NO: tuple(tokenizer.encode_template(middle))},
            claim_setting=replace(claim, is_json=found.claim_is_json),
            tail=tuple(tokenizer.encode_template(tail)),
            answer_lead=found.after,
            contexts=RecentTexts(tokenizer.encode_texts),
            claim_first=found.claim_first,
        )
        (prompt,) = encoder.encode([_SAMPLE])
        if list(prompt.token_ids) != tokenizer.encode_template(found.text_of(_SAMPLE)):
            raise UnusableModelError(
                f"the model's tokeniser cuts the prompt of the profile {profile.name} in other "
                "places than its parts, so it cannot be asked as its makers do; use another model"
            )
        return encoder

    def label_forms(self) -> tuple[LabelForm, ...]:
        """The label tokens that are read after this prompt. Raises UnusableModelError."""
        tokenizer = self.tokenizer
        return find_label_forms(
            tokenizer.encode_template,
            tokenizer.decode_token,
            self.answer_lead,
            forms_of(self.profile),
        )

    def identity(self, weights_id: str) -> str:
        """What a calibration holds for, as SHA-256 in hex.

        The weights, the tokens of the YES/NO prompt, the label tokens that are read, and which way,
        and the profile. What moves probabilities by rounding only, such as the weights' data type,
        is no part of it.
        """
        asked = (self.head, self.middles[Template.YES_NO], self.tail)
        read = [(form.label.value, form.token_id) for form in self.label_forms()]
        known_by: list[object] = [weights_id, asked, read]
        if self.profile != INSTRUCT:
            context, claim = self.context_setting, self.claim_setting
            known_by += [self.profile.digest, context.around(""), claim.around("")]
        return hashlib.sha256(json.dumps(known_by).encode()).hexdigest()

    @property
    def overhead_tokens(self) -> int:
        """Tokens of a prompt beside its context and its claim, in the longest template."""
        settings = (self.context_setting, self.claim_setting)
        around = sum(setting.overhead(self.tokenizer) for setting in settings)
        return len(self.head) + max(map(len, self.middles.values())) + len(self.tail) + around

    def encode(self, questions: Sequence[Question]) -> list[Prompt]:
        """Tokenise questions: each distinct claim once, and each context unless it was lately.

        Raises UnsupportedByProfileError.
        """
        if not {question.template for question in questions} <= self.middles.keys():
            require(self.profile, {question.template for question in questions})
        context, claim = self.context_setting, self.claim_setting
        contexts = {text: context.around(text) for text in {q.context for q in questions}}
        context_ids = self.contexts.tokens([(q.cache_salt, contexts[q.context]) for q in questions])
        claims = list(dict.fromkeys(q.claim for q in questions))
        encoded = self.tokenizer.encode_texts([claim.around(text) for text in claims])
        claim_ids = {text: tuple(ids) for text, ids in zip(claims, encoded, strict=True)}
        counts = context.overhead(self.tokenizer), claim.overhead(self.tokenizer)
        return [
            self._join(
                q, context_ids[q.cache_salt, contexts[q.context]], claim_ids[q.claim], counts
            )
            for q in questions
        ]

    def encode_instruction(self, instruction: Instruction) -> list[int]:
        """Tokenise an instruction as one turn; special tokens in texts of others stay text.

        Raises UnsupportedByProfileError.
        """
        if not self.profile.is_in_own_words:
            raise UnsupportedByProfileError(self.profile.name, "writes text")
        tokenizer = self.tokenizer
        ids = tokenizer.encode_template(self.turn_lead)
        for part in instruction.parts:
            encoded = tokenizer.encode_template if part.is_ours else self._encode_text
            ids += encoded(part.text)
        return ids + list(self.tail)

    def _encode_text(self, text: str) -> list[int]:
        return self.tokenizer.encode_texts([text])[0]

    def _join(
        self,
        question: Question,
        context: tuple[int, ...],
        claim: tuple[int, ...],
        overhead: tuple[int, int],
    ) -> Prompt:
        first, second = (claim, context) if self.claim_first else (context, claim)
        return Prompt(
            token_ids=self.head + first + self.middles[question.template] + second + self.tail,
            claim_tokens=max(0, len(claim) - overhead[1]),
            context_tokens=max(0, len(context) - overhead[0]),
            cache_salt=question.cache_salt,
        )


_MARK = "\u2063GROUNDWIRE\u2063"
_PROBE = '"\n\u00e9'
"""What stands for a text, to see if a template changes texts."""
_SAMPLE = Question('The bridge is "long".', "It is 300 metres long.\nRossi built it, they say.")


@dataclass(frozen=True, slots=True)
class _Published:
    """A published prompt as text, around its two texts, with the start of the answer."""

    before: str
    between: str
    after: str
    claim_first: bool
    context_is_json: bool
    claim_is_json: bool

    @classmethod
    def of(cls, tokenizer: Tokenizer, profile: Profile) -> "_Published":
        """The prompt of a profile for this tokeniser. Raises UnusableModelError."""
        text = _marked(profile.prompt)
        if profile.turns:
            turns = [ChatTurn(turn.role, _marked(turn.text)) for turn in profile.turns]
            # In JSON it is a part of a string.
            values = _marked(profile.template_values, _escaped)
            rendered = tokenizer.render_chat(turns, values)
            if rendered is None:
                raise UnusableModelError(
                    f"the model's tokeniser has no chat template, which the profile {profile.name} "
                    "needs: add chat_template.jinja to its folder, or use another profile"
                )
            text = rendered
        places = list(_PLACE.finditer(text))
        names = [place["name"] for place in places]
        is_json = {place["name"]: _is_escaped(place["probe"], profile) for place in places}
        if sorted(names) != ["claim", "context"] or text.count(_MARK) != 2 * len(places):
            raise UnusableModelError(
                "the model's chat template does not render the context and the claim of the "
                f"profile {profile.name} exactly once each; use the profile of this model"
            )
        first, second = places
        return cls(
            before=text[: first.start()],
            between=text[first.end() : second.start()],
            after=text[second.end() :] + profile.answer_prefix,
            claim_first=names[0] == "claim",
            context_is_json=is_json["context"],
            claim_is_json=is_json["claim"],
        )

    def text_of(self, question: Question) -> str:
        context = Setting(is_json=self.context_is_json).around(question.context)
        claim = Setting(is_json=self.claim_is_json).around(question.claim)
        first, second = (claim, context) if self.claim_first else (context, claim)
        return f"{self.before}{first}{self.between}{second}{self.after}"


_PLACE = re.compile(f"{_MARK}(?P<name>context|claim):(?P<probe>.*?){_MARK}", re.DOTALL)


def _marked(text: str, change: Callable[[str], str] = str) -> str:
    """The text with a mark and a probe in each place of a text."""
    for name in ("context", "claim"):
        text = text.replace(f"{{{name}}}", change(f"{_MARK}{name}:{_PROBE}{_MARK}"))
    return text


def _is_escaped(probe: str, profile: Profile) -> bool:
    if probe not in (_PROBE, _escaped(_PROBE)):
        raise UnusableModelError(
            f"the model's chat template changes the texts of the profile {profile.name} in a way "
            "that is not known; use another model"
        )
    return probe != _PROBE


def _escaped(text: str) -> str:
    """A text as it stands between the quotes of a JSON string."""
    return json.dumps(text, ensure_ascii=False)[1:-1]


def _after_markers(tokenizer: Tokenizer, text: str) -> tuple[str, str]:
    span = tokenizer.marker_span(text)
    end = 0 if span is None else span[1]
    return text[:end], text[end:]


def _before_markers(tokenizer: Tokenizer, text: str) -> tuple[str, str]:
    span = tokenizer.marker_span(text)
    start = len(text) if span is None else span[0]
    return text[:start], text[start:]


def _around_markers(tokenizer: Tokenizer, text: str) -> tuple[str, str, str]:
    """The words before the special tokens, these with all between them, and the words after.

    Without any the cut is before the last blanks, which are a part of the next token.
    """
    span = tokenizer.marker_span(text)
    if span is None:
        end = len(text.rstrip())
        span = end, end
    return text[: span[0]], text[span[0] : span[1]], text[span[1] :]


def fenced(lead: str, texts: Sequence[tuple[str, str]], ask: str) -> tuple[TextPart, ...]:
    """The parts of an instruction: our `lead`, each text of others behind its own heading, which
    is ours, and what is asked. A blank text is left out with its heading."""
    fence = "=" * 5
    while any(fence in text for _, text in texts):
        fence += "="
    parts = [TextPart(lead, is_ours=True)]
    for heading, text in texts:
        if text.strip():
            parts += [
                TextPart(f"{heading}{fence}\n", is_ours=True),
                TextPart(text, is_ours=False),
                TextPart(f"\n{fence}\n", is_ours=True),
            ]
    return (*parts, TextPart(ask, is_ours=True))
