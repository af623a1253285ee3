"""`consult`: looks up sentences that the source alone does not support.

A sentence that a detector calls fabricated or out-dependent is looked up. If the source and the
passages found together entail it, it is out-dependent and cites them; if they do not, it is
fabricated. Either way the last question of the decision tree is answered. Where little was found,
that question stays open. A sentence that the source contradicts is not looked up. Where a search or
the second judgement fails, there is no verdict. The score stays the one by the source alone.
"""

from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from assay.core.decision import Answers, decide
from assay.core.errors import InputError
from assay.core.examples import Example
from assay.core.judgements import Author, Finding, Judgement
from assay.core.results import plural_of
from assay.core.taxonomies import GRAY7
from assay.core.texts import Passage
from assay.core.units import Unit
from assay.core.verdicts import ExternalEvidence, Failure, Outcome, Verdict
from assay.detectors.combinators.combining import TOGETHER, PerExample, Wrapping
from assay.detectors.combinators.queries import search_query
from assay.detectors.protocol import Capabilities, Detector, concurrently, gather_or_cancel
from assay.knowledge import FetchError, KnowledgePassage, KnowledgeSource
from assay.text.words import terms

PASSAGES = 3  # that are wanted for each sentence
SENTENCES = 8  # judged again together at most: each is shown what was found about all of them
ENOUGH_PASSAGES = 2  # without support in fewer, nobody can say that there is none
ENOUGH_WORDS = 0.5  # of a sentence's content words, in all passages together
_GAP = "\n\n"
_DEPENDING = (GRAY7["fabricated"], GRAY7["out-dependent"])
_UNDECIDED = (GRAY7["ambiguous"], GRAY7["no-fact"])  # neither a yes nor a no
_UNQUOTED = "It quotes none of what was found, so all of it is cited."
_OPEN = "whether outside knowledge bears it out stays open."

Passages = tuple[KnowledgePassage, ...]


@dataclass(frozen=True, slots=True)
class Consulting(Wrapping):
    """A detector of sentences in gray7 that looks up what the source does not support.

    The same questions are asked both times; what is asked about a second time cannot be known
    before, so its stages are those of the detector. Whoever opened the knowledge closes it.
    """

    knowledge: KnowledgeSource

    @property
    def author(self) -> Author:
        """The detector, and where it looks things up."""
        inner = self.detector.author
        return replace(inner, name=f"{inner.name} with {self.knowledge.name}")

    def judge(self, examples: Iterable[Example]) -> AsyncIterator[Judgement]:
        """Judges an example, looks up what its source does not support, and judges that again."""
        detector = PerExample(self.detector)

        async def judge_one(example: Example) -> Judgement:
            searched = await self._look_up(example, await detector.judge(example))
            again = await gather_or_cancel(
                detector.judge(each.example) for each in searched.widened
            )
            return replace(searched.settle(again), author=self.author)

        return concurrently(examples, judge_one, TOGETHER)

    async def _look_up(self, example: Example, first: Judgement) -> "Searched":
        doubtful = [each.unit for each in first.findings if is_doubtful(each)]
        answers = await gather_or_cancel(self._search(unit, example) for unit in doubtful)
        found = {unit.id: answer for unit, answer in zip(doubtful, answers, strict=True)}
        return Searched(example, first, found, self.knowledge.name, self.capabilities.quotes)

    async def _search(self, unit: Unit, example: Example) -> Passages | FetchError:
        try:
            return await self.knowledge.search(search_query(unit, example), PASSAGES)
        except FetchError as error:
            return error


def consult(detector: Detector, knowledge: KnowledgeSource) -> Consulting:
    """The same detector, which looks up what the source does not support."""
    require_consultable(detector.author.name, detector.capabilities)
    return Consulting(detector, knowledge)


