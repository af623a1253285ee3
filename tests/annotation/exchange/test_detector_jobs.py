"""Detectors judge the items of a project in the background, and the project tells how far."""

from collections.abc import Iterator

import pytest
from sqlalchemy import func, select

from assay.annotation.access import NotFoundError
from assay.annotation.exchange import detector_jobs as judging
from assay.annotation.exchange.detector_jobs import Judging
from assay.annotation.projects import overview
from assay.annotation.studio import Person, Studio
from assay.core.errors import InputError, UnknownNameError
from assay.store.annotation.tables import judgements
from tests.annotating import MakePerson, MakeProject, on_both_databases


@pytest.fixture
def ada(make_person: MakePerson, make_project: MakeProject) -> Person:
    """An administrator, and a project of three items."""
    make_project("demo")
    return make_person("ada", "administrator")


@pytest.fixture
def at_work(studio: Studio) -> Iterator[Judging]:
    """The thread in which detectors judge."""
    made = Judging(studio)
    yield made
    made.close()


def told(studio: Studio, who: Person) -> list[tuple[str, int, int, str]]:
    found = overview(studio, who, "demo").detectors
    return [(each.name, each.judged, each.items, each.state) for each in found]


@on_both_databases
def test_detector_judges_in_the_background_and_the_project_tells_how_far(
    studio: Studio, ada: Person, at_work: Judging
) -> None:
    assert told(studio, ada) == []
    assert at_work.ask(ada, "demo", "overlap").detectors[0].name == "overlap"
    at_work.finish()
    assert told(studio, ada) == [("overlap", 3, 3, "done")]
    at_work.ask(ada, "demo", "overlap")  # again: nothing is left for it
    at_work.finish()
    with studio.read() as connection:
        assert connection.execute(select(func.count()).select_from(judgements)).scalar() == 3


def test_failure_is_told(
    studio: Studio, ada: Person, at_work: Judging, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise InputError("its weights are damaged")

    monkeypatch.setattr(judging, "judge_items", fail)
    at_work.ask(ada, "demo", "overlap")
    at_work.finish()
    assert told(studio, ada) == [("overlap", 0, 3, "failed")]
    assert overview(studio, ada, "demo").detectors[0].problem == "its weights are damaged"


def test_what_the_end_of_the_server_cut_off_is_told_and_goes_on(
    studio: Studio, ada: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = Judging(studio)
    with monkeypatch.context() as patched:
        patched.setattr(judging, "judge_items", lambda *given: first._closing.set())
        first.ask(ada, "demo", "overlap")
        first.finish()
    assert told(studio, ada) == [("overlap", 0, 3, "stopped")]
    second = Judging(studio)
    second.ask(ada, "demo", "overlap")
    second.finish()
    second.close()
    assert told(studio, ada) == [("overlap", 3, 3, "done")]


def test_only_administrators_ask_and_only_detectors_without_a_model(
    studio: Studio, ada: Person, at_work: Judging, make_person: MakePerson
) -> None:
    with pytest.raises(InputError, match="asks a model"):
        at_work.ask(ada, "demo", "judge-gray7")
    with pytest.raises(UnknownNameError):
        at_work.ask(ada, "demo", "oracle")
    with pytest.raises(InputError, match="without options"):
        at_work.ask(ada, "demo", "overlap:/etc/passwd")
    offered = judging.project_detectors(studio, ada, "demo").offered
    assert "overlap" in offered
    assert "judge-gray7" not in offered
    judy = make_person("judy", "adjudicator")
    with pytest.raises(NotFoundError):
        at_work.ask(judy, "demo", "overlap")
