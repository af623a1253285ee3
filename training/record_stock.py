"""The written stock that made-up business records draw on: phrases, review fragments, kinds."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from training.sections import read_lines, read_sections

Label = Literal["entailed", "neutral", "contradicted"]

_LABELS: Mapping[str, Label] = {"E": "entailed", "N": "neutral", "C": "contradicted"}


@dataclass(frozen=True, slots=True)
class Clause:
    """A piece of text and how it stands to the record it was made for."""

    text: str
    label: Label


@dataclass(frozen=True, slots=True)
class Fragment:
    """A piece of a review with faithful and unfaithful retellings.

    Fragments of one root answer the same question differently: what is unfaithful to one may be
    faithful to another, so that no retelling is false by its words alone.
    """

    root: str
    group: str
    positive: bool
    text: str
    faithful: tuple[Clause, ...]
    unfaithful: tuple[Clause, ...]


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of business; kinds of one family may be told for one another, so they never are."""

    group: str
    family: str
    short: str
    noun: str
    categories: tuple[str, ...]
    items: tuple[str, ...]


def worst(labels: list[Label]) -> Label:
    """The label of a sentence from those of its parts.

    >>> worst(["entailed", "neutral"])
    'neutral'
    """
    if "contradicted" in labels:
        return "contradicted"
    return "neutral" if "neutral" in labels else "entailed"


def read_phrases() -> dict[tuple[str, ...], tuple[str, ...]]:
    """Templates by section, such as ("WiFi", "free", "vp")."""
    sections = read_sections("record_phrases.txt")
    return {tuple(name.split()): tuple(lines) for name, lines in sections.items()}


def _read_fragment(block: str) -> list[Fragment]:
    head, first, *lines = block.split("\n")
    group, tone = head.split()
    root = first.removeprefix("R ")
    clauses = [Clause(line[2:], _LABELS[line[0]]) for line in lines if line[0] in _LABELS]
    faithful = tuple(c for c in clauses if c.label == "entailed")
    unfaithful = tuple(c for c in clauses if c.label != "entailed")
    fragment = Fragment(root, group, tone == "+", root, faithful, unfaithful)
    others = [line for line in lines if line.startswith("A")]
    return [fragment, *(_read_alternative(line, fragment) for line in others)]


def _read_alternative(line: str, fragment: Fragment) -> Fragment:
    head, right, wrong, text = line.split(" ", 3)
    texts = [clause.text for clause in (*fragment.faithful, *fragment.unfaithful)]
    faithful = tuple(Clause(texts[int(n) - 1], "entailed") for n in right)
    unfaithful = tuple(Clause(texts[int(n) - 1], "contradicted") for n in wrong if n != "-")
    return Fragment(fragment.root, fragment.group, head == "A+", text, faithful, unfaithful)


def read_fragments() -> tuple[Fragment, ...]:
    """All review fragments of the stock."""
    blocks = "\n".join(read_lines("record_reviews.txt")).strip().split("\n\n")
    return tuple(fragment for block in blocks for fragment in _read_fragment(block.strip()))


def _read_kinds() -> tuple[Kind, ...]:
    kinds = []
    for line in filter(None, read_lines("record_kinds.txt")):
        group, family, short, noun, categories, items = (part.strip() for part in line.split("|"))
        kinds.append(
            Kind(
                group, family, short, noun, tuple(categories.split(", ")), tuple(items.split(", "))
            )
        )
    return tuple(kinds)


PHRASES = read_phrases()
FRAGMENTS = read_fragments()
KINDS = _read_kinds()
