"""What detectors say, kept with an example."""

from dataclasses import replace

import pytest

from assay.core.examples import with_said
from assay.core.judgements import Author, judges_data
from tests.audit.ferries import detector, ferry

OLD = next(iter(detector("d", a="++-")))
NEW = next(iter(detector("d", a="+--")))


def test_newer_judgement_supersedes_and_the_same_one_is_not_kept_twice() -> None:
    carried = ferry("a").with_judgements(OLD)
    assert with_said(carried, [replace(OLD)]) == carried
    twice = with_said(carried, [NEW])
    assert twice.judgements[:-1] == carried.judgements
    assert [(each.round, each.supersedes) for each in twice.recorded] == [(2, "a/d/1")]
    assert with_said(twice, [NEW]) == twice


@pytest.mark.parametrize("name", ["verify-revision m", "collect", "filter"])
def test_voters_and_steps_are_recorded_and_no_detectors(name: str) -> None:
    note = replace(OLD, author=Author(name))
    found = with_said(ferry("a"), [OLD, note])
    assert found.recorded == (OLD, note)
    assert found.detected == (OLD,)
    assert not judges_data(Author("ann", "person"))
    assert judges_data(Author(f"my-{name}"))
