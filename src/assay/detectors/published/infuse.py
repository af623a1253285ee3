"""`infuse`: InFusE, a sentence against a premise that grows sentence by sentence of the source.

Sentences of the source are ranked by how much they entail the claim, and the claim them. The
premise takes in the first of the ranking, in the order of the source, until the probability of
neutral rises; the entailment before that is the score. Premises have no space between
sentences and are cut off at 512 tokens, as in the released code (HJZnlp/Infuse, commit ce564ee).
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from assay.core.errors import InputError
from assay.detectors.local import LocalOptions
from assay.detectors.published.chunks import Sentences, sentence_places
from assay.detectors.published.kinds import ModelChoice
from assay.detectors.published.pairs import Pair, PairReader, open_entailment
from assay.detectors.published.scores import Claim, Place, Scored

_WINDOW = 512  # tokens
_STEPS = 16  # premises of a sentence that are read at once, at most
_NOISE = 1e-6  # by which two probabilities of the same premise may differ
_LABELS = {"vitc": "entailment/contradiction/neutral"}


@dataclass(slots=True, eq=False)
class _Search:
    """The way of one sentence of a claim through the premises of growing size."""

    source: Sequence[str]
    text: str
    forward: list[float] = field(default_factory=list)  # entailment by each sentence
    backward: list[float] = field(default_factory=list)  # and of each, if it counts
    size: int = 0  # sentences of the last premise that counts
    tried: int = 0
    score: float = 0.0
    neutral: float = np.inf
    is_over: bool = False

    def ranked(self, size: int) -> list[int]:
        """The best so many sentences of the source, in its order."""
        candidates = np.argsort(self.forward)[-2 * size :].tolist()
        return sorted(sorted(candidates, key=self._key, reverse=True)[:size])

    def _key(self, number: int) -> tuple[float, float]:
        back = self.backward[number] if self.backward else 0.0
        return self.forward[number] + back, self.forward[number]

    def premises(self) -> list[Pair]:
        """The next premises: twice as many sentences as before, in steps of one."""
        if self.is_over:
            return []
        more = min(max(self.tried, 1), _STEPS, len(self.source) - self.tried)
        sizes = range(self.tried + 1, self.tried + more + 1)
        return [("".join(self.source[n] for n in self.ranked(k)), self.text) for k in sizes]

    def take(self, entailed: float, neutral: float) -> None:
        """Takes the probabilities for the next size into account."""
        if self.is_over:
            return
        self.tried += 1
        if neutral > self.neutral + _NOISE:
            self.is_over = True
            return
        self.score, self.neutral, self.size = entailed, min(neutral, self.neutral), self.tried
        self.is_over = self.tried == len(self.source)


@dataclass(frozen=True, slots=True, eq=False)
class Infuse:
    """The method with a classifier of pairs."""

    name: str
    version: str
    reader: PairReader
    entailed: int
    neutral: int
    reverse: bool = True
    sentences: Sentences = sentence_places
    threshold: float = 0.5

    def score(self, claims: Sequence[Claim]) -> list[Scored]:
        """The mean score of the sentences of each claim."""
        places = [self.sentences(claim.source, claim.language) for claim in claims]
        searches = [
            [
                _Search([claim.source[slice(*each)] for each in own], claim.text[slice(*place)])
                for place in self.sentences(claim.text, claim.language)
            ]
            for claim, own in zip(claims, places, strict=True)
        ]
        self._search([each for own in searches for each in own if each.source])
        return [_scored(own, where) for own, where in zip(searches, places, strict=True)]

    def _search(self, searches: Sequence[_Search]) -> None:
        known = self._rank(searches)
        active = searches
        while active:
            premises = [each.premises() for each in active]
            new = list({pair for own in premises for pair in own if pair not in known})
            known |= zip(new, self.reader.read(new), strict=True)
            for search, own in zip(active, premises, strict=True):
                for pair in own:
                    search.take(known[pair][self.entailed], known[pair][self.neutral])
            active = [search for search in active if not search.is_over]

    def _rank(self, searches: Sequence[_Search]) -> dict[Pair, list[float]]:
        """Fills in what ranks sentences of sources; gives what was read of them alone."""
        pairs = [(sentence, each.text) for each in searches for sentence in each.source]
        known = dict(zip(pairs, self.reader.read(pairs), strict=True))
        turned = [(b, a) for a, b in pairs] if self.reverse else []
        backward = dict(zip(turned, self.reader.read(turned), strict=True))
        for each in searches:
            own = [(sentence, each.text) for sentence in each.source]
            each.forward = [known[pair][self.entailed] for pair in own]
            if self.reverse:
                each.backward = [backward[b, a][self.entailed] for a, b in own]
        return known


def _scored(searches: Sequence[_Search], places: Sequence[Place]) -> Scored:
    if not searches or not places:
        return Scored(0.0, note="The source is empty." if searches else "There is no sentence.")
    chosen = sorted({number for each in searches for number in each.ranked(each.size)})
    score = sum(each.score for each in searches) / len(searches)
    sizes = sorted({each.size for each in searches})
    size = f"{sizes[0]}" if len(sizes) == 1 else f"{sizes[0]} to {sizes[-1]}"
    note = f"Entailed with a probability of {score:.2f} by {size} of {len(places)} sentences."
    return Scored(score, tuple(places[number] for number in chosen), note=note)


def open_infuse(choice: ModelChoice, local: LocalOptions) -> Infuse:
    """The method with its usual model or a folder; `reverse=no` ranks by one direction only."""
    reverse = {"": True, "yes": True, "no": False}.get(choice["reverse"])
    if reverse is None:
        raise InputError(
            f"infuse: reverse is yes or no, not '{choice['reverse']}'", field="detector"
        )
    usual = _LABELS.get(choice.model, "") if choice.known else ""
    found = open_entailment(choice.with_usual("labels", usual), local, _WINDOW, "longest")
    version = found.version if reverse else f"{found.version} forward"
    entailed, neutral = found.number("entailment"), found.number("neutral")
    return Infuse(choice.name, version, found.reader, entailed, neutral, reverse)
