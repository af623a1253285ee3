"""Notes on lines about who flagged: they are read back, and are no detectors."""

from assay.audit.notes import (
    Flagger,
    SearchNotes,
    flaggers_of,
    notes_on,
    notes_together,
    with_notes,
    without_notes,
)
from assay.core.codec import read_example, write_example
from assay.core.judgements import Author, Judgements, Manifest
from assay.evaluation.references import recorded_detectors
from tests.audit.ferries import ferry

NOTES = SearchNotes(
    (Flagger("judge-gray7 a/m1", ("a/m1",)), Flagger("overlap"), Flagger("vote", ("m1", "m2"))),
    ("judge-finesure a/m1",),
    has_controls=True,
)


def test_notes_come_back_from_a_file_and_are_no_detectors() -> None:
    line = with_notes(ferry("a"), NOTES)
    back = read_example(write_example(line))
    assert notes_on([ferry("b"), back]) == NOTES
    assert recorded_detectors([back]) == []
    assert without_notes(back) == ferry("a")
    assert with_notes(back, NOTES) == back


def test_lines_without_notes_say_nothing() -> None:
    assert notes_on([ferry("a")]) == SearchNotes()
    assert notes_together([SearchNotes(), NOTES, NOTES]) == NOTES


def test_flagger_is_known_by_its_author_and_the_models_of_its_manifest() -> None:
    manifest = Manifest(Author("judge-gray7 m1"), model="m1, m2")
    said = Judgements("run:first", manifest, lambda: ())
    assert flaggers_of([said, said]) == (Flagger("judge-gray7 m1", ("m1", "m2")),)


def test_voter_is_involved_as_a_detector_as_a_model_or_as_a_run() -> None:
    voters = ("overlap", "a/m1", "run:x", "m3", "judge-finesure a/m1")
    found = NOTES.involved(voters, {"run:x": "vote"})
    assert [str(each) for each in found] == [
        "overlap",
        "a/m1 (as judge-gray7 a/m1)",
        "run:x (as vote)",
    ]
