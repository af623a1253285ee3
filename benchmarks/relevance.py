"""Which source passages light up for a selection, beside those that people linked to it.

FaithBench: a selection is a span of a summary that an annotator marked, and the passages are those
that overlap the source span linked to it. WiCE: a selection is a claim, and the passages are its
supporting sentences, of any set. A passage is a sentence of the source.

The mixture is chosen on one half of FaithBench's sources (by a hash of the text). It is reported on
the other half, and on claims of WiCE that a hash of their ids draws. recall@k is the share of the
linked passages among the first k; what is not listed counts as not found. Intervals draw whole
sources.

Run: python benchmarks/relevance.py [choose] [faithbench] [wice] [speed] [--claims 250]
"""

import argparse
import hashlib
import random
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from statistics import median

import bm25s
import numpy as np
from embedded import document
from intervals import Array, show
from numpy.typing import NDArray
from shared_data import shared_data

from assay import Example, Response
from assay.core.examples import Annotated
from assay.core.texts import Span
from assay.core.units import Unit
from assay.core.verdicts import Verdict
from assay.datasets.corpus import load_corpus
from assay.detectors.embedded.detector import EmbeddedDetector
from assay.detectors.embedded.pointing import SourceLooks
from assay.detectors.relevance import CHOSEN, Mixture, Relevance
from assay.text.evidence import SourceIndex
from assay.text.sentences import sentence_units

DEPTHS = (1, 3, 5)
MEASURES = (*(f"recall@{depth}" for depth in DEPTHS), "MRR", "MAP")
EVERYTHING = 100_000
SHORT = 3  # words
PARTS = ("choose", "faithbench", "wice", "speed")


@dataclass(frozen=True, slots=True)
class Selection:
    """A selected unit of an example, and which passages people linked to it."""

    example: Example
    unit: Unit
    linked: frozenset[int]
    index: SourceIndex
    looks: SourceLooks

    @property
    def source(self) -> str:
        """Its source, as a group for intervals and for the halves."""
        return _hash(self.example.source.text)


Ranking = Callable[[Selection], Sequence[int]]


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def selections(corpus: Iterable[Annotated]) -> list[Selection]:
    """The selections with links; the network reads every example once."""
    detector = EmbeddedDetector()
    indexes: dict[str, SourceIndex] = {}
    found: list[Selection] = []
    for annotated in corpus:
        links = list(linked_units(annotated))
        if not links:
            continue
        example = annotated.example
        index = indexes.setdefault(example.source.text, SourceIndex(example.source))
        looks = detector.look(example)
        for unit, spans in links:
            numbers = frozenset(
                number
                for number, passage in enumerate(index.passages)
                if any(passage.overlaps(span) for span in spans)
            )
            if numbers:
                found.append(Selection(example, unit, numbers, index, looks))
    return found


def linked_units(annotated: Annotated) -> Iterator[tuple[Unit, tuple[Span, ...]]]:
    """What people linked to the source: marked spans of a summary, or a whole claim."""
    for judgement in annotated.gold:
        for finding in judgement.findings:
            outcome = finding.outcome
            if isinstance(outcome, Verdict) and outcome.evidence and finding.unit.spans:
                yield finding.unit, outcome.evidence


def mixed(mixture: Mixture, *, network: bool = True) -> Ranking:
    """The ranking of a mixture, with or without the network."""
    made: dict[Example, Relevance] = {}

    def rank(each: Selection) -> Sequence[int]:
        if each.example not in made:
            made[each.example] = Relevance(each.example, each.index, mixture)
        looks = each.looks if network else None
        listed = made[each.example].for_unit(each.unit, looks, EVERYTHING)
        places = {passage.start: number for number, passage in enumerate(each.index.passages)}
        return [places[relevant.span.start] for relevant in listed]

    return rank


