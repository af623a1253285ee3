"""Whose turn it is: batches, room, and examples over which workers died."""

import pytest

from assay.core.errors import ServiceError
from assay.core.examples import Example
from assay.core.judgements import Author, Judgement
from assay.core.texts import Response, Source
from assay.engine.ray.turns import MOST_DEATHS, BatchLimits, ExampleBatch, Turns

APART = BatchLimits(4, 2, keeps_alike=False)
ALIKE = BatchLimits(4, 2, keeps_alike=True)


def examples(count: int, *, of_each: int = 1) -> list[Example]:
    """Examples of which so many neighbours have the same source."""
    return [
        Example(f"e{n}", Source(f"Source {n // of_each}."), Response("Cats sleep."))
        for n in range(count)
    ]


def ids(batch: ExampleBatch | None) -> list[str]:
    assert batch is not None
    return [turn.example.id for turn in batch.turns]


def test_stream_comes_in_batches_in_its_order() -> None:
    turns = Turns(examples(6), APART)
    assert ids(turns.next({})) == ["e0", "e1", "e2", "e3"]
    assert ids(turns.next({})) == ["e4", "e5"]
    assert turns.next({}) is None


def test_worker_has_no_more_batches_than_its_limit() -> None:
    read: list[str] = []
    stream = (each for each in examples(20) if not read.append(each.id))  # type: ignore[func-returns-value]
    turns, has = Turns(stream, APART), dict[int, ExampleBatch]()
    while (batch := turns.next(has)) is not None:
        has[batch.number] = batch
    assert [ids(each) for each in has.values()] == [
        ["e0", "e1", "e2", "e3"],
        ["e4", "e5", "e6", "e7"],
    ]
    assert len(read) == 8  # the stream is read no further than there is room


def test_neighbours_with_the_same_source_come_into_one_batch() -> None:
    turns = Turns(examples(14, of_each=7), ALIKE)
    assert ids(turns.next({})) == [f"e{n}" for n in range(7)]
    assert ids(turns.next({})) == [f"e{n}" for n in range(7, 14)]


def test_batch_of_one_source_is_at_most_four_times_as_large() -> None:
    turns = Turns(examples(20, of_each=20), ALIKE)
    assert [len(ids(turns.next({}))), len(ids(turns.next({})))] == [16, 4]


def test_first_batches_are_small_so_that_every_worker_has_one() -> None:
    turns = Turns(examples(40), BatchLimits(4, 2, keeps_alike=True, workers=2))
    sizes = [len(ids(turns.next({}))) for _ in range(10)]
    assert sizes == [1] * 4 + [2] * 4 + [4] * 2


def test_it_is_over_when_the_last_batch_ends() -> None:
    turns = Turns(examples(4), APART)
    batch = turns.next({})
    assert turns.next({}) is None
    assert not turns.is_over
    assert batch
    turns.end(batch)
    assert turns.is_over


def test_what_a_dead_worker_had_and_had_not_judged_is_judged_alone() -> None:
    turns = Turns(examples(4), APART)
    batch = turns.next({})
    assert batch
    batch.take(Judgement("e1", Author("a"), (), ()))
    turns.give_back({batch.number: batch})
    busy = {0: batch}
    assert turns.next(busy) is None  # a worker that has anything else is not given a suspect
    alone = turns.next({})
    assert ids(alone) == ["e0"]
    assert alone
    assert turns.next({alone.number: alone}) is None  # and gets nothing beside it
    assert [ids(turns.next({})), ids(turns.next({}))] == [["e2"], ["e3"]]
    assert not turns.is_over


def test_example_over_which_workers_die_again_and_again_is_named() -> None:
    turns = Turns(examples(2), APART)
    batch = turns.next({})
    assert batch
    turns.give_back({batch.number: batch})
    for _ in range(MOST_DEATHS - 2):
        alone = turns.next({})
        assert alone
        turns.give_back({alone.number: alone})
        assert alone.turns[0].example.id == "e0"
        other = turns.next({})
        assert other
        turns.end(other)
    last = turns.next({})
    assert last
    with pytest.raises(ServiceError, match="3 workers died while they judged 'e0'"):
        turns.give_back({last.number: last})


def test_nothing_is_handed_out_once_it_has_stopped() -> None:
    turns = Turns(examples(8), APART)
    batch = turns.next({})
    turns.stop()
    assert turns.next({}) is None
    assert not turns.is_over  # what is under way is judged
    assert batch
    turns.end(batch)
    assert turns.is_over
