"""Pooling of the labels of several annotators into one gold label, and its description in words."""

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Literal, get_args

from assay.core.errors import UnknownNameError
from assay.core.labels import Label, best, majority, worst

# `corpus` is the label that the corpus itself settled on, and `any` where it has none.
Pool = Literal["corpus", "any", "majority", "all"]
POOLS: tuple[Pool, ...] = get_args(Pool)

_FORMER: dict[str, Pool] = {"worst": "any", "best": "all"}
_RULES: dict[Pool, Callable[[Iterable[Label]], Label]] = {
    "corpus": worst,
    "any": worst,
    "majority": majority,
    "all": best,
}
_TAKEN: dict[Pool, str] = {
    "corpus": "worst of {} (any)",
    "any": "worst of {} (any)",
    "majority": "majority of {} (ties count as unfaithful)",
    "all": "best of {} (all)",
}
_OWN = "the corpus's own labels"


def find_pool(name: str) -> Pool:
    """The pool of that name; `worst` and `best` are former names of `any` and `all`.

    >>> find_pool("all"), find_pool("worst")
    ('all', 'any')
    """
    for pool in POOLS:
        if name == pool:
            return pool
    if name in _FORMER:
        return _FORMER[name]
    raise UnknownNameError("pool", name, POOLS, field="pool")


def pool_labels(labels: Iterable[Label], pool: Pool) -> Label:
    """One label: the worst that any annotator gave, that of most, or the best that all reach."""
    return _RULES[pool](labels)


def describe_pool(pool: Pool) -> str:
    """The labels that a pool takes, in words, where their authors are unknown.

    >>> describe_pool("corpus"), describe_pool("all")
    ("the corpus's own labels", 'best of the annotators (all)')
    """
    return _OWN if pool == "corpus" else _TAKEN[pool].format("the annotators")


@dataclass(frozen=True, slots=True)
class Voices:
    """The voices behind a gold label: so many annotators, and maybe the corpus itself."""

    annotators: int
    own: bool = False


BY_CORPUS = Voices(0, own=True)


@dataclass(frozen=True, slots=True)
class GoldBasis:
    """The basis of the gold labels behind some figures: the number of labels with each voices.

    >>> GoldBasis.of("any", [Voices(2), Voices(2)]).describe()
    'gold: worst of 2 annotators (any)'
    >>> GoldBasis.of("corpus", [Voices(0, own=True), Voices(2), Voices(3)]).describe()
    "gold: the corpus's own labels for 1, worst of 2 to 3 annotators (any) for 2"
    """

    pool: Pool
    voices: Counter[Voices]

    @classmethod
    def of(cls, pool: Pool, voices: Iterable[Voices]) -> "GoldBasis":
        """The basis of labels with these voices."""
        return cls(pool, Counter(voices))

    def describe(self) -> str:
        """In words, with the number of labels of each kind where there are several."""
        parts = self._parts()
        if not parts:
            return "gold: none"
        if len(parts) == 1:
            return f"gold: {next(iter(parts))}"
        return "gold: " + ", ".join(f"{words} for {count:,}" for words, count in parts.items())

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON values: the pool, the labels by who gave them, and the words."""
        people = [voices.annotators for voices in self.voices if voices.annotators]
        return {
            "pool": self.pool,
            "labels": self.voices.total(),
            "own": sum(n for voices, n in self.voices.items() if not voices.annotators),
            "single": sum(n for voices, n in self.voices.items() if _is_single(voices)),
            "pooled": sum(n for voices, n in self.voices.items() if _is_pooled(voices)),
            "annotators": [min(people), max(people)] if people else None,
            "statement": self.describe(),
        }

    def _parts(self) -> dict[str, int]:
        rule = _TAKEN[self.pool]
        counts = sorted(each.annotators for each in self.voices if each.annotators > 1)
        many = " to ".join(map(str, dict.fromkeys((*counts[:1], *counts[-1:]))))
        parts: dict[str, int] = {}
        for voices, number in sorted(self.voices.items(), key=lambda each: each[0].annotators):
            if not voices.annotators:
                words = _OWN
            elif _is_single(voices):
                words = "labels of one annotator each"
            elif voices.own:
                words = rule.format("one annotator and the corpus's own label")
            else:
                words = rule.format(f"{many} annotators")
            parts[words] = parts.get(words, 0) + number
        return parts


def _is_single(voices: Voices) -> bool:
    return voices.annotators == 1 and not voices.own


def _is_pooled(voices: Voices) -> bool:
    return voices.annotators + voices.own > 1