def names_alone(each: Selection) -> Sequence[int]:
    """The passages with the selection's names, numbers and dates."""
    scores = each.index.mention_scores(each.unit.text)
    return [n for n in np.argsort(-scores, kind="stable").tolist() if scores[n] > 0]


def plain_bm25(each: Selection) -> Sequence[int]:
    """BM25 over stemmed content words of the selection alone."""
    scores = each.index.word_scores(each.unit.text)
    return [n for n in np.argsort(-scores, kind="stable").tolist() if scores[n] > 0]


def by_chance(each: Selection) -> Sequence[int]:
    """All passages in an order that is drawn for the selection."""
    numbers = list(range(len(each.index.passages)))
    random.Random(each.unit.text + each.example.id).shuffle(numbers)
    return numbers


def in_order(each: Selection) -> Sequence[int]:
    """All passages, the first sentence first."""
    return range(len(each.index.passages))


def score(ranking: Ranking, chosen: Sequence[Selection]) -> Array:
    """A row for each selection: recall at each depth, reciprocal rank, average precision."""
    rows = []
    for each in chosen:
        hits = [n for n, p in enumerate(ranking(each), start=1) if p in each.linked]
        total = len(each.linked)
        recalls = [sum(rank <= depth for rank in hits) / total for depth in DEPTHS]
        precision = sum(n / rank for n, rank in enumerate(hits, start=1)) / total
        rows.append([*recalls, 1 / hits[0] if hits else 0.0, precision])
    return np.array(rows)


def methods() -> dict[str, Ranking]:
    """Each signal alone, the mixtures, and what needs no signal."""
    words = Mixture(names=0, context=CHOSEN.context)
    return {
        "chance": by_chance,
        "first sentence first": in_order,
        "BM25 of the selection": plain_bm25,
        "words (with the sentence)": mixed(words, network=False),
        "names": names_alone,
        "words + names": mixed(CHOSEN, network=False),
        "network": mixed(Mixture(0, 1, CHOSEN.context)),
        "words + network": mixed(Mixture(0, CHOSEN.network, CHOSEN.context)),
        "all three": mixed(CHOSEN),
    }


def report(title: str, chosen: Sequence[Selection]) -> None:
    """The table of one set, and what the mixture is ahead of its parts."""
    groups = np.unique([each.source for each in chosen], return_inverse=True)[1]
    passages = median(len(each.index.passages) for each in chosen)
    print(
        f"\n{title}: {len(chosen):,} selections of {groups.max() + 1} sources, {passages:.0f}"
        f" passages in the median source, {np.mean([len(e.linked) for e in chosen]):.1f} linked"
    )
    print(f"| signal | {' | '.join(MEASURES)} |")
    print("|---|" + "---|" * len(MEASURES))
    tables = {name: score(ranking, chosen) for name, ranking in methods().items()}
    for name, table in tables.items():
        cells = [_mean(table[:, column], groups) for column in range(len(MEASURES))]
        print(f"| {name} | {' | '.join(cells)} |", flush=True)
    for name in ("words + names", "network", "words + network"):
        ahead = tables["all three"] - tables[name]
        cells = [f"{m} {_mean(ahead[:, n], groups)}" for n, m in enumerate(MEASURES)]
        print(f"all three, ahead of {name}: {', '.join(cells)}")
    short = np.array([len(each.unit.text.split()) <= SHORT for each in chosen])
    for part, rows in (("up to three words", short), ("longer", ~short)):
        if rows.any():
            cells = [
                f"{name} {_mean(tables[name][rows, -1], groups[rows])}"
                for name in ("words + names", "network", "words + network", "all three")
            ]
            print(f"MAP of selections of {part}, n={rows.sum()}: {', '.join(cells)}")


def _mean(values: Array, groups: NDArray[np.intp]) -> str:
    return show(lambda rows: float(values[rows].mean()), groups)


