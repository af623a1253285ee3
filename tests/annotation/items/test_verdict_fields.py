"""Whatever a person can say of a unit is kept: saved, in later drafts, submitted and exported."""

import json
import re
from importlib.resources import files
from typing import Any

import pytest
from msgspec.structs import replace

from assay.annotation.exchange.exports import export_project
from assay.annotation.items.drafts import UnitEdit, read_units
from assay.annotation.items.work import change, submit
from assay.annotation.items.work_queue import next_item
from assay.annotation.settings import ProjectSettings
from assay.annotation.studio import Person, Studio
from assay.annotation.team.adjudication import take
from assay.core.codec import Reader, encode
from assay.core.verdicts import GIVEN_ATTRIBUTES, Attributes
from assay.core.wire import AttributesRecord, ExternalRecord, SpanRecord, UnitRecord, VerdictRecord
from assay.store.annotation.work import load_work
from tests.annotating import MakePerson, MakeProject
from tests.annotation.acting import begun, work_of
from tests.annotation.working import answers

OF_DETECTORS = {"score", "confidence", "error", "marks"}  # people are refused these
OF_READINGS = {"interpretations"}  # follow from the answers where there are several readings
_attributes = Reader(AttributesRecord)


def some_value(kind: Any) -> object:
    """Something else than the empty value of a field."""
    named = str(kind)
    return next(value for name, value in SOME.items() if name in named)


SOME: dict[str, object] = {"bool": True, "str": "words", "float": 0.5, "int": 3}


def given_attributes() -> AttributesRecord:
    """Attributes with all that people give."""
    kinds = Attributes.__annotations__
    values = {name: some_value(kinds[name]) for name in GIVEN_ATTRIBUTES}
    return _attributes.read(json.dumps(values), "the attributes")


def full_verdict(source: str) -> VerdictRecord:
    """A verdict that says all that a person can say of a sentence."""
    return VerdictRecord(
        label="out-dependent",
        note="because",
        evidence=[SpanRecord(0, 4, source[:4])],
        external=[ExternalRecord("https://example.org/", quote="words", title="Title")],
        answers=answers("out-dependent"),
        attributes=given_attributes(),
    )


def test_a_full_verdict_has_every_field_that_people_give() -> None:
    given = full_verdict("Cats sit.")
    empty = {name for name in given.__struct_fields__ if not getattr(given, name)}
    assert empty == OF_DETECTORS | OF_READINGS
    attributes = given.attributes
    assert attributes is not None
    assert {name for name in GIVEN_ATTRIBUTES if getattr(attributes, name)} == set(GIVEN_ATTRIBUTES)


def draft(studio: Studio, number: int) -> list[UnitRecord]:
    with studio.read() as connection:
        own = load_work(connection, number)
    assert own is not None
    return read_units(own.draft)


def of_verdict(unit: dict[str, Any]) -> dict[str, Any]:
    """What a unit's verdict says, with the name of its label only."""
    said = dict(unit["verdict"])
    label = said["label"]
    return {**said, "label": label["label"] if isinstance(label, dict) else label}


def as_json(unit: UnitRecord) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(encode(unit))
    return of_verdict(found)


@pytest.fixture
def ann(make_person: MakePerson) -> Person:
    return make_person("ann")


def test_every_field_survives_saving_later_drafts_submission_and_export(
    studio: Studio, ann: Person, make_person: MakePerson, make_project: MakeProject
) -> None:
    judy = make_person("judy", "adjudicator")
    make_project("demo", ProjectSettings(k=1), members=[ann, judy])
    assert next_item(studio, ann, "demo").position == 1
    number = work_of(studio, ann, "demo", 1, "annotate")
    version, units, source, _ = begun(studio, number)
    edits = [UnitEdit(each.id, replace(each, verdict=full_verdict(source))) for each in units]
    said = [as_json(each.unit) for each in edits if each.unit]

    saved = change(studio, ann, number, version, "edit", edits)
    assert [as_json(each) for each in draft(studio, number)] == said
    submit(studio, ann, number, saved.version)

    later = take(studio, judy, "demo", 1, author="ann").work
    version, units, _, _ = begun(studio, later)
    assert [as_json(each) for each in units] == said
    submit(studio, judy, later, version)

    exported = b"".join(export_project(studio, judy, "demo").content()).decode()
    lines = [json.loads(line) for line in exported.splitlines()]
    given = [each for line in lines for each in line.get("judgements", ())]
    assert {each["author"]["name"] for each in given} == {"ann", "judy", "gold"}
    for judgement in given:
        assert [of_verdict(unit) for unit in judgement["units"]] == said


def test_pages_take_over_the_attributes_that_people_give() -> None:
    script = files("assay.studio").joinpath("static", "item", "units.js").read_text("utf-8")
    (found,) = re.findall(r"export const GIVEN_ATTRIBUTES = (\[.*\]);", script)
    assert json.loads(found) == list(GIVEN_ATTRIBUTES)
