"""`ccp`: claim-conditioned probability (Fadeeva et al. 2024), of a causal model and an NLI model.

At each token of the response, the model's likeliest tokens stand beside the one that is there. Of
them, some mean the same by the NLI model, some contradict it, and the others are of another kind.
The share of the first among the first two is the probability of the token's meaning; the product
over a claim's tokens is that of the claim. Checked against the package lm-polygraph 0.7.0.
"""

import string
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import exp, log
from typing import Any, Literal

import numpy as np
import torch
from torch import Tensor

from assay.core.errors import InputError, UnknownNameError
from assay.core.verdicts import Failure
from assay.detectors.embedded.detector import SHIPPED
from assay.detectors.embedded.detector import load_model as load_shipped
from assay.detectors.embedded.tokens import lay_out
from assay.detectors.local import LocalOptions
from assay.detectors.published.causal import (
    CausalReader,
    TokenPassage,
    open_causal,
    response_logits,
)
from assay.detectors.published.kinds import ModelChoice
from assay.detectors.published.networks import load_network
from assay.detectors.published.pairs import window_of
from assay.detectors.published.scores import Claim, Scored
from assay.models.checkpoints import HUB_MODELS, open_folder

Relation = Literal["entails", "contradicts", "neutral"]
Pair = tuple[str, str]

ALTERNATIVES = 10
SURE_FROM = 0.001  # VeriGray, appendix D: a claim below it is unfaithful
_OUTSIDE = string.punctuation + " \n"
_NLI_BATCH = 64  # pairs of words are short
_KEPT = 200_000  # pairs of words whose relation is remembered
_CLASSES: tuple[Relation, ...] = ("entails", "neutral", "contradicts")  # of the embedded model
_NAMES: Mapping[Relation, str] = {
    "entails": "entail",
    "contradicts": "contra",
    "neutral": "neutral",
}


@dataclass(frozen=True, slots=True)
class TokenChoice:
    """The token that stands in a text and those that might: numbers and logits, its own first."""

    tokens: tuple[int, ...]
    logits: tuple[float, ...]


@dataclass(frozen=True, slots=True, eq=False)
class WordRelations:
    """The relations of texts by an NLI model, which is asked for each pair once."""

    classify: Callable[[Sequence[Pair]], list[Relation]]
    known: dict[Pair, Relation] = field(default_factory=dict)

    def relate(self, pairs: Iterable[Pair]) -> Mapping[Pair, Relation]:
        """The relation of the first text of each pair to the second."""
        if len(self.known) > _KEPT:
            self.known.clear()
        new = [pair for pair in dict.fromkeys(pairs) if pair not in self.known]
        self.known.update(zip(new, self.classify(new), strict=True))
        return self.known


@dataclass(frozen=True, slots=True, eq=False)
class ClaimConditionedProbability:
    """The method with a causal model and an NLI model."""

    name: str
    version: str
    reader: CausalReader
    nli: WordRelations
    with_claim: bool = False  # words are compared after what comes before them in the claim
    threshold: float = 0.5

    def score(self, claims: Sequence[Claim]) -> list[Scored | Failure]:
        """The probability of each claim; each response is read once."""
        passages, failed = self.reader.passages(claims)
        found: dict[int, Scored | Failure] = dict(failed)
        found |= {number: _scored(value) for number, value in self.logs(passages).items()}
        return [found[number] for number in range(len(claims))]

    def logs(self, passages: Sequence[TokenPassage]) -> dict[int, float]:
        """The logs of the probabilities of the claims of some responses, by number."""
        rows = self.reader.network.run([passage.row for passage in passages], _likeliest)
        compared = {
            number: list(self._comparisons(choices[start - passage.first : end - passage.first]))
            for passage, row in zip(passages, rows, strict=True)
            for choices in [_choices(passage, row)]
            for number, (start, end) in passage.slices.items()
        }
        related = self.nli.relate(
            pair
            for claim in compared.values()
            for _, texts in claim
            for other in texts[1:]
            for pair in ((texts[0], other), (other, texts[0]))
        )
        return {
            number: sum(meaning_log(*each, related) for each in claim)
            for number, claim in compared.items()
        }

    def _comparisons(
        self, choices: Sequence[TokenChoice]
    ) -> Iterator[tuple[TokenChoice, list[str]]]:
        """The choices of a claim's tokens, each with the texts that are compared."""
        decode = self.reader.network.tokenizer.decode
        before: list[int] = []
        for each in choices:
            if self.with_claim:
                yield each, [decode([*before, token]) for token in each.tokens]
            else:
                yield each, [decode([token]).strip(_OUTSIDE) for token in each.tokens]
            before.append(each.tokens[0])


def meaning_log(
    choice: TokenChoice, texts: Sequence[str], related: Mapping[Pair, Relation]
) -> float:
    """The log of the probability of a token's meaning among those of its kind."""
    same, opposed = [choice.logits[0]], list[float]()
    for text, logit in zip(texts[1:], choice.logits[1:], strict=True):
        relation = _both_ways(related[texts[0], text], related[text, texts[0]])
        if relation == "entails":
            same.append(logit)
        elif relation == "contradicts":
            opposed.append(logit)
    return float(np.logaddexp.reduce(same) - np.logaddexp.reduce(same + opposed))


