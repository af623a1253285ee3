"""A project in full swing, so that every page has something to show."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy import update

from assay.annotation.audit.audits import find_flags
from assay.annotation.exchange.imports import import_file
from assay.annotation.items.item_view import open_item
from assay.annotation.people.invitations import invite
from assay.annotation.people.members import add_member
from assay.annotation.projects import create_project
from assay.annotation.settings import ProjectSettings
from assay.annotation.studio import Person
from assay.annotation.team.adjudication import take
from assay.annotation.team.batches import BatchRequest, give_out
from assay.annotation.team.discussion import add_comment
from assay.annotation.team.exercises import add_shipped
from assay.annotation.team.training import begin_training
from assay.store.annotation.tables import members
from tests.annotation.acting import annotate
from tests.studio.serving import Served
from tests.studio.story_data import judged, sentences, write

GOOD, BAD, FALSE, SOFT = (
    "explicitly-supported",
    "fabricated",
    "contradicting",
    "implicitly-supported",
)


@dataclass(frozen=True)
class Texts:
    """What stands in the project wherever people write something."""

    source: str = (
        "The mill on the Aln was built in 1790. It ground corn until 1938, when the wheel broke.\n"
        "Since 2004 it has been a museum. Some 9,000 people visit it every year."
    )
    response: str = "The mill was built in 1790. It stopped in 1838. It is a museum now."
    name: str = "Mills and rivers"
    note: str = "The source says 1938."
    guidelines: str = "Judge each sentence by the source alone.\nWhen in doubt, ask."
    people: tuple[str, ...] = ("root", "anna", "ben", "cleo", "chair")
    model: str = "writer-7b"

    def labels(self, *first: str) -> tuple[str, ...]:
        """Labels for all sentences of the response, of which the first are given."""
        return first + (GOOD,) * (len(sentences(self.response)) - len(first))


@dataclass
class Populated:
    """A project, its people by what they do, and the pages that each of them can open."""

    slug: str
    root: Person
    anna: Person
    ben: Person
    cleo: Person
    chair: Person
    invitation: str

    def pages(self) -> Iterator[tuple[str, Person | None, str]]:
        """Every page: what to call it, who opens it, and its path."""
        home = f"/projects/{self.slug}"
        yield "login", None, "/login"
        yield "invitation", None, f"/invitation/{self.invitation}"
        yield "projects", self.root, "/"
        yield "projects-none", self.cleo, "/"
        yield "people", self.root, "/people"
        yield "account", self.anna, "/account"
        yield "missing", self.anna, "/projects/nowhere"
        yield "project", self.root, home
        yield "project-annotator", self.anna, home
        yield "settings", self.root, f"{home}/settings"
        yield "training", self.ben, f"{home}/training"
        yield "board", self.chair, f"{home}/board"
        yield "adjudication", self.chair, f"{home}/adjudication"
        yield "audit", self.chair, f"{home}/audit"
        yield "history", self.chair, f"{home}/history"
        yield "history-item", self.chair, f"{home}/history?item=1"
        yield "items", self.chair, f"{home}/items"
        yield "item-open", self.anna, f"{home}/items/4"
        yield "item-discussion", self.anna, f"{home}/items/2"
        yield "item-adjudication", self.chair, f"{home}/items/3"
        yield "item-done", self.chair, f"{home}/items/1"
        yield "item-training", self.ben, f"{home}/items/1?purpose=training"


def populate(site: Served, folder: Path, texts: Texts | None = None) -> Populated:
    """Fills an empty studio; two annotators of four have submitted in each state of an item."""
    texts = texts or Texts()
    studio = site.studio
    roles: Any = ("administrator", "annotator", "annotator", "annotator", "adjudicator")
    root, anna, ben, cleo, chair = (
        site.add(name, role) for name, role in zip(texts.people, roles, strict=True)
    )
    settings = ProjectSettings(k=2, discussion=True, guidelines=texts.guidelines, show_model=True)
    slug = create_project(studio, root, texts.name, settings).slug
    rows = []
    for number in range(1, 6):
        one = {"id": f"mill-{number}", "source": texts.source, "response": texts.response}
        labels = texts.labels(GOOD, GOOD if number == 1 else BAD, GOOD)
        rows.append(_said(one, texts, labels) | {"model": texts.model})
    imported = import_file(studio, root, slug, write(folder / "mills.jsonl", *rows))
    assert imported.added == len(rows), imported.problems
    for each in (anna, ben, chair):
        add_member(studio, root, slug, each.name)
    give_out(studio, root, slug, BatchRequest(3, 2))
    _annotate(site, slug, anna, ben, texts)
    add_shipped(studio, root, slug)
    begin_training(studio, ben, slug)
    with studio.write() as connection:  # anna has passed the quiz, and ben is in the training
        passed = update(members).where(members.c.person == anna.id)
        connection.execute(passed.values(passed_at=studio.now(), quiz_score=0.9, quiz_attempts=1))
    open_item(studio, anna, slug, 4)
    take(studio, chair, slug, 3)
    find_flags(studio, chair, slug)
    made = invite(studio, root, "annotator", project=slug, note=texts.note[:100])
    invite(studio, root, "adjudicator", note="For Dana")
    return Populated(slug, root, anna, ben, cleo, chair, made.token)


def _said(one: dict[str, str], texts: Texts, labels: tuple[str, ...]) -> dict[str, Any]:
    row = judged(one, "probe", "detector", *labels)
    for unit in row["judgements"][0]["units"]:
        unit["verdict"]["note"] = texts.note
    return row


def _annotate(site: Served, slug: str, anna: Person, ben: Person, texts: Texts) -> None:
    """Item 1 is done, 2 in discussion, 3 for an adjudicator, 4 with one of two, 5 with none."""
    studio = site.studio
    one, other = texts.labels(GOOD, FALSE, SOFT), texts.labels(GOOD, GOOD, BAD)
    for who in (anna, ben):
        annotate(studio, who, slug, 1, one)
        annotate(studio, who, slug, 2, one if who is anna else other)
        annotate(studio, who, slug, 3, one if who is anna else other)
    add_comment(studio, ben, slug, 2, text=texts.note, unit="s2")
    add_comment(studio, anna, slug, 3, text=texts.note)
    for who in (anna, ben):
        annotate(studio, who, slug, 3, one if who is anna else other, "discuss")
    annotate(studio, ben, slug, 4, other)
