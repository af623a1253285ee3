"""What is left to do of a run."""

from pathlib import Path

import pytest

from assay.checking import Checked
from assay.core import (
    Example,
    Failure,
    InputError,
    Judgement,
    Outcome,
    Response,
    Source,
    Span,
    Unit,
    Verdict,
)
from assay.core.runs import Run
from assay.core.taxonomies import GRAY7
from assay.evaluate.runs.data import DataChoice
from assay.evaluate.runs.tasks import Task, Tasks, again, is_open
from assay.store.journal import Entry, Journal, create_journal

TEXT = "It sat. It ate. It ran."
EXAMPLE = Example("0", Source("The cat sat."), Response(TEXT))


def sentence(start: int) -> Unit:
    return Unit.at("sentence", Span.cut(TEXT, start, start + 7, "response"))


GOOD = Verdict(sentence(0), GRAY7["explicitly-supported"])
LOST = Failure(sentence(8), "transport", "no answer")
CUT = Failure(sentence(16), "truncated", "too long")


def judged(*outcomes: Outcome) -> Judgement:
    return Judgement(EXAMPLE, outcomes, 12)


def test_only_failed_units_are_asked_for_again_and_merged_in_place() -> None:
    task = again(5, judged(GOOD, LOST, CUT), attempt=2)
    assert task.example.units == (LOST.unit, CUT.unit)
    assert task.attempt == 2
    found = Verdict(LOST.unit, GRAY7["fabricated"])
    whole = task.complete(Judgement(task.example, (found, CUT), 9))
    assert whole == Judgement(EXAMPLE, (GOOD, found, CUT), 9)


def test_response_that_failed_is_judged_as_a_whole() -> None:
    whole = Unit.at("response", Span.cut(TEXT, 0, len(TEXT), "response"))
    task = again(5, judged(Failure(whole, "refused")), attempt=1)
    assert task.example == EXAMPLE
    later = judged(Verdict(whole, GRAY7["fabricated"]))
    assert task.complete(later) == later


def test_finding_that_the_response_is_invalid_is_not_asked_for_again() -> None:
    invalid = Failure(sentence(8), "invalid", "no real answer")
    assert not is_open(invalid)
    assert is_open(LOST)
    task = again(0, judged(invalid, CUT), attempt=1)
    assert task.example.units == (CUT.unit,)
    new = Verdict(sentence(8), GRAY7["fabricated"])
    assert task.complete(judged(new)).outcomes[0] == invalid


@pytest.fixture
def choice(tmp_path: Path) -> DataChoice:
    """Four examples."""
    lines = (f'{{"id": "{n}", "source": "The cat sat.", "response": "{TEXT}"}}' for n in range(4))
    (tmp_path / "a.jsonl").write_text("\n".join(lines), encoding="utf-8")
    return DataChoice(str(tmp_path / "a.jsonl"))


@pytest.fixture
def journal(tmp_path: Path) -> Journal:
    """A run in which example 1 is done and example 2 has failures."""
    made = create_journal(tmp_path / "a.sqlite", Run("x", "1", examples=4))
    for position, outcomes in ((1, (GOOD,)), (2, (GOOD, LOST))):
        record = Checked(judged(*outcomes)).to_dict()
        made.add(Entry(position, str(position), len(outcomes) - 1, len(outcomes) - 1, 0, record))
    return made


def positions(tasks: Tasks) -> list[int]:
    return [task.position for task in tasks]


def test_without_a_journal_everything_chosen_is_to_do(choice: DataChoice) -> None:
    assert positions(Tasks(choice, None)) == [0, 1, 2, 3]
    assert positions(Tasks(choice, frozenset({0, 3}))) == [0, 3]


def test_what_has_an_outcome_is_not_done_again(choice: DataChoice, journal: Journal) -> None:
    with journal:
        assert positions(Tasks(choice, None, journal)) == [0, 3]
        assert positions(Tasks(choice, frozenset({1, 3}), journal)) == [3]


def test_retry_brings_failures_once_and_new_examples_as_usual(
    choice: DataChoice, journal: Journal
) -> None:
    with journal:
        tasks = list(Tasks(choice, None, journal, attempt=1, taxonomy=GRAY7))
        assert [(task.position, task.attempt) for task in tasks] == [(0, 0), (2, 1), (3, 0)]
        assert tasks[1].example.units == (LOST.unit,)
        assert tasks[1].earlier is not None
        assert tasks[1].earlier.outcomes == (GOOD, LOST)
        journal.add(Entry(2, "2", 1, 1, 1, Checked(judged(GOOD, LOST)).to_dict()))
        assert positions(Tasks(choice, None, journal, attempt=1, taxonomy=GRAY7)) == [0, 3]
        assert positions(Tasks(choice, None, journal, attempt=2, taxonomy=GRAY7)) == [0, 2, 3]


def test_row_that_broke_since_the_survey_raises(choice: DataChoice, tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text("{broken", encoding="utf-8")
    with pytest.raises(InputError, match="the data changed while it was read"):
        list(Tasks(choice, None))


def test_new_task_takes_the_judgement_as_it_is() -> None:
    assert Task(0, EXAMPLE).complete(judged(GOOD)) == judged(GOOD)


def test_sentences_whose_parts_the_detector_finds_itself_are_judged_as_a_whole() -> None:
    claim = Failure(Unit("claim", "It ate."), "parse", "does not align")
    assert again(5, judged(GOOD, claim), attempt=1).example == EXAMPLE
