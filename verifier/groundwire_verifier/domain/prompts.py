"""The prompt: one question as tokens.

Knows the wording and how the parts are joined. Does not know the model: its tokeniser comes in
as a protocol.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from groundwire_verifier.domain.errors import UnusableModelError
from groundwire_verifier.domain.labels import find_label_forms, find_option_ids
from groundwire_verifier.domain.recent_texts import RecentTexts
from groundwire_verifier.domain.types import Instruction, LabelForm, Prompt, Question, Template

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
    Template.LETTER_CHOICE: (
        "\n\nAnswer the question about the context with the letter of one option only.\nQuestion:"
    ),
    Template.NAME_CHOICE: (
        "\n\nAnswer the question about the context with the name of one option only.\nQuestion:"
    ),
    Template.SCORE: (
        "\n\nAnswer the question about the context with the number of one level only.\nQuestion:"
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


_MARK = "\u2063GROUNDWIRE\u2063"


class Tokenizer(Protocol):
    """What the prompt needs from a model's tokeniser."""

    def encode_template(self, text: str) -> list[int]:
        """Tokens of text of ours; special tokens written in it are honoured."""

    def encode_texts(self, texts: Sequence[str]) -> list[list[int]]:
        """Tokens of texts of others; what looks like a special token stays text."""

    def decode_token(self, token_id: int) -> str:
        """The text of one token."""

    def decode(self, token_ids: Sequence[int]) -> str:
        """The text of tokens that a model wrote, without special tokens."""

    def render_chat(self, user_text: str) -> str | None:
        """One user turn and the start of the answer, or None without a chat template."""


@dataclass(frozen=True, slots=True)
class PromptEncoder:
    """Joins the fixed parts of the prompt and the two texts at fixed token boundaries.

    A context is tokenised by itself, so all claims on it share their tokens up to its end, and
    a claim's tokens do not depend on its neighbours.
    """

    tokenizer: Tokenizer
    turn_lead: str
    head: tuple[int, ...]
    middles: Mapping[Template, tuple[int, ...]]
    tail: tuple[int, ...]
    answer_lead: str
    contexts: RecentTexts

    @classmethod
    def for_tokenizer(cls, tokenizer: Tokenizer) -> "PromptEncoder":
        """Prepare the fixed parts from the model's chat template, if it has one."""
        chat = tokenizer.render_chat(_MARK)
        parts = chat.split(_MARK) if chat is not None else ["", PLAIN_ANSWER_LEAD]
        if len(parts) != 2:  # noqa: PLR2004 - before and after
            raise UnusableModelError(
                "the model's chat template does not render the user's text exactly once; "
                "use another model"
            )
        before, after = parts
        return cls(
            tokenizer=tokenizer,
            turn_lead=before,
            head=tuple(tokenizer.encode_template(before + CONTEXT_LEAD)),
            middles={
                template: tuple(tokenizer.encode_template(lead))
                for template, lead in QUESTION_LEADS.items()
            },
            tail=tuple(tokenizer.encode_template(after)),
            answer_lead=after,
            contexts=RecentTexts(tokenizer.encode_texts),
        )

    def label_forms(self) -> tuple[LabelForm, ...]:
        """The label tokens that are read after this prompt. Raises UnusableModelError."""
        tokenizer = self.tokenizer
        return find_label_forms(tokenizer.encode_template, tokenizer.decode_token, self.answer_lead)

    def identity(self, weights_id: str) -> str:
        """What a calibration holds for, as SHA-256 in hex.

        The weights, the tokens of the YES/NO prompt, and the label tokens that are read. What moves
        probabilities by rounding only, such as the weights' data type, is no part of it.
        """
        asked = (self.head, self.middles[Template.YES_NO], self.tail)
        read = [(form.label.value, form.token_id) for form in self.label_forms()]
        return hashlib.sha256(json.dumps([weights_id, asked, read]).encode()).hexdigest()

    @property
    def overhead_tokens(self) -> int:
        """Tokens of a prompt beside its context and its claim, in the longest template."""
        return len(self.head) + max(map(len, self.middles.values())) + len(self.tail)

    def encode(self, questions: Sequence[Question]) -> list[Prompt]:
        """Tokenise questions: each distinct claim once, and each context unless it was lately.

        Raises UnreadableOptionError.
        """
        context_ids = self.contexts.tokens([(q.cache_salt, q.context) for q in questions])
        claims = list(dict.fromkeys(q.claim for q in questions))
        # The space belongs to the claim: a word with its space before it is one token.
        encoded = self.tokenizer.encode_texts([" " + claim for claim in claims])
        claim_ids = {claim: tuple(ids) for claim, ids in zip(claims, encoded, strict=True)}
        option_ids = {
            options: self._option_ids(options) for options in {q.options for q in questions}
        }
        return [
            self._join(
                q, context_ids[q.cache_salt, q.context], claim_ids[q.claim], option_ids[q.options]
            )
            for q in questions
        ]

    def encode_instruction(self, instruction: Instruction) -> list[int]:
        """Tokenise an instruction as one turn; special tokens in texts of others stay text."""
        tokenizer = self.tokenizer
        ids = tokenizer.encode_template(self.turn_lead)
        for part in instruction.parts:
            encoded = tokenizer.encode_template if part.is_ours else self._encode_text
            ids += encoded(part.text)
        return ids + list(self.tail)

    def _option_ids(self, options: Sequence[str]) -> tuple[tuple[int, ...], ...]:
        if not options:
            return ()
        tokenizer = self.tokenizer
        # Options are texts of others, but for letters and numbers: none may be a special token.
        return find_option_ids(
            tokenizer.encode_texts, tokenizer.decode_token, self.answer_lead, options
        )

    def _encode_text(self, text: str) -> list[int]:
        return self.tokenizer.encode_texts([text])[0]

    def _join(
        self,
        question: Question,
        context: tuple[int, ...],
        claim: tuple[int, ...],
        option_ids: tuple[tuple[int, ...], ...],
    ) -> Prompt:
        middle = self.middles[question.template]
        return Prompt(
            token_ids=self.head + context + middle + claim + self.tail,
            claim_tokens=len(claim),
            context_tokens=len(context),
            cache_salt=question.cache_salt,
            option_ids=option_ids,
        )
