"""An example: a source, a response, its units, and what was said about it."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from assay.core.judgements import Judgement, current, judges_data
from assay.core.places import RowPlace
from assay.core.texts import Response, Source
from assay.core.units import Unit


@dataclass(frozen=True, slots=True)
class Example:
    """A source and a response; nothing that anybody said about them.

    Without units a detector finds its own; with units it judges exactly these. Where nobody said
    that the language is English, a detector that needs to know looks at the text. `original` has
    the fields of a file in another form that have no place here, as JSON, so that it can be written
    again as it was; only the module of that form reads it. `place` is where it was read, if it was
    read from a file: the same example elsewhere is the same example.
    """

    id: str
    source: Source
    response: Response
    question: str = ""
    language: str = "en"
    units: tuple[Unit, ...] = ()
    split: str = ""
    task: str = ""
    is_english_stated: bool = False
    original: str = ""
    place: RowPlace | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Annotated:
    """An example of a corpus with all that was said about it, by people and by detectors."""

    example: Example
    judgements: tuple[Judgement, ...] = ()

    @property
    def id(self) -> str:
        """The example's id."""
        return self.example.id

    @property
    def gold(self) -> tuple[Judgement, ...]:
        """The judgements of people, without those revised since."""
        return tuple(current(each for each in self.judgements if each.author.kind == "person"))

    @property
    def recorded(self) -> tuple[Judgement, ...]:
        """The judgements of detectors from when the corpus was made."""
        return tuple(current(each for each in self.judgements if each.author.kind == "detector"))

    @property
    def detected(self) -> tuple[Judgement, ...]:
        """All recorded judgements but votes and notes of other steps."""
        return tuple(current([each for each in self.judgements if judges_data(each.author)]))

    def with_judgements(self, *more: Judgement) -> "Annotated":
        """The same example with more said about it."""
        return replace(self, judgements=(*self.judgements, *more))


def with_said(annotated: Annotated, said: Iterable[Judgement]) -> Annotated:
    """The example with the judgements; one by an author who spoke before supersedes what they said.

    What the example has already stays as it is.
    """
    carried = set(map(id, annotated.judgements))
    for judgement in (each for each in said if id(each) not in carried):
        before = [each for each in annotated.recorded if each.author.name == judgement.author.name]
        if not before:
            annotated = annotated.with_judgements(judgement)
        elif all(_differs(judgement, each) for each in before):
            old = before[-1]
            newer = replace(judgement, round=old.round + 1, supersedes=old.key)
            annotated = annotated.with_judgements(newer)
    return annotated


def _differs(one: Judgement, other: Judgement) -> bool:
    return one.outcomes != other.outcomes or one.units != other.units
