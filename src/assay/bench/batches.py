"""Which items go into which batch, and who annotates them: a plan, made from numbers alone."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random

from assay.core.errors import InputError

MOST_IN_BATCH = 10_000


@dataclass(frozen=True, slots=True)
class Placed:
    """An item in a batch, with the people who annotate it."""

    item: int
    batch: int
    annotators: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class BatchRule:
    """How items are given out: about `size` to a batch, each to k people, drawn by the seed.

    With `per_batch` the same k people have all of a batch.
    """

    size: int
    k: int
    seed: int = 0
    per_batch: bool = False


@dataclass(frozen=True, slots=True)
class Before:
    """What was given out before: items by person, the batches of sources, and whose these are."""

    loads: Mapping[int, int] = field(default_factory=dict)
    batches: Mapping[str, int] = field(default_factory=dict)
    annotators: Mapping[int, Collection[int]] = field(default_factory=dict)  # by batch


NOTHING_BEFORE = Before()


def make_batches(
    sources: Mapping[int, str],
    annotators: Sequence[int],
    rule: BatchRule,
    before: Before = NOTHING_BEFORE,
) -> list[Placed]:
    """Puts items, given with their sources, into batches, and says who annotates them.

    All responses to a source are in one batch and have the same annotators, who read it once; a
    source with more responses than a batch has items makes a batch of its own. Everybody gets about
    the same number of items: where nobody had any before, two people differ by no more than the
    responses to one source, or than a batch if all of that has the same people. These are first of
    all those who have some of it already. Further responses to a source that is in a batch already
    go there. The same input and seed give the same plan.
    """
    _require_enough(annotators, rule.size, rule.k)
    chance = Random(rule.seed)
    load = {person: before.loads.get(person, 0) for person in sorted(set(annotators))}
    plan: list[Placed] = []
    fixed: dict[int, tuple[int, ...]] = {}
    for batch, group in _fill(_groups(sources, chance), before.batches, rule.size):
        chosen = fixed.get(batch)
        if chosen is None:
            known = before.annotators.get(batch, ()) if rule.per_batch else ()
            chosen = _choose(load, known, rule.k, chance)
        if rule.per_batch:
            fixed[batch] = chosen
        for person in chosen:
            load[person] += len(group)
        plan += [Placed(item, batch, chosen) for item in group]
    return plan


def _choose(
    load: Mapping[int, int], known: Collection[int], k: int, chance: Random
) -> tuple[int, ...]:
    """The k people who have least, but first of all those who are known."""
    order = list(load)
    chance.shuffle(order)
    return tuple(sorted(sorted(order, key=lambda each: (each not in known, load[each]))[:k]))


def _require_enough(annotators: Sequence[int], size: int, k: int) -> None:
    if not 1 <= size <= MOST_IN_BATCH:
        message = f"a batch has 1 to {MOST_IN_BATCH:,} items, not {size:,}"
        raise InputError(message, field="size")
    if k < 1:
        raise InputError(f"an item has at least 1 annotator, not {k}", field="k")
    if len(set(annotators)) < k:
        message = f"{k} people annotate each item, but only {len(set(annotators))} named"
        raise InputError(message, field="annotators", code="too-few-annotators")


def _groups(sources: Mapping[int, str], chance: Random) -> list[tuple[str, list[int]]]:
    """The items of each source, the sources in an order that the seed decides."""
    groups: dict[str, list[int]] = {}
    for item in sorted(sources):
        groups.setdefault(sources[item], []).append(item)
    ordered = sorted(groups.items(), key=lambda each: each[1])
    chance.shuffle(ordered)
    return ordered


def _fill(
    groups: Sequence[tuple[str, list[int]]], known: Mapping[str, int], size: int
) -> list[tuple[int, list[int]]]:
    """Each group with its batch: the current one, or a new one where it would get too large."""
    filled: list[tuple[int, list[int]]] = []
    batch, room = max(known.values(), default=0), 0
    for source, group in groups:
        if source in known:
            filled.append((known[source], group))
            continue
        if not room or len(group) > room:
            batch, room = batch + 1, size
        room = max(0, room - len(group))
        filled.append((batch, group))
    return filled
