"""An export of every form comes back as the same project, as far as the form can hold it."""

import io
import json
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import insert, select

from assay.annotation.exchange.export_forms import Form
from assay.annotation.exchange.exports import Export, export_project
from assay.annotation.exchange.imports import import_file
from assay.annotation.exchange.new_items import Imported, ImportOptions
from assay.annotation.items.snapshots import snapshot
from assay.annotation.projects import create_project, overview
from assay.annotation.settings import Mode, ProjectSettings
from assay.annotation.studio import KEEPER, Person, Studio, open_studio
from assay.annotation.team.exercises import add_shipped
from assay.core.codec import write_judgement
from assay.core.errors import InputError
from assay.core.examples import Annotated
from assay.core.verdicts import ExternalEvidence
from assay.datasets.formats.detection import read_annotated
from assay.knowledge.sources import KnowledgePassage
from assay.store.annotation.judgements import add_judgements
from assay.store.annotation.records import StoredJudgement
from assay.store.annotation.tables import fetches, judgements, members, projects, snapshots
from tests.annotating import EXAMPLES, MakePerson, MakeProject, on_both_databases
from tests.annotation.stories import detect, item_number, put, sentences_said, submit

SOURCE, SUMMARY = "The ferry left at nine. It was full.", "The ferry left at ten."
ROWS = [
    {"id": each.id, "source": each.source.text, "response": each.response.text} for each in EXAMPLES
]
Write = Callable[[str, bytes], str]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Writes a file and gives its path."""

    def make(name: str, content: bytes) -> str:
        (tmp_path / name).write_bytes(content)
        return str(tmp_path / name)

    return make


def make(studio: Studio, name: str, mode: Mode = "sentences") -> str:
    return create_project(studio, KEEPER, name, ProjectSettings(mode=mode, k=2)).slug


def content(made: Export) -> bytes:
    return b"".join(made.content())


def export(studio: Studio, slug: str, form: Form = "jsonl", who: Person = KEEPER) -> Export:
    return export_project(studio, who, slug, form)


def files(packed: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(packed)) as opened:
        return {name: opened.read(name) for name in opened.namelist()}


def zipped(content: dict[str, bytes]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as opened:
        for name, each in content.items():
            opened.writestr(name, each)
    return packed.getvalue()


def sample(number: int, *names: str) -> dict[str, Any]:
    annotations = [
        {
            "annot_id": place,
            "annotator_id": f"id-{name}",
            "annotator_name": name,
            "label": ["Unwanted", "Unwanted.Intrinsic"],
            "note": "nine",
            "summary_span": "ten",
            "summary_start": 18,
            "summary_end": 21,
            "source_span": "nine",
            "source_start": 18,
            "source_end": 22,
        }
        for place, name in enumerate(names, start=1)
    ]
    return {
        "sample_id": number,
        "source": SOURCE,
        "summary": SUMMARY,
        "annotations": annotations,
        "metadata": {"summarizer": f"m{number}"},
    }


def batch(*samples: dict[str, Any]) -> bytes:
    return json.dumps({"samples": samples}, indent=2).encode()


BATCHES = {
    "batch_1.json": batch(sample(0, "Ann", "Ben"), sample(1, "Ann")),
    "batch_2.json": batch(sample(0), sample(1, "Cat")),
}


def test_batch_leaves_under_its_own_name_as_it_came(studio: Studio, write: Write) -> None:
    slug = make(studio, "Demo", "spans")
    import_file(studio, KEEPER, slug, write("batch_1.json", BATCHES["batch_1.json"]))
    made = export(studio, slug, "faithbench")
    assert (made.name, made.media_type) == ("batch_1.json", "application/json")
    assert content(made) == BATCHES["batch_1.json"]


@on_both_databases
def test_several_batches_leave_as_a_zip_that_comes_back(studio: Studio, write: Write) -> None:
    slug = make(studio, "Demo", "spans")
    for name, given in BATCHES.items():
        import_file(studio, KEEPER, slug, write(name, given))
    made = export(studio, slug, "faithbench")
    assert (made.name, made.media_type) == ("demo.faithbench.zip", "application/zip")
    packed = content(made)
    assert files(packed) == BATCHES
    back = make(studio, "Back", "spans")
    assert import_file(studio, KEEPER, back, write("b.zip", packed)).added == 4
    assert content(export(studio, back, "faithbench")) == packed
    assert (
        content(export(studio, back)).splitlines()[1:]
        == (content(export(studio, slug)).splitlines()[1:])
    )


def test_training_and_quiz_come_back_and_are_no_data_for_other_commands(
    studio: Studio, write: Write
) -> None:
    slug = make(studio, "Demo")
    add_shipped(studio, KEEPER, slug)
    lines = "".join(f"{json.dumps(row)}\n" for row in ROWS).encode()
    import_file(studio, KEEPER, slug, write("rows.jsonl", lines))
    path = write("demo.jsonl", content(export(studio, slug)))
    assert [row.id for row in read_annotated(path) if isinstance(row, Annotated)] == list("abc")
    back = make(studio, "Back")
    import_file(studio, KEEPER, back, path)
    quiz = overview(studio, KEEPER, back).quiz
    assert (quiz.training, quiz.questions) == (10, 7)
    again = content(export(studio, back)).splitlines()
    assert again[1:] == Path(path).read_bytes().splitlines()[1:]


def test_examples_from_elsewhere_keep_their_ids_and_splits_as_batches(
    studio: Studio, write: Write, make_person: MakePerson
) -> None:
    ann = make_person("ann")
    rows = [{**row, "split": split} for row, split in zip(ROWS, "xxy", strict=True)]
    lines = "".join(f"{json.dumps(row)}\n" for row in rows).encode()
    slug = make(studio, "Demo", "spans")
    import_file(studio, KEEPER, slug, write("rows.jsonl", lines))
    for position in (1, 2, 3):
        submit(studio, slug, position, ann, {})
        put(studio, slug, position, "done")
    import_file(studio, KEEPER, slug, write("batch_1.json", BATCHES["batch_1.json"]))
    packed = content(export(studio, slug, "faithbench"))
    assert sorted(files(packed)) == ["batch_1.json", "others.json"]
    back = make(studio, "Back", "spans")
    assert import_file(studio, KEEPER, back, write("b.zip", packed)).refused == 0
    assert content(export(studio, back, "faithbench")) == packed


def test_problems_in_a_zip_name_the_file_and_no_folder(studio: Studio, write: Write) -> None:
    bad = {**sample(3), "annotations": "none"}
    given = {"data/batch_1.json": batch(sample(0), bad), "readme.txt": b"hello"}
    told = import_file(studio, KEEPER, make(studio, "Demo"), write("b.zip", zipped(given)))
    assert (told.added, told.refused) == (1, 1)
    assert told.problems[0].where == "batch_1.json sample 2"
    twice = {"a/batch_1.json": batch(sample(0)), "b/batch_1.json": batch(sample(0))}
    with pytest.raises(InputError, match=r"two files named batch_1\.json"):
        import_file(studio, KEEPER, "demo", write("twice.zip", zipped(twice)))


def test_zip_that_unpacks_to_too_much_is_refused(
    studio: Studio, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("assay.annotation.exchange.imports.MOST_UNPACKED", 2**20)
    given = write("b.zip", zipped({f"batch_{n}.json": b" " * 600_000 for n in (1, 2)}))
    with pytest.raises(InputError, match="larger than 1 MiB unpacked"):
        import_file(studio, KEEPER, make(studio, "Demo"), given)


def ragtruth() -> dict[str, bytes]:
    source = {
        "source_id": "s1",
        "task_type": "Summary",
        "source": "CNN",
        "source_info": SOURCE,
        "prompt": "Sum up.",
    }
    label = {
        "start": 18,
        "end": 21,
        "text": "ten",
        "meta": "nine",
        "label_type": "Evident Conflict",
    }
    response = {
        "id": "7",
        "source_id": "s1",
        "model": "m",
        "temperature": 0.7,
        "labels": [{**label, "implicit_true": False, "due_to_null": False}],
        "split": "train",
        "quality": "good",
        "response": SUMMARY,
    }
    return {
        "response.jsonl": json.dumps(response).encode() + b"\n",
        "source_info.jsonl": json.dumps(source).encode() + b"\n",
    }


@pytest.mark.parametrize("mode", ["sentences", "spans"])
def test_ragtruth_comes_back_as_it_was(studio: Studio, write: Write, mode: Mode) -> None:
    slug = make(studio, "Demo", mode)
    assert import_file(studio, KEEPER, slug, write("r.zip", zipped(ragtruth()))).added == 1
    assert overview(studio, KEEPER, slug).states["new"] == 1  # its labels are no answer here
    packed = content(export(studio, slug, "ragtruth"))
    assert files(packed) == ragtruth()
    back = make(studio, "Back", mode)
    import_file(studio, KEEPER, back, write("b.zip", packed))
    assert content(export(studio, back, "ragtruth")) == packed


@pytest.mark.parametrize("form", ["jsonl", "ragtruth", "csv"])
def test_labels_that_came_with_new_items_are_for_those_who_may_import(
    studio: Studio, make_person: MakePerson, write: Write, form: Form
) -> None:
    slug = make(studio, "Demo")
    import_file(studio, KEEPER, slug, write("r.zip", zipped(ragtruth())))
    ada = make_person("ada", "administrator")
    cat = make_person("cat", "adjudicator")
    with studio.write() as connection:
        number = connection.execute(select(projects.c.id)).scalar_one()
        row = insert(members).values(project=number, person=cat.id, at="", passed_at="")
        connection.execute(row)
    told = {}
    for who in (ada, cat):
        given = content(export(studio, slug, form, who))
        told[who.name] = files(given)["response.jsonl"] if form == "ragtruth" else given
    assert b"conflict" in told["ada"].lower()
    assert b"conflict" not in told["cat"].lower()  # who may be given it to annotate


@pytest.fixture
def judged(studio: Studio, make_person: MakePerson, make_project: MakeProject) -> str:
    """A project with people in two rounds, and a detector."""
    ann, ben = make_person("ann"), make_person("ben")
    slug = make_project("demo", ProjectSettings(k=2), members=[ann, ben]).slug
    for position in (1, 2):
        submit(studio, slug, position, ann, ["contradicting", "fabricated"])
        submit(studio, slug, position, ben, ["no-fact", "fabricated"])
        detect(studio, slug, position, "embedded", 0.25)
        put(studio, slug, position, "done")
    submit(studio, slug, 1, ben, ["contradicting", "fabricated"], stage="discuss")
    return slug


def lines() -> bytes:
    return "".join(f"{json.dumps(row)}\n" for row in ROWS).encode()


def test_table_brings_what_was_said_to_the_same_items(
    studio: Studio, judged: str, write: Write
) -> None:
    table = content(export(studio, judged, "csv"))
    path = write("table.csv", table)
    back = make(studio, "Back")
    import_file(studio, KEEPER, back, write("rows.jsonl", lines()))
    assert import_file(studio, KEEPER, back, path) == Imported(back, judgements=7)
    assert content(export(studio, back, "csv")) == table
    states = overview(studio, KEEPER, back).states
    assert (states["done"], states["new"]) == (2, 1)
    assert import_file(studio, KEEPER, back, path) == Imported(back, known=7)
    with studio.read() as connection:
        rows = connection.execute(
            select(judgements)
            .join(projects, projects.c.id == judgements.c.project)
            .where(projects.c.slug == back, judgements.c.author == "ben")
        ).all()
    assert [(row.round, row.is_current, row.stage, row.person) for row in rows] == [
        (1, False, "imported", None),
        (2, True, "imported", None),
        (1, True, "imported", None),
    ]


def test_table_has_items_judged_again_where_that_is_asked(
    studio: Studio, judged: str, write: Write
) -> None:
    path = write("table.csv", content(export(studio, judged, "csv")))
    back = make(studio, "Back")
    import_file(studio, KEEPER, back, write("rows.jsonl", lines()))
    import_file(studio, KEEPER, back, path, ImportOptions(again=True))
    assert overview(studio, KEEPER, back).states["new"] == 3
    with pytest.raises(InputError, match="has no texts"):
        import_file(studio, KEEPER, back, path, ImportOptions(purpose="quiz"))


def test_table_changes_nothing_where_people_work(studio: Studio, judged: str, write: Write) -> None:
    table = content(export(studio, judged, "csv")).decode()
    before = content(export(studio, judged))
    other = write("other.csv", table.replace(",ann,person", ",eve,person").encode())
    told = import_file(studio, KEEPER, judged, other)
    assert (told.known, told.judgements, told.refused) == (5, 0, 2)
    assert told.problems[0].where == "the example 'a'"
    assert "people work on it here" in told.problems[0].message
    changed = write("changed.csv", table.replace("by ann", "by nobody").encode())
    assert import_file(studio, KEEPER, judged, changed).refused == 2
    assert content(export(studio, judged)) == before


def test_table_about_other_items_is_told_row_by_row(
    studio: Studio, judged: str, write: Write
) -> None:
    path = write("table.csv", content(export(studio, judged, "csv")))
    told = import_file(studio, KEEPER, make(studio, "Empty"), path, ImportOptions(name="mine.csv"))
    assert (told.judgements, told.refused) == (0, 7)
    assert told.problems[0].where == "mine.csv row 1"
    assert told.problems[0].message == "there is no example 'a'"


@pytest.fixture
def citing(studio: Studio, judged: str) -> str:
    """The digest of a page that ann cites for the first item."""
    page = KnowledgePassage("Cats sit.")
    item, project, example = item_number(studio, judged, 1)
    said = sentences_said(example, ["out-dependent", "fabricated"], "ann")
    cited = ExternalEvidence("https://example.org/cats", digest=page.digest)
    verdict, other = said.verdicts
    said = replace(
        said,
        round=2,
        supersedes="a/ann/1",
        outcomes=(replace(verdict, external=(cited,)), other),
    )
    with studio.write() as connection:
        row = connection.execute(select(judgements).where(judgements.c.author == "ann")).first()
        assert row is not None
        stored = StoredJudgement(
            id=0,
            project=project,
            item=item,
            author="ann",
            kind="person",
            person=row.person,
            stage="discuss",
            is_current=True,
            round=2,
            at="",
            record=write_judgement(said).decode(),
        )
        add_judgements(connection, [stored])
        for words in ("Cats sit.", "Nobody cites this."):
            digest = KnowledgePassage(words).digest
            about = {"address": cited.address, "at": "2026-01-02T03:04:05"}
            connection.execute(
                insert(snapshots).values(
                    digest=digest, title="Cats", text=words, content_type="text/html", **about
                )
            )
            connection.execute(
                insert(fetches).values(digest=digest, item=item, person=row.person, **about)
            )
    return page.digest


@on_both_databases
def test_project_file_has_the_pages_that_people_cite(
    studio: Studio, judged: str, citing: str, write: Write, tmp_path: Path
) -> None:
    first = content(export(studio, judged))
    assert first.count(b"urn:assay:project-snapshot:1") == 1
    assert b"Nobody cites this." not in first
    path = write("demo.jsonl", first)
    assert [each.id for each in read_annotated(path) if isinstance(each, Annotated)] == [
        "a",
        "b",
        "c",
    ]
    other = open_studio(str(tmp_path / "other.sqlite"))
    slug = make(other, "Demo")
    assert import_file(other, KEEPER, slug, path).refused == 0
    assert content(export(other, slug)) == first
    shown = snapshot(other, KEEPER, citing)
    assert (shown.text, shown.title, shown.address) == (
        "Cats sit.",
        "Cats",
        "https://example.org/cats",
    )
    other.close()


def test_page_whose_words_were_changed_is_refused(
    studio: Studio, judged: str, citing: str, write: Write, tmp_path: Path
) -> None:
    changed = content(export(studio, judged)).replace(b'"text":"Cats sit."', b'"text":"Dogs sit."')
    other = open_studio(str(tmp_path / "other.sqlite"))
    told = import_file(other, KEEPER, make(other, "Demo"), write("demo.jsonl", changed))
    assert (told.added, told.refused) == (3, 1)
    assert "are not those that were kept" in told.problems[0].message
    other.close()
