"""Runs that belong together, however they are interleaved."""

from threading import Thread
from uuid import UUID

from hypothesis import given
from hypothesis import strategies as st

from assay.integrations.run_trees import RunTree, RunTrees


def ids(count: int) -> list[UUID]:
    return [UUID(int=number) for number in range(1, count + 1)]


def texts(tree: RunTree | None) -> list[str]:
    assert tree is not None
    return list(tree.documents or {})


def test_documents_go_to_the_tree_they_were_retrieved_in() -> None:
    trees, (first, second, search, other) = RunTrees(), ids(4)
    trees.begin(first, None)
    trees.begin(second, None)
    trees.begin(search, first)
    trees.begin(other, second)
    trees.retrieve(other, {"b": 1})
    trees.retrieve(search, {"a": 2})
    trees.retrieve(search, {"a": 3})
    found = trees.end(first)
    assert found is not None
    assert (found.documents, texts(trees.end(second))) == ({"a": 2}, ["b"])


def test_run_whose_parent_is_not_known_is_a_root() -> None:
    trees, (outside, inner) = RunTrees(), ids(2)
    trees.begin(inner, outside)
    assert trees.end(inner) is not None


def test_nothing_is_kept_of_a_tree_whose_root_ended_before_its_children() -> None:
    trees, (root, child, grandchild) = RunTrees(), ids(3)
    trees.begin(root, None)
    trees.begin(child, root)
    trees.begin(grandchild, child)
    assert trees.end(root) is not None
    assert (len(trees), trees.runs) == (0, 0)
    trees.retrieve(grandchild, {"late": 1})
    assert trees.end(grandchild) is None


def test_trees_that_never_end_make_room() -> None:
    trees = RunTrees(most_open=3)
    for run in ids(50):
        trees.begin(run, None)
        trees.begin(UUID(int=run.int + 1_000), run)
    assert (len(trees), trees.runs) == (3, 6)


def test_end_of_a_run_that_was_never_begun_is_nothing() -> None:
    assert RunTrees().end(UUID(int=1)) is None


def test_nothing_found_is_not_the_same_as_nothing_searched() -> None:
    trees, (one, other) = RunTrees(), ids(2)
    trees.begin(one, None)
    trees.begin(other, None)
    trees.retrieve(one, {})
    found, unsearched = trees.end(one), trees.end(other)
    assert found is not None
    assert unsearched is not None
    assert (found.documents, unsearched.documents) == ({}, None)


@given(
    st.lists(st.tuples(st.sampled_from("be"), st.integers(1, 9), st.integers(0, 9)), max_size=60)
)
def test_whatever_order_events_come_in_nothing_is_left_when_all_ended(
    events: list[tuple[str, int, int]],
) -> None:
    trees = RunTrees(most_open=4)
    for kind, run, parent in events:
        if kind == "b":
            trees.begin(UUID(int=run), UUID(int=parent) if parent else None)
        else:
            trees.end(UUID(int=run))
        assert len(trees) <= 4
    for number in range(1, 10):
        trees.end(UUID(int=number))
    assert (len(trees), trees.runs) == (0, 0)


def test_many_threads_do_not_mix_their_runs() -> None:
    trees, wrong = RunTrees(), list[int]()

    def work(start: int) -> None:
        for number in range(start, start + 200):
            root, child = UUID(int=2 * number), UUID(int=2 * number + 1)
            trees.begin(root, None)
            trees.begin(child, root)
            trees.retrieve(child, {str(number): number})
            if texts(trees.end(root)) != [str(number)]:
                wrong.append(number)

    threads = [Thread(target=work, args=(1_000 * each + 1,)) for each in range(8)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert (wrong, len(trees), trees.runs) == ([], 0, 0)
