"""Labels that changed between two versions of a corpus.

Examples are matched by their texts and their LLM, units by their words: ids may be others in a new
version. A unit that only one version has, or that only one of them labels, is counted apart.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

from assay.core.examples import Annotated
from assay.core.labels import Label
from assay.core.pooling import GoldBasis, Pool, Voices
from assay.evaluation.gold import find_gold, labelled_kinds
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
    gold_before: str = ""  # what the labels of each version rest on, in words
    gold_after: str = ""

    @property
    def gold(self) -> str:
        """The basis of the labels of both."""
        both = dict.fromkeys((self.gold_before, self.gold_after))
        return ", then ".join(both)

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain JSON values."""
        counts = [{"before": a, "after": b, "count": times} for a, b, times in self.counts]
        return {**asdict(self), "counts": counts}


def compare_labels(
    old: Iterable[Annotated],
    new: Iterable[Annotated],
    kind: GoldUnit | None = None,
    pool: Pool = "corpus",
) -> LabelChanges:
    """The changes of the labels of a kind of unit.

    Without a kind, those of sentences, or of responses where no sentence has one.
    """
    versions = list(old), list(new)
    kind = kind or ("sentence" if "sentence" in labelled_kinds(versions[0]) else "response")
    (before, after), bases = zip(*(_labels(each, kind, pool) for each in versions), strict=True)
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
        gold_before=bases[0].describe(),
        gold_after=bases[1].describe(),
    )


def _labels(examples: Iterable[Annotated], kind: GoldUnit, pool: Pool) -> tuple[Given, GoldBasis]:
    """The gold labels by place, and what they rest on."""
    found: Given = {}
    voices: Counter[Voices] = Counter()
    for annotated in examples:
        example = annotated.example
        texts = _plain(example.source.text), _plain(example.response.text)
        repeated: Counter[str] = Counter()
        for gold in find_gold(annotated, kind, pool):
            words = _plain(gold.unit.text)
            place = (*texts, example.response.model, words, repeated[words])
            found[place] = (annotated.id, gold.unit.id, gold.label)
            repeated[words] += 1
            voices[gold.voices] += 1
    return found, GoldBasis(pool, voices)


def _plain(text: str) -> str:
    """A text whose white space does not matter."""
    return " ".join(text.split())
