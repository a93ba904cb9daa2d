"""The model that learns: LoRA on every linear layer but the head, and the loss."""

from collections.abc import Iterable, Sequence
from pathlib import Path

import torch
from peft import LoraConfig, PeftModel, get_peft_model
from transformers import PreTrainedModel

from groundwire_training.learning.adapter import widen
from groundwire_training.learning.merged import merge_in_forward
from groundwire_training.learning.packing import Batch
from groundwire_training.learning.reading import LabelReader, load_model
from groundwire_verifier.domain.errors import UnusableModelError
from groundwire_verifier.domain.types import LabelForm

RANK, SCALE = 16, 2.0


class Learner:
    """A frozen base model with an adapter that learns.

    The loss is the cross-entropy of the answer's label: minus ln P(any form of it), over the
    full vocabulary, so that probability moves onto the labels as well as to the right one.
    """

    def __init__(
        self,
        base: str,
        forms: Sequence[LabelForm],
        adapter: Path | None = None,
        rank: int | None = None,
        frozen_layers: int = 0,
    ) -> None:
        """Load the base from a folder or hub name, and an adapter to go on from.

        `rank` is that of a new adapter, or what the adapter is widened to: it says the same, with
        new directions to learn in. Raises ValueError if that is less than its own.
        `frozen_layers` are so many of the first layers that stay as they are: no gradient goes
        through them, which saves half of their time. Raises UnusableModelError for a base that
        cannot be loaded or has no layer to learn in.
        """
        # Frozen weights as the server has them; the adapter itself in float32.
        model = load_model(base)
        if adapter is not None and rank is None:
            self.model = PeftModel.from_pretrained(model, adapter, is_trainable=True)
        else:
            rank = rank or RANK
            config = LoraConfig(
                r=rank,
                lora_alpha=int(SCALE * rank),
                target_modules=linear_layers(model),
                task_type="CAUSAL_LM",
            )
            self.model = get_peft_model(model, config, autocast_adapter_dtype=True)
            if adapter is not None:
                widen(self.weights(), adapter, SCALE)
        for layer in model.get_decoder().layers[:frozen_layers]:
            layer.requires_grad_(False)
        merge_in_forward(self.model)
        self.reader = LabelReader(model, forms)
        self.model.train()

    @property
    def targets(self) -> tuple[str, ...]:
        """The last names of the layers that have an adapter."""
        return tuple(
            sorted({name.split(".lora_")[0].rpartition(".")[2] for name in self.weights()})
        )

    def parameters(self) -> Iterable[torch.nn.Parameter]:
        """What learns."""
        return (p for p in self.model.parameters() if p.requires_grad)

    def weights(self) -> dict[str, torch.Tensor]:
        """The adapter by the names that peft saves it under; writing to it changes the model."""
        return {
            name.replace(".default.", "."): parameter.detach()
            for name, parameter in self.model.named_parameters()
            if "lora_" in name
        }

    def compile(self, backend: str = "inductor") -> None:
        """Have the layers compiled at their first batches, but for the attention.

        Takes a minute or two, and a part of each step's time away after that. `backend` is one of
        torch.compile's.
        """
        for layer in self.model.get_base_model().get_decoder().layers:
            layer.compile(dynamic=True, backend=backend)

    def label_nats(self, batch: Batch) -> torch.Tensor:
        """ln P of each label after each question, in nats; shape (questions, labels), float32."""
        return self.reader.label_nats(batch)

    def loss(
        self, batch: Batch, *, checkpointing: bool = False
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """The mean loss, and each question's own, in nats; shapes () and (questions,).

        `checkpointing` keeps what goes into each layer only, and computes the layer again on the
        way back: a fraction of the memory, for a third more time.
        """
        model = self.model.get_base_model()
        if checkpointing and not model.is_gradient_checkpointing:
            model.gradient_checkpointing_enable(
                gradient_checkpointing_kwargs={"use_reentrant": False}
            )
        elif not checkpointing and model.is_gradient_checkpointing:
            model.gradient_checkpointing_disable()
        nats = self.label_nats(batch)
        answers = batch.answers.to(nats.device)
        each = -nats.gather(1, answers[:, None])[:, 0]
        return each.mean(), each.detach()

    def save(self, folder: Path) -> None:
        """Write the adapter as peft does: a configuration and float32 safetensors."""
        self.model.save_pretrained(folder)


def linear_layers(model: PreTrainedModel) -> list[str]:
    """The last names of all linear layers but the head, which an adapter can learn in.

    Raises UnusableModelError if there are none.
    """
    head = model.get_output_embeddings()
    found = {
        name.rpartition(".")[2]
        for name, module in model.named_modules()
        if isinstance(module, torch.nn.Linear) and module is not head
    }
    if not found:
        raise UnusableModelError(
            f"{type(model).__name__} has no linear layers that LoRA could learn in; use another "
            "base"
        )
    return sorted(found)
