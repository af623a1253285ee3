"""Passages that matter for a selection: at once by words, later also by the network."""

import logging
import subprocess
import sys
from pathlib import Path

import pytest

from assay.annotation.access import NotFoundError
from assay.annotation.items import item_view, network_process, work
from assay.annotation.items.drafts import UnitEdit, read_item
from assay.annotation.items.network_process import NetworkProcess
from assay.annotation.items.related import Looking, Selection, related
from assay.annotation.studio import Person, Purpose, Studio
from assay.core.codec import encode, write_example
from assay.core.errors import InputError
from assay.core.examples import Annotated, Example
from assay.core.texts import Response, Source
from assay.core.wire import UnitRecord
from assay.detectors.embedded.pointing import SourceLooks, WordLook
from assay.store.annotation.kept import looks_of
from tests.annotating import MakePerson, MakeProject, on_both_databases
from tests.annotation.working import mine, take

HERE: tuple[str, int, Purpose] = ("demo", 1, "real")
TEXT = "The ferry left Oslo at noon. Cats slept on deck. The captain was Ida Berg."
EXAMPLE = Example(
    "a", Source(TEXT), Response("Ida Berg was in charge. Some cats slept. It rained.")
)


@pytest.fixture
def ann(studio: Studio, make_person: MakePerson, make_project: MakeProject) -> Person:
    """An annotator who has opened an item."""
    person = make_person("ann")
    make_project(examples=[EXAMPLE], members=[person])
    take(studio, person)
    return person


def test_a_unit_leads_to_the_passages_with_its_words_and_names(studio: Studio, ann: Person) -> None:
    first, *_ = related(studio, ann, HERE, Selection("s1"))
    assert first.text == "The captain was Ida Berg."
    assert TEXT[first.start : first.end] == first.text
    assert "names" in first.reasons
    assert 0 < first.weight <= 1
    assert related(studio, ann, HERE, Selection("s2"))[0].text == "Cats slept on deck."


def test_a_selection_is_a_place_too(studio: Studio, ann: Person) -> None:
    start = EXAMPLE.response.text.index("cats")
    found = related(studio, ann, HERE, Selection(start=start, end=start + 4))
    assert found[0].text == "Cats slept on deck."


@pytest.mark.parametrize(
    "selection",
    [
        Selection("s9"),
        Selection(),
        Selection(start=3),
        Selection(start=5, end=2),
        Selection(start=0, end=999),
    ],
)
def test_a_selection_has_to_exist(studio: Studio, ann: Person, selection: Selection) -> None:
    with pytest.raises(InputError):
        related(studio, ann, HERE, selection)


def test_a_sentence_that_was_cut_is_looked_up_as_it_is_now(studio: Studio, ann: Person) -> None:
    own = mine(item_view.open_item(studio, ann, "demo", 1))
    text = EXAMPLE.response.text
    joined = UnitRecord("s2", "sentence", text[24:], start=24, end=len(text))
    work.change(studio, ann, own.id, 0, "merge", [UnitEdit("s2", joined), UnitEdit("s3")])
    assert related(studio, ann, HERE, Selection("s2"))[0].text == "Cats slept on deck."


@on_both_databases
def test_the_network_is_asked_once_in_the_background(studio: Studio, ann: Person) -> None:
    asked: list[str] = []

    def look(record: str) -> str:
        asked.append(read_item(record).id)
        end = len(EXAMPLE.response.text)
        looks = SourceLooks("test", (WordLook(end - 10, end, (0,), (1.0,)),))
        return encode(looks).decode()

    looking = Looking(studio, look)
    before = related(studio, ann, HERE, Selection("s3"), looking=looking)
    assert before == ()  # no word in common
    related(studio, ann, HERE, Selection("s3"), looking=looking)
    looking.finish()
    looking.close()
    (after,) = related(studio, ann, HERE, Selection("s3"), looking=Looking(studio, look))
    assert (after.text, after.reasons) == ("The ferry left Oslo at noon.", ("network",))
    assert asked == ["a"]


def test_a_network_that_fails_leaves_words(
    studio: Studio, ann: Person, caplog: pytest.LogCaptureFixture
) -> None:

    def look(record: str) -> str:
        raise MemoryError(record)

    looking = Looking(studio, look)
    assert related(studio, ann, HERE, Selection("s2"), looking=looking)
    looking.finish()
    looking.close()
    assert "could not be worked out" in caplog.text
    with studio.read() as connection:
        assert looks_of(connection, 1) is None
    assert related(studio, ann, HERE, Selection("s2"))


def test_the_embedded_network_works_out_what_is_kept(studio: Studio, ann: Person) -> None:
    looking = Looking(studio)
    for item in (999, 1):  # the first is not there
        looking.ask(item)
    looking.finish()
    looking.close()
    found = related(studio, ann, HERE, Selection("s1"))
    assert "network" in {reason for each in found for reason in each.reasons}


def test_only_those_who_have_the_item_see_its_passages(
    studio: Studio, ann: Person, make_person: MakePerson
) -> None:
    for who in (make_person("eve"), make_person("root", "administrator")):
        with pytest.raises(NotFoundError):
            related(studio, who, HERE, Selection("s1"))


def test_what_the_process_cannot_read_is_told_and_it_goes_on() -> None:
    look = NetworkProcess()
    with pytest.raises(RuntimeError, match="InputError: the record is damaged"):
        look("{}")
    example = write_example(Annotated(EXAMPLE)).decode()
    assert look(example).startswith('{"model":')
    look.close()
    assert look(example).startswith('{"model":')  # it starts again
    look.close()


def test_a_process_that_ends_is_one_line_of_the_log(
    studio: Studio, ann: Person, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(network_process, "_CODE", "pass")
    looking = Looking(studio)
    looking.ask(1)
    looking.finish()
    looking.close()
    (told,) = caplog.records
    assert (told.levelno, told.exc_info) == (logging.WARNING, None)
    assert "the process of the network ended" in told.getMessage()


def test_nothing_is_logged_when_the_studio_ends_while_the_network_works(
    studio: Studio, ann: Person, caplog: pytest.LogCaptureFixture
) -> None:
    looking = Looking(studio)
    looking.ask(1)
    looking.close()
    looking.ask(2)  # too late, and nobody minds
    assert caplog.text == ""
    with studio.read() as connection:
        assert looks_of(connection, 1) is None


SCRIPT = """
import sys
from assay.annotation.items.network_process import NetworkProcess

print("begun")
look = NetworkProcess()
print(look(sys.argv[1])[:9])
"""


def test_a_script_needs_no_guard_for_its_main_part(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    example = write_example(Annotated(EXAMPLE)).decode()
    command = [sys.executable, str(script), example]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    assert ran.stdout.split() == ["begun", '{"model":']
    assert ran.stderr == ""
