"""Which labels changed between two versions of a corpus.

Examples are matched by their texts and their LLM, units by their words: ids may be others in a new
version. A unit that only one version has, or that only one of them labels, is counted apart.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

from assay.core.examples import Annotated
from assay.core.labels import Label
from assay.evaluation.gold import gold_labels
from assay.evaluation.policy import GoldUnit
from assay.evaluation.shares import share_of
from assay.metrics import Estimate

# The texts and the LLM, the words of the unit, and how many units before it have the same words.
Place = tuple[str, str, str, str, int]
Given = dict[Place, tuple[str, str, Label]]  # the ids of example and unit, and the label


@dataclass(frozen=True, slots=True)
class Change:
    """One unit whose label is another one now; the ids are those of the new version."""

    example: str
    unit: str
    text: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class LabelChanges:
    """The changed labels of one kind of unit; `counts` has how often each became which."""

    kind: GoldUnit
    matched: int
    only_before: int
    only_after: int
    changed: Estimate
    counts: tuple[tuple[str, str, int], ...]
    changes: tuple[Change, ...]

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain JSON values."""
        counts = [{"before": a, "after": b, "count": times} for a, b, times in self.counts]
        return {**asdict(self), "counts": counts}


def compare_labels(
    old: Iterable[Annotated], new: Iterable[Annotated], kind: GoldUnit | None = None
) -> LabelChanges:
    """What became of the labels of a kind of unit.

    Without a kind, those of sentences, or of responses where no sentence has one.
    """
    versions = list(old), list(new)
    kind = kind or ("sentence" if any(map(_has_sentences, versions[0])) else "response")
    before, after = (_labels(each, kind) for each in versions)
    changes: list[Change] = []
    counts: Counter[tuple[Label, Label]] = Counter()
    common = [place for place in after if place in before]
    for place in common:
        (*_, was), (example, unit, label) = before[place], after[place]
        if was != label:
            counts[was, label] += 1
            changes.append(Change(example, unit, place[3], was.name, label.name))
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0][0].rank, item[0][1].rank))
    return LabelChanges(
        kind=kind,
        matched=len(common),
        only_before=len(before) - len(common),
        only_after=len(after) - len(common),
        changed=share_of((place[0], before[place][2] != after[place][2]) for place in common),
        counts=tuple((was.name, label.name, times) for (was, label), times in ordered),
        changes=tuple(changes),
    )


def _has_sentences(annotated: Annotated) -> bool:
    return any(
        finding.kind == "sentence" and finding.label
        for judgement in annotated.gold
        for finding in judgement.findings
    )


def _labels(examples: Iterable[Annotated], kind: GoldUnit) -> Given:
    """The corpus's own labels by place."""
    found: Given = {}
    for annotated in examples:
        example = annotated.example
        texts = _plain(example.source.text), _plain(example.response.text)
        repeated: Counter[str] = Counter()
        for unit, label in gold_labels(annotated, kind, "corpus"):
            words = _plain(unit.text)
            place = (*texts, example.response.model, words, repeated[words])
            found[place] = (annotated.id, unit.id, label)
            repeated[words] += 1
    return found


def _plain(text: str) -> str:
    """A text whose white space does not matter."""
    return " ".join(text.split())
