"""Comments on items: what was sent twice is written once."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from assay.annotation.settings import ProjectSettings
from assay.annotation.studio import Person, Studio
from assay.annotation.team.batches import BatchRequest, give_out
from assay.annotation.team.discussion import add_comment
from tests.annotating import MakePerson, MakeProject, on_both_databases
from tests.annotation.acting import annotate


@pytest.fixture
def team(studio: Studio, make_person: MakePerson, make_project: MakeProject) -> list[Person]:
    """Two people who differ about the first item."""
    team = [make_person("ann"), make_person("ben")]
    make_project("demo", ProjectSettings(k=2, discussion=True), members=team)
    give_out(
        studio,
        make_person("ada", "administrator"),
        "demo",
        BatchRequest(1, annotators=("ann", "ben")),
    )
    for who, label in zip(team, ("contradicting", "fabricated"), strict=True):
        annotate(studio, who, "demo", 1, ["explicitly-supported", label])
    return team


@on_both_databases
def test_comment_that_is_sent_twice_is_written_once(studio: Studio, team: list[Person]) -> None:
    now = datetime(2026, 1, 1, tzinfo=UTC)

    def say(who: Person, text: str, *, seconds: int, unit: str = "s1") -> list[str]:
        later = replace(studio, clock=lambda: now + timedelta(seconds=seconds))
        found = add_comment(later, who, "demo", 1, text=text, unit=unit).comments
        return [f"{each.author}: {each.text}" for each in found]

    ann, ben = team
    assert say(ann, "No.", seconds=0) == ["ann: No."]
    assert say(ann, " No. ", seconds=59) == ["ann: No."]
    assert len(say(ben, "No.", seconds=59)) == 2  # somebody else
    assert len(say(ann, "No.", seconds=59)) == 3  # an answer to that
    assert len(say(ann, "No.", seconds=59, unit="s2")) == 4
    assert len(say(ann, "No.", seconds=120, unit="s2")) == 5  # said again
