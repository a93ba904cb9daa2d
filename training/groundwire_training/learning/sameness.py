"""Whether a model reads packed questions as it reads each prompt by itself.

Attention over trees replaces a model's own. A model that does more than attend to all that stands
before a token, such as one with a window or a state, would learn other prompts than those that the
server asks.
"""

import torch

from groundwire_training.examples.trees import Tree
from groundwire_training.learning.attention import TREE_ATTENTION
from groundwire_training.learning.packing import batches, pack
from groundwire_training.learning.reading import LabelReader
from groundwire_verifier.domain.errors import UnusableModelError
from groundwire_verifier.domain.prompts import PromptEncoder
from groundwire_verifier.domain.types import Question

MOST_APART = 0.1
"""Between logits, as a share of their size. bfloat16 alone takes some hundredths."""


def require_sameness(
    reader: LabelReader, encoder: PromptEncoder, tree: Tree, max_context_tokens: int
) -> float:
    """How far the logits of a tree are from those of its prompts, as a share of their size.

    The model is asked with its own attention and with that over trees. Raises UnusableModelError
    if that is more than MOST_APART, or if the model does not take another attention.
    """
    packed = pack(tree, encoder, max_context_tokens)
    if packed is None:
        raise ValueError("the context is too long to learn from")
    questions = [Question(leaf.claim, tree.context, leaf.template) for leaf in tree.leaves]
    model, learns = reader.model, reader.model.training
    model.eval()
    with torch.inference_mode():
        (batch,) = batches([packed], len(packed.token_ids))
        try:
            together = reader.logits(batch)
        except TypeError as error:
            raise UnusableModelError(
                f"{type(model).__name__} does not take another attention ({error})"
            ) from error
        model.set_attn_implementation("eager")
        try:
            apart = torch.cat(
                [
                    model(
                        torch.tensor([prompt.token_ids], device=reader.device),
                        logits_to_keep=1,
                        use_cache=False,
                    ).logits[0]
                    for prompt in encoder.encode(questions)
                ]
            )
        finally:
            model.set_attn_implementation(TREE_ATTENTION)
            model.train(learns)
    found = _distance(together, apart.float())
    if not found <= MOST_APART:
        raise UnusableModelError(
            f"{type(model).__name__} reads packed questions otherwise than each prompt by itself "
            f"(logits {found:.0%} apart): it does more than attend to all tokens before one, and "
            "cannot be trained here"
        )
    return found


def _distance(a: torch.Tensor, b: torch.Tensor) -> float:
    """The size of a - b as a share of that of b; both (questions, vocabulary), up to a constant."""
    a, b = (x - x.mean(dim=-1, keepdim=True) for x in (a, b))
    return float(torch.linalg.vector_norm(a - b) / torch.linalg.vector_norm(b))
