"""What the judgements of a run add up to."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from assay.core.examples import Example
from assay.core.judgements import Author, Judgement
from assay.core.results import Result, Totals
from assay.core.taxonomies import BINARY, GRAY7
from assay.core.texts import Response, Source, Span
from assay.core.units import Unit
from assay.core.verdicts import Attributes, Failure, Outcome, Verdict
from assay.engine.summary import summarize
from assay.store.journal import Journal
from assay.store.rows import JournalEntry
from assay.store.runs import open_store
from assay.store.totals import count
from tests.engine.conftest import MANIFEST

TEXT = "It sat. It ate."
FIRST = Unit.at("sentence", Span.cut(TEXT, 0, 7, "response"), "s1")
CLAIM = Unit("s1.c1", "claim", "It ate", parent="s1")
EXAMPLE = Example("1", Source("The cat sat."), Response(TEXT))


@pytest.fixture
def journal(runs_at: str) -> Iterator[Journal]:
    """A new run beside another one with judgements of its own."""
    store = open_store(runs_at)
    with store.create("other", MANIFEST) as other:
        other.add(JournalEntry(0, judged((FIRST,), Verdict("s1", GRAY7["ambiguous"]))))
    with store.create("a", MANIFEST) as made:
        yield made


def judged(units: tuple[Unit, ...], *outcomes: Outcome, read: int = 12) -> Judgement:
    return Judgement("1", Author("x"), units, outcomes, 12, read)


def unsure(unit: str, label: str) -> Verdict:
    return Verdict(unit, GRAY7[label], 0.5, attributes=Attributes(unsure=True))


def test_database_counts_what_the_results_add_up_to(journal: Journal) -> None:
    both = (FIRST, CLAIM)
    said = [
        judged(both, Verdict("s1", GRAY7["fabricated"]), Failure("s1.c1", "parse"), read=5),
        judged(both, Verdict("s1", score=0.5), Verdict("s1.c1", GRAY7["no-fact"])),
        judged((FIRST,), Failure("s1", "refused")),
        judged(both, unsure("s1", "fabricated"), unsure("s1.c1", "contradicting")),
        judged((FIRST,), unsure("s1", "implicitly-supported")),
        judged((), read=0),
    ]
    totals = Totals()
    for position, judgement in enumerate(said):
        totals.add(Result(EXAMPLE, judgement))
        journal.add(JournalEntry(position, replace(judgement, example=str(position))))
    journal.flush()
    found = count(journal)
    assert found == totals
    assert found.labels == {"fabricated": 1, "score only": 1, "not sure": 2}
    assert found.failures == {"parse": 1, "refused": 1}
    assert (found.kinds, found.parts) == ({"sentence": 5}, {"claim": 3})
    assert (found.units, found.failed_parts) == (5, 1)
    assert (found.examples, found.characters, found.characters_read) == (6, 72, 53)


def test_inconsistencies_are_parts_of_the_response_that_was_judged(journal: Journal) -> None:
    units = (Unit.response(TEXT), Unit("i1", "inconsistency", "It did not eat."))
    outcomes = (Verdict(unit.id, BINARY["unfaithful"]) for unit in units)
    journal.add(JournalEntry(0, judged(units, *outcomes)))
    journal.flush()
    found = count(journal)
    assert (found.kinds, found.labels) == ({"response": 1}, {"unfaithful": 1})
    assert found.parts == {"inconsistency": 1}


def test_only_what_is_current_counts(journal: Journal) -> None:
    first = judged((FIRST,), Failure("s1", "parse"), read=6)
    journal.add(JournalEntry(0, first, 1))
    journal.flush()
    later = judged((FIRST,), Verdict("s1", GRAY7["fabricated"]))
    journal.add(JournalEntry(0, replace(later, round=2, supersedes=first.key), 0, 1))
    journal.flush()
    found = count(journal)
    assert (found.examples, found.units, found.labels) == (1, 1, {"fabricated": 1})
    assert (found.failures, found.characters, found.characters_read) == ({}, 12, 12)


def test_run_without_judgements_adds_up_to_nothing(journal: Journal) -> None:
    assert count(journal) == Totals()


def test_summary_of_a_run_is_plain_values(journal: Journal, runs_at: str) -> None:
    journal.add(JournalEntry(0, judged((FIRST,), Verdict("s1", GRAY7["fabricated"]))))
    journal.keep(state="complete", usage={"calls": 3}, adaptations=["without temperature"])
    journal.flush()
    found = summarize(open_store(runs_at), "a").to_dict()
    assert (found["name"], found["state"], found["done"]) == ("a", "complete", 1)
    assert (found["usage"], found["adaptations"]) == ({"calls": 3}, ["without temperature"])
    assert found["manifest"]["author"]["name"] == "asking"
