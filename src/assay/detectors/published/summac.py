"""`summac`: SummaC, each sentence of a claim against each sentence of its source.

Zero-shot: of each sentence of the claim, the highest entailment by a sentence of the source less
the highest contradiction; the mean counts, moved from -1..1 to 0..1. With `conv`, the authors'
layer of weights for the histogram of entailments takes the place of the highest. Sentences of up
to 10 characters are left out, and so is whatever follows the first 100 sentences of a source
(package summac 0.0.4).
"""

import pickle
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np
import torch

from assay.core.errors import InputError
from assay.detectors.local import LocalOptions
from assay.detectors.published.chunks import Sentences, sentence_places
from assay.detectors.published.kinds import ModelChoice
from assay.detectors.published.matrices import SentenceMatrix, Split, matrices
from assay.detectors.published.pairs import PairReader, open_entailment
from assay.detectors.published.scores import Claim, Place, Scored

_WINDOW = 500  # tokens
_SHORTEST = 10  # characters; only longer sentences are compared
_MOST = 100  # sentences of a source
_ROWS = 10  # sentences of a claim that the convolution looks at
_LABELS = {
    "vitc": "entailment/contradiction/neutral",
    "vitc-base": "entailment/contradiction/neutral",
    "vitc-only": "entailment/contradiction/neutral",
    "mnli": "contradiction/neutral/entailment",
    "mnli-base": "contradiction/neutral/entailment",
    "anli": "entailment/neutral/contradiction",
    "snli-base": "entailment/neutral/contradiction",
    "snli-large": "entailment/neutral/contradiction",
}
_PERCENTILES = (
    *(0.0, 0.01, 0.02, 0.03, 0.04, 0.07, 0.13, 0.37, 0.90, 0.91, 0.92, 0.93, 0.94, 0.95),
    *(0.955, 0.96, 0.965, 0.97, 0.975, 0.98, 0.985, 0.99, 0.995, 1.0),
)
_FILE = "summac_conv_vitc_sent_perc_e.bin of github.com/tingofurro/summac, a few kilobytes"


class Aggregation(Protocol):
    """The way from probabilities to one score."""

    def __call__(self, entailed: np.ndarray, contradicted: np.ndarray) -> float:
        """The score, 0 to 1, of matrices of sentences of the source by sentences of the claim."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class SummaC:
    """The method with a classifier of pairs."""

    name: str
    version: str
    reader: PairReader
    entailed: int
    contradicted: int
    aggregate: Aggregation
    sentences: Sentences = sentence_places
    threshold: float = 0.5

    def score(self, claims: Sequence[Claim]) -> list[Scored]:
        """The score of each claim, with the sentence of the source that bears each of its out."""
        splits = [
            Split(
                self._long(claim.source, claim.language), self._long(claim.text, claim.language)
            ).first(_MOST)
            for claim in claims
        ]
        return [self._scored(each) for each in matrices(self.reader, claims, splits)]

    def _long(self, text: str, language: str) -> list[Place]:
        return [
            place for place in self.sentences(text, language) if place[1] - place[0] > _SHORTEST
        ]

    def _scored(self, found: SentenceMatrix) -> Scored:
        if not found.values.size:
            nothing = np.zeros((1, 1))
            return Scored(
                self.aggregate(nothing, nothing),
                note=f"There are no sentences of more than {_SHORTEST} characters to compare.",
            )
        entailed = found.values[..., self.entailed]
        score = self.aggregate(entailed, found.values[..., self.contradicted])
        best = sorted({found.split.source[row] for row in entailed.argmax(axis=0)})
        note = (
            f"Sentences are entailed with probabilities of {entailed.max(axis=0).min():.2f} to"
            f" {entailed.max():.2f} at best."
        )
        return Scored(score, tuple(best), note=note, read=found.split.read)


def zero_shot(entailed: np.ndarray, contradicted: np.ndarray) -> float:
    """The mean of highest entailment less highest contradiction, from 0 to 1."""
    return float((entailed.max(axis=0) - contradicted.max(axis=0)).mean() + 1) / 2


@dataclass(frozen=True, slots=True, eq=False)
class Convolution:
    """The authors' weights of the histogram of a sentence's entailments, and of their mean."""

    bins: Sequence[float]
    weight: np.ndarray
    bias: float
    final: np.ndarray
    final_bias: np.ndarray

    def __call__(self, entailed: np.ndarray, contradicted: np.ndarray) -> float:
        """The probability that the mean of the sentences' values stands for consistency."""
        counts = np.stack([np.histogram(own, bins=self.bins)[0] for own in entailed.T[:_ROWS]])
        mean = float((counts @ self.weight + self.bias).mean())
        logits = self.final.sum(axis=1) * mean + self.final_bias
        return float(1 / (1 + np.exp(logits[0] - logits[1])))


def read_convolution(path: str) -> Convolution:
    """The weights of a file; one that has others raises."""
    try:
        found = torch.load(Path(path).expanduser(), map_location="cpu", weights_only=True)
        parts = {name: np.asarray(each, dtype=np.float64) for name, each in found.items()}
        weight, bias = parts["mlp.weight"], parts["mlp.bias"]
        final, final_bias = parts["layer_final.weight"], parts["layer_final.bias"]
    except FileNotFoundError:
        raise _unreadable(path, f"it is not there; the authors' is {_FILE}") from None
    except (OSError, pickle.UnpicklingError, RuntimeError, EOFError) as error:
        said = str(error).strip().splitlines() or [type(error).__name__]
        raise _unreadable(path, said[0]) from None
    except (AttributeError, KeyError, TypeError, ValueError):
        raise _unreadable(path, f"it has other weights; the authors' is {_FILE}") from None
    edges = {23: _PERCENTILES, 50: (*np.arange(0, 1, 1 / 50), 1.0)}
    bins = edges.get(weight.size)
    if bins is None or final.shape != (2, 3):
        raise _unreadable(path, f"it is for {weight.size} bins, not for the 23 or 50 of one model")
    return Convolution(bins, weight.reshape(-1), float(bias.reshape(-1)[0]), final, final_bias)


def _unreadable(path: str, why: str) -> InputError:
    return InputError(f"conv={path} cannot be read: {why}", field="detector", code="checkpoint")


def open_summac(choice: ModelChoice, local: LocalOptions) -> SummaC:
    """The method with one of its models or a folder; zero-shot unless `conv` names a file."""
    layer = read_convolution(choice["conv"]) if choice["conv"] else None
    usual = _LABELS.get(choice.model, "") if choice.known else ""
    found = open_entailment(choice.with_usual("labels", usual), local, _WINDOW, "longest")
    return SummaC(
        f"{choice.name},conv" if layer else choice.name,
        f"{found.version} {Path(choice['conv']).name}" if layer else found.version,
        found.reader,
        found.number("entailment"),
        found.number("contradiction"),
        layer or zero_shot,
    )
