"""The base model that a verifier is made of, and the prompts that it is asked with."""

from transformers import AutoTokenizer

from groundwire_verifier.domain.prompts import PromptEncoder
from groundwire_verifier.domain.types import LabelForm
from groundwire_verifier.engine.hf_tokenizer import HfTokenizer


def prompts_of(base: str) -> tuple[PromptEncoder, tuple[LabelForm, ...]]:
    """The encoder and the label tokens of the server's prompt for a folder or a hub name.

    Raises UnusableModelError if its tokeniser or template does not fit.
    """
    encoder = PromptEncoder.for_tokenizer(HfTokenizer(AutoTokenizer.from_pretrained(base)))
    return encoder, encoder.label_forms()
