"""`discourse-offline`: claims and relations by rules, scored by the model that comes with Assay.

The embedded model reads the sentences of a response and, behind them in the same pass, their
claims and what their connectives say. Where it does not find a sentence, the scores of the parts
tell which of them is to blame. Where it does, rules of thumb look at the words of the source: a
link that it does not show, an order or a speaker that it gives otherwise, a hedge that is gone.
"""

from collections.abc import AsyncIterator, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from assay.core.examples import Example
from assay.core.judgements import Author, Judgement
from assay.core.units import Unit, unit_id
from assay.detectors.discourse.ground import Ground
from assay.detectors.discourse.weighing import weigh
from assay.detectors.embedded.detector import CAPABILITIES, EmbeddedDetector
from assay.detectors.embedded.weights import BATCH
from assay.detectors.local import NO_OPTIONS, LocalOptions
from assay.detectors.protocol import Detector, in_batches, judgement_of
from assay.detectors.registry import DetectorType
from assay.text.discourse.lexicon import connectives, word_lists
from assay.text.discourse.outline import Outline, outline
from assay.text.units import sentence_units

# Characters read beside the sentences, for each of theirs; this keeps the cost below twice theirs.
MOST_ADDED = 0.75


class OfflineDiscourse:
    """Judges sentences, claims and relations; `folder` is another model of the embedded form."""

    prompt_digests: Mapping[str, str] = {}

    def __init__(self, folder: str = "", local: LocalOptions = NO_OPTIONS) -> None:
        self._model = EmbeddedDetector(folder, local)
        self.author = Author("discourse-offline", version=self._model.author.version)
        self.capabilities = self._model.capabilities

    @property
    def stages(self) -> tuple[Detector, ...]:
        """Itself."""
        return (self,)

    def judge(self, examples: Iterable[Example]) -> AsyncIterator[Judgement]:
        """Each example in one pass of the model, its statements beside its sentences."""
        return in_batches(examples, self._judge, BATCH)

    def _judge(self, examples: list[Example]) -> Iterator[Judgement]:
        plans = [Plan.of(example) for example in examples]
        scores = self._model.judge_batch(plan.widened for plan in plans)
        return (plan.weigh(each, self.author) for plan, each in zip(plans, scores, strict=True))


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
        for each in outlines:
            for number, text in enumerate(_texts(each), 1):
                budget -= len(text)
                if budget >= 0:
                    id = unit_id("sentence", number, each.sentence.id)
                    statements[text] = Unit(id, "sentence", text, parent=each.sentence.id)
        return cls(example, outlines, tuple(statements.values()))

    @property
    def widened(self) -> Example:
        """The example with all that the model is to score."""
        units = (*(each.sentence for each in self.outlines), *self.statements)
        return replace(self.example, units=units) if units else self.example

    def weigh(self, scores: Judgement, author: Author) -> Judgement:
        """What the model says, as what is said of sentences, claims and relations."""
        said = {outcome.unit: outcome for outcome in scores.outcomes}
        scored = {unit.text: said[unit.id] for unit in self.statements}
        # The only claim of a sentence was scored as that sentence.
        for each in self.outlines:
            if len(each.claims) == 1:
                scored[each.claims[0].text] = said[each.sentence.id]
        ground = Ground(self.example.source)
        findings = [
            finding
            for each in self.outlines
            for finding in weigh(each, said[each.sentence.id], scored, ground)
        ]
        judgement = judgement_of(self.example, author, findings, scores.characters_read)
        return replace(judgement, units=(*judgement.units, *self._linked(judgement)))

    def _linked(self, judgement: Judgement) -> Iterator[Unit]:
        """What relations link and nothing was said of: speakers, words that judge."""
        links = (link for each in self.outlines for link in each.links)
        judged = (link for link in links if link.relation.id in judgement.by_id)
        ends = {end.id: end for link in judged for end in (link.first, link.second)}
        return (end for end in ends.values() if end.id not in judgement.by_id)


def _texts(each: Outline) -> Iterator[str]:
    """The statements to score of one sentence."""
    if len(each.claims) > 1:
        yield from (claim.text for claim in each.claims)
    yield from (link.statement for link in each.links if link.statement)


def _facts(_: str) -> dict[str, str]:
    hedges = sum(map(len, word_lists("hedges").values()))
    return {
        "model": "that of 'embedded', which reads claims and links behind the sentences",
        "language": "English only; anything else is left without a verdict",
        "word lists": f"{len(connectives())} connectives, {hedges} hedges, reporting verbs,"
        " evaluative words",
        "rules of thumb": "links, attachment, order, speakers and hedges, by the words of the"
        " source; they only ever make a verdict less faithful, and the note says so",
        "not found": "relations that no word says",
        "figures": "docs/discourse.md",
    }


DISCOURSE_OFFLINE = DetectorType(
    "the same by word lists, rules of thumb and the embedded model",
    CAPABILITIES,
    lambda parts: OfflineDiscourse(parts.argument, parts.local),
    facts=_facts,
)
