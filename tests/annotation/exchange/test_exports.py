"""A project leaves as a file: in which forms, and without what is nobody's business yet."""

import csv
import io
import json
import re
import zipfile
from pathlib import Path
from typing import get_args

import pytest

from assay.annotation.access import ForbiddenError
from assay.annotation.exchange.export_forms import EXPORT_FORMS, Form
from assay.annotation.exchange.exports import export_project
from assay.annotation.exchange.imports import import_file, project_for_file
from assay.annotation.projects import list_projects
from assay.annotation.settings import ProjectSettings
from assay.annotation.studio import Person, Studio
from assay.core.codec import read_example
from assay.core.errors import InputError
from assay.datasets.selection import DataChoice, load
from assay.evaluation.references import open_judgements
from tests.annotating import MakePerson, MakeProject, on_both_databases
from tests.annotation.stories import detect, put, submit

Team = tuple[Person, Person, Person]
SECRET = "ambiguous"


def exported(studio: Studio, who: Person, form: Form = "jsonl") -> bytes:
    return b"".join(export_project(studio, who, "demo", form).content())


@pytest.fixture
def team(studio: Studio, make_person: MakePerson, make_project: MakeProject) -> Team:
    """Two annotators and an adjudicator: one item is done, one open, one new."""
    ann, ben, cat = make_person("ann"), make_person("ben"), make_person("cat", "adjudicator")
    make_project("demo", ProjectSettings(k=2), members=[ann, ben, cat])
    submit(studio, "demo", 1, ann, ["contradicting", "fabricated"])
    submit(studio, "demo", 1, ben, ["explicitly-supported", "fabricated"])
    submit(studio, "demo", 1, cat, ["implicitly-supported", "fabricated"], stage="adjudicate")
    submit(studio, "demo", 2, ann, [SECRET, SECRET])
    put(studio, "demo", 1, "done")
    put(studio, "demo", 2, "open")
    for position in (1, 2):
        detect(studio, "demo", position, "embedded", 0.25)
    return ann, ben, cat


@pytest.mark.parametrize("form", ["jsonl", "faithbench", "ragtruth", "csv"])
def test_what_is_still_blind_stays_in_the_studio(studio: Studio, team: Team, form: Form) -> None:
    raw = exported(studio, team[2], form)
    if form == "ragtruth":
        with zipfile.ZipFile(io.BytesIO(raw)) as packed:
            raw = b"".join(packed.read(name) for name in packed.namelist())
    assert (b"The dog ran" in raw) is (form in ("jsonl", "csv"))  # these tell that nobody judged it
    assert SECRET.encode() not in raw


def test_detectors_of_open_items_are_exported(studio: Studio, team: Team) -> None:
    lines = exported(studio, team[2]).splitlines()
    open_item = read_example(lines[3])
    assert [each.author.name for each in open_item.judgements] == ["embedded"]
    assert json.loads(lines[4])["example"] == "b"
    assert "state" not in json.loads(lines[4])  # as if nobody had it


def test_other_commands_read_the_export_and_take_what_settled_an_item_for_gold(
    studio: Studio, team: Team, tmp_path: Path
) -> None:
    path = tmp_path / "demo.jsonl"
    path.write_bytes(exported(studio, team[2]))
    loaded = load(DataChoice(str(path)))
    first, *others = loaded.annotated
    assert [each.id for each in loaded.annotated] == ["a", "b", "c"]
    gold = next(each for each in first.gold if each.author.name == "gold")
    assert [str(each.label) for each in gold.verdicts] == ["implicitly-supported", "fabricated"]
    assert [each.gold for each in others] == [(), ()]


@on_both_databases
def test_table_has_a_row_for_each_unit_of_each_author(studio: Studio, team: Team) -> None:
    rows = list(csv.DictReader(io.StringIO(exported(studio, team[2], "csv").decode())))
    said = [(row["author"], row["unit"], row["label"]) for row in rows if row["example"] == "a"]
    assert ("ben", "s1", "explicitly-supported") in said
    assert len(said) == 8  # three people and a detector, two sentences each


def test_ragtruth_has_what_settled_the_item(studio: Studio, team: Team, tmp_path: Path) -> None:
    with zipfile.ZipFile(io.BytesIO(exported(studio, team[2], "ragtruth"))) as packed:
        assert sorted(packed.namelist()) == ["response.jsonl", "source_info.jsonl"]
        first = json.loads(packed.read("response.jsonl").splitlines()[0])
    assert [(each["text"], each["label_type"]) for each in first["labels"]] == [
        ("It slept.", "Evident Baseless Info")
    ]


SPANS: dict[int, dict[str, str]] = {1: {"slept": "unwanted.extrinsic"}, 3: {}}  # by position


