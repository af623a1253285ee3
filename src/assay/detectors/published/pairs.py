"""Pairs of texts in tokens, and what a network says of each: premises and hypotheses, mostly."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import torch
from torch import Tensor

from assay.core.errors import InputError
from assay.detectors.local import LocalOptions
from assay.detectors.published.chunks import splitter_name
from assay.detectors.published.kinds import ModelChoice
from assay.detectors.published.networks import TextNetwork, load_network
from assay.models.checkpoints import CheckpointFolder

Pair = tuple[str, str]
Row = Mapping[str, list[int]]
Relation = Literal["entailment", "neutral", "contradiction"]
Cut = Literal["first", "longest"]

_NAMES: dict[Relation, tuple[str, ...]] = {
    "entailment": (
        *("entailment", "entails", "entailed", "support", "supported", "supports"),
        "consistent",
    ),
    "neutral": ("neutral", "not enough info", "not_enough_info", "nei"),
    "contradiction": ("contradiction", "contradicts", "contradictory", "refutes", "refuted"),
}
_BLOCK = 2048  # pairs that are in tokens at the same time
_LONGEST = 100_000  # some tokenizers claim to read without end


def probabilities(model: Any, batch: Mapping[str, Tensor]) -> Tensor:
    """The probabilities of the classes of a sequence classifier."""
    return torch.softmax(model(**batch).logits.float(), dim=-1)


@dataclass(frozen=True, slots=True, eq=False)
class PairReader:
    """A network that reads pairs of texts, at most `window` tokens each.

    Of a pair that is longer, the end of the first text is left out, or that of whichever is longer.
    A second text that leaves no room for the first is shortened in any case.
    """

    network: TextNetwork
    window: int
    cut: Cut = "first"

    def read(
        self,
        pairs: Sequence[Pair],
        forward: Callable[[Any, Mapping[str, Tensor]], Tensor] = probabilities,
    ) -> list[list[float]]:
        """The numbers that `forward` gives for each pair; equal pairs are read once."""
        distinct = list(dict.fromkeys(pairs))
        found: dict[Pair, list[float]] = {}
        for start in range(0, len(distinct), _BLOCK):
            block = distinct[start : start + _BLOCK]
            given = self.network.run(self.encode(block), forward)
            found |= {pair: each.tolist() for pair, each in zip(block, given, strict=True)}
        return [found[pair] for pair in pairs]

    def encode(self, pairs: Sequence[Pair]) -> list[Row]:
        """Pairs in tokens, none longer than the window."""
        encoded = self.network.tokenizer([a for a, _ in pairs], [b for _, b in pairs])
        rows = [
            {name: values[number] for name, values in encoded.items()}
            for number in range(len(pairs))
        ]
        return [
            row if len(row["input_ids"]) <= self.window else self._shorten(pair)
            for pair, row in zip(pairs, rows, strict=True)
        ]

    def room(self, second: str) -> int:
        """The number of tokens that a second text leaves to the first; 0 or less is none."""
        return self.window - len(self.network.tokenizer("", second)["input_ids"])

    def _shorten(self, pair: Pair) -> Row:
        whole = self.cut == "first" and self.room(pair[1]) > 0
        rule = "only_first" if whole else "longest_first"
        return dict(self.network.tokenizer(*pair, truncation=rule, max_length=self.window))


@dataclass(frozen=True, slots=True, eq=False)
class Entailment:
    """A classifier of premise and hypothesis, and what its classes mean."""

    name: str
    folder: CheckpointFolder
    reader: PairReader
    labels: tuple[str, ...]

    @property
    def version(self) -> str:
        """A digest of its weights, and the sentences that sources are split into."""
        return f"{self.folder.digest} {splitter_name()}"

    def number(self, relation: Relation) -> int:
        """The number of the class that stands for a relation; raises unless there is one."""
        names = [label.strip().lower() for label in self.labels]
        found = [number for number, name in enumerate(names) if name in _NAMES[relation]]
        if len(found) != 1:
            raise InputError(
                f"which class of {self.name} is {relation} cannot be told from"
                f" {'/'.join(self.labels)}; name them in their order, such as"
                " labels=entailment/neutral/contradiction",
                field="detector",
            )
        return found[0]


def open_entailment(
    choice: ModelChoice, local: LocalOptions, longest: int = _LONGEST, cut: Cut = "first"
) -> Entailment:
    """The classifier of a folder or hub name; `labels` names its classes in their order."""
    folder = choice.folder()
    network = load_network(folder, "pairs", local)
    config = network.model.config
    count = config.num_labels
    given = choice["labels"]
    labels = given.split("/") if given else [str(config.id2label[n]) for n in range(count)]
    if len(labels) != count:
        raise InputError(
            f"{choice.name} has {count} classes, but labels names {len(labels)}:"
            f" {'/'.join(labels)}",
            field="detector",
        )
    reader = PairReader(network, min(window_of(network), longest), cut)
    return Entailment(choice.name, folder, reader, tuple(labels))


def window_of(network: TextNetwork) -> int:
    """The number of tokens that a network reads at once, by its tokenizer or configuration."""
    config = network.model.config
    positions = getattr(config, "max_position_embeddings", 0) or _LONGEST
    if config.model_type in ("roberta", "xlm-roberta", "camembert"):
        positions -= config.pad_token_id + 1  # its first positions stand for padding
    return int(min(network.tokenizer.model_max_length, positions, _LONGEST))