def require_consultable(name: str, can: Capabilities) -> None:
    """Raises where outside knowledge cannot change what a detector says."""
    if not can.consults or can.unit_kind != "sentence" or can.taxonomy != GRAY7:
        raise InputError(
            f"outside knowledge is for detectors of sentences in gray7, such as embedded or "
            f"judge-gray7; {name} judges {plural_of(can.unit_kind)} in {can.taxonomy.name}",
            field="knowledge",
        )


@dataclass(frozen=True, slots=True)
class Widened:
    """An example with passages beside its source; its units are the sentences to judge again."""

    example: Example
    passages: Passages

    @classmethod
    def of(cls, example: Example, found: Sequence[tuple[Unit, Passages]]) -> "Widened":
        """The example with all that was found about some of its sentences."""
        # The same passage may fit two sentences, with another score for each.
        passages = tuple({each.evidence: each for _, some in found for each in some}.values())
        text, places = example.source.text, []
        for each in passages:
            start = len(text) + len(_GAP)
            text = f"{text}{_GAP}{each.text}"
            places.append(Passage(each.title, start, len(text)))
        source = replace(example.source, text=text, passages=(), outside=tuple(places))
        units = tuple(unit for unit, _ in found)
        return cls(replace(example, source=source, units=units), passages)

    def cited(self, verdict: Verdict) -> Passages:
        """The passages that a verdict rests on."""
        places = zip(self.passages, self.example.source.outside, strict=True)
        return tuple(
            passage
            for passage, place in places
            if any(span.start < place.end and span.end > place.start for span in verdict.evidence)
        )


