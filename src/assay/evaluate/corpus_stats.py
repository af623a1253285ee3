"""What is in a corpus, counted in one pass over its examples."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from assay.core.examples import Example
from assay.datasets.overlaps import SourcePrints
from assay.evaluate.corpus_counts import JudgeCount, JudgeCounter, LengthCounter, Spread
from assay.evaluate.label_chains import ChainCounter, ChainStats
from assay.evaluate.label_counts import LabelCounter, LabelTable, UnitCount


@dataclass(frozen=True, slots=True)
class CorpusStats:
    """All that was counted. Intervals are Wilson's at 95 % and take units as independent."""

    examples: int
    sources: int
    questions: int
    units: tuple[UnitCount, ...]
    splits: dict[str, int]
    tasks: dict[str, int]
    models: dict[str, int]
    labels: tuple[LabelTable, ...]
    lengths: dict[str, dict[str, Spread]]
    annotators: tuple[JudgeCount, ...]
    recorded: tuple[JudgeCount, ...]
    chains: ChainStats | None


class StatsCollector:
    """Takes in one example after the other; `prints` are the hashes of their sources."""

    def __init__(self) -> None:
        self.prints = SourcePrints()
        self._examples = self._questions = 0
        self._splits: Counter[str] = Counter()
        self._tasks: Counter[str] = Counter()
        self._models: Counter[str] = Counter()
        self._labels = LabelCounter()
        self._lengths = LengthCounter()
        self._annotators = JudgeCounter()
        self._recorded = JudgeCounter()
        self._chains = ChainCounter()

    def add(self, example: Example) -> None:
        """Counts one example; a source that was met before is measured once."""
        self._examples += 1
        self._questions += bool(example.question)
        self._splits[example.split] += 1
        self._tasks[example.task] += 1
        self._models[example.response.model] += 1
        if self.prints.add(example.source.text):
            self._lengths.add("source", example.source.text, example.language)
        self._lengths.add("response", example.response.text, example.language)
        self._labels.add(example)
        self._annotators.add(verdict for verdict in example.gold if verdict.judge)
        self._recorded.add(example.recorded)
        self._chains.add(example)

    def stats(self) -> CorpusStats:
        """What was counted so far."""
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
            annotators=self._annotators.counts(),
            recorded=self._recorded.counts(),
            chains=self._chains.stats(),
        )


def collect_stats(examples: Iterable[Example]) -> CorpusStats:
    """The statistics of some examples."""
    collector = StatsCollector()
    for example in examples:
        collector.add(example)
    return collector.stats()


def _named(counts: Counter[str]) -> dict[str, int]:
    """The counts, the greatest first; nothing if no example has a name for it."""
    return dict(counts.most_common()) if any(counts) else {}
