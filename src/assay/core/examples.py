"""An example, and all that one judge says of it."""

from dataclasses import dataclass

from assay.core.texts import Response, Source
from assay.core.units import Unit
from assay.core.verdicts import Failure, Outcome, Verdict


@dataclass(frozen=True, slots=True)
class Example:
    """A source and a response, with the units to judge and the verdicts people gave.

    Without units a detector finds its own; with units it judges exactly these. `recorded` holds
    what detectors said of it when the corpus was made, each with its `judge`.
    """

    id: str
    source: Source
    response: Response
    question: str = ""
    language: str = "en"
    units: tuple[Unit, ...] = ()
    gold: tuple[Verdict, ...] = ()
    recorded: tuple[Outcome, ...] = ()
    split: str = ""
    task: str = ""


@dataclass(frozen=True, slots=True)
class Judgement:
    """One judge's outcomes for the units of one example, in the order of the response."""

    example: Example
    outcomes: tuple[Outcome, ...]
    characters_read: int

    @property
    def verdicts(self) -> tuple[Verdict, ...]:
        """The outcomes that are verdicts."""
        return tuple(outcome for outcome in self.outcomes if isinstance(outcome, Verdict))

    @property
    def failures(self) -> tuple[Failure, ...]:
        """The units left without a verdict."""
        return tuple(outcome for outcome in self.outcomes if isinstance(outcome, Failure))
