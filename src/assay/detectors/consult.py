"""`consult`: asks outside knowledge about sentences that the source alone does not support.

A sentence that a detector calls fabricated is looked up. If the source and the passages found
entail it together, it is out-dependent and cites them; if not, it stays fabricated, and the
question of the tree has an answer. A sentence that the source contradicts is not looked up.
"""

import asyncio
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from assay.core.decision import Answers, decide
from assay.core.errors import InputError
from assay.core.examples import Example, Judgement
from assay.core.labels import Taxonomy
from assay.core.taxonomies import GRAY7
from assay.core.units import Unit, UnitKind
from assay.core.verdicts import Outcome, Verdict
from assay.detectors.protocol import Detector
from assay.detectors.streams import batches_with_units
from assay.knowledge import FetchError, KnowledgePassage, KnowledgeSource
from assay.llm.background import background

PASSAGES = 3
_GAP = "\n\n"

Found = dict[Unit, "tuple[KnowledgePassage, ...] | FetchError"]


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
        """Judges a batch, looks up its fabricated sentences, and judges these again."""
        for batch in batches_with_units(examples, self.detector):
            judgements = list(self.detector.detect(batch))
            found = [background().run(self._look_up(each)) for each in judgements]
            seconds = [_extended(*each) for each in zip(judgements, found, strict=True)]
            answers = self.detector.detect([each.example for each in seconds if each.units])
            for judgement, there, second in zip(judgements, found, seconds, strict=True):
                again = next(answers).outcomes if second.units else ()
                yield second.settle(judgement, there, again, self.knowledge.name)

    async def _look_up(self, judgement: Judgement) -> Found:
        doubtful = [each.unit for each in judgement.outcomes if _is_doubtful(each)]
        answers = await asyncio.gather(*(self._search(unit) for unit in doubtful))
        return dict(zip(doubtful, answers, strict=True))

    async def _search(self, unit: Unit) -> "tuple[KnowledgePassage, ...] | FetchError":
        try:
            return await self.knowledge.search(unit.text, PASSAGES)
        except FetchError as error:
            return error


@dataclass(frozen=True, slots=True)
class _Second:
    """The example with the passages behind its source, and the sentences to judge again."""

    example: Example
    units: tuple[Unit, ...]
    passages: tuple[tuple[int, KnowledgePassage], ...]  # each with where it begins

    def settle(
        self, first: Judgement, found: Found, again: Sequence[Outcome], place: str
    ) -> Judgement:
        """The judgement with what was found out."""
        second = {outcome.unit: outcome for outcome in again}
        outcomes = tuple(
            self._settle(each, found[each.unit], second.get(each.unit), place)
            if isinstance(each, Verdict) and each.unit in found
            else each
            for each in first.outcomes
        )
        return replace(first, outcomes=outcomes)

    def _settle(
        self,
        verdict: Verdict,
        there: "tuple[KnowledgePassage, ...] | FetchError",
        again: Outcome | None,
        place: str,
    ) -> Verdict:
        note = verdict.note.replace("Outside knowledge was not asked.", "").strip()
        if isinstance(there, FetchError):
            return replace(verdict, note=f"{note} Outside knowledge could not be asked: {there}")
        if not there:
            return _answered(verdict, False, f"{note} Nothing about it was found in {place}.")
        if not isinstance(again, Verdict) or again.label is None:
            return replace(verdict, note=f"{note} It could not be judged with what {place} says.")
        if again.label.coarse != "faithful":
            said = f"{note} What {place} says does not support it either."
            return _answered(verdict, False, said)
        cited = self._cited(again) or there
        told = f"The source alone does not support it; together with {place} it does."
        kept = replace(verdict, external=tuple(each.evidence for each in cited), score=again.score)
        return _answered(replace(kept, confidence=again.confidence), True, told)

    def _cited(self, again: Verdict) -> tuple[KnowledgePassage, ...]:
        """The passages that the second verdict rests on."""
        return tuple(
            passage
            for start, passage in self.passages
            if any(
                span.start < start + len(passage.text) and span.end > start
                for span in again.evidence
            )
        )


def consult(detector: Detector, knowledge: KnowledgeSource) -> Consulting:
    """The same detector, which looks up what the source does not support."""
    if detector.unit_kind != "sentence" or detector.taxonomy != GRAY7:
        raise InputError(
            f"outside knowledge is asked about sentences in gray7, and {detector.name} judges "
            f"{detector.unit_kind}s in {detector.taxonomy.name}"
        )
    return Consulting(detector, knowledge)


def _is_doubtful(outcome: Outcome) -> bool:
    """Whether a sentence is fabricated as far as the source goes, and nobody has looked it up."""
    if not isinstance(outcome, Verdict) or outcome.label != GRAY7["fabricated"]:
        return False
    return outcome.answers is None or outcome.answers.entailed_with_knowledge is None


def _extended(judgement: Judgement, found: Found) -> _Second:
    example = judgement.example
    listed = [each for each in found.values() if not isinstance(each, FetchError)]
    passages = tuple(dict.fromkeys(passage for each in listed for passage in each))
    text, places = example.source.text, []
    for passage in passages:
        text += _GAP
        places.append((len(text), passage))
        text += passage.text
    units = tuple(unit for unit, each in found.items() if each and isinstance(each, tuple))
    source = replace(example.source, text=text, passages=())
    return _Second(replace(example, source=source, units=units), units, tuple(places))


def _answered(verdict: Verdict, entailed: bool, note: str) -> Verdict:
    """The verdict with the last question of the tree answered."""
    known = verdict.answers or Answers(states_fact=True, entailed=False, contradicted=False)
    answers = replace(known, entailed_with_knowledge=entailed)
    return replace(verdict, label=decide(answers).label, answers=answers, note=note)
