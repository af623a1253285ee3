"""`consult`: asks outside knowledge about sentences that the source alone does not support.

A sentence that a detector calls fabricated, or out-dependent by its own lights, is looked up. If
the source and the passages found entail it together, it is out-dependent and cites them; if not, it
is fabricated, and the question of the tree has an answer. A sentence that the source contradicts is
not looked up. Where a look-up or the second judgement failed, there is no verdict.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice

from assay.core.errors import InputError
from assay.core.examples import Example, Judgement
from assay.core.labels import Taxonomy
from assay.core.taxonomies import GRAY7
from assay.core.units import Unit, UnitKind
from assay.detectors.judges.judging import together
from assay.detectors.judges.protocol import Judge, detect_in_order
from assay.detectors.looked_up import LookedUp, Passages, is_doubtful
from assay.detectors.protocol import Detector
from assay.detectors.replay import Replay
from assay.detectors.streams import batches_with_units
from assay.knowledge import FetchError, KnowledgeSource
from assay.llm.background import background
from assay.llm.client import Client

PASSAGES = 3  # that are wanted for each sentence
TOGETHER = 8  # examples that are looked up before the first of them is told


@dataclass(frozen=True, slots=True)
class Consulting:
    """A detector of sentences in gray7 that looks up what the source does not support."""

    detector: Detector
    knowledge: KnowledgeSource
    unit_kind: UnitKind = "sentence"
    taxonomy: Taxonomy = GRAY7

    @property
    def name(self) -> str:
        """The detector, and where it looks things up."""
        return f"{self.detector.name} with {self.knowledge.name}"

    def detect(self, examples: Iterable[Example]) -> Iterator[Judgement]:
        """Judges a batch, looks up what it does not find, and judges that again."""
        with opened(self.knowledge):
            for batch in batches_with_units(examples, self.detector):
                firsts = iter(list(self.detector.detect(batch)))
                while some := list(islice(firsts, TOGETHER)):
                    yield from self._settle(some)

    def _settle(self, firsts: Sequence[Judgement]) -> Iterator[Judgement]:
        looked_up = background().run(together(map(self._look_up, firsts)))
        wanted = [part.example for each in looked_up for part in each.widened]
        again = iter(list(self.detector.detect(wanted)))
        for each in looked_up:
            yield each.settle(islice(again, len(each.widened)))

    async def _look_up(self, first: Judgement) -> LookedUp:
        doubtful = [each.unit for each in first.outcomes if is_doubtful(each)]
        answers = await together(map(self._search, doubtful))
        return LookedUp(first, dict(zip(doubtful, answers, strict=True)), self.knowledge.name)

    async def _search(self, unit: Unit) -> Passages | FetchError:
        try:
            return await self.knowledge.search(unit.text, PASSAGES)
        except FetchError as error:
            return error


@dataclass(frozen=True, slots=True)
class ConsultingJudge(Consulting):
    """A judge that looks things up: its model is asked again, with the passages behind the source.

    Whoever calls `judge` holds the knowledge open, with `opened`, as well as the client.
    """

    detector: Judge

    @property
    def client(self) -> Client:
        """The judge's."""
        return self.detector.client

    @property
    def prompt_digests(self) -> Mapping[str, str]:
        """The judge's: both times the same questions are asked."""
        return self.detector.prompt_digests

    async def judge(self, example: Example) -> Judgement:
        """All units of one example."""
        looked_up = await self._look_up(await self.detector.judge(example))
        wanted = (self.detector.judge(part.example) for part in looked_up.widened)
        return looked_up.settle(await together(wanted))

    def detect(self, examples: Iterable[Example]) -> Iterator[Judgement]:
        """Many examples at a time, in their order."""
        with opened(self.knowledge):
            yield from detect_in_order(self, examples)


def consult(detector: Detector, knowledge: KnowledgeSource) -> Consulting:
    """The same detector, which looks up what the source does not support; of a judge, a judge."""
    require_consultable(detector)
    if isinstance(detector, Judge):
        return ConsultingJudge(detector, knowledge)
    return Consulting(detector, knowledge)


def require_consultable(detector: Detector) -> None:
    """Raises where a detector cannot say what outside knowledge changes."""
    if isinstance(detector, Replay):
        raise InputError(f"{detector.name} says again what was said and cannot judge anew")
    if detector.unit_kind != "sentence" or detector.taxonomy != GRAY7:
        raise InputError(
            f"outside knowledge is asked about sentences in gray7, and {detector.name} judges "
            f"{detector.unit_kind}s in {detector.taxonomy.name}; take another, such as embedded or "
            "judge-gray7"
        )


@contextmanager
def opened(knowledge: KnowledgeSource) -> Iterator[None]:
    """Holds the connections of a source open, in the loop in which it is asked."""
    background().run(knowledge.__aenter__())
    try:
        yield
    finally:
        background().run(knowledge.__aexit__(None, None, None))
