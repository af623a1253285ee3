"""Files become items of a project: good rows are taken, bad ones told, and nothing comes twice."""

import gzip
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from sqlalchemy import select, update

from assay.annotation.access import ForbiddenError, NotFoundError
from assay.annotation.exchange import imports as importing
from assay.annotation.exchange.export_forms import EXPORT_FORMS, Form
from assay.annotation.exchange.exports import export_project
from assay.annotation.exchange.imports import import_file, project_for_file
from assay.annotation.exchange.new_items import Imported, ImportOptions
from assay.annotation.figures.boards import board
from assay.annotation.people.accounts import add_person
from assay.annotation.projects import create_project, overview
from assay.annotation.settings import Mode, ProjectSettings
from assay.annotation.studio import Person, Studio, open_studio
from assay.core.codec import read_example, write_example
from assay.core.errors import InputError
from assay.core.examples import Annotated
from assay.core.judgements import Author, Judgement
from assay.datasets.fields import Columns
from assay.store.annotation.tables import comments, items, judgements, people, work
from tests.annotating import EXAMPLES, MakePerson, on_both_databases
from tests.annotation.stories import comment, detect, put, sentences_said, submit

Write = Callable[..., str]


@pytest.fixture
def ada(make_person: MakePerson) -> Person:
    """An administrator."""
    return make_person("ada", "administrator")


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Writes rows of JSON to a file."""

    def make(*rows: object, name: str = "rows.jsonl") -> str:
        path = tmp_path / name
        path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
        return str(path)

    return make


def row(id: str, response: str = "It sat. It slept.", **more: object) -> dict[str, object]:
    return {"id": id, "source": f"The cat of {id} sat.", "response": response, **more}


def make(studio: Studio, who: Person, settings: ProjectSettings | None = None) -> str:
    return create_project(studio, who, "Demo", settings or ProjectSettings()).slug


def exported(studio: Studio, who: Person, slug: str, form: Form = "jsonl") -> bytes:
    return b"".join(export_project(studio, who, slug, form).content())


@on_both_databases
def test_rows_become_items_with_their_sentences(studio: Studio, ada: Person, write: Write) -> None:
    slug = make(studio, ada, ProjectSettings(k=2))
    path = write(row("a", model="m1"), row("b", "One sentence."), row("c", "😀 Ja. Nein."))
    assert import_file(studio, ada, slug, path) == Imported(slug, added=3)
    with studio.read() as connection:
        found = connection.execute(select(items).order_by(items.c.position)).all()
    assert [(each.position, each.example, each.state, each.k) for each in found] == [
        (1, "a", "new", 2),
        (2, "b", "new", 2),
        (3, "c", "new", 2),
    ]
    assert [each.model for each in found] == ["m1", "", ""]
    units = read_example(found[2].record).example.units
    assert [(unit.id, unit.kind, unit.text) for unit in units] == [
        ("s1", "sentence", "😀 Ja."),
        ("s2", "sentence", "Nein."),
    ]
    assert overview(studio, ada, slug).dataset == "rows.jsonl"


def test_same_file_again_adds_nothing(studio: Studio, ada: Person, write: Write) -> None:
    slug, path = make(studio, ada), write(row("a"), row("b"))
    import_file(studio, ada, slug, path)
    assert import_file(studio, ada, slug, path) == Imported(slug, known=2)
    longer = write(row("a"), row("b"), row("c"), name="longer.jsonl")
    assert import_file(studio, ada, slug, longer) == Imported(slug, added=1, known=2)


def test_bad_rows_are_told_with_their_place_and_the_others_taken(
    studio: Studio, ada: Person, write: Write
) -> None:
    path = write(row("a"), {"id": "b", "source": "x"}, row("a", "Another text."), row("d"))
    Path(path).write_text(Path(path).read_text() + "{broken\n")
    told = import_file(studio, ada, make(studio, ada), path, ImportOptions(name="mine.jsonl"))
    assert (told.added, told.known, told.refused) == (2, 0, 3)
    places = [each.where for each in told.problems]
    assert places[0].startswith("mine.jsonl")
    assert "2" in places[0]
    assert places[1] == "the example 'a'"
    assert told.problems[1].message == "an item of that id came before in the file"
    assert not any(path in f"{each.where} {each.message}" for each in told.problems)


def test_other_text_under_a_known_id_is_refused(studio: Studio, ada: Person, write: Write) -> None:
    slug = make(studio, ada)
    import_file(studio, ada, slug, write(row("a")))
    told = import_file(studio, ada, slug, write(row("a", "Other."), row("b"), name="b.jsonl"))
    assert (told.added, told.refused) == (1, 1)
    assert told.problems[0].message == "the project has another item of that id"


def test_id_that_a_database_cannot_hold_is_refused(
    studio: Studio, ada: Person, write: Write
) -> None:
    path = write(row("a\x00b"), row("\ud800"), row("x" * 2000), row("c"))
    told = import_file(studio, ada, make(studio, ada), path)
    assert (told.added, told.refused) == (1, 3)


def test_import_that_was_cut_off_goes_on(
    studio: Studio, ada: Person, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importing, "ROWS_AT_ONCE", 2)
    slug, path = make(studio, ada), write(*(row(str(number)) for number in range(5)))

    def stop(rows: int) -> None:
        if rows == 4:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        import_file(studio, ada, slug, path, progress=stop)
    assert overview(studio, ada, slug).items == 4
    assert import_file(studio, ada, slug, path) == Imported(slug, added=1, known=4)


def test_file_without_examples_is_refused(studio: Studio, ada: Person, tmp_path: Path) -> None:
    path = tmp_path / "empty.jsonl"
    path.write_text("")
    with pytest.raises(InputError, match=r"empty\.jsonl"):
        import_file(studio, ada, make(studio, ada), str(path))


def test_damaged_zip_is_called_one(studio: Studio, ada: Person, tmp_path: Path) -> None:
    path = tmp_path / "batches.zip"
    path.write_bytes(b"PK\x03\x04 cut off")
    with pytest.raises(InputError, match=r"^batches\.zip is no zip, or a damaged one"):
        import_file(studio, ada, make(studio, ada), str(path))


def test_table_with_other_names_of_fields(studio: Studio, ada: Person, tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("id,Beleg,Satz\n1,Es regnet.,Es schneit.\n2,Ja.,Nein.\n", encoding="utf-8")
    options = ImportOptions(columns=Columns(source="Beleg", response="Satz"), language="de")
    assert import_file(studio, ada, make(studio, ada), str(path), options).added == 2


def test_annotator_may_not_import(
    studio: Studio, ada: Person, make_person: MakePerson, write: Write
) -> None:
    slug, path = make(studio, ada), write(row("a"))
    with pytest.raises(NotFoundError):
        import_file(studio, make_person("ann"), slug, path)
    with pytest.raises(ForbiddenError):
        project_for_file(studio, make_person("ben", "adjudicator"), path)


def test_training_needs_one_gold_judgement(
    studio: Studio, ada: Person, write: Write, tmp_path: Path
) -> None:
    slug = make(studio, ada)
    gold = Annotated(EXAMPLES[0]).with_judgements(
        sentences_said(EXAMPLES[0], ["contradicting", "fabricated"], "gold")
    )
    path = tmp_path / "gold.jsonl"
    path.write_bytes(write_example(gold) + b"\n" + write_example(Annotated(EXAMPLES[1])))
    training = ImportOptions(purpose="training")
    told = import_file(studio, ada, slug, str(path), training)
    assert (told.added, told.judgements, told.refused) == (1, 1, 1)
    assert "one judgement by people" in told.problems[0].message
    binary = write(row("c", label="faithful"))
    labelled = ImportOptions(purpose="quiz", columns=Columns(label="label"))
    assert import_file(studio, ada, slug, binary, labelled).refused == 1
    view = overview(studio, ada, slug)
    assert (view.items, view.quiz.training, view.quiz.questions) == (0, 1, 0)


@pytest.mark.parametrize(
    ("mode", "again", "state"),
    [("sentences", False, "done"), ("sentences", True, "new"), ("spans", False, "new")],
)
def test_items_that_people_judged_as_the_project_asks_are_done(
    studio: Studio, ada: Person, tmp_path: Path, mode: Mode, again: bool, state: str
) -> None:
    slug = make(studio, ada, ProjectSettings(mode=mode))
    said = sentences_said(EXAMPLES[0], ["contradicting", "fabricated"], "ann")
    path = tmp_path / "said.jsonl"
    path.write_bytes(write_example(Annotated(EXAMPLES[0], (said,))))
    import_file(studio, ada, slug, str(path), ImportOptions(again=again))
    assert overview(studio, ada, slug).states[state] == 1


def story(studio: Studio, ada: Person, make_person: MakePerson, path: str) -> str:
    """A project in the middle of its work: one item done, one discussed, one open, one new."""
    slug = make(studio, ada, ProjectSettings(k=2, discussion=True, guidelines="Read closely."))
    import_file(studio, ada, slug, path)
    ann, ben, cat = make_person("ann"), make_person("ben"), make_person("cat", "adjudicator")
    for position in (1, 2, 3):
        submit(studio, slug, position, ann, ["contradicting", "fabricated"], seconds=40)
    submit(studio, slug, 1, ben, ["contradicting", "ambiguous"])
    submit(studio, slug, 1, ben, ["contradicting", "no-fact"], stage="discuss")
    submit(studio, slug, 1, cat, ["contradicting", "fabricated"], stage="adjudicate")
    submit(studio, slug, 2, ben, ["out-dependent", "fabricated"])
    comment(studio, slug, 1, ben, "Which cat?")
    gold = Person(cat.id, "gold", "adjudicator")  # a revision by an audit
    submit(studio, slug, 1, gold, ["no-fact", "no-fact"], stage="audit")
    for position, state in enumerate(("done", "discussion", "open"), start=1):
        put(studio, slug, position, state)
        detect(studio, slug, position, "embedded", 0.25)
    return slug


def test_export_gives_the_same_project_back(
    studio: Studio, ada: Person, make_person: MakePerson, write: Write, tmp_path: Path
) -> None:
    slug = story(studio, ada, make_person, write(*(row(str(number)) for number in range(4))))
    first = exported(studio, ada, slug)
    path = tmp_path / "demo.jsonl.gz"
    path.write_bytes(gzip.compress(first))
    other = project_for_file(studio, ada, str(path), "Other")
    told = import_file(studio, ada, other, str(path))
    assert (told.added, told.refused) == (4, 0)
    second = exported(studio, ada, other)
    assert second.replace(b'"name":"Other"', b'"name":"Demo"') == first
    assert overview(studio, ada, other).settings == overview(studio, ada, slug).settings
    assert import_file(studio, ada, other, str(path)) == Imported(other, known=4)


def test_export_gives_the_same_project_back_in_another_studio(
    studio: Studio, ada: Person, make_person: MakePerson, write: Write, tmp_path: Path
) -> None:
    slug = story(studio, ada, make_person, write(*(row(str(number)) for number in range(4))))
    first = exported(studio, ada, slug)
    path = tmp_path / "demo.jsonl"
    path.write_bytes(first)
    other = open_studio(str(tmp_path / "other.sqlite"))
    with other.write() as connection:
        eve = add_person(other, connection, "eve", "administrator", "")
    import_file(other, eve, project_for_file(other, eve, str(path)), str(path))
    assert exported(other, eve, "demo") == first
    with other.read() as connection:
        found = connection.execute(select(people).order_by(people.c.name)).all()
        assert [(each.name, each.is_active) for each in found] == [
            ("ann", False),
            ("ben", False),
            ("cat", False),
            ("eve", True),
        ]
        said = connection.execute(select(judgements)).all()
        linked = {each.author for each in said if each.person is not None}
        assert linked == {"ann", "ben", "cat"}  # and not a detector or gold
        assert connection.execute(select(comments.c.text)).scalars().all() == ["Which cat?"]
        seconds = connection.execute(select(work.c.seconds).order_by(work.c.id)).scalars().all()
        assert seconds == [40, 60, 60, 60, 40, 60]
    other.close()


def test_damaged_lines_of_an_export_are_told(
    studio: Studio, ada: Person, make_person: MakePerson, write: Write, tmp_path: Path
) -> None:
    slug = story(studio, ada, make_person, write(*(row(str(number)) for number in range(4))))
    lines = exported(studio, ada, slug).splitlines()
    lines[3] = lines[3].replace(b'"schema"', b'"scheme"')
    del lines[6]
    path = tmp_path / "damaged.jsonl"
    path.write_bytes(b"\n".join(lines[:-1]))
    other = project_for_file(studio, ada, str(path), "Other")
    told = import_file(studio, ada, other, str(path))
    assert (told.added, told.refused) == (1, 4)
    assert [each.where for each in told.problems] == [
        "damaged.jsonl line 4",
        "damaged.jsonl line 5",
        "damaged.jsonl line 6",
        "damaged.jsonl line 7",
    ]


def test_project_of_a_later_version_is_refused(studio: Studio, ada: Person, write: Write) -> None:
    path = write({"schema": "urn:assay:project:9", "name": "x"})
    with pytest.raises(InputError, match="this version reads 'urn:assay:project:1'"):
        project_for_file(studio, ada, path)


def test_half_a_character_is_refused_with_its_place(
    studio: Studio, ada: Person, write: Write
) -> None:
    rows = (row("x"), row("y", "It sat \ud83d."), row("z", "😀 \\ud83d is no half."))
    told = import_file(studio, ada, make(studio, ada), write(*rows))
    assert (told.added, [each.where for each in told.problems]) == (2, ["rows.jsonl line 2"])


def test_half_a_character_in_a_project_file_is_refused(
    studio: Studio, ada: Person, make_person: MakePerson, write: Write, tmp_path: Path
) -> None:
    slug = story(studio, ada, make_person, write(*(row(str(number)) for number in range(4))))
    lines = exported(studio, ada, slug).splitlines()
    assert b"Which cat?" in lines[2]
    assert b'"note":"' in lines[3]
    lines[2] = lines[2].replace(b"Which cat?", b"Which \\ud83d?")
    lines[3] = lines[3].replace(b'"note":"', b'"note":"\\ud83d')
    path = tmp_path / "half.jsonl"
    path.write_bytes(b"\n".join(lines))
    other = project_for_file(studio, ada, str(path), "Other")
    told = import_file(studio, ada, other, str(path))
    assert (told.added, [each.where for each in told.problems]) == (
        2,
        ["half.jsonl line 3", "the example '1'"],
    )
    assert board(studio, ada, other).items == 2
    assert exported(studio, ada, other, "csv")


def test_what_is_stored_with_half_a_character_is_shown_and_exported(
    studio: Studio, ada: Person, make_person: MakePerson, write: Write
) -> None:
    slug = story(studio, ada, make_person, write(*(row(str(number)) for number in range(4))))
    with studio.write() as connection:
        for each in connection.execute(select(judgements)).all():
            record = each.record.replace('"note":"', '"note":"\\ud83d')
            own = update(judgements).where(judgements.c.id == each.id)
            connection.execute(own.values(record=record))
        for each in connection.execute(select(items)).all():
            record = each.record.replace('"source":"', '"split":"\\ud83d","source":"')
            own = update(items).where(items.c.id == each.id)
            connection.execute(own.values(record=record))
    assert board(studio, ada, slug).items == 4
    assert "\ufffd" in exported(studio, ada, slug, "csv").decode()
    for form in EXPORT_FORMS:
        assert exported(studio, ada, slug, form)


@pytest.mark.parametrize(
    "odd",
    [
        {"k": -5},
        {"k": 10**30},
        {"batch": 2**40},
        {"batch": -1},
        {"work": [{"person": "ann", "stage": "annotate", "seconds": 2**63}]},
        {"work": [{"person": "ann", "stage": "annotate"}] * 2},
        {"work": [{"person": "ann", "stage": "annotate", "started_at": "x" * 41}]},
        {"flags": [{"unit": "s1"}] * 2},
        {"flags": [{"unit": "s1", "reasons": "not json"}]},
        {"flags": [{"unit": "s1", "decision": "whatever"}]},
        {"comments": [{"author": "ann", "text": "a\0"}]},
        {"pages": [{"digest": "0" * 65, "person": "ann"}]},
        {"stages": [{"author": "ann", "round": 2**63, "stage": "annotate"}]},
    ],
)
def test_odd_values_of_a_project_file_are_refused(
    studio: Studio, ada: Person, write: Write, odd: dict[str, object]
) -> None:
    slug = make(studio, ada)
    import_file(studio, ada, slug, write(row("a"), row("b")))
    head, *lines = map(json.loads, exported(studio, ada, slug).splitlines())
    head["people"] = [{"name": "ann"}]
    lines[1].update(odd)
    path = write(head, *lines, name="odd.jsonl")
    other = project_for_file(studio, ada, path, "Other")
    told = import_file(studio, ada, other, path)
    assert (told.added, told.refused) == (1, 1)
    assert told.problems[0].where in ("odd.jsonl line 3", "the example 'a'")


@pytest.mark.parametrize(
    "odd",
    [{"round": 2**63}, {"round": 0}, {"at": "x" * 41}, {"at": "\0"}, {"supersedes": "\ud83d"}],
)
def test_odd_judgements_are_refused(
    studio: Studio, ada: Person, write: Write, odd: dict[str, object]
) -> None:
    slug = make(studio, ada)
    said = Judgement("a", Author("ann", "person"), (), ())
    line = json.loads(write_example(Annotated(EXAMPLES[0], (said,))))
    line["judgements"][0].update(odd)
    told = import_file(
        studio, ada, slug, write(json.loads(write_example(Annotated(EXAMPLES[1]))), line)
    )
    assert (told.added, told.refused) == (1, 1)
