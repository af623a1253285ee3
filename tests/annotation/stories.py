"""Projects in which people have said something, written straight into the database."""

from collections.abc import Mapping, Sequence

from sqlalchemy import insert, select, update

from assay.annotation.studio import Person, Studio
from assay.core.codec import read_example, write_judgement
from assay.core.examples import Example
from assay.core.judgements import Author, Judgement
from assay.core.taxonomies import FAITHBENCH, GRAY7
from assay.core.texts import Span
from assay.core.units import Unit, unit_id
from assay.core.verdicts import Verdict
from assay.store.annotation.judgements import add_judgements, last_round
from assay.store.annotation.records import JudgementStage, StoredJudgement
from assay.store.annotation.tables import comments, items, judgements, projects, work
from assay.text.sentences import sentence_units


def item_number(studio: Studio, slug: str, position: int) -> tuple[int, int, Example]:
    """The numbers of an item and its project, and its example."""
    with studio.read() as connection:
        row = connection.execute(
            select(items)
            .join(projects, projects.c.id == items.c.project)
            .where(projects.c.slug == slug, items.c.position == position)
            .where(items.c.purpose == "real")
        ).one()
    return row.id, row.project, read_example(row.record).example


def sentences_said(example: Example, labels: Sequence[str], who: str) -> Judgement:
    """A judgement of all sentences of an example."""
    units = sentence_units(example)
    given = zip(units, labels, strict=True)
    outcomes = tuple(Verdict(unit.id, GRAY7[label], note=f"by {who}") for unit, label in given)
    return Judgement(example.id, Author(who, "person"), units, outcomes)


def spans_said(example: Example, marks: Mapping[str, str], who: str) -> Judgement:
    """A judgement of spans, by the words that are marked; without any it is consistent."""
    text = example.response.text
    units = tuple(
        Unit.at(
            "span",
            Span.cut(text, text.index(words), text.index(words) + len(words), "response"),
            unit_id("span", number),
        )
        for number, words in enumerate(marks, start=1)
    )
    labels = marks.values()
    said = (Verdict(unit.id, FAITHBENCH[label]) for unit, label in zip(units, labels, strict=True))
    if not units:
        whole = Unit.response(text)
        verdict = Verdict(whole.id, FAITHBENCH["consistent"])
        return Judgement(example.id, Author(who, "person"), (whole,), (verdict,))
    return Judgement(example.id, Author(who, "person"), units, tuple(said))


def submit(
    studio: Studio,
    slug: str,
    position: int,
    who: Person,
    said: Sequence[str] | Mapping[str, str],
    *,
    stage: JudgementStage = "annotate",
    seconds: int = 60,
) -> None:
    """Lets somebody have submitted labels of sentences, or of marked words."""
    item, project, example = item_number(studio, slug, position)
    make = spans_said if isinstance(said, Mapping) else sentences_said
    judgement = make(example, said, who.name)  # type: ignore[arg-type]
    now = studio.now()
    with studio.write() as connection:
        before = last_round(connection, item, who.name)
        judgement = Judgement(
            judgement.example,
            judgement.author,
            judgement.units,
            judgement.outcomes,
            at=now,
            round=before + 1,
            supersedes=f"{example.id}/{who.name}/{before}" if before else "",
        )
        stored = StoredJudgement(
            id=0,
            project=project,
            item=item,
            author=who.name,
            kind="person",
            person=who.id,
            stage=stage,
            is_current=True,
            round=before + 1,
            at=now,
            record=write_judgement(judgement).decode(),
        )
        add_judgements(connection, [stored])
        if stage == "audit":  # which nobody is given as work
            return
        connection.execute(
            insert(work).values(
                project=project,
                item=item,
                person=who.id,
                stage=stage,
                state="submitted",
                version=1,
                draft="[]",
                seconds=seconds,
                started_at=now,
                submitted_at=now,
            )
        )


def detect(studio: Studio, slug: str, position: int, name: str, score: float) -> None:
    """Lets a detector have judged the sentences of an item."""
    item, project, example = item_number(studio, slug, position)
    units = sentence_units(example)
    outcomes = tuple(Verdict(unit.id, score=score) for unit in units)
    judgement = Judgement(example.id, Author(name), units, outcomes)
    with studio.write() as connection:
        connection.execute(
            insert(judgements).values(
                project=project,
                item=item,
                author=name,
                kind="detector",
                stage="imported",
                round=1,
                is_current=True,
                at="",
                record=write_judgement(judgement).decode(),
            )
        )


def comment(studio: Studio, slug: str, position: int, who: Person, text: str) -> None:
    """Lets somebody have said something in a discussion."""
    item, _, _ = item_number(studio, slug, position)
    row = insert(comments).values(item=item, unit="s1", person=who.id, text=text, at=studio.now())
    with studio.write() as connection:
        connection.execute(row)


def put(studio: Studio, slug: str, position: int, state: str, batch: int = 1) -> None:
    """Puts an item into a state and a batch."""
    item, _, _ = item_number(studio, slug, position)
    row = update(items).where(items.c.id == item).values(state=state, batch=batch)
    with studio.write() as connection:
        connection.execute(row)
