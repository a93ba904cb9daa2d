"""The base model that the embedded verifier is trained from, and the prompts that it is asked with.

Knows the model store and Transformers' tokeniser. Does not know the model's weights.
"""

import sys

from transformers import AutoTokenizer

from groundwire_server.config.settings import ServerSettings
from groundwire_server.models.store import BASE_MODEL, resolve
from groundwire_verifier.backends.hf_tokenizer import HfTokenizer
from groundwire_verifier.domain.prompts import PromptEncoder
from groundwire_verifier.domain.types import LabelForm


def base_model() -> str:
    """The folder of the base model, prepared if need be."""
    return resolve(BASE_MODEL, ServerSettings().cache_dir.expanduser(), say)


def prompts_of(base: str) -> tuple[PromptEncoder, tuple[LabelForm, ...]]:
    """The encoder and the label tokens of the server's prompt for this model."""
    encoder = PromptEncoder.for_tokenizer(HfTokenizer(AutoTokenizer.from_pretrained(base)))
    return encoder, encoder.label_forms()


def say(text: str) -> None:
    """Tell the one who waits."""
    print(f"training: {text}", file=sys.stderr, flush=True)
