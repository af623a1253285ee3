"""The responses behind a board, one after the other, with what each judge says of them."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from assay.board.building import Built
from assay.core.errors import InputError
from assay.core.examples import Annotated, Example
from assay.core.judgements import Judgement
from assay.evaluation.levels import CLASSES, Class
from assay.evaluation.responses import Responses


@dataclass(frozen=True, slots=True)
class Row:
    """A response, what each judge says of it, and what it is in each count.

    `said` is in the order of the board's judges: None where a judge says nothing of it, and for a
    vote, which is that of the others. `classes` are by judge, then by level, in the board's order.
    `people` are the judgements of persons that `gold` is made of, one by one.
    """

    example: Example
    said: tuple[Judgement | None, ...]
    classes: tuple[tuple[Class, ...], ...]
    people: tuple[Judgement, ...] = ()


def judged_rows(
    built: Built, responses: Responses, given: Iterable[tuple[Annotated, Mapping[str, Judgement]]]
) -> Iterator[Row]:
    """The rows of a board in the order of the data, which is read once more for them."""
    board = built.board
    names = [judge.name for judge in board.judges]
    tables = [[built.classes[name, level.name] for level in board.levels] for name in names]
    outside: Class = "uncounted"
    nowhere = tuple((outside,) * len(board.levels) for _ in names)
    at = count = 0
    for each, said in given:
        if count == len(responses.kept):
            raise _changed()
        classes = nowhere
        if responses.kept[count]:
            model = responses.models[responses.model[at]]
            if model != each.example.response.model:
                raise _changed()
            classes = tuple(tuple(CLASSES[table[at]] for table in some) for some in tables)
            at += 1
        count += 1
        yield Row(each.example, tuple(said.get(name) for name in names), classes, each.gold)
    if count < len(responses.kept):
        raise _changed()


def _changed() -> InputError:
    return InputError(
        "the data changed while it was read: the responses are not those that were counted",
        code="data-changed",
        field="dataset",
    )
