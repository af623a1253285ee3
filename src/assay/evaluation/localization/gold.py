"""What people found wrong with a response: one inconsistency for each error, in their words."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from assay.core.errors import InputError
from assay.core.examples import Annotated
from assay.core.judgements import GOLD
from assay.core.labels import Label, worst
from assay.core.spans import Span
from assay.core.taxonomies import FINAL4
from assay.core.units import Unit
from assay.core.verdicts import NO_ATTRIBUTES, Attributes, Verdict
from assay.evaluation.localization.inconsistencies import (
    Inconsistency,
    final4,
    made_unit,
    shared_characters,
)
from assay.evaluation.policy import USUAL

_WORD = re.compile(r"\w+(?:[’'.,-]\w+)*")


@dataclass(frozen=True, slots=True)
class Said:
    """What one person said of one unit."""

    author: str
    unit: Unit
    verdict: Verdict | None

    @property
    def label(self) -> Label | None:
        """The label, if there is one."""
        return self.verdict.label if self.verdict else None

    @property
    def attributes(self) -> Attributes:
        """What programs read of it."""
        return self.verdict.attributes if self.verdict else NO_ATTRIBUTES

    @property
    def explanation(self) -> str:
        """What is wrong, on one line."""
        return " ".join(self.attributes.explanation.split())

    @property
    def is_corpus(self) -> bool:
        """Whether it is what the corpus settled on, and not the word of a single annotator."""
        return self.author == GOLD.name

    @property
    def faithful(self) -> bool | None:
        """Whether its label counts as faithful under the usual reading; None if it is left out."""
        return USUAL.is_faithful(self.label) if self.label else None


def gold_inconsistencies(annotated: Annotated) -> tuple[Inconsistency, ...] | None:
    """The errors of a response; none if people found it faithful, None where it is not known.

    Errors are marked spans (RAGTruth, FaithBench) or the explanation of the verdict on the response
    (DeFacto); and besides these, described inconsistencies (our own form, to which errors are added
    as well).
    """
    said = said_by_people(annotated)
    unfaithful = [each for each in said if each.faithful is False]
    found = (
        *(_marked(unfaithful) or _explained(annotated.example.response.text, unfaithful)),
        *_described(unfaithful),
    )
    if found:
        return found
    whole = [each for each in said if each.unit.kind == "response"]
    readings = [each.faithful for each in whole or said]
    return () if readings and all(readings) else None


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


def known_examples(dataset: str, corpus: Iterable[Annotated]) -> list[Annotated]:
    """The examples of which it is known what is wrong; raises if no error is known at all."""
    given = [(annotated, gold_inconsistencies(annotated)) for annotated in corpus]
    if not any(gold for _, gold in given):
        raise InputError(
            f"nobody wrote down or marked what is wrong with the responses of {dataset}; "
            "ragtruth, faithbench and defacto have such gold inconsistencies",
            field="dataset",
        )
    return [annotated for annotated, gold in given if gold is not None]


def changed_spans(response: str, corrected: str) -> tuple[Span, ...]:
    """The spans of the response that the correction does not keep, compared word by word.

    >>> [span.text for span in changed_spans("Both were 39 then.", "They were 38 and 39 then.")]
    ['Both']
    """
    words = list(_WORD.finditer(response))
    before = [word[0].casefold() for word in words]
    after = [word.casefold() for word in _WORD.findall(corrected)]
    matcher = SequenceMatcher(a=before, b=after, autojunk=False)
    return tuple(
        Span.cut(response, words[start].start(), words[end - 1].end(), "response")
        for kind, start, end, _, _ in matcher.get_opcodes()
        if kind in ("replace", "delete")
    )


def _described(unfaithful: Iterable[Said]) -> Iterator[Inconsistency]:
    """Inconsistencies that are units of their own, with their category."""
    for each in unfaithful:
        if each.unit.kind == "inconsistency" and each.verdict:
            error, evidence = final4(each.verdict.error), each.verdict.evidence
            yield Inconsistency(each.unit, error, _name(each), evidence)


def _explained(response: str, unfaithful: Iterable[Said]) -> Iterator[Inconsistency]:
    """The explanation of a verdict as one error, at the words that the correction changes."""
    for each in unfaithful:
        if each.unit.kind == "response" and each.verdict and each.explanation:
            said = each.verdict.attributes
            spans = changed_spans(response, said.correction) if said.correction else ()
            unit = Unit(each.unit.id, "inconsistency", each.explanation, spans)
            yield Inconsistency(unit, None, said.category, each.verdict.evidence)


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
    categories = [label for each in error if (label := _category(each.said))]
    return Inconsistency(
        first.unit,
        categories[0] if categories else None,
        worst(labels).name if labels else "",
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
    return FINAL4["extrinsic-wrong"] if name == "unwanted.extrinsic" else None


def _name(said: Said) -> str:
    return said.label.name if said.label else ""
