"""`hhem`: HHEM-2.1-Open, an encoder of T5's kind that reads source and claim in one prompt.

The score is the probability of the class "consistent" at the first token. Texts are read whole,
however long, as the released code does (vectara/hallucination_evaluation_model). That code is not
run: the network is built here, and the released weights are put into it by their names.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
import transformers
from safetensors import SafetensorError
from safetensors.torch import load_file
from torch import Tensor, nn

from assay.core.errors import InputError
from assay.core.verdicts import Failure
from assay.detectors.local import LocalOptions
from assay.detectors.published.kinds import ModelChoice
from assay.detectors.published.networks import (
    BATCH,
    ENDLESS,
    TextNetwork,
    is_endless,
    load_tokenizer,
    open_device,
)
from assay.detectors.published.scores import Claim, Scored
from assay.models.checkpoints import TOKENIZER_FILES, CheckpointFolder, open_folder

# What the weights were trained with; the released configuration does not repeat it.
_FOUNDATION = "google/flan-t5-base"
_PROMPT = (
    "<pad> Determine if the hypothesis is true given the premise?\n\n"
    "Premise: {text1}\n\nHypothesis: {text2}"
)
_CONSISTENT = 1  # the class
_PREFIX = "t5."  # of the names of the weights
_BLOCK = "transformer.encoder.block.0.layer."


class FirstTokenClassifier(nn.Module):
    """An encoder of T5's kind with a linear head, which is read at the first token."""

    def __init__(self, config: Any) -> None:
        super().__init__()
        self.transformer = transformers.T5EncoderModel(config)
        self.classifier = nn.Linear(config.d_model, config.num_labels)

    def forward(self, input_ids: Tensor, attention_mask: Tensor) -> Tensor:
        """The logits of each row."""
        read = self.transformer(input_ids=input_ids, attention_mask=attention_mask)
        logits: Tensor = self.classifier(read.last_hidden_state[:, 0])
        return logits


@dataclass(frozen=True, slots=True, eq=False)
class ConsistencyEncoder:
    """The method with its weights and its prompt, in which both texts are filled."""

    name: str
    version: str
    network: TextNetwork
    prompt: str = _PROMPT
    threshold: float = 0.5

    def score(self, claims: Sequence[Claim]) -> list[Scored | Failure]:
        """The probability that each claim is consistent with its source."""
        rows = [self._encode(claim) for claim in claims]
        read = [row for row in rows if not is_endless(row)]
        chances = iter(self.network.run(read, _consistent))
        return [ENDLESS if is_endless(row) else _scored(float(next(chances))) for row in rows]

    def _encode(self, claim: Claim) -> Mapping[str, list[int]]:
        before, _, rest = self.prompt.partition("{text1}")
        between, _, after = rest.partition("{text2}")
        row = self.network.tokenizer(f"{before}{claim.source}{between}{claim.text}{after}")
        return {name: row[name] for name in ("input_ids", "attention_mask")}


def _scored(chance: float) -> Scored:
    return Scored(chance, note=f"Consistent with a probability of {chance:.2f}.")


def _consistent(model: Any, batch: Mapping[str, Tensor]) -> Tensor:
    return torch.softmax(model(**batch), dim=-1)[:, _CONSISTENT]


def open_hhem(choice: ModelChoice, local: LocalOptions) -> ConsistencyEncoder:
    """The method with a checkpoint; its tokenizer may be that of the model it was made from."""
    folder = choice.folder()
    prompt = str(folder.config.get("prompt") or _PROMPT)
    if prompt.count("{text1}") != 1 or prompt.partition("{text1}")[2].count("{text2}") != 1:
        raise _unfit(folder, "the prompt of its config.json has not {text1} and then {text2}")
    device = open_device(local.device)
    tokenizer = load_tokenizer(_tokenizer_of(folder))
    model = _load(folder).eval().to(device)
    network = TextNetwork(model, tokenizer, device, local.batch_size or BATCH)
    return ConsistencyEncoder(choice.name, folder.digest, network, prompt)


def _tokenizer_of(folder: CheckpointFolder) -> CheckpointFolder:
    """The folder with the tokenizer: that of the checkpoint, or of the model it was made from."""
    if _has_tokenizer(folder.path):
        return folder
    foundation = str(folder.config.get("foundation") or _FOUNDATION)
    try:
        found = open_folder(foundation)
    except InputError:
        found = None
    if found is None or not _has_tokenizer(found.path):
        raise _unfit(
            folder,
            f"it has no tokenizer, and that of {foundation} is not on this machine:"
            f" 'hf download {foundation} {' '.join(TOKENIZER_FILES)}' fetches about 3 MB",
        )
    return found


def _has_tokenizer(folder: Path) -> bool:
    return any((folder / name).is_file() for name in ("tokenizer.json", "spiece.model"))


def _load(folder: CheckpointFolder) -> FirstTokenClassifier:
    """The network with the released weights; one that is missing or left over raises."""
    try:
        found = load_file(folder.path / "model.safetensors")
    except (OSError, SafetensorError) as error:
        raise _unfit(folder, f"its model.safetensors cannot be read: {error}") from None
    weights = {name.removeprefix(_PREFIX): value.float() for name, value in found.items()}
    shared, own = "transformer.shared.weight", "transformer.encoder.embed_tokens.weight"
    for name, same in ((shared, own), (own, shared)):  # one weight, which is stored once
        if same in weights:
            weights.setdefault(name, weights[same])
    try:
        with torch.device("meta"):  # no weights are drawn that would be replaced at once
            model = FirstTokenClassifier(_config(weights))
        model.load_state_dict(weights, assign=True)
    except KeyError as error:
        raise _unfit(folder, f"it has no weight {_PREFIX}{error.args[0]}") from None
    except RuntimeError as error:
        lines = [line.strip() for line in str(error).splitlines()]
        raise _unfit(folder, lines[min(1, len(lines) - 1)]) from None
    return model


def _config(weights: Mapping[str, Tensor]) -> Any:
    """The configuration of the encoder by the shapes of its weights, otherwise as Flan-T5's."""
    words, width = weights["transformer.shared.weight"].shape
    buckets, heads = weights[f"{_BLOCK}0.SelfAttention.relative_attention_bias.weight"].shape
    layers = sum(name.endswith("layer.0.SelfAttention.q.weight") for name in weights)
    return transformers.T5Config(
        vocab_size=words,
        d_model=width,
        d_kv=weights[f"{_BLOCK}0.SelfAttention.q.weight"].shape[0] // heads,
        d_ff=weights[f"{_BLOCK}1.DenseReluDense.wi_0.weight"].shape[0],
        num_layers=layers,
        num_heads=heads,
        relative_attention_num_buckets=buckets,
        feed_forward_proj="gated-gelu",
        num_labels=weights["classifier.weight"].shape[0],
    )


def _unfit(folder: CheckpointFolder, why: str) -> InputError:
    return InputError(
        f"{folder.name} cannot be used for hhem: {why}", field="detector", code="checkpoint"
    )
