"""What was found about the sentences of an example, and what that makes of their verdicts."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from assay.core.decision import NOT_CONSULTED, Answers, decide
from assay.core.examples import PART_KINDS, Example, Judgement
from assay.core.taxonomies import GRAY7
from assay.core.units import Unit
from assay.core.verdicts import ExternalEvidence, Failure, Outcome, Verdict
from assay.knowledge import FetchError, KnowledgePassage

SENTENCES = 8  # judged again together at most: each is shown what was found about all of them
_GAP = "\n\n"
_DEPENDING = (GRAY7["fabricated"], GRAY7["out-dependent"])
_TAG = re.compile(r"\s*(\[[^\[\]]+\])\Z")  # at the end of a note: how it was judged
_UNQUOTED = "It quotes none of what was found, so all of it is cited."

Passages = tuple[KnowledgePassage, ...]


@dataclass(frozen=True, slots=True)
class Widened:
    """An example with passages behind its source; its units are the sentences to judge again."""

    example: Example
    passages: Passages

    @classmethod
    def of(cls, example: Example, found: Mapping[Unit, Passages]) -> "Widened":
        """The example with all that was found about some of its sentences."""
        # The same passage may fit two sentences, with another score for each.
        passages = tuple({each.evidence: each for some in found.values() for each in some}.values())
        text = _GAP.join((example.source.text, *(each.text for each in passages)))
        source = replace(example.source, text=text, passages=())
        return cls(replace(example, source=source, units=tuple(found)), passages)

    def cited(self, verdict: Verdict) -> Passages:
        """The passages that a verdict rests on."""
        end, cited = len(self.example.source.text), []
        for passage in reversed(self.passages):
            start = end - len(passage.text)
            if any(span.start < end and span.end > start for span in verdict.evidence):
                cited.append(passage)
            end = start - len(_GAP)
        return tuple(reversed(cited))


@dataclass(frozen=True, slots=True)
class LookedUp:
    """A judgement, and what was found about its sentences at some place."""

    first: Judgement
    found: Mapping[Unit, Passages | FetchError]
    place: str

    @property
    def widened(self) -> tuple[Widened, ...]:
        """What is to be judged again, in groups that stay short."""
        example, found = self.first.example, self.found.items()
        asked = [(unit, each) for unit, each in found if isinstance(each, tuple) and each]
        starts = range(0, len(asked), SENTENCES)
        return tuple(Widened.of(example, dict(asked[n : n + SENTENCES])) for n in starts)

    def settle(self, again: Iterable[Judgement]) -> Judgement:
        """The judgement with what was found out; `again` are those of `widened`, in order."""
        second = {
            outcome.unit: (outcome, widened.cited(outcome) if isinstance(outcome, Verdict) else ())
            for widened, judgement in zip(self.widened, again, strict=True)
            for outcome in judgement.outcomes
        }
        outcomes: list[Outcome] = []
        there: Passages | FetchError | None = None
        for each in self.first.outcomes:
            is_part = each.unit.kind in PART_KINDS
            there = there if is_part else self.found.get(each.unit)
            if there is None or not isinstance(each, Verdict) or each.label not in _DEPENDING:
                outcomes.append(each)
            elif is_part and (isinstance(there, FetchError) or (there and each.unit not in second)):
                outcomes.append(_with(each, f"Only its sentence was looked up in {self.place}."))
            else:
                outcomes.append(self._settle(each, there, *second.get(each.unit, (None, ()))))
        return replace(self.first, outcomes=tuple(outcomes))

    def _settle(
        self, verdict: Verdict, there: Passages | FetchError, again: Outcome | None, cited: Passages
    ) -> Outcome:
        unit, place = verdict.unit, self.place
        if isinstance(there, FetchError):
            said = f"the source does not support it, and {place} could not be asked: {there}"
            return Failure(unit, "transport", said)
        if not there:
            return _refuted(verdict, f"Nothing about it was found in {place}.")
        if isinstance(again, Failure):
            said = f"not judged together with what {place} says: {again.detail}"
            return replace(again, detail=said)
        if again is None or again.label is None:
            return Failure(unit, "missing", f"it has no label together with what {place} says")
        rests_on, how = (cited, "") if cited else (there, f" {_UNQUOTED}")
        if again.label.coarse == "faithful":
            said = f"The source alone does not support it; together with {place} it does.{how}"
            return _entailed(verdict, again, said, rests_on)
        if again.label == GRAY7["contradicting"]:
            said = f"What {place} says seems to contradict it.{how}"
            return _refuted(verdict, said, rests_on)
        return _refuted(verdict, f"What {place} says does not support it.")


def is_doubtful(outcome: Outcome) -> bool:
    """Whether the label of a sentence depends on what nobody has looked up."""
    if not isinstance(outcome, Verdict) or outcome.unit.kind != "sentence" or outcome.external:
        return False
    is_answered = outcome.answers is not None and outcome.answers.entailed_with_knowledge is False
    return outcome.label in _DEPENDING and not is_answered


def _entailed(verdict: Verdict, again: Verdict, said: str, cited: Passages) -> Verdict:
    """Out-dependent: how sure that is, the second verdict says."""
    return replace(
        _with(replace(_answered(verdict, True), note=_tag(verdict)), said),
        external=_evidence(cited),
        score=again.score,
        confidence=again.confidence,
        error=None,
    )


def _refuted(verdict: Verdict, said: str, cited: Passages = ()) -> Verdict:
    """Fabricated, and why; where the detector by itself called it out-dependent, that is told."""
    own = (
        "" if verdict.label == GRAY7["fabricated"] else f"By itself it is called {verdict.label}. "
    )
    return replace(_with(_answered(verdict, False), own + said), external=_evidence(cited))


def _with(verdict: Verdict, said: str) -> Verdict:
    """The verdict with more in its note, which no longer says that nobody was asked."""
    before = _TAG.sub("", verdict.note).replace(NOT_CONSULTED, "").strip()
    return replace(verdict, note=" ".join(filter(None, (before, said, _tag(verdict)))))


def _tag(verdict: Verdict) -> str:
    found = _TAG.search(verdict.note)
    return found[1] if found else ""


def _answered(verdict: Verdict, entailed: bool) -> Verdict:
    """The verdict with the last question of the tree answered."""
    known = verdict.answers or Answers(states_fact=True, entailed=False, contradicted=False)
    answers = replace(known, entailed_with_knowledge=entailed)
    return replace(verdict, label=decide(answers).label, answers=answers)


def _evidence(passages: Sequence[KnowledgePassage]) -> tuple[ExternalEvidence, ...]:
    return tuple(each.evidence for each in passages)
