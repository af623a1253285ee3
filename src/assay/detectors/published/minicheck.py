"""`minicheck`: MiniCheck's encoders and its Flan-T5, a claim against chunks of the source.

Chunks have at most 400 tokens, for Flan-T5 500 words, and are made of whole sentences. The chunk
that supports the claim most decides. A chunk and a claim that do not fit together are cut off at
the network's window, as in the released code (Liyan06/MiniCheck, commit e9fd26e).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import torch
from torch import Tensor

from assay.core.errors import InputError
from assay.detectors.local import LocalOptions
from assay.detectors.published.chunks import Chunk, line_chunks, line_places, splitter_name
from assay.detectors.published.kinds import Choice
from assay.detectors.published.networks import TextNetwork, load_network
from assay.detectors.published.scores import Claim, Scored

_SUPPORT = (3, 209)  # the tokens of Flan-T5 for no and yes
_WINDOWS = {"t5": 2048, "roberta": 512, "deberta-v2": 2048}  # tokens, by type of model


@dataclass(frozen=True, slots=True, eq=False)
class MiniCheck:
    """The method with one of its networks."""

    name: str
    version: str
    network: TextNetwork
    threshold: float = 0.5

    @property
    def _is_t5(self) -> bool:
        return str(self.network.model.config.model_type) == "t5"

    def score(self, claims: Sequence[Claim]) -> list[Scored]:
        """The support by the best chunk of each source."""
        chunks = [list(self._chunks(claim)) for claim in claims]
        rows = [
            self._encode(chunk.text, claim.text)
            for claim, own in zip(claims, chunks, strict=True)
            for chunk in own
        ]
        chances = iter(self.network.run(rows, _support if self._is_t5 else _supported))
        return [_best(own, [float(each) for each in islice(chances, len(own))]) for own in chunks]

    def _encode(self, chunk: str, claim: str) -> Mapping[str, list[int]]:
        tokenizer, prefix = self.network.tokenizer, "predict: " if self._is_t5 else ""
        text = f"{prefix}{chunk}{tokenizer.eos_token}{claim}"
        window = _WINDOWS[self.network.model.config.model_type]
        return dict(tokenizer(text, truncation=True, max_length=window))

    def _chunks(self, claim: Claim) -> Iterator[Chunk]:
        places = list(line_places(claim.source, claim.language))
        texts = [claim.source[start:end] for start, end in places]
        most = 500 if self._is_t5 else 400
        return line_chunks(claim.source, places, self._lengths(texts), most)

    def _lengths(self, texts: Sequence[str]) -> list[int]:
        if self._is_t5:
            return [len(text.split()) for text in texts]
        window = _WINDOWS[self.network.model.config.model_type]
        encoded = self.network.tokenizer(
            list(texts), add_special_tokens=False, truncation=True, max_length=window
        )
        return [len(ids) for ids in encoded["input_ids"]]


def _support(model: Any, batch: Mapping[str, Tensor]) -> Tensor:
    """The probability of yes as the first word of Flan-T5's answer."""
    first = torch.zeros((len(batch["input_ids"]), 1), dtype=torch.long, device=model.device)
    logits = model(**batch, decoder_input_ids=first).logits[:, 0, list(_SUPPORT)]
    return torch.softmax(logits.float(), dim=-1)[:, 1]


def _supported(model: Any, batch: Mapping[str, Tensor]) -> Tensor:
    """The probability of the second class of an encoder."""
    return torch.softmax(model(**batch).logits.float(), dim=-1)[:, 1]


def _best(chunks: Sequence[Chunk], chances: Sequence[float]) -> Scored:
    if not chunks:
        return Scored(0.0, note="The source is empty.")
    score, best = max(zip(chances, chunks, strict=True), key=lambda pair: pair[0])
    of = f" by the best of {len(chunks)} chunks" if len(chunks) > 1 else ""
    evidence = (best.place,) if len(chunks) > 1 else ()
    return Scored(score, evidence, note=f"Supported with a probability of {score:.2f}{of}.")


def open_minicheck(choice: Choice, local: LocalOptions) -> MiniCheck:
    """The method with a checkpoint: Flan-T5, or an encoder with two classes."""
    folder = choice.folder()
    task = "text" if folder.model_type == "t5" else "pairs"
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