@pytest.mark.parametrize("form", ["ragtruth", "faithbench"])
@pytest.mark.parametrize("authors", [1, 2])
def test_items_that_nobody_judged_are_not_taken_for_faithful_ones(
    studio: Studio,
    make_person: MakePerson,
    make_project: MakeProject,
    tmp_path: Path,
    form: Form,
    authors: int,
) -> None:
    ada = make_person("ada", "administrator")
    team = [make_person(name) for name in ("ann", "ben")][:authors]
    make_project("demo", ProjectSettings(mode="spans", k=authors), members=team)
    for position, said in SPANS.items():
        for who in team:
            submit(studio, "demo", position, who, said)
        put(studio, "demo", position, "done")
    submit(studio, "demo", 2, team[0], {})
    put(studio, "demo", 2, "open")
    made = export_project(studio, ada, "demo", form)
    assert made.left_out == 1
    path = tmp_path / ("batch_1.json" if form == "faithbench" else "back.zip")
    path.write_bytes(b"".join(made.content()))
    slug = project_for_file(studio, ada, str(path), "Back", ProjectSettings(mode="spans"))
    assert import_file(studio, ada, slug, str(path)).added == 2
    (line,) = [each for each in list_projects(studio, ada) if each.slug == slug]
    # The marks of RAGTruth have labels of their own, which no project asks for.
    assert (line.done, line.items) == (2 if form == "faithbench" else 0, 2)


def test_sentences_come_back_from_faithbench_as_done(
    studio: Studio, team: Team, make_person: MakePerson, tmp_path: Path
) -> None:
    ada, path = make_person("ada", "administrator"), tmp_path / "batch_1.json"
    path.write_bytes(exported(studio, ada, "faithbench"))
    slug = project_for_file(studio, ada, str(path), "Back", ProjectSettings())
    import_file(studio, ada, slug, str(path))
    (line,) = [each for each in list_projects(studio, ada) if each.slug == slug]
    assert (line.done, line.items) == (1, 1)


def test_zip_of_something_else_is_refused(
    studio: Studio, make_person: MakePerson, make_project: MakeProject, tmp_path: Path
) -> None:
    make_project("demo")
    path = tmp_path / "odd.zip"
    with zipfile.ZipFile(path, "w") as packed:
        packed.writestr("../../evil.txt", "{}")
    with pytest.raises(InputError, match=r"odd\.zip holds neither"):
        import_file(studio, make_person("ada", "administrator"), "demo", str(path))


def test_zip_of_plain_rows_is_imported_and_writes_nowhere_else(
    studio: Studio, make_person: MakePerson, make_project: MakeProject, tmp_path: Path
) -> None:
    make_project("demo")
    path = tmp_path / "deep" / "er" / "rows.zip"
    path.parent.mkdir(parents=True)
    with zipfile.ZipFile(path, "w") as packed:
        packed.writestr("../../evil.jsonl", '{"id": "1", "source": "A.", "response": "A."}')
    done = import_file(studio, make_person("ada", "administrator"), "demo", str(path))
    assert done.added == 1
    assert not list(tmp_path.rglob("evil*"))


def test_annotators_do_not_export(studio: Studio, team: Team) -> None:
    with pytest.raises(ForbiddenError):
        export_project(studio, team[0], "demo")


@pytest.fixture
def at(studio_at: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """The environment says where the studio is."""
    monkeypatch.setenv("ASSAY_STUDIO", studio_at)
    return studio_at


def test_reference_opens_what_somebody_said(studio: Studio, team: Team, at: str) -> None:
    found = open_judgements("studio:demo/ann")
    assert [each.example for each in found] == ["a"]  # 'b' is still annotated blind
    assert (found.manifest.author.kind, found.manifest.taxonomy) == ("person", "gray7")
    assert [each.example for each in open_judgements("studio:demo/embedded")] == ["a", "b"]


def test_final_is_what_settled_each_item(studio: Studio, team: Team, at: str) -> None:
    (only,) = open_judgements("studio:demo/final")
    assert [str(each.label) for each in only.verdicts] == ["implicitly-supported", "fabricated"]


@pytest.mark.parametrize(
    ("reference", "message"),
    [
        ("studio:demo", "give PROJECT/NAME"),
        ("studio:other/ann", "unknown project 'other'"),
        ("studio:demo/eve", "unknown annotator or detector of 'demo' 'eve'"),
    ],
)
def test_reference_to_nothing_says_so(
    studio: Studio, team: Team, at: str, reference: str, message: str
) -> None:
    with pytest.raises(InputError, match=message):
        open_judgements(reference)


def test_reference_makes_no_studio(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSAY_STUDIO", str(tmp_path / "none.sqlite"))
    with pytest.raises(InputError, match="there is no studio at"):
        open_judgements("studio:demo/ann")
    assert not (tmp_path / "none.sqlite").exists()


def test_every_form_of_the_menu_is_declared() -> None:
    assert tuple(EXPORT_FORMS) == get_args(Form)


@pytest.mark.parametrize("form", EXPORT_FORMS)
def test_every_form_is_documented(form: Form) -> None:
    page = Path(__file__).parents[3] / "docs" / "studio.md"
    assert re.search(rf"`(--form )?{form}`", page.read_text(encoding="utf-8"))
