"""`minicheck`: MiniCheck's encoders and its Flan-T5, a claim against chunks of the source.

Chunks have at most 400 tokens, for Flan-T5 500 words, and are made of whole sentences. The chunk
that supports the claim most decides. A chunk and a claim that do not fit together are cut off at
the network's window, as in the released code (Liyan06/MiniCheck, commit e9fd26e).
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import torch
from torch import Tensor

from assay.core.errors import InputError
from assay.detectors.local import LocalOptions
from assay.detectors.published.chunks import (
    Chunk,
    Sentences,
    line_chunks,
    line_places,
    sentence_places,
    splitter_name,
)
from assay.detectors.published.kinds import ModelChoice
from assay.detectors.published.networks import Task, TextNetwork, load_network
from assay.detectors.published.scores import Claim, Scored

_SUPPORT = (3, 209)  # the tokens of Flan-T5 for no and yes
_WINDOWS = {"t5": 2048, "roberta": 512, "deberta-v2": 2048}  # tokens, by type of model


@dataclass(frozen=True, slots=True, eq=False)
class MiniCheck:
    """The method with one of its networks."""

    name: str
    version: str
    network: TextNetwork
    sentences: Sentences = sentence_places
    threshold: float = 0.5

    def score(self, claims: Sequence[Claim]) -> list[Scored]:
        """The support by the best chunk of each source."""
        sources = {claim.source: list(self._chunks(claim)) for claim in _of_each_source(claims)}
        rows = self._encode(
            [(chunk.text, claim.text) for claim in claims for chunk in sources[claim.source]]
        )
        chances = map(float, self.network.run(rows, _support if self._is_t5 else _supported))
        sizes = (len(row["input_ids"]) for row in rows)
        found = zip(chances, sizes, strict=True)
        return [
            self._best(own, list(islice(found, len(own))))
            for own in (sources[claim.source] for claim in claims)
        ]

    @property
    def _is_t5(self) -> bool:
        return str(self.network.model.config.model_type) == "t5"

    @property
    def _window(self) -> int:
        return _WINDOWS[self.network.model.config.model_type]

    def _encode(self, pairs: Sequence[tuple[str, str]]) -> list[Mapping[str, list[int]]]:
        tokenizer, prefix = self.network.tokenizer, "predict: " if self._is_t5 else ""
        texts = [f"{prefix}{chunk}{tokenizer.eos_token}{claim}" for chunk, claim in pairs]
        if not texts:
            return []
        encoded = tokenizer(texts, truncation=True, max_length=self._window)
        return [{name: each[row] for name, each in encoded.items()} for row in range(len(texts))]

    def _chunks(self, claim: Claim) -> Iterator[Chunk]:
        places = list(line_places(claim.source, claim.language, self.sentences))
        texts = [claim.source[start:end] for start, end in places]
        most = 500 if self._is_t5 else 400
        return line_chunks(claim.source, places, self._lengths(texts), most)

    def _lengths(self, texts: Sequence[str]) -> list[int]:
        if self._is_t5 or not texts:
            return [len(text.split()) for text in texts]
        encoded = self.network.tokenizer(
            list(texts), add_special_tokens=False, truncation=True, max_length=self._window
        )
        return [len(ids) for ids in encoded["input_ids"]]

    def _best(self, chunks: Sequence[Chunk], found: Sequence[tuple[float, int]]) -> Scored:
        if not chunks:
            return Scored(0.0, note="The source is empty.")
        (score, size), best = max(zip(found, chunks, strict=True), key=lambda pair: pair[0][0])
        of = f" by the best of {len(chunks)} chunks" if len(chunks) > 1 else ""
        cut = f" Chunk and claim are cut off at {size:,} tokens." if size >= self._window else ""
        evidence = (best.place,) if len(chunks) > 1 else ()
        return Scored(
            score, evidence, note=f"Supported with a probability of {score:.2f}{of}.{cut}"
        )


def _of_each_source(claims: Sequence[Claim]) -> Iterable[Claim]:
    """One claim of each source."""
    return {claim.source: claim for claim in claims}.values()


def _support(model: Any, batch: Mapping[str, Tensor]) -> Tensor:
    """The probability of yes as the first word of Flan-T5's answer."""
    first = torch.zeros((len(batch["input_ids"]), 1), dtype=torch.long, device=model.device)
    logits = model(**batch, decoder_input_ids=first).logits[:, 0, list(_SUPPORT)]
    return torch.softmax(logits.float(), dim=-1)[:, 1]


def _supported(model: Any, batch: Mapping[str, Tensor]) -> Tensor:
    """The probability of the second class of an encoder."""
    return torch.softmax(model(**batch).logits.float(), dim=-1)[:, 1]


def open_minicheck(choice: ModelChoice, local: LocalOptions) -> MiniCheck:
    """The method with a checkpoint: Flan-T5, or an encoder with two classes."""
    folder = choice.folder()
    task: Task = "text" if folder.model_type == "t5" else "pairs"
    if folder.model_type not in _WINDOWS:
        raise InputError(
            f"{choice.name} is of type '{folder.model_type}', not t5, roberta or deberta-v2",
            field="detector",
            code="checkpoint",
        )
    network = load_network(folder, task, local)
    if task == "pairs" and network.model.config.num_labels != 2:
        raise InputError(
            f"{choice.name} has {network.model.config.num_labels} classes; MiniCheck has 2",
            field="detector",
            code="checkpoint",
        )
    return MiniCheck(choice.name, f"{folder.digest} {splitter_name()}", network)
