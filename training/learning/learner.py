"""The model that learns: LoRA on every linear layer, and the loss at the server's position.

Knows torch, transformers and peft. Does not know where trees come from or how long to train.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import torch
from peft import LoraConfig, PeftModel, get_peft_model
from safetensors.torch import load_file
from transformers import AutoModelForCausalLM

from groundwire_server.models.convert import ADAPTER_WEIGHTS
from groundwire_verifier.backends.native_dtype import native_dtype
from groundwire_verifier.domain.types import LabelForm
from training.learning.attention import TREE_ATTENTION, Trees
from training.learning.merged import merge_in_forward
from training.learning.packing import LABELS, Batch

RANK, SCALE = 16, 2.0
CONFIG = "adapter_config.json"
TARGETS = ["q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"]


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
        through them, which saves half of their time.
        """
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        # Frozen weights as the server has them; the adapter itself in float32.
        dtype = torch.bfloat16 if self.device.type == "cuda" else native_dtype()
        model = AutoModelForCausalLM.from_pretrained(
            base, dtype=dtype, attn_implementation=TREE_ATTENTION
        )
        if adapter is not None and rank is None:
            self.model = PeftModel.from_pretrained(model, adapter, is_trainable=True)
        else:
            rank = rank or RANK
            config = LoraConfig(
                r=rank, lora_alpha=int(SCALE * rank), target_modules=TARGETS, task_type="CAUSAL_LM"
            )
            self.model = get_peft_model(model, config, autocast_adapter_dtype=True)
            if adapter is not None:
                widen(self.weights(), adapter, SCALE)
        for layer in self.model.get_base_model().model.layers[:frozen_layers]:
            layer.requires_grad_(False)
        merge_in_forward(self.model)
        self.model.to(self.device).train()
        self._form_ids = torch.tensor([form.token_id for form in forms], device=self.device)
        label_of_form = [LABELS.index(form.label) for form in forms]
        self._label_of_form = torch.tensor(label_of_form, device=self.device)

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
        for layer in self.model.get_base_model().model.layers:
            layer.compile(dynamic=True, backend=backend)

    def label_nats(self, batch: Batch) -> torch.Tensor:
        """ln P of each label after each question, in nats; shape (questions, labels), float32."""
        device = self.device
        hidden = self.model.get_base_model().model(
            input_ids=batch.token_ids.to(device),
            position_ids=batch.positions.to(device),
            use_cache=False,
            trees=Trees(batch.trees).to(device, self.model.dtype),
        )[0]
        # The head in float32, as the server's; only at the questions' ends.
        read = hidden[0, batch.ends.to(device)].float()
        head = self.model.get_base_model().lm_head.weight.float()
        nats = torch.log_softmax(read @ head.T, dim=-1)[:, self._form_ids]
        columns = [
            torch.logsumexp(nats[:, self._label_of_form == label], dim=1)
            for label in range(len(LABELS))
        ]
        return torch.stack(columns, dim=1)

    def loss(self, batch: Batch) -> tuple[torch.Tensor, torch.Tensor]:
        """The mean loss, and each question's own, in nats; shapes () and (questions,)."""
        nats = self.label_nats(batch)
        answers = batch.answers.to(self.device)
        each = -nats.gather(1, answers[:, None])[:, 0]
        return each.mean(), each.detach()

    def save(self, folder: Path) -> None:
        """Write the adapter as peft does: a configuration and float32 safetensors."""
        self.model.save_pretrained(folder)


def widen(weights: Mapping[str, torch.Tensor], adapter: Path, scale: float) -> None:
    """Fill the first directions of new weights with those of a saved adapter of a lower rank.

    `weights` are new ones of LoRA: what goes up, B (out, rank), is 0, so that the other directions
    say nothing yet. `scale` is that of the new adapter. Raises ValueError if it has fewer.
    """
    config = json.loads((adapter / CONFIG).read_text(encoding="utf-8"))
    rank, times = config["r"], config["lora_alpha"] / config["r"] / scale
    for name, narrow in load_file(adapter / ADAPTER_WEIGHTS).items():
        wide = weights[name]
        if rank > wide.shape[0 if "lora_A" in name else 1]:
            raise ValueError(f"an adapter of rank {rank} cannot go on with a lower one")
        if "lora_A" in name:
            wide[:rank] = narrow
        else:
            wide[:, :rank] = narrow * times