def choose(fit: Sequence[Selection]) -> None:
    """The mean average precision of every mixture of a grid, best first."""
    grid = product((0, 0.1, 0.25, 0.5), (0, 0.25, 0.4, 0.5, 0.6, 0.75), (0, 0.15, 0.3, 0.5))
    found = [(float(score(mixed(Mixture(*each)), fit)[:, -1].mean()), each) for each in grid]
    print("MAP of the best mixtures on the half for choosing (names, network, context)")
    for value, each in sorted(found, reverse=True)[:12]:
        print(f"  {value:.4f} {each}")
    print(f"  {float(score(mixed(CHOSEN), fit)[:, -1].mean()):.4f} {CHOSEN}, as shipped")


def in_first_half(each: Selection) -> bool:
    """Whether the source belongs to the half on which the mixture is chosen."""
    return int(each.source, 16) % 2 == 0


def speed(rounds: int = 7) -> None:
    """Milliseconds for each selection of a source of 20,000 words, beside plain bm25s."""
    pick = random.Random(3)
    source = document(pick, 20_000)
    sentences = [document(pick, 1, str(n)).response.text.split(" again. ")[0] for n in range(300)]
    example = Example("1", source.source, Response("".join(f"{each}. " for each in sentences)))
    units = sentence_units(example)
    began = time.perf_counter()
    relevance = Relevance(example)
    built = time.perf_counter() - began
    passages = [passage.text for passage in SourceIndex(example.source).passages]
    began = time.perf_counter()
    plain = bm25s.BM25()
    plain.index(bm25s.tokenize(passages, show_progress=False), show_progress=False)
    indexed = time.perf_counter() - began
    began = time.perf_counter()
    looks = EmbeddedDetector().look(example)
    looked = time.perf_counter() - began

    def search() -> None:
        for unit in units:
            query = bm25s.tokenize(unit.text, return_ids=False, show_progress=False)
            scores = plain.get_scores(query[0])
            np.argsort(-scores)[:8]

    times: dict[str, list[float]] = {"bm25s": [], "lexical": [], "with looks": []}
    for _ in range(rounds):
        for name, work in (
            ("bm25s", search),
            ("lexical", lambda: [relevance.for_unit(unit) for unit in units]),
            ("with looks", lambda: [relevance.for_unit(unit, looks) for unit in units]),
        ):
            began = time.perf_counter()
            work()
            times[name].append((time.perf_counter() - began) / len(units) * 1000)
    print(f"\n20,000 words, {len(passages):,} passages, {len(units)} selections")
    print(f"index: {built * 1000:.0f} ms, {built / indexed:.1f} x bm25s ({indexed * 1000:.0f} ms)")
    for name, values in times.items():
        ratios = [a / b for a, b in zip(values, times["bm25s"], strict=True)]
        print(
            f"{name}: {median(values):.2f} ms a selection, {median(ratios):.1f}"
            f" ({min(ratios):.1f}-{max(ratios):.1f}) x bm25s"
        )
    print(f"the network's looks: {looked:.1f} s once, {len(looks.words):,} words")


def main() -> None:
    """Prints the choice of the mixture, the tables and the speed, or those parts that are named."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("parts", nargs="*", help=f"of {', '.join(PARTS)}; without any, all")
    parser.add_argument("--claims", type=int, default=250, help="how many claims of WiCE")
    options = parser.parse_args()
    parts = options.parts or PARTS
    if {"choose", "faithbench"} & set(parts):
        marked = selections(load_corpus("faithbench", shared_data()))
        if "choose" in parts:
            choose([each for each in marked if in_first_half(each)])
        if "faithbench" in parts:
            others = [each for each in marked if not in_first_half(each)]
            report("FaithBench, the other half", others)
    if "wice" in parts:
        claims = sorted(load_corpus("wice", shared_data()), key=lambda each: _hash(each.id))
        linked = [each for each in claims if any(linked_units(each))]
        report("WiCE", selections(linked[: options.claims]))
    if "speed" in parts:
        speed()


if __name__ == "__main__":
    main()
