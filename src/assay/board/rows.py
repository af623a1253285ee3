"""The responses behind a board, one after the other, with what each judge says of them."""

from dataclasses import dataclass

from assay.core.examples import Example
from assay.core.judgements import Judgement
from assay.evaluation.levels import Class


@dataclass(frozen=True, slots=True)
class Row:
    """A response, what each judge says of it, and what it is in each count.

    `said` is in the order of the board's judges: None where a judge says nothing of it, and for a
    vote, which is that of the others. `classes` are by judge, then by level, in the board's order.
    """

    example: Example
    said: tuple[Judgement | None, ...]
    classes: tuple[tuple[Class, ...], ...]
