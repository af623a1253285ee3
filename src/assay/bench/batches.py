"""Batches of items and their annotators, and a plan of them as a plain file.

Batches are made from numbers alone. A row of the file, which is for tools other than the studio, is
one item for one annotator. Which LLM wrote a response is hidden unless it is asked for. Then no id
of an item is shown, since it may tell the LLM by its words or its place among others: each has a
neutral one that the seed decides, and a key says which is which.
"""

import json
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from itertools import groupby
from pathlib import Path
from random import Random

from assay.core.errors import InputError
from assay.core.examples import Example
from assay.core.system.files import replacing
from assay.core.system.formulas import write_table

MOST_IN_BATCH = 10_000  # items
COLUMNS = ("batch", "annotator", "id", "source_id", "question", "source", "response")
ENDINGS = (".csv", ".jsonl")
_DIGITS = 16  # of an id that hides another
_SPLIT = re.compile(r"[^A-Za-z0-9]")
_SHORTEST = 3  # letters and digits of a part of a name that tells an LLM

Row = dict[str, str | int]


@dataclass(frozen=True, slots=True)
class Placed:
    """An item in a batch, with the people who annotate it."""

    item: int
    batch: int
    annotators: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class BatchRule:
    """Items are given out about `size` to a batch, each to k people, drawn by the seed.

    With `per_batch` the same k people have all of a batch.
    """

    size: int
    k: int
    seed: int = 0
    per_batch: bool = False


@dataclass(frozen=True, slots=True)
class Before:
    """Earlier assignments: items by person, batches of sources, and annotators of batches."""

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


@dataclass(frozen=True, slots=True)
class Plan:
    """Examples in batches, and their annotators."""

    examples: tuple[Example, ...]
    placed: tuple[Placed, ...]  # items are places in `examples`, people places in `annotators`
    annotators: tuple[str, ...]
    rule: BatchRule
    hides_sources: bool = False  # since an id of a source would tell an LLM

    @property
    def loads(self) -> dict[str, int]:
        """The number of items of each annotator."""
        given = Counter(person for each in self.placed for person in each.annotators)
        return {name: given[place] for place, name in enumerate(self.annotators)}

    def batches(self) -> dict[int, tuple[int, int, tuple[str, ...]]]:
        """The batches by number: how many items and sources they have, and whose they are."""
        found: dict[int, list[Placed]] = {}
        for each in self.placed:
            found.setdefault(each.batch, []).append(each)
        return {number: self._of_batch(given) for number, given in sorted(found.items())}

    def _of_batch(self, given: Sequence[Placed]) -> tuple[int, int, tuple[str, ...]]:
        sources = {known_by(self.examples[each.item]) for each in given}
        people = sorted({person for each in given for person in each.annotators})
        return len(given), len(sources), tuple(self.annotators[person] for person in people)

    def key(self) -> Iterator[Row]:
        """Ids of items as they stand in a plan without LLMs, and what they are of."""
        for each in self.examples:
            shown = self._hidden("item", each.id)
            yield {"id": shown, "example": each.id, "source_id": each.source.id}

    def rows(self, *, models: bool = False) -> Iterator[Row]:
        """The rows by batch and annotator; the responses to a source in an order of their own."""
        places = list(self.placed)
        Random(self.rule.seed).shuffle(places)  # the order of the data may tell the model
        first: dict[str, int] = {}
        for each in self.placed:
            first.setdefault(known_by(self.examples[each.item]), len(first))
        places.sort(key=lambda each: (each.batch, first[known_by(self.examples[each.item])]))
        for _, inside in groupby(places, key=lambda each: each.batch):
            of_person: dict[int, list[Placed]] = {}
            for each in inside:
                for person in each.annotators:
                    of_person.setdefault(person, []).append(each)
            for person in sorted(of_person):
                for each in of_person[person]:
                    yield self._row(each, self.annotators[person], models=models)

    def _row(self, placed: Placed, annotator: str, *, models: bool) -> Row:
        example = self.examples[placed.item]
        row: Row = {
            "batch": placed.batch,
            "annotator": annotator,
            "id": example.id if models else self._hidden("item", example.id),
            "source_id": example.source.id if models else self._shown_source(example.source.id),
            "question": example.question,
            "source": example.source.text,
            "response": example.response.text,
        }
        return {**row, "model": example.response.model} if models else row

    def _shown_source(self, id: str) -> str:
        return self._hidden("source", id) if id and self.hides_sources else id

    def _hidden(self, what: str, id: str) -> str:
        """A neutral id; whoever does not know the seed cannot tell whose it is."""
        salted = f"{self.rule.seed}\0{what}\0{id}".encode(errors="surrogatepass")
        number = int.from_bytes(blake2b(salted, digest_size=16).digest()) % 10**_DIGITS
        return f"{what}{number:0{_DIGITS}}"


def plan_batches(examples: Iterable[Example], annotators: Sequence[str], rule: BatchRule) -> Plan:
    """Puts examples into batches; all responses to a source are in one."""
    names = tuple(annotators)
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice or not all(names):
        problem = f"'{twice[0]}' is named twice" if twice else "an annotator has no name"
        raise InputError(problem, field="annotators")
    given = tuple(examples)
    sources = {place: known_by(each) for place, each in enumerate(given)}
    placed = make_batches(sources, range(len(names)), rule)
    tells = _tells({e.response.model for e in given}, {e.source.id for e in given})
    return Plan(given, tuple(placed), names, rule, tells)


def write_plan(plan: Plan, target: str, *, models: bool = False) -> int:
    """Writes the rows to a file whose name says its form; gives how many there are."""
    require_form(target)
    columns = (*COLUMNS, "model") if models else COLUMNS
    with replacing(target) as part:
        if target.endswith(".csv"):
            return write_table(plan.rows(models=models), columns, part, "replace")
        return _write_lines(plan.rows(models=models), part)


def write_key(plan: Plan, target: str) -> None:
    """Writes a table of the ids of a plan, the examples that they are of, and their sources."""
    with replacing(target) as part:
        write_table(plan.key(), ("id", "example", "source_id"), part, "replace")


def require_form(target: str) -> None:
    """Raises if the name of a file does not say its form."""
    if not target.endswith(ENDINGS):
        raise InputError(
            f"cannot tell what {target} should be: people fill in a plan, so end its name in "
            f"{' or '.join(ENDINGS)}",
            field="out",
        )


def _write_lines(rows: Iterable[Row], path: Path) -> int:
    count = 0
    with path.open("w", encoding="utf-8", errors="replace", newline="\n") as file:
        for row in rows:
            file.write(json.dumps(row, ensure_ascii=False) + "\n")
            count += 1
    return count


def known_by(example: Example) -> str:
    """The id of an example's source, or else its text."""
    return example.source.id or example.source.text


def _tells(models: Iterable[str], ids: Iterable[str]) -> bool:
    """True if an id contains the name of an LLM, or a part of it."""
    names = {name for each in models for name in (each, *each.split("/"))}
    parts = {part for name in names for part in _SPLIT.split(name) if not part.isdigit()}
    telling = {word for word in map(_words, names | parts) if len(word) >= _SHORTEST}
    short = {word for word in map(_words, names) if 0 < len(word) < _SHORTEST}
    for id in filter(None, ids):
        own = _words(id)
        if any(word in own for word in telling):
            return True
        if not short.isdisjoint(map(_words, _SPLIT.split(id))):
            return True
    return False


def _words(text: str) -> str:
    """The letters and digits of a name, so that gpt-4o, GPT_4o and gpt4o are the same."""
    return "".join(filter(str.isalnum, text.casefold()))
