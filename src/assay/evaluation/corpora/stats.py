"""The contents of a corpus, counted in one pass: examples, lengths, labels and authors."""

from array import array
from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from hashlib import blake2b
from typing import Any

import numpy as np

from assay import __version__
from assay.core.examples import Annotated
from assay.core.judgements import GOLD, Judgement
from assay.core.pooling import GoldBasis, Pool
from assay.datasets.overlaps import SourcePrints
from assay.evaluation.agreement.agreement import AgreementFigures
from assay.evaluation.agreement.ratings import AgreementCounter
from assay.evaluation.corpora.label_chains import ChainCounter, ChainStats
from assay.evaluation.corpora.label_counts import LabelCounter, LabelTable, UnitCount
from assay.evaluation.corpora.length_rates import LengthRateCounter, LengthRates
from assay.text.sentences import split_sentences
from assay.text.words import words

MEASURES = ("characters", "words", "sentences")


@dataclass(frozen=True, slots=True)
class Spread:
    """Quartiles and the greatest of some lengths; None where there is nothing to measure."""

    n: int
    lower: float | None = None
    median: float | None = None
    upper: float | None = None
    greatest: int | None = None


@dataclass(frozen=True, slots=True)
class AuthorCount:
    """The number of verdicts by one annotator or recorded detector."""

    author: str
    verdicts: int
    failures: int
    labels: dict[str, int]


@dataclass(frozen=True, slots=True)
class CorpusStats:
    """All that was counted.

    Intervals of shares are Wilson's at 95 % and take units as independent; those of agreement are
    drawn over sources.
    """

    examples: int
    sources: int
    questions: int
    units: tuple[UnitCount, ...]
    splits: dict[str, int]
    tasks: dict[str, int]
    models: dict[str, int]
    labels: tuple[LabelTable, ...]
    lengths: dict[str, dict[str, Spread]]
    length_rates: tuple[LengthRates, ...]
    annotators: tuple[AuthorCount, ...]
    agreement: tuple[AgreementFigures, ...]
    recorded: tuple[AuthorCount, ...]
    chains: ChainStats | None
    gold: GoldBasis | None = None  # what rates by length and chains rest on

    def to_dict(self) -> dict[str, Any]:
        """Everything that was counted, as plain JSON values."""
        document = asdict(replace(self, gold=None))
        document["gold"] = self.gold.to_dict() if self.gold else None
        if self.chains:
            errors = self.chains.first_errors
            document["chains"]["first_errors"] |= {
                "shares": [asdict(each) for each in errors.shares],
                "hazards": [asdict(each) for each in errors.hazards],
            }
        return {"assay": __version__, **document}


class StatsCollector:
    """Takes in one example after the other; `prints` are the digests of their sources.

    `pool` is how labels of several annotators become the gold that rates and chains go by.
    """

    def __init__(self, pool: Pool = "corpus") -> None:
        self.prints = SourcePrints()
        self._examples = self._questions = 0
        self._splits: Counter[str] = Counter()
        self._tasks: Counter[str] = Counter()
        self._models: Counter[str] = Counter()
        self._labels = LabelCounter()
        self._lengths = LengthCounter()
        self._annotators = AuthorCounter()
        self._recorded = AuthorCounter()
        self._chains = ChainCounter(pool)
        self._agreement = AgreementCounter()
        self._rates = LengthRateCounter(pool)

    def add(self, annotated: Annotated) -> None:
        """Counts one example; a source that was met before is measured once."""
        example = annotated.example
        self._examples += 1
        self._questions += bool(example.question)
        self._splits[example.split] += 1
        self._tasks[example.task] += 1
        self._models[example.response.model] += 1
        source = self._lengths.add_source(example.source.text, example.language)
        self.prints.add(example.source.text)
        response = self._lengths.add("response", example.response.text, example.language)
        self._rates.add(annotated, source, response)
        self._agreement.add(annotated)
        self._labels.add(annotated)
        self._annotators.add(said for said in annotated.gold if said.author != GOLD)
        self._recorded.add(annotated.detected)
        self._chains.add(annotated)

    def stats(self) -> CorpusStats:
        """The counts so far."""
        return CorpusStats(
            examples=self._examples,
            sources=len(self.prints),
            questions=self._questions,
            units=self._labels.units(),
            splits=_named(self._splits),
            tasks=_named(self._tasks),
            models=_named(self._models),
            labels=self._labels.tables(),
            lengths=self._lengths.spreads(),
            length_rates=self._rates.rates(),
            annotators=self._annotators.counts(),
            agreement=self._agreement.agreements(),
            recorded=self._recorded.counts(),
            chains=self._chains.stats(),
            gold=self._rates.basis if self._rates.basis.voices else None,
        )


def _named(counts: Counter[str]) -> dict[str, int]:
    """The counts, the greatest first; nothing if no example has a name for it."""
    return dict(counts.most_common()) if any(counts) else {}


class LengthCounter:
    """Measures texts in characters, words and sentences."""

    def __init__(self) -> None:
        self._lengths: dict[str, dict[str, array[int]]] = {}
        self._sources: dict[bytes, int] = {}  # the words of each

    def add_source(self, text: str, language: str) -> int:
        """Measures a source unless it was met before; returns how many words it has."""
        key = blake2b(text.encode(errors="surrogatepass"), digest_size=16).digest()
        if key not in self._sources:
            self._sources[key] = self.add("source", text, language)
        return self._sources[key]

    def add(self, side: str, text: str, language: str) -> int:
        """Measures one text; returns how many words it has."""
        lengths = self._lengths.setdefault(side, {name: array("l") for name in MEASURES})
        sentences = len(split_sentences(text, language=language))
        count = len(words(text))
        for name, length in zip(MEASURES, (len(text), count, sentences), strict=True):
            lengths[name].append(length)
        return count

    def spreads(self) -> dict[str, dict[str, Spread]]:
        """The spread of each measure, by side."""
        return {
            side: {name: spread(values) for name, values in lengths.items()}
            for side, lengths in self._lengths.items()
        }


def spread(values: "array[int]") -> Spread:
    """Quartiles by linear interpolation.

    >>> spread(array("l", [1, 2, 3, 10]))
    Spread(n=4, lower=1.75, median=2.5, upper=4.75, greatest=10)
    """
    if not values:
        return Spread(0)
    lower, median, upper = np.percentile(np.array(values), (25, 50, 75)).tolist()
    return Spread(len(values), lower, median, upper, max(values))


class AuthorCounter:
    """Counts what each author said."""

    def __init__(self) -> None:
        self._said: dict[str, Counter[str]] = {}
        self._failures: Counter[str] = Counter()

    def add(self, judgements: Iterable[Judgement]) -> None:
        """Counts some judgements; a verdict without a label counts as one of a score only."""
        for judgement in judgements:
            name = judgement.author.name
            self._failures[name] += len(judgement.failures)
            said = self._said.setdefault(name, Counter())
            for verdict in judgement.verdicts:
                said[verdict.label.name if verdict.label else "score only"] += 1

    def counts(self) -> tuple[AuthorCount, ...]:
        """The authors, those who said the most first."""
        ordered = sorted(self._said.items(), key=lambda item: (-item[1].total(), item[0]))
        return tuple(
            AuthorCount(author, said.total(), self._failures[author], dict(said.most_common()))
            for author, said in ordered
        )
