"""What the model's scores and the rules of thumb say about one sentence and its parts."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Literal

from assay.core.decision import Answers, decide
from assay.core.judgements import Finding
from assay.core.taxonomies import ERROR5
from assay.core.units import Unit
from assay.core.verdicts import NOT_SURE, Outcome, Verdict
from assay.detectors.discourse.folding import USUAL_ERRORS, fold_sentence
from assay.detectors.discourse.ground import Fault, Ground
from assay.detectors.discourse.parts import Parts
from assay.detectors.discourse.rules import check_link, check_order
from assay.detectors.discourse.stance import check_hedge, check_speaker
from assay.text.discourse.outline import Outline, OutlineLink
from assay.text.words import terms

BACKEND = "offline"
MOST_SCORE = 0.4  # of what a rule of thumb contradicts
MOST_SURE = 0.5  # confidence in a rule of thumb
_PART = "It is a part of a sentence that the source entails."
_LINK = "The model finds its claims in the source, but not the statement that links them."
_LINKED = "The model finds the statement of this link, and no rule of thumb contradicts it."
_UNASKED = "No rule of thumb contradicts this link; the model was not asked about it."
_DANGLING = "It links to a claim of an earlier sentence that the model does not find in the source."
_UNSAID = "The model finds the sentence in the source without this word, but not with it."


def weigh(
    each: Outline, sentence: Outcome, scored: Mapping[str, Outcome], ground: Ground
) -> list[Finding]:
    """The sentence, then its claims and relations; one without a score has no parts to weigh.

    `scored` has what the model says of statements, by their text.
    """
    if not isinstance(sentence, Verdict):
        return [Finding(each.sentence, sentence)]
    if sentence.score is None:
        return [Finding(each.sentence, _tagged(sentence))]
    return _Scales(each, sentence, scored, ground).findings()


@dataclass(frozen=True, slots=True)
class _Scales:
    """One sentence, the model's verdict on it, and its verdicts on statements by their text."""

    outline: Outline
    sentence: Verdict
    scored: Mapping[str, Outcome]
    ground: Ground

    def findings(self) -> list[Finding]:
        # Marked words are those of the sentence: which part they belong to is not known.
        claims = [
            Finding(each, replace(self._claim(each), marks=())) for each in self.outline.claims
        ]
        links = [
            Finding(each.relation, replace(self._relation(each), marks=()))
            for each in self.outline.links
        ]
        return [Finding(self.outline.sentence, self._folded(claims, links)), *claims, *links]

    def _claim(self, claim: Unit) -> Verdict:
        """What the model says of the claim, unless the sentence drops a hedge of the source."""
        fault = check_hedge(self.ground, self.outline.sentence.text, claim.text)
        said = self._statement(claim.text if len(self.outline.claims) > 1 else "")
        found = replace(self._part(said), unit=claim.id)
        return _faulted(found, fault) if fault else found

    def _relation(self, link: OutlineLink) -> Verdict:
        """What the rules say of the relation, otherwise what the model says of its statement."""
        if link.name == "evaluation":
            return self._evaluation(link)
        has_both = self._is_found(link.first) and self._is_found(link.second)
        # What is said, or holds on a condition, need not be found as a fact.
        is_checked = has_both or link.name in ("attribution", "condition")
        fault = self._fault(link) if is_checked else None
        said = self._part(self._statement(link.statement))
        found = replace(said, unit=link.relation.id)
        if fault:
            return _faulted(found, fault)
        if _is_entailed(said) and not has_both:
            return _turned(found, "fabricated", _DANGLING)
        if _is_entailed(said):
            return _implied(found, _UNASKED if link.is_across else _LINKED)
        if not has_both:
            return found
        error = ERROR5[USUAL_ERRORS[link.name]] if link.is_firm else None
        return replace(found, error=error, note=_told(found, _LINK))

    def _evaluation(self, link: OutlineLink) -> Verdict:
        """A word that judges is to blame if the source lacks it and holds the rest."""
        rest = self.scored.get(link.statement)
        is_known = self.ground.has_any(terms(link.second.text))
        found = replace(self.sentence, unit=link.relation.id)
        if _is_entailed(self.sentence) or is_known or not _is_entailed(rest):
            return found
        return replace(found, error=ERROR5["semantic-reframing"], note=_told(found, _UNSAID))

    def _fault(self, link: OutlineLink) -> Fault | None:
        ends = (link.first.text, link.second.text)
        if link.name == "attribution":
            return check_speaker(self.ground, *ends) if link.use is None else None
        if not link.is_firm or link.use is None:
            return None
        if link.name == "temporal":
            return check_order(self.ground, *ends) if link.joins_clauses else None
        is_vague = link.use.form == "opening" and link.name in ("contrast", "concession")
        return None if is_vague else check_link(self.ground, link.name, *ends)

    def _is_found(self, claim: Unit) -> bool:
        """Whether the model finds one end of a relation.

        A claim of this sentence that it was not asked about counts as the sentence does, and
        anything else that it was not asked about as found.
        """
        is_own = claim in self.outline.claims
        if is_own and _is_entailed(self.sentence):
            return True
        said = self.scored.get(claim.text)
        return _is_entailed(said) if said or is_own else True

    def _statement(self, text: str) -> Verdict:
        """The verdict on a statement; on the sentence where the statement was not asked about."""
        said = self.scored.get(text)
        return said if isinstance(said, Verdict) and said.score is not None else self.sentence

    def _part(self, said: Verdict) -> Verdict:
        """What is entailed is entailed in all its parts, whatever the model makes of these."""
        if _is_entailed(said) or not _is_entailed(self.sentence):
            return said
        return replace(self.sentence, note=_told(self.sentence, _PART))

    def _folded(self, claims: list[Finding], relations: list[Finding]) -> Outcome:
        """The model's verdict with the part to blame; only a rule of thumb can overturn it."""
        ends = (end for link in self.outline.links for end in (link.first, link.second))
        known = {unit.id: unit for unit in ends}
        folded = fold_sentence(Parts(self.outline.sentence, (*claims, *relations), known), BACKEND)
        assert isinstance(folded, Verdict)
        own = self.sentence
        if _is_entailed(own):
            if folded.error is None:
                return _tagged(own)
            score = min(MOST_SCORE, own.score or 0)
            return replace(folded, score=score, confidence=MOST_SURE)
        says_more = folded.error is not None or len(claims) > 1
        if not says_more or folded.coarse == "faithful":
            return _tagged(own)
        worse = min(filter(None, (own.label, folded.label)), key=lambda label: label.rank)
        own = _sure_of(own, (*claims, *relations))
        return replace(
            _tagged(own),
            label=worse,
            note=_told(own, folded.note.replace(f"{NOT_SURE} ", "")),
            evidence=folded.evidence,
            answers=folded.answers if worse == folded.label else own.answers,
            error=folded.error,
        )


