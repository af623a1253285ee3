"""Gold inconsistencies: one for each error that people found in a response, in their words."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from assay.core.errors import InputError
from assay.core.examples import Annotated, Example
from assay.core.judgements import GOLD
from assay.core.labels import Label, worst
from assay.core.taxonomies import FAITHBENCH, FINAL4
from assay.core.units import Unit
from assay.core.verdicts import NO_ATTRIBUTES, Attributes, Verdict
from assay.evaluation.localization.changes import changed_spans, split_explanation
from assay.evaluation.localization.inconsistencies import (
    Inconsistency,
    final4,
    made_unit,
    shared_characters,
)
from assay.evaluation.policy import GoldPolicy

# Every error that people marked counts, also one that most readers would accept.
STRICT = GoldPolicy(reading="faithbench-strict")
# What a person decides about an explanation that the corpus has: these replace it.
DISCARDED = "discarded"
DECISIONS = ("split", "replaced", DISCARDED)
# FaithBench: what is benign is true, though the source does not say it.
_CATEGORIES = {
    "benign": FINAL4["extrinsic-correct"],
    "unwanted.extrinsic": FINAL4["extrinsic-wrong"],
}


@dataclass(frozen=True, slots=True)
class Said:
    """The opinion of one person on one unit."""

    author: str
    unit: Unit
    verdict: Verdict | None

    @property
    def label(self) -> Label | None:
        """The label, if there is one."""
        return self.verdict.label if self.verdict else None

    @property
    def attributes(self) -> Attributes:
        """The attributes of its verdict."""
        return self.verdict.attributes if self.verdict else NO_ATTRIBUTES

    @property
    def explanation(self) -> str:
        """The explanation, on one line."""
        return " ".join(self.attributes.explanation.split())

    @property
    def is_corpus(self) -> bool:
        """True if it is what the corpus settled on, and not the word of a single annotator."""
        return self.author == GOLD.name

    @property
    def decision(self) -> str:
        """A person's decision about the corpus's own account of an error; mostly empty."""
        return self.attributes.decision if self.attributes.decision in DECISIONS else ""

    def is_faithful(self, policy: GoldPolicy) -> bool | None:
        """True if its label counts as faithful; None if it has none, or it is left out."""
        return policy.is_faithful(self.label) if self.label else None


def gold_inconsistencies(
    annotated: Annotated, policy: GoldPolicy = STRICT
) -> tuple[Inconsistency, ...] | None:
    """The errors of a response; none if people found it faithful, None where it is not known.

    Errors are marked spans (RAGTruth, FaithBench) or the explanation of the verdict on the response
    (DeFacto), taken apart where that is safe; and besides these, described inconsistencies (our own
    form, to which errors are added as well). Where a person decided about the corpus's account
    (`DECISIONS`), only described inconsistencies count, without those that were discarded; a
    response that was discarded as a whole is not known.
    """
    said = said_by_people(annotated)
    if any(each.decision == DISCARDED and each.unit.kind == "response" for each in said):
        return None
    unfaithful = [
        each for each in said if each.is_faithful(policy) is False and each.decision != DISCARDED
    ]
    found = tuple(_described(unfaithful))
    if not any(each.decision for each in said):
        found = (*(_marked(unfaithful) or _explained(annotated.example, unfaithful)), *found)
    if found:
        return found
    whole = [each for each in said if each.unit.kind == "response"]
    readings = [each.is_faithful(policy) for each in whole or said]
    return () if readings and all(readings) else None


def gold_policy(corpus: Iterable[Annotated], reading: str = "") -> GoldPolicy:
    """The reading of a corpus's labels: the named one, or one in which every error counts.

    A reading of labels that nobody gave raises.
    """
    said = (said.label for annotated in corpus for said in said_by_people(annotated))
    menus = sorted({label.taxonomy for label in said if label})
    if not reading:
        return STRICT if FAITHBENCH.name in menus else GoldPolicy()
    policy = GoldPolicy(reading=reading)
    policy.require_reading(menus)
    return policy


def said_by_people(annotated: Annotated) -> list[Said]:
    """Everything that people said of an example and did not revise, in the order of the units.

    Their numbers run through the whole example: `p2` was marked before `p10`, whoever marked them.
    """
    said = (
        Said(judgement.author.name, finding.unit, finding.verdict)
        for judgement in annotated.gold
        for finding in judgement.findings
    )
    return sorted(said, key=lambda each: (len(each.unit.id), each.unit.id))


def known_examples(
    dataset: str, corpus: Iterable[Annotated], policy: GoldPolicy = STRICT
) -> list[Annotated]:
    """The examples of which it is known what is wrong; raises if no error is known at all."""
    given = [(annotated, gold_inconsistencies(annotated, policy)) for annotated in corpus]
    if not any(gold for _, gold in given):
        raise InputError(
            f"nobody wrote down or marked what is wrong with the responses of {dataset}; "
            "ragtruth, faithbench and defacto have such gold inconsistencies",
            field="dataset",
        )
    return [annotated for annotated, gold in given if gold is not None]


def _described(unfaithful: Iterable[Said]) -> Iterator[Inconsistency]:
    """Inconsistencies that are units of their own, with their category."""
    for each in unfaithful:
        if each.unit.kind == "inconsistency" and each.verdict:
            error, evidence = final4(each.verdict.error), each.verdict.evidence
            yield Inconsistency(each.unit, error, _name(each), evidence)


def _explained(example: Example, unfaithful: Iterable[Said]) -> Iterator[Inconsistency]:
    """The errors that the explanation of a verdict tells apart, at what the correction changes."""
    for each in unfaithful:
        if each.unit.kind == "response" and each.verdict and each.explanation:
            said = each.verdict.attributes
            text = example.response.text
            spans = changed_spans(text, said.correction) if said.correction else ()
            unit = Unit(each.unit.id, "inconsistency", each.explanation, spans)
            for part in split_explanation(unit, example.language):
                evidence = each.verdict.evidence
                yield Inconsistency(part, None, said.category, evidence, changes=part.spans)


@dataclass(frozen=True, slots=True)
class _Account:
    """One annotator's description of one error; `is_made` where they only marked it."""

    said: Said
    unit: Unit
    is_made: bool


