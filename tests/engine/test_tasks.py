"""What is left to do of a run."""

from dataclasses import replace
from pathlib import Path

import pytest

from assay.core.errors import InputError
from assay.core.examples import Example
from assay.core.judgements import Author, Judgement, Manifest
from assay.core.taxonomies import GRAY7
from assay.core.texts import Response, Source, Span
from assay.core.units import Unit
from assay.core.verdicts import Failure, Outcome, Verdict
from assay.datasets.selection import DataChoice
from assay.engine.tasks import RunTask, Tasks, ask_again, is_open
from assay.store.journal import Journal
from assay.store.rows import JournalEntry
from assay.store.runs import FolderRuns

TEXT = "It sat. It ate. It ran."
EXAMPLE = Example("0", Source("The cat sat."), Response(TEXT))
AUTHOR = Author("x")
FIRST, SECOND, THIRD = (
    Unit.at("sentence", Span.cut(TEXT, start, start + 7, "response"), f"s{number}")
    for number, start in enumerate((0, 8, 16), start=1)
)
UNITS = (FIRST, SECOND, THIRD)
GOOD = Verdict("s1", GRAY7["explicitly-supported"])
LOST = Failure("s2", "transport", "no answer")
CUT = Failure("s3", "truncated", "too long")


def judged(*outcomes: Outcome, units: tuple[Unit, ...] = UNITS, example: str = "0") -> Judgement:
    return Judgement(example, AUTHOR, units, outcomes, 12, 12)


def test_only_failed_units_are_asked_for_again_and_merged_in_place() -> None:
    earlier = judged(GOOD, LOST, CUT)
    task = ask_again(5, EXAMPLE, earlier, attempt=2)
    assert task.example.units == (SECOND, THIRD)
    assert (task.position, task.attempt, task.only_failed) == (5, 2, True)
    found = Verdict("s2", GRAY7["fabricated"])
    later = replace(judged(found, CUT, units=(SECOND, THIRD)), characters_read=9)
    assert task.complete(later) == Judgement(
        "0", AUTHOR, UNITS, (GOOD, found, CUT), 12, 9, round=2, supersedes="0/x/1"
    )


def test_response_that_failed_is_judged_as_a_whole() -> None:
    whole = (Unit.response(TEXT),)
    task = ask_again(5, EXAMPLE, judged(Failure("response", "refused"), units=whole), attempt=1)
    assert task.example == EXAMPLE
    later = judged(Verdict("response", GRAY7["fabricated"]), units=whole)
    assert task.complete(later) == replace(later, round=2, supersedes="0/x/1")


def test_finding_that_the_response_is_invalid_is_not_asked_for_again() -> None:
    invalid = Failure("s2", "invalid", "no real answer")
    assert not is_open(invalid)
    assert is_open(LOST)
    task = ask_again(0, EXAMPLE, judged(invalid, CUT), attempt=1)
    assert task.example.units == (THIRD,)
    new = Verdict("s2", GRAY7["fabricated"])
    assert task.complete(judged(new)).outcomes[0] == invalid


def test_third_round_supersedes_the_second() -> None:
    second = replace(judged(GOOD, LOST), round=2, supersedes="0/x/1")
    third = ask_again(0, EXAMPLE, second, attempt=2).complete(judged(LOST, units=(SECOND,)))
    assert (third.round, third.supersedes) == (3, "0/x/2")


def test_new_task_takes_the_judgement_as_it_is() -> None:
    assert RunTask(0, EXAMPLE).complete(judged(GOOD)) == judged(GOOD)


def test_sentences_whose_parts_the_detector_finds_itself_are_judged_as_a_whole() -> None:
    claim = Unit("s2.c1", "claim", "It ate.", parent="s2")
    earlier = judged(GOOD, Failure("s2.c1", "parse", "does not align"), units=(*UNITS, claim))
    assert ask_again(5, EXAMPLE, earlier, attempt=1).example == EXAMPLE


@pytest.fixture
def choice(tmp_path: Path) -> DataChoice:
    """Four examples."""
    lines = (f'{{"id": "{n}", "source": "The cat sat.", "response": "{TEXT}"}}' for n in range(4))
    (tmp_path / "a.jsonl").write_text("\n".join(lines), encoding="utf-8")
    return DataChoice(str(tmp_path / "a.jsonl"))


@pytest.fixture
def journal(tmp_path: Path) -> Journal:
    """A run in which example 1 is done and example 2 has failures."""
    made = FolderRuns(tmp_path).create("a", Manifest(AUTHOR, examples=4))
    made.add(JournalEntry(1, judged(GOOD, example="1")))
    made.add(JournalEntry(2, judged(GOOD, LOST, example="2"), retryable=1))
    made.flush()
    return made


def new(tasks: Tasks) -> list[int]:
    return [task.position for task in tasks.new()]


def again(tasks: Tasks) -> list[int]:
    return [task.position for task in tasks.again()]


def test_without_a_journal_everything_chosen_is_to_do(choice: DataChoice) -> None:
    assert new(Tasks(choice, choice.survey())) == [0, 1, 2, 3]
    some = replace(choice, sample=2)
    assert new(Tasks(some, some.survey())) == sorted(some.chosen(some.survey()) or ())
    assert again(Tasks(choice, choice.survey(), attempt=1)) == []


def test_what_has_been_judged_is_not_done_again(choice: DataChoice, journal: Journal) -> None:
    with journal:
        assert new(Tasks(choice, choice.survey(), journal)) == [0, 3]
        some = replace(choice, sample=3)
        chosen = some.chosen(some.survey()) or frozenset[int]()
        assert new(Tasks(some, some.survey(), journal)) == sorted(chosen - {1, 2})
        assert again(Tasks(choice, choice.survey(), journal)) == []


def test_failures_come_once_in_an_attempt(choice: DataChoice, journal: Journal) -> None:
    with journal:
        (task,) = Tasks(choice, choice.survey(), journal, attempt=1).again()
        assert (task.position, task.attempt, task.example.units) == (2, 1, (SECOND,))
        assert task.earlier == judged(GOOD, LOST, example="2")
        journal.add(
            JournalEntry(2, task.complete(judged(LOST, units=(SECOND,), example="2")), 1, 1)
        )
        journal.flush()
        assert again(Tasks(choice, choice.survey(), journal, attempt=1)) == []
        assert again(Tasks(choice, choice.survey(), journal, attempt=2)) == [2]
        assert new(Tasks(choice, choice.survey(), journal, attempt=2)) == [0, 3]


def test_row_that_broke_since_the_survey_raises(choice: DataChoice, tmp_path: Path) -> None:
    seen = choice.survey()
    (tmp_path / "a.jsonl").write_text("{broken", encoding="utf-8")
    with pytest.raises(InputError, match="the data changed while it was read"):
        list(Tasks(choice, seen).new())
