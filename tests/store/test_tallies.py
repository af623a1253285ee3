"""What the outcomes of a run add up to."""

from pathlib import Path

from assay.checking import Checked
from assay.checking.totals import Totals
from assay.core import Example, Failure, Judgement, Response, Source, Span, Unit, Verdict
from assay.core.taxonomies import BINARY, GRAY7
from assay.store.journal import Entry, Journal, create_journal
from assay.store.tallies import tally
from tests.store.conftest import RUN

TEXT = "It sat. It ate."
FIRST = Unit.at("sentence", Span.cut(TEXT, 0, 7, "response"))
CLAIM = Unit("claim", "It ate")
EXAMPLE = Example("1", Source("The cat sat."), Response(TEXT))


def test_database_counts_what_the_results_add_up_to(tmp_path: Path) -> None:
    judgements = [
        Judgement(EXAMPLE, (Verdict(FIRST, GRAY7["fabricated"]), Failure(CLAIM, "parse")), 5),
        Judgement(EXAMPLE, (Verdict(FIRST, score=0.5), Verdict(CLAIM, GRAY7["no-fact"])), 12),
        Judgement(EXAMPLE, (Failure(FIRST, "refused"),), 12),
        Judgement(EXAMPLE, (), 0),
    ]
    totals = Totals()
    with create_journal(tmp_path / "a.sqlite", RUN) as journal:
        for position, judgement in enumerate(judgements):
            totals.add(Checked(judgement))
            record = Checked(judgement).to_dict()
            journal.add(Entry(position, str(position), 0, 0, 0, record))
        found = tally(journal)
    assert found.labels == totals.labels == {"fabricated": 1, "score only": 1}
    assert found.failures == totals.failures == {"parse": 1, "refused": 1}
    assert found.kinds == totals.kinds == {"sentence": 3}
    assert found.parts == totals.parts == {"claim": 2}
    assert found.failed_parts == totals.failed_parts == 1
    assert (found.examples, found.characters, found.characters_read) == (4, 48, 29)


def test_inconsistencies_are_parts_of_the_response_that_was_judged(journal: Journal) -> None:
    whole = Unit.at("response", Span.cut(TEXT, 0, len(TEXT), "response"))
    found = Unit("inconsistency", "It did not eat.")
    outcomes = (Verdict(whole, BINARY["unfaithful"]), Verdict(found, BINARY["unfaithful"]))
    record = Checked(Judgement(EXAMPLE, outcomes, 12)).to_dict()
    journal.add(Entry(0, "1", 0, 0, 0, record))
    counts = tally(journal)
    assert (counts.kinds, counts.labels) == ({"response": 1}, {"unfaithful": 1})
    assert counts.parts == {"inconsistency": 1}


def test_run_without_outcomes_adds_up_to_nothing(journal: Journal) -> None:
    found = tally(journal)
    assert (found.examples, found.labels, found.failures, found.characters) == (0, {}, {}, 0)
