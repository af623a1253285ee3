"""`nli`: any classifier of premise and hypothesis; the score is the probability of entailment.

A source that fits is read whole, as transformers' pipeline does. A longer one is read in chunks of
whole sentences, of which the one that bears the claim out best counts.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

import torch

from assay.core.errors import InputError
from assay.detectors.local import LocalOptions
from assay.detectors.published.chunks import Chunk, pack, sentence_places, splitter_name
from assay.detectors.published.kinds import Choice
from assay.detectors.published.networks import TextNetwork, load_network
from assay.detectors.published.scores import Claim, Scored

_ENTAILED = ("entailment", "entails", "entailed", "support", "supported", "supports", "consistent")
_LONGEST = 100_000  # some tokenizers claim to read without end


@dataclass(frozen=True, slots=True, eq=False)
class EntailmentClassifier:
    """A classifier of pairs, and which of its classes is entailment."""

    name: str
    version: str
    network: TextNetwork
    entailed: int
    threshold: float = 0.5
    window: int = field(default=512)

    def score(self, claims: Sequence[Claim]) -> list[Scored]:
        """The probability of entailment by the best chunk of each source."""
        chunks = [self.chunks(claim) for claim in claims]
        pairs = [
            (c.text, claim.text) for claim, own in zip(claims, chunks, strict=True) for c in own
        ]
        chances = iter(self.chances(pairs))
        return [best_chunk(own, islice(chances, len(own))) for own in chunks]

    def chances(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        """The probability that the first text of each pair entails the second."""
        rows = [self.encode(*pair) for pair in pairs]
        found = self.network.run(rows, lambda model, batch: model(**batch).logits)
        return [float(torch.softmax(each, dim=-1)[self.entailed]) for each in found]

    def encode(self, premise: str, hypothesis: str) -> Mapping[str, list[int]]:
        """A pair in tokens; of one that is too long, the end of the premise is left out."""
        return dict(
            self.network.tokenizer(
                premise, hypothesis, truncation="only_first", max_length=self.window
            )
        )

    def chunks(self, claim: Claim) -> list[Chunk]:
        """The source in as few parts as the network needs."""
        tokenizer = self.network.tokenizer
        room = self.window - len(tokenizer("", claim.text)["input_ids"])
        if room < 1:
            raise InputError(
                f"a claim of {len(claim.text):,} characters is too long for {self.name}"
            )
        whole = Chunk(claim.source, (0, len(claim.source)))
        if len(tokenizer(claim.source, add_special_tokens=False)["input_ids"]) <= room:
            return [whole]
        places = sentence_places(claim.source, claim.language)
        texts = [claim.source[start:end] for start, end in places]
        lengths = [len(ids) for ids in tokenizer(texts, add_special_tokens=False)["input_ids"]]
        return [
            Chunk(claim.source[group[0][0] : group[-1][1]], (group[0][0], group[-1][1]))
            for group in pack(places, lengths, room)
        ] or [whole]


def best_chunk(chunks: Sequence[Chunk], chances: Iterable[float]) -> Scored:
    """The score of the chunk that bears a claim out best."""
    score, chunk = max(zip(chances, chunks, strict=True), key=lambda pair: pair[0])
    if len(chunks) == 1:
        return Scored(score, note=f"Entailed with a probability of {score:.2f}.")
    note = f"Entailed with a probability of {score:.2f} by the best of {len(chunks)} chunks."
    return Scored(score, evidence=(chunk.place,), note=note)


def open_nli(choice: Choice, local: LocalOptions) -> EntailmentClassifier:
    """The classifier of a folder or hub name; `labels` names its classes in their order."""
    folder = choice.folder()
    network = load_network(folder, "pairs", local)
    labels = choice["labels"].split("/") if choice["labels"] else _labels(network.model.config)
    count = network.model.config.num_labels
    if len(labels) != count:
        raise InputError(
            f"{choice.name} has {count} classes, but labels names {len(labels)}:"
            f" {'/'.join(labels)}",
            field="detector",
        )
    return EntailmentClassifier(
        choice.name,
        f"{folder.digest} {splitter_name()}",
        network,
        _entailment(labels, choice.name),
        window=window_of(network),
    )


def window_of(network: TextNetwork) -> int:
    """The number of tokens that a network reads at once, by its tokenizer or configuration."""
    config = network.model.config
    positions = getattr(config, "max_position_embeddings", 0) or _LONGEST
    if config.model_type in ("roberta", "xlm-roberta", "camembert"):
        positions -= config.pad_token_id + 1  # its first positions stand for padding
    return int(min(network.tokenizer.model_max_length, positions, _LONGEST))


def _labels(config: Any) -> list[str]:
    """The names of the classes, in their order."""
    return [str(config.id2label[number]) for number in range(config.num_labels)]


def _entailment(labels: Sequence[str], name: str) -> int:
    """The number of the class that is entailment; raises unless exactly one is called so."""
    found = [number for number, label in enumerate(labels) if label.strip().lower() in _ENTAILED]
    if len(found) != 1:
        raise InputError(
            f"which class of {name} is entailment cannot be told from {'/'.join(labels)};"
            " name them in their order with labels=entailment/neutral/contradiction",
            field="detector",
        )
    return found[0]
