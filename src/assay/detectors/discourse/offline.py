"""`discourse-offline`: claims and relations by rules, scored by the model that comes with Assay.

The embedded model reads the sentences of a response and, behind them in the same pass, their
claims and what their connectives say. Where it does not find a sentence, the scores of the parts
tell which of them is to blame. Where it does, rules of thumb look at the words of the source: a
link that it does not show, an order or a speaker that it gives otherwise, a hedge that is gone.
"""

from collections.abc import AsyncIterator, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Literal

from assay.core.decision import Answers, decide
from assay.core.examples import Example
from assay.core.judgements import Author, Finding, Judgement
from assay.core.taxonomies import ERROR5
from assay.core.units import Unit, unit_id
from assay.core.verdicts import NOT_SURE, Outcome, Verdict
from assay.detectors.discourse.folding import USUAL_ERRORS, fold_sentence
from assay.detectors.discourse.ground import Fault, Ground
from assay.detectors.discourse.parts import Parts
from assay.detectors.discourse.rules import check_hedge, check_link, check_order, check_speaker
from assay.detectors.embedded.detector import BATCH, CAPABILITIES, EmbeddedDetector
from assay.detectors.local import NO_OPTIONS, LocalOptions
from assay.detectors.protocol import in_batches, judgement_of
from assay.detectors.registry import DetectorType
from assay.text.discourse.lexicon import connectives, word_lists
from assay.text.discourse.outline import Outline, OutlineLink, outline
from assay.text.sentences import sentence_units
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
        """The model's outcome for the claim, unless the sentence drops a hedge of the source."""
        fault = check_hedge(self.ground, self.outline.sentence.text, claim.text)
        said = self._statement(claim.text if len(self.outline.claims) > 1 else "")
        found = replace(self._part(said), unit=claim.id)
        return _faulted(found, fault) if fault else found

    def _relation(self, link: OutlineLink) -> Verdict:
        """The rules' outcome for the relation, or else the model's for its statement."""
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
        """True if the model finds one end of a relation.

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
        """The outcome of a part: if the whole is entailed, so are its parts."""
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


# Characters read beside the sentences, for each of theirs; this keeps the cost below twice theirs.
MOST_ADDED = 0.75


class OfflineDiscourse:
    """Judges sentences, claims and relations; `folder` is another model of the embedded form."""

    prompt_digests: Mapping[str, str] = {}

    def __init__(self, folder: str = "", local: LocalOptions = NO_OPTIONS) -> None:
        self._model = EmbeddedDetector(folder, local)
        self.author = Author("discourse-offline", version=self._model.author.version)
        self.capabilities = self._model.capabilities

    def judge(self, examples: Iterable[Example]) -> AsyncIterator[Judgement]:
        """Each example in one pass of the model, its statements beside its sentences."""
        return in_batches(examples, self._judge, BATCH)

    def _judge(self, examples: list[Example]) -> Iterator[Judgement]:
        plans = [ScoringPlan.of(example) for example in examples]
        scores = self._model.judge_batch(plan.widened for plan in plans)
        return (plan.weigh(each, self.author) for plan, each in zip(plans, scores, strict=True))


@dataclass(frozen=True, slots=True)
class ScoringPlan:
    """An example, its sentences in parts, and the statements that are scored beside them."""

    example: Example
    outlines: tuple[Outline, ...]
    statements: tuple[Unit, ...]

    @classmethod
    def of(cls, example: Example) -> "ScoringPlan":
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
        """Turn the model's scores into findings on sentences, claims and relations."""
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
        """Units linked by relations but without an outcome: speakers, words that judge."""
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