@dataclass(frozen=True, slots=True)
class Searched:
    """A judgement, and what was found at some place about its sentences, by their ids.

    `quotes` says whether the second verdicts can name the passages that they rest on.
    """

    example: Example
    first: Judgement
    found: Mapping[str, Passages | FetchError]
    place: str
    quotes: bool = True

    @property
    def widened(self) -> tuple[Widened, ...]:
        """The examples to judge again, in groups that stay short."""
        units = self.first.by_id
        asked = [(units[id], each) for id, each in self.found.items() if isinstance(each, tuple)]
        asked = [(unit, each) for unit, each in asked if each]
        starts = range(0, len(asked), SENTENCES)
        return tuple(Widened.of(self.example, asked[n : n + SENTENCES]) for n in starts)

    def settle(self, again: Iterable[Judgement]) -> Judgement:
        """The judgement with what was found out; `again` are those of `widened`, in order."""
        # A part may be another one the second time, under the same id: it is known by its words.
        second = {
            each.unit: (each.outcome, widened.cited(each.verdict) if each.verdict else ())
            for widened, judgement in zip(self.widened, again, strict=True)
            for each in judgement.findings
        }
        settled = (self._settled(each, second.get(each.unit)) for each in self.first.findings)
        return replace(self.first, outcomes=tuple(settled))

    def _settled(self, finding: Finding, again: tuple[Outcome, Passages] | None) -> Outcome:
        verdict, sentence = finding.verdict, self._sentence(finding.unit)
        there = self.found.get(sentence)
        if verdict is None or there is None or verdict.label not in _DEPENDING:
            return finding.outcome
        is_part = finding.id != sentence
        if is_part and (isinstance(there, FetchError) or (there and again is None)):
            return self._noted(verdict, f"Only its sentence was looked up in {self.place}.")
        return self._decided(verdict, there, *(again or (None, ())))

    def _sentence(self, unit: Unit) -> str:
        """The id of the sentence that a unit is or belongs to."""
        while owner := self.first.by_id.get(unit.parent):
            unit = owner
        return unit.id

    def _decided(
        self, verdict: Verdict, there: Passages | FetchError, again: Outcome | None, cited: Passages
    ) -> Outcome:
        unit, place = verdict.unit, self.place
        if isinstance(there, FetchError):
            said = f"the source does not support it, and {place} could not be searched: {there}"
            return Failure(unit, "transport", said)
        if not there:
            return self._left_open(verdict, f"Nothing about it was found in {place}.")
        if isinstance(again, Failure):
            said = f"not judged together with what {place} says: {again.detail}"
            return replace(again, detail=said)
        if again is None or again.label is None:
            return Failure(unit, "missing", f"it has no label together with what {place} says")
        if again.label in _UNDECIDED or again.attributes.unsure:
            called = "not sure" if again.attributes.unsure else f"called {again.label}"
            said = f"Together with what {place} says it is {called}: {_OPEN}"
            return self._left_open(verdict, said)
        if again.label == GRAY7["out-dependent"] and not cited and self.quotes:
            return self._left_open(verdict, f"Its support is not in what was found: {_OPEN}")
        rests_on, how = (cited, "") if cited else (there, f" {_UNQUOTED}")
        if again.label.coarse == "faithful" or again.label == GRAY7["out-dependent"]:
            said = f"The source alone does not support it; together with {place} it does.{how}"
            return self._entailed(verdict, again, said, rests_on)
        if again.label == GRAY7["contradicting"]:
            said = f"What {place} says seems to contradict it.{how}"
            return self._refuted(verdict, said, rests_on)
        if not _is_enough(self.first.by_id[unit].text, there):
            return self._left_open(verdict, f"Too little about it was found in {place}.")
        return self._refuted(verdict, f"What {place} says does not support it.")

    def _entailed(self, verdict: Verdict, again: Verdict, said: str, cited: Passages) -> Verdict:
        """Out-dependent: how sure that is, the second verdict says; the score is the source's."""
        sure = replace(verdict.attributes, unsure=None)
        answered = replace(_answered(verdict, True), note="", attributes=sure)
        return replace(
            self._noted(answered, said),
            external=_evidence(cited),
            confidence=again.confidence,
            error=again.error,
        )

    def _refuted(self, verdict: Verdict, said: str, cited: Passages = ()) -> Verdict:
        """Fabricated, and why; with what the detector said of it by itself, if that differs."""
        differs = verdict.label != GRAY7["fabricated"]
        own = f"By itself it is called {verdict.label}. " if differs else ""
        noted = self._noted(_answered(verdict, False), own + said)
        return replace(noted, external=_evidence(cited))

    def _left_open(self, verdict: Verdict, said: str) -> Verdict:
        """As it was, with the last question open: not to have found support proves nothing."""
        answers = verdict.answers and replace(verdict.answers, entailed_with_knowledge=None)
        return self._noted(replace(verdict, answers=answers), said)

    def _noted(self, verdict: Verdict, said: str) -> Verdict:
        """The verdict with more in its note, and with the place that was searched."""
        return replace(
            verdict,
            note=f"{verdict.note} {said}".strip(),
            attributes=replace(verdict.attributes, consulted=self.place),
        )


def is_doubtful(finding: Finding) -> bool:
    """True if the label of a sentence depends on what nobody has looked up."""
    verdict = finding.verdict
    if verdict is None or finding.kind != "sentence" or verdict.external:
        return False
    return verdict.label in _DEPENDING and not verdict.attributes.consulted


def _is_enough(sentence: str, passages: Passages) -> bool:
    """True if the passages say so much about a sentence's matter that silence means a no."""
    asked = set(terms(sentence))
    found = {term for each in passages for term in terms(f"{each.title} {each.text}")}
    return len(passages) >= ENOUGH_PASSAGES and len(asked & found) >= ENOUGH_WORDS * len(asked)


def _answered(verdict: Verdict, entailed: bool) -> Verdict:
    """The verdict with the last question of the tree answered."""
    known = verdict.answers or Answers(states_fact=True, entailed=False, contradicted=False)
    answers = replace(known, entailed_with_knowledge=entailed)
    return replace(verdict, label=decide(answers).label, answers=answers)


def _evidence(passages: Sequence[KnowledgePassage]) -> tuple[ExternalEvidence, ...]:
    return tuple(each.evidence for each in passages)
