"""An example, and all that one judge says of it."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from assay.core.texts import Response, Source
from assay.core.units import Unit, UnitKind
from assay.core.verdicts import Failure, Outcome, Verdict

PART_KINDS: tuple[UnitKind, ...] = ("claim", "relation")  # what a sentence is made of


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


def part_kinds(kinds: Collection[UnitKind]) -> frozenset[UnitKind]:
    """The kinds that do not count, because the whole that they belong to was judged as well.

    To a response belongs all the rest, to a sentence its claims and relations.
    """
    if "response" in kinds:
        return frozenset(kinds) - {"response"}
    return frozenset(PART_KINDS) & frozenset(kinds) if "sentence" in kinds else frozenset()


def parts_of(outcomes: Iterable[Outcome]) -> tuple[Outcome, ...]:
    """The outcomes that do not count, because the whole that they belong to was judged as well."""
    given = tuple(outcomes)
    parts = part_kinds({each.unit.kind for each in given})
    return tuple(each for each in given if each.unit.kind in parts)


def without_parts(outcomes: Iterable[Outcome]) -> tuple[Outcome, ...]:
    """The outcomes that count: a response that was judged itself, or else its sentences or units.

    >>> claim, sentence = Unit("claim", "It rained."), Unit("sentence", "It rained.")
    >>> said = [Verdict(sentence, score=1), Failure(claim, "parse")]
    >>> [each.unit.kind for each in without_parts(said)]
    ['sentence']
    """
    given = tuple(outcomes)
    parts = part_kinds({each.unit.kind for each in given})
    return tuple(each for each in given if each.unit.kind not in parts)
