"""An example: a source, a response, and which of its units are to be judged."""

from dataclasses import dataclass, replace

from assay.core.judgements import Judgement, current, judges_data
from assay.core.texts import Response, Source
from assay.core.units import Unit


@dataclass(frozen=True, slots=True)
class Example:
    """A source and a response; nothing that anybody said about them.

    Without units a detector finds its own; with units it judges exactly these. Where nobody said
    that the language is English, a detector that needs to know looks at the text. `original` has
    the fields of a file in another form that have no place here, as JSON, so that it can be written
    again as it was; only the module of that form reads it.
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
        """What people said, without what was revised since."""
        return tuple(current(each for each in self.judgements if each.author.kind == "person"))

    @property
    def recorded(self) -> tuple[Judgement, ...]:
        """What detectors said when the corpus was made."""
        return tuple(current(each for each in self.judgements if each.author.kind == "detector"))

    @property
    def detected(self) -> tuple[Judgement, ...]:
        """What detectors said of the response: all recorded but votes, and notes of other steps."""
        return tuple(current([each for each in self.judgements if judges_data(each.author)]))

    def with_judgements(self, *more: Judgement) -> "Annotated":
        """The same example with more said about it."""
        return replace(self, judgements=(*self.judgements, *more))
