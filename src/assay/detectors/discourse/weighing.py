"""What the model's scores and the rules of thumb say about one sentence and its parts."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from assay.core.decision import Answers
from assay.core.taxonomies import ERROR5, GRAY7
from assay.core.units import Unit
from assay.core.verdicts import Outcome, Verdict
from assay.detectors.discourse.folding import Parts, fold_sentence
from assay.detectors.discourse.ground import Ground
from assay.detectors.discourse.opinions import USUAL_ERRORS
from assay.detectors.discourse.rules.faults import Fault
from assay.detectors.discourse.rules.hedging import check_hedge
from assay.detectors.discourse.rules.links import check_link
from assay.detectors.discourse.rules.order import check_order
from assay.detectors.discourse.rules.speakers import check_speaker
from assay.text.discourse.outline import Link, Outline
from assay.text.words import terms

BACKEND = "discourse, offline"
MOST_SCORE = 0.4  # of what a rule of thumb speaks against
MOST_SURE = 0.5  # confidence in a rule of thumb
_PART = "It is a part of a sentence that the source entails."
_LINK = "The model finds its claims in the source, but not the statement that links them."
_UNSAID = "The model finds the sentence without this word in the source, and not with it."


def weigh(
    each: Outline, sentence: Outcome, scored: Mapping[str, Outcome], ground: Ground
) -> list[Outcome]:
    """The sentence, then its claims and relations; one without a score has no parts to weigh."""
    if not isinstance(sentence, Verdict) or sentence.score is None:
        return [_tagged(sentence)]
    return _Scales(each, sentence, scored, ground).outcomes()


@dataclass(frozen=True, slots=True)
class _Scales:
    """One sentence, the model's verdict on it, and its verdicts on statements by their text."""

    outline: Outline
    sentence: Verdict
    scored: Mapping[str, Outcome]
    ground: Ground

    def outcomes(self) -> list[Outcome]:
        claims = tuple(map(self._claim, self.outline.claims))
        relations = tuple(map(self._relation, self.outline.links))
        return [self._folded(claims, relations), *claims, *relations]

    def _claim(self, claim: Unit) -> Verdict:
        """What the model says of the claim, unless the source hedges it and this does not."""
        fault = check_hedge(self.ground, self.outline.sentence.text, claim.text)
        said = self._statement(claim.text if len(self.outline.claims) > 1 else "")
        found = replace(self._part(said), unit=claim)
        return _faulted(found, fault) if fault else found

    def _relation(self, link: Link) -> Verdict:
        """What the rules say of the relation, otherwise what the model says of its statement."""
        if link.relation.name == "evaluation":
            return self._evaluation(link)
        has_both = self._has_both(link)
        # What is said, or holds on a condition, need not be found as a fact.
        is_checked = has_both or link.relation.name in ("attribution", "condition")
        fault = self._fault(link) if is_checked else None
        said = self._part(self._statement(link.statement))
        found = replace(said, unit=link.relation)
        if fault:
            return _faulted(found, fault)
        if _is_entailed(said) or not has_both:
            return found
        error = ERROR5[USUAL_ERRORS[link.relation.name]] if link.is_firm else None
        return replace(found, error=error, note=_LINK)

    def _evaluation(self, link: Link) -> Verdict:
        """A word that judges is to blame if the source lacks it and holds the rest."""
        rest = self.scored.get(link.statement)
        own = link.relation.second
        known = own is None or self.ground.has_any(terms(own.text))
        found = replace(self.sentence, unit=link.relation)
        if _is_entailed(self.sentence) or known or not _is_entailed(rest):
            return found
        return replace(found, error=ERROR5["semantic-reframing"], note=_UNSAID)

    def _fault(self, link: Link) -> Fault | None:
        relation = link.relation
        if relation.first is None or relation.second is None:
            return None
        ends = (relation.first.text, relation.second.text)
        if relation.name == "attribution":
            return check_speaker(self.ground, *ends) if link.use is None else None
        if not link.is_firm or link.use is None:
            return None
        if relation.name == "temporal":
            return check_order(self.ground, *ends) if link.joins_clauses else None
        is_vague = link.use.form == "opening" and relation.name in ("contrast", "concession")
        return None if is_vague else check_link(self.ground, relation.name, *ends)

    def _has_both(self, link: Link) -> bool:
        """Whether the model finds both claims of a relation, as far as it was asked."""
        if _is_entailed(self.sentence):
            return True
        ends = filter(None, (link.relation.first, link.relation.second))
        return all(_is_entailed(said) for end in ends if (said := self._asked(end)))

    def _asked(self, end: Unit) -> Outcome | None:
        """What the model says of a part; of the only claim of the sentence as of the sentence."""
        return self.sentence if self.outline.claims == (end,) else self.scored.get(end.text)

    def _statement(self, text: str) -> Verdict:
        """The verdict on a statement; on the sentence where the statement was not asked about."""
        said = self.scored.get(text)
        return said if isinstance(said, Verdict) and said.score is not None else self.sentence

    def _part(self, said: Verdict) -> Verdict:
        """What is entailed is entailed in all its parts, whatever the model makes of these."""
        if _is_entailed(said) or not _is_entailed(self.sentence):
            return said
        return replace(self.sentence, note=_PART)

    def _folded(self, claims: tuple[Verdict, ...], relations: tuple[Verdict, ...]) -> Outcome:
        """The model's verdict with the part to blame; only a rule of thumb can turn it."""
        parts = Parts(self.outline.sentence, claims, relations)
        folded = fold_sentence(parts, BACKEND)
        assert isinstance(folded, Verdict)
        own = self.sentence
        if _is_entailed(own):
            if folded.error is None:
                return _tagged(own)
            score = min(MOST_SCORE, own.score or 0)
            return replace(folded, score=score, confidence=MOST_SURE)
        says_more = folded.error is not None or len(claims) > 1
        note = folded.note if says_more and not _is_good(folded) else f"{own.note} [{BACKEND}]"
        return replace(own, note=note, error=folded.error)


def _faulted(found: Verdict, fault: Fault) -> Verdict:
    """A verdict turned by a rule of thumb."""
    contradicted = fault.label == "contradicting"
    return replace(
        found,
        label=GRAY7[fault.label],
        score=min(MOST_SCORE, found.score or 0),
        confidence=MOST_SURE,
        note=f"By a rule of thumb: {fault.why}.",
        evidence=fault.evidence,
        answers=Answers(states_fact=True, entailed=False, contradicted=contradicted),
        error=ERROR5[fault.error],
    )


def _is_entailed(said: Outcome | None) -> bool:
    return isinstance(said, Verdict) and bool(said.answers and said.answers.entailed)


def _is_good(said: Verdict) -> bool:
    return said.label is not None and said.label.coarse == "faithful"


def _tagged(said: Outcome) -> Outcome:
    return replace(said, note=f"{said.note} [{BACKEND}]") if isinstance(said, Verdict) else said