def _sure_of(own: Verdict, parts: Iterable[Finding]) -> Verdict:
    """The verdict on a sentence, which is sure where a part has an error for sure."""
    if any(each.verdict and each.verdict.error and each.coarse == "unfaithful" for each in parts):
        return replace(own, attributes=replace(own.attributes, unsure=None))
    return own


def _told(said: Verdict, note: str) -> str:
    """A note that says first where the verdict is not sure."""
    return f"{NOT_SURE} {note}" if said.attributes.unsure else note


def _faulted(found: Verdict, fault: Fault) -> Verdict:
    """A verdict overturned by a rule of thumb."""
    turned = _turned(found, fault.label, f"By a rule of thumb: {fault.why}.")
    return replace(turned, evidence=fault.evidence, error=ERROR5[fault.error])


def _turned(found: Verdict, label: Literal["fabricated", "contradicting"], note: str) -> Verdict:
    """A verdict made unfaithful by something other than the model's score of it."""
    answers = Answers(states_fact=True, entailed=False, contradicted=label == "contradicting")
    # It rests on the rule, not on the score.
    attributes = replace(found.attributes, unsure=None)
    turned = replace(found, label=decide(answers).label, answers=answers, confidence=MOST_SURE)
    score = min(MOST_SCORE, found.score or 0)
    return replace(turned, score=score, note=note, attributes=attributes)


def _implied(found: Verdict, note: str) -> Verdict:
    """A relation that nothing contradicts; the words of its claims do not make it explicit."""
    answers = Answers(states_fact=True, entailed=True, explicit=False)
    return replace(found, label=decide(answers).label, answers=answers, note=_told(found, note))


def _is_entailed(said: Outcome | None) -> bool:
    return isinstance(said, Verdict) and bool(said.answers and said.answers.entailed)


def _tagged(said: Verdict) -> Verdict:
    return replace(said, attributes=replace(said.attributes, backend=BACKEND))
