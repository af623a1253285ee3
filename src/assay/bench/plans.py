"""A plan of batches as a plain file: who annotates what, for tools other than the studio.

A row is one item for one annotator. Which LLM wrote a response is hidden unless it is asked for,
also where an id would tell: there the id is a digest of itself, and a key says which is which.
"""

import csv
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from random import Random

from assay.bench.batches import Placed, make_batches
from assay.core.errors import InputError
from assay.core.examples import Example
from assay.core.files import replacing
from assay.core.formulas import guard

COLUMNS = ("batch", "annotator", "id", "source_id", "question", "source", "response")
ENDINGS = (".csv", ".jsonl")
_HEX = 16  # digits of an id that hides another

Row = dict[str, str | int]


@dataclass(frozen=True, slots=True)
class Plan:
    """Which examples are in which batch, and who annotates them."""

    examples: tuple[Example, ...]
    placed: tuple[Placed, ...]  # items are places in `examples`, people places in `annotators`
    annotators: tuple[str, ...]
    k: int
    size: int
    seed: int

    @property
    def loads(self) -> dict[str, int]:
        """How many items each annotator has."""
        given = Counter(person for each in self.placed for person in each.annotators)
        return {name: given[place] for place, name in enumerate(self.annotators)}

    def batches(self) -> dict[int, tuple[int, int, tuple[str, ...]]]:
        """The batches by number: how many items and sources they have, and whose they are."""
        found: dict[int, list[Placed]] = {}
        for each in self.placed:
            found.setdefault(each.batch, []).append(each)
        return {number: self._of_batch(given) for number, given in sorted(found.items())}

    def _of_batch(self, given: Sequence[Placed]) -> tuple[int, int, tuple[str, ...]]:
        sources = {self.examples[each.item].source.text for each in given}
        people = sorted({person for each in given for person in each.annotators})
        return len(given), len(sources), tuple(self.annotators[person] for person in people)

    def key(self) -> dict[str, str]:
        """Ids as they stand in the plan, and the examples that they are of."""
        return {_shown_id(each): each.id for each in self.examples}

    def rows(self, *, models: bool = False) -> Iterator[Row]:
        """The rows by batch and annotator; the responses to a source in an order of their own."""
        places = list(self.placed)
        Random(self.seed).shuffle(places)  # the order of the data may tell the model
        first: dict[str, int] = {}
        for each in self.placed:
            first.setdefault(self.examples[each.item].source.text, len(first))
        places.sort(key=lambda each: (each.batch, first[self.examples[each.item].source.text]))
        for number in sorted({each.batch for each in places}):
            inside = [each for each in places if each.batch == number]
            for person, name in enumerate(self.annotators):
                for each in inside:
                    if person in each.annotators:
                        yield self._row(each, name, models=models)

    def _row(self, placed: Placed, annotator: str, *, models: bool) -> Row:
        example = self.examples[placed.item]
        row: Row = {
            "batch": placed.batch,
            "annotator": annotator,
            "id": example.id if models else _shown_id(example),
            "source_id": example.source.id,
            "question": example.question,
            "source": example.source.text,
            "response": example.response.text,
        }
        return {**row, "model": example.response.model} if models else row


def plan_batches(
    examples: Iterable[Example], annotators: Sequence[str], *, size: int, k: int, seed: int
) -> Plan:
    """Puts examples into batches; all responses to a source, known by its text, are in one."""
    names = tuple(annotators)
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice or not all(names):
        problem = f"'{twice[0]}' is named twice" if twice else "an annotator has no name"
        raise InputError(problem, field="annotators")
    given = tuple(examples)
    sources = {place: each.source.text for place, each in enumerate(given)}
    placed = make_batches(sources, range(len(names)), size=size, k=k, seed=seed)
    return Plan(given, tuple(placed), names, k, size, seed)


def write_plan(plan: Plan, target: str, *, models: bool = False) -> int:
    """Writes the rows to a file whose name says its form; gives how many there are."""
    require_form(target)
    columns = (*COLUMNS, "model") if models else COLUMNS
    with replacing(target) as part:
        if target.endswith(".csv"):
            return _write_table(plan.rows(models=models), columns, part)
        return _write_lines(plan.rows(models=models), part)


def write_key(key: Mapping[str, str], target: str) -> None:
    """Writes a table of the ids of a plan and the examples that they are of."""
    rows: Iterator[Row] = ({"id": shown, "example": own} for shown, own in key.items())
    with replacing(target) as part:
        _write_table(rows, ("id", "example"), part)


def require_form(target: str) -> None:
    """Raises if the name of a file does not say its form."""
    if not target.endswith(ENDINGS):
        raise InputError(
            f"cannot tell what {target} should be: end its name in {' or '.join(ENDINGS)}",
            field="out",
        )


def _write_table(rows: Iterable[Row], columns: Sequence[str], path: Path) -> int:
    count = 0
    with path.open("w", encoding="utf-8", errors="replace", newline="") as file:
        writer = csv.DictWriter(file, columns)
        writer.writeheader()
        for row in rows:
            writer.writerow({name: guard(cell) for name, cell in row.items()})
            count += 1
    return count


def _write_lines(rows: Iterable[Row], path: Path) -> int:
    count = 0
    with path.open("w", encoding="utf-8", errors="replace", newline="\n") as file:
        for row in rows:
            file.write(json.dumps(row, ensure_ascii=False) + "\n")
            count += 1
    return count


def _shown_id(example: Example) -> str:
    """The id, or a digest of it where the name of the model, or a part of it, stands in the id."""
    model = example.response.model
    parts = {model, *model.split("/")} - {""}
    if not any(part.casefold() in example.id.casefold() for part in parts):
        return example.id
    own = example.id.encode(errors="surrogatepass")
    return blake2b(own, digest_size=_HEX // 2).hexdigest()
