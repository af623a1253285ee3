"""Annotated examples from what authors say of units."""

from collections.abc import Callable, Iterable

from assay import Annotated, Author, Example, Judgement, Judgements, Manifest, Unit, Verdict
from assay.core.judgements import GOLD
from assay.core.verdicts import Failure, Outcome

Opinion = tuple[Author, Unit, Outcome]
Make = Callable[..., Annotated]


def person(name: str) -> Author:
    """An annotator."""
    return Author(name, "person")


def annotate(example: Example, *opinions: Opinion) -> Annotated:
    """The example with a judgement by each author."""
    said: dict[Author, list[tuple[Unit, Outcome]]] = {}
    for author, unit, outcome in opinions:
        said.setdefault(author, []).append((unit, outcome))
    return Annotated(
        example,
        tuple(
            Judgement(
                example.id,
                author,
                tuple(unit for unit, _ in given),
                tuple(outcome for _, outcome in given),
            )
            for author, given in said.items()
        ),
    )


def says(unit: Unit, label: object = None, by: str = "", **more: object) -> Opinion:
    """What the corpus itself says of a unit, or an annotator."""
    return person(by) if by else GOLD, unit, Verdict(unit.id, label, **more)  # type: ignore[arg-type]


def predicted(
    annotated: Iterable[Annotated],
    say: Callable[[Unit], Outcome | None],
    reference: str = "file.json",
    manifest: Manifest | None = None,
) -> Judgements:
    """What a detector says of the sentences that each example names; None is nothing at all."""
    author = Author("scripted")

    def judgement(example: Example) -> Judgement:
        pairs = [(unit, outcome) for unit in example.units if (outcome := say(unit))]
        units = tuple(unit for unit, _ in pairs)
        return Judgement(example.id, author, units, tuple(outcome for _, outcome in pairs))

    said = [judgement(each.example) for each in annotated]
    return Judgements(reference, manifest or Manifest(author), lambda: said)


def scores(text: str) -> Callable[[Unit], Outcome | None]:
    """Scores of the sentences in their order: `-` is a failure, `.` is nothing at all."""
    given = text.split()

    def say(unit: Unit) -> Outcome | None:
        score = given[int(unit.id.removeprefix("s")) - 1]
        if score == ".":
            return None
        return Failure(unit.id, "parse") if score == "-" else Verdict(unit.id, score=float(score))

    return say
