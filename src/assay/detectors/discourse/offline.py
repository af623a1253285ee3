"""`discourse-offline`: claims and relations by rules, scored by the model that comes with Assay.

The embedded model reads the sentences of a response and, behind them in the same pass, their
claims and what their connectives say. Where it does not find a sentence, the scores of the parts
tell which of them is to blame. Where it does, rules of thumb look at the words of the source: a
link that it does not show, an order or a speaker that it gives otherwise, a hedge that is gone.
"""

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from assay.core.examples import Example, Judgement
from assay.core.labels import Taxonomy
from assay.core.taxonomies import GRAY7
from assay.core.units import Unit, UnitKind
from assay.core.verdicts import Outcome
from assay.detectors.discourse.ground import Ground
from assay.detectors.discourse.weighing import weigh
from assay.detectors.embedded.detector import EmbeddedDetector
from assay.detectors.units import sentence_units
from assay.text.discourse.outline import Outline, outline

MOST_ADDED = (
    0.75  # characters read beside the sentences, for each of theirs; keeps the cost below 2
)


class OfflineDiscourse:
    """Judges sentences, claims and relations; `folder` is another model of the embedded form."""

    name = "discourse-offline"
    unit_kind: UnitKind = "sentence"
    taxonomy: Taxonomy = GRAY7

    def __init__(self, folder: str = "") -> None:
        self._model = EmbeddedDetector(folder)

    def detect(self, examples: Iterable[Example]) -> Iterator[Judgement]:
        """Each example in one pass of the model, its statements beside its sentences."""
        waiting: deque[Plan] = deque()
        for judgement in self._model.detect(_widened(examples, waiting)):
            yield waiting.popleft().judge(judgement)


@dataclass(frozen=True, slots=True)
class Plan:
    """An example, its sentences in parts, and the statements that are scored beside them."""

    example: Example
    outlines: tuple[Outline, ...]
    statements: tuple[Unit, ...]

    @classmethod
    def of(cls, example: Example) -> "Plan":
        """The plan for an example; what is read beside the sentences is never more than these."""
        outlines = tuple(outline(sentence_units(example)))
        budget = MOST_ADDED * sum(len(each.sentence.text) for each in outlines)
        statements: dict[str, Unit] = {}
        for text in (text for each in outlines for text in _texts(each)):
            budget -= len(text)
            if budget >= 0:
                statements[text] = Unit("sentence", text)
        return cls(example, outlines, tuple(statements.values()))

    @property
    def widened(self) -> Example:
        """The example with all that the model is to score."""
        units = (*(each.sentence for each in self.outlines), *self.statements)
        return replace(self.example, units=units) if units else self.example

    def judge(self, judgement: Judgement) -> Judgement:
        """The outcomes of the model as outcomes of sentences, claims and relations."""
        said = judgement.outcomes
        count = len(self.outlines)
        scored = {each.unit.text: each for each in said[count:]}
        # The only claim of a sentence was scored as that sentence.
        for each, sentence in zip(self.outlines, said[:count], strict=True):
            if len(each.claims) == 1:
                scored[each.claims[0].text] = sentence
        ground = Ground(self.example.source)
        outcomes = (
            outcome
            for each, sentence in zip(self.outlines, said[:count], strict=True)
            for outcome in weigh(each, sentence, scored, ground)
        )
        return Judgement(self.example, tuple(_once(outcomes)), judgement.characters_read)


def _widened(examples: Iterable[Example], waiting: "deque[Plan]") -> Iterator[Example]:
    for example in examples:
        plan = Plan.of(example)
        waiting.append(plan)
        yield plan.widened


def _texts(each: Outline) -> Iterator[str]:
    """The statements to score of one sentence."""
    if len(each.claims) > 1:
        yield from (claim.text for claim in each.claims)
    yield from (link.statement for link in each.links if link.statement)


def _once(outcomes: Iterable[Outcome]) -> Iterator[Outcome]:
    """Each unit once: a response may say the same twice without a place to tell them apart."""
    met: set[Unit] = set()
    for outcome in outcomes:
        if outcome.unit.kind == "sentence" or outcome.unit not in met:
            met.add(outcome.unit)
            yield outcome