def _marked(unfaithful: Sequence[Said]) -> tuple[Inconsistency, ...]:
    """Marked spans; what several annotators mark at the same place is one error.

    An annotator's explanation of the whole response counts as well, without a place.
    """
    spans = [each for each in unfaithful if each.unit.kind == "span"]
    notes = [
        each
        for each in unfaithful
        if each.unit.kind == "response" and not each.is_corpus and each.explanation
    ]
    return tuple(_inconsistency(error) for error in _pooled(map(_account, (*spans, *notes))))


def _account(said: Said) -> _Account:
    unit = said.unit
    if not said.explanation:
        return _Account(said, made_unit(unit), is_made=True)
    spans = unit.spans if unit.kind == "span" else ()
    return _Account(said, Unit(unit.id, "inconsistency", said.explanation, spans), is_made=False)


def _pooled(accounts: Iterable[_Account]) -> list[list[_Account]]:
    """The accounts of each error, in the order in which errors are first met.

    An account joins the error whose words it shares most of, if other annotators gave it and none
    of this one's is there yet: two marks of one annotator are two errors.
    """
    errors: list[list[_Account]] = []
    for account in accounts:
        author = account.said.author
        free = [error for error in errors if author not in {each.said.author for each in error}]
        best = max(free, key=lambda error: _shared(account, error), default=None)
        if best is not None and _shared(account, best):
            best.append(account)
        else:
            errors.append([account])
    return errors


def _shared(account: _Account, error: list[_Account]) -> int:
    return max(shared_characters(account.unit, each.unit) for each in error)


def _inconsistency(error: list[_Account]) -> Inconsistency:
    """The error in the words of the first who described it; who only marked it comes later."""
    first, *others = sorted(error, key=lambda account: account.is_made)
    verdicts = [each.said.verdict for each in error if each.said.verdict]
    labels = [each.label for each in verdicts if each.label]
    kind = worst(labels) if labels else None
    # The category goes with the kind: an account that is milder than the error says another one.
    worst_ones = (each.said for each in error if each.said.label == kind)
    categories = [label for said in worst_ones if (label := _category(said))]
    return Inconsistency(
        first.unit,
        categories[0] if categories else None,
        kind.name if kind else "",
        tuple(dict.fromkeys(span for each in verdicts for span in each.evidence)),
        tuple(each.unit for each in others),
        first.is_made,
    )


def _category(said: Said) -> Label | None:
    """The label in final4, where the corpus's own label and attributes leave no doubt about it."""
    if said.verdict and said.verdict.error:
        return final4(said.verdict.error)
    name = _name(said)
    if name.endswith("-baseless") and said.attributes.implicit_true:
        return FINAL4["extrinsic-correct"]
    return final4(_CATEGORIES.get(name))


def _name(said: Said) -> str:
    return said.label.name if said.label else ""
