"""What is kept apart of the texts written last, to set thresholds by: everyday sources.

A written source gives a response that is faithful as a whole, one with a single false sentence,
and two whose versions are dealt out at random; a schema gives responses of some of its sentences,
one of the latest also whole answers.
"""

import random
from collections.abc import Iterator, Sequence
from hashlib import sha256

from assay.core.texts import Source
from training.composed import composed_apart, told_apart
from training.items import ENTAILED, Item
from training.made import deals, dealt, nearly_whole, read_written
from training.measured import Measured
from training.schemas import Schema, read_schemas
from training.splits import LATEST, is_everyday

SEED = 20_261_116
FILLED = 4  # times that each schema is filled
WHOLE, WRITTEN, COMPOSED = "everyday-whole", "everyday-written", "everyday-composed"
BOUND, TOLD = "everyday-bound", "everyday-told"  # of the latest schemas


def everyday() -> Iterator[Measured]:
    """All examples; of `WHOLE` and `TOLD` all sentences but one at most are faithful."""
    rng = random.Random(SEED)
    number = 0
    for each in read_written({}):
        if not is_everyday(each.file, each.source):
            continue
        count = len(each.said)
        for group, given in (
            (WHOLE, nearly_whole(count, rng)),
            (WRITTEN, list(deals(count, rng))[:2]),
        ):
            for deal in given:
                yield _measured(group, number, dealt(each, deal, "everyday"))
                number += 1
    earlier = [schema for schema in schemas_apart() if schema.place[0] not in LATEST]
    latest = [schema for schema in schemas_apart() if schema.place[0] in LATEST]
    for group, items in (
        (COMPOSED, composed_apart(earlier, FILLED, SEED)),
        (BOUND, composed_apart(latest, FILLED, SEED)),
        (TOLD, told_apart(latest, FILLED, SEED)),
    ):
        for item in items:
            yield _measured(group, number, item)
            number += 1


def schemas_apart() -> list[Schema]:
    """The schemas that are kept apart."""
    return [schema for schema in read_schemas() if is_everyday(*schema.place)]


def _measured(group: str, number: int, item: Item) -> Measured:
    faithful = [int(sentence.target == ENTAILED) for sentence in item.sentences]
    return Measured(
        group,
        f"everyday-{number:04}",
        _cluster(item),
        Source(item.source),
        item.question,
        tuple(sentence.text for sentence in item.sentences),
        _labels(faithful),
        tuple(faithful),
        min(faithful),
    )


def _cluster(item: Item) -> str:
    """The source, or the schema that it was made from."""
    is_made = item.group.startswith("composed-")
    return item.group if is_made else sha256(item.source.encode()).hexdigest()[:12]


def _labels(faithful: Sequence[int]) -> tuple[str, ...]:
    return tuple("faithful" if each else "unfaithful" for each in faithful)