def _both_ways(forth: Relation, back: Relation) -> Relation:
    """One relation of two texts: what either direction says, unless they say the opposite."""
    said = {forth, back} - {"neutral"}
    return said.pop() if len(said) == 1 else "neutral"


def _scored(logarithm: float) -> Scored:
    """The score of a claim, which is half at the threshold of VeriGray, by the log of its CCP.

    Products over many tokens are too small to tell apart: the score falls with their logs.
    """
    score = 1 / (1 + logarithm / log(SURE_FROM))
    return Scored(score, note=f"Claim-conditioned probability {exp(logarithm):.3g}.")


def _likeliest(model: Any, batch: Mapping[str, Tensor]) -> Tensor:
    """For each token: its logit, and the logits and numbers of those that were likeliest there."""
    logits, first = response_logits(model, batch)
    logits = logits[:, :-1]
    own = logits.gather(2, batch["input_ids"][:, first + 1 :, None])
    best = logits.topk(min(ALTERNATIVES, logits.shape[-1]), dim=-1)
    # Numbers below 2 ** 24 are exact in float32.
    values = torch.cat([own, best.values, best.indices.float()], dim=-1)
    return torch.nn.functional.pad(values, (0, 0, first + 1, 0))


def _choices(passage: TokenPassage, values: Tensor) -> list[TokenChoice]:
    """The choices at the tokens of a response."""
    rows = values[passage.first : len(passage.ids)].tolist()
    return [_choice(*each) for each in zip(passage.ids[passage.first :], rows, strict=True)]


def _choice(token: int, values: Sequence[float]) -> TokenChoice:
    """The token first; if it is none of the likeliest, it takes the place of the last of them."""
    size = (len(values) - 1) // 2
    others = [
        (int(number), logit)
        for logit, number in zip(values[1 : size + 1], values[size + 1 :], strict=True)
        if int(number) != token
    ][: size - 1]
    tokens, logits = zip((token, values[0]), *others, strict=True)
    return TokenChoice(tokens, logits)


def open_ccp(choice: ModelChoice, local: LocalOptions) -> ClaimConditionedProbability:
    """The method with a causal model and an NLI model: `nli`, `labels`, `context` and others."""
    context = choice["context"] or "word"
    if context not in ("word", "claim"):
        raise UnknownNameError(f"context of {choice.detector}", context, ("word", "claim"))
    folder = choice.folder()
    nli, version = _embedded() if choice["nli"] == "embedded" else _classifier(choice, local)
    reader = open_causal(folder, choice, local)
    version = f"{folder.digest} {version} {context} {reader.prompt.digest}"
    return ClaimConditionedProbability(choice.name, version, reader, nli, context == "claim")


def _classifier(choice: ModelChoice, local: LocalOptions) -> tuple[WordRelations, str]:
    """The relations by an NLI model of a folder or hub name, and its digest."""
    usual = HUB_MODELS["deberta-large-mnli"]
    folder = open_folder(choice["nli"] or usual.repository, None if choice["nli"] else usual)
    network = load_network(folder, "pairs", local)
    network = replace(network, batch=local.batch_size or _NLI_BATCH)
    network.tokenizer.truncation_side = "left"  # texts that are compared differ at their ends
    classes = _relations(choice, network.model.config)
    window = window_of(network)

    def classify(pairs: Sequence[Pair]) -> list[Relation]:
        if not pairs:
            return []
        # As a list: of a pair on its own, transformers leaves out a second text that is empty.
        encoded = network.tokenizer(list(pairs), truncation=True, max_length=window)
        rows = [dict(zip(encoded, row, strict=True)) for row in zip(*encoded.values(), strict=True)]
        found = network.run(rows, lambda model, batch: model(**batch).logits)
        return [classes[int(logits.argmax())] for logits in found]

    return WordRelations(classify), folder.digest


def _embedded() -> tuple[WordRelations, str]:
    """The relations by the model that comes with Assay, and its version."""
    model = load_shipped(SHIPPED).ready
    encode = model.tokenizer.encode
    nothing = encode("")

    def classify(pairs: Sequence[Pair]) -> list[Relation]:
        rows = [lay_out(nothing, encode(first), [encode(second)]) for first, second in pairs]
        found = model.network.forward_all(rows)
        return [_CLASSES[int(each.logits[0].argmax())] for each in found]

    return WordRelations(classify), f"embedded-{model.digest}"


def _relations(choice: ModelChoice, config: Any) -> tuple[Relation, ...]:
    """The relations that the classes of an NLI model stand for, by their names."""
    own = [str(config.id2label[number]) for number in range(config.num_labels)]
    labels = choice["labels"].split("/") if choice["labels"] else own
    found = [
        relation
        for label in labels
        for relation, name in _NAMES.items()
        if label.strip().lower().startswith(name)
    ]
    if len(labels) != config.num_labels or sorted(found) != sorted(_NAMES):
        raise InputError(
            f"{choice.name} needs an NLI model with three classes; this one has"
            f" {config.num_labels}, called {'/'.join(labels)}: name them in their order with"
            " labels=entailment/neutral/contradiction",
            field="detector",
        )
    return tuple(found)
