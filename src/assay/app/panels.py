"""Several detectors side by side over data that is read in a stream.

What the data itself carries is taken as it comes by. What was said elsewhere, or has to be said
first, is opened by name as everywhere (`app/judging`) and laid beside the rows.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, fields, replace
from itertools import chain, tee

from assay.app.judging import Asking, Detectors, asks_model, is_detector
from assay.core.errors import InputError
from assay.core.examples import Annotated
from assay.core.judgements import Judgement, Judgements
from assay.core.problems import Problem
from assay.datasets.corpus import Corpus
from assay.datasets.repeats import SeenIds
from assay.datasets.selection import DataChoice, open_examples
from assay.engine.estimate import RunEstimate
from assay.evaluation.evaluate import name_of
from assay.evaluation.references import (
    align,
    is_reference,
    recorded_detectors,
    unknown_detector,
)
from assay.evaluation.responses import Duplicates

Said = dict[str, Judgement]  # by the detector's name, in the order in which they were named


@dataclass(frozen=True, slots=True)
class Panel:
    """Detectors that speak about the same data; without `recorded`, all that the data carries.

    Examples that were kept for detectors to judge are not read again.
    """

    choice: DataChoice
    recorded: tuple[str, ...] | None
    by_name: Mapping[str, tuple[Judgements, ...]] = field(default_factory=dict)
    kept: Collection[Annotated] = ()

    @property
    def opened(self) -> tuple[Judgements, ...]:
        """The judgements that are not in the data itself."""
        return tuple(chain.from_iterable(self.by_name.values()))

    def rows(self, models: Collection[str] = ()) -> Iterator[tuple[Annotated, Said]]:
        """Each example, or each by one of some models, with what the detectors say of it.

        A detector of which nothing is known here is left out, and so is a run over a part of the
        data, of the rows outside; one that was opened and has no judgement of an example that it
        was to judge is there with a `missing` failure.
        """
        rows = (
            each
            for each in self.kept or self.choice.examples()
            if not models or each.example.response.model in models
        )
        if not self.opened:
            yield from ((each, self._recorded(each)) for each in rows)
            return
        mine, *copies = tee(rows, 1 + len(self.opened))
        streams = [
            align(judgements, (each.example for each in copy))
            for judgements, copy in zip(self.opened, copies, strict=True)
        ]
        named = [(name_of(each), frozenset(each.manifest.example_ids)) for each in self.opened]
        for each, *given in zip(mine, *streams, strict=True):
            said = {
                name: one
                for (name, part), one in zip(named, given, strict=True)
                if not part or each.id in part
            }
            yield each, self._recorded(each) | said

    def _recorded(self, each: Annotated) -> Said:
        """The judgements of those of the detectors that the data carries."""
        said = {one.author.name: one for one in each.detected}
        if self.recorded is None:
            return said
        return {name: said[name] for name in self.recorded if name in said}


def open_panel(choice: DataChoice, detectors: Sequence[str], asking: Asking) -> Panel:
    """The detectors of some names, run where they have to be; without names, all recorded ones.

    A name that is nobody's raises before a model is asked. Where all names are of recorded
    detectors, the data is not read for it: whether it carries them shows when it is.
    """
    twice = [name for place, name in enumerate(detectors) if name in detectors[:place]]
    if twice:
        raise InputError(f"the detector '{twice[0]}' is named twice", field="detectors")
    if not any(map(_may_be_elsewhere, detectors)):
        Detectors(choice, (), asking).require()
        return Panel(choice, tuple(detectors) or None)
    choice.refuse_unrepeatable()
    judging, recorded = _judging(choice, detectors, asking)
    others = [name for name in detectors if name not in recorded]
    opened = dict(zip(others, judging.each(others), strict=True))
    named = tuple(name for name in detectors if name in recorded)
    return Panel(choice, named, opened, judging.annotated)


def estimate_panel(
    choice: DataChoice, detectors: Sequence[str], asking: Asking
) -> dict[str, RunEstimate]:
    """The cost of those of the detectors that are to be run and ask a model."""
    if not any(map(_may_be_elsewhere, detectors)):
        return {}
    judging, recorded = _judging(choice, detectors, asking)
    others = [name for name in detectors if name not in recorded]
    judging.require(*others)
    return judging.estimate(*others)


def refuse_unmet(panel: Panel, met: Collection[str]) -> None:
    """Raises if a recorded detector was named that the data does not carry."""
    for name in panel.recorded or ():
        if name not in met:
            raise unknown_detector(name, met)


def _may_be_elsewhere(name: str) -> bool:
    return is_reference(name) or is_detector(name)


def _judging(
    choice: DataChoice, detectors: Sequence[str], asking: Asking
) -> tuple[Detectors, tuple[str, ...]]:
    """The detectors of the data, and those that it carries; what is judged here is kept."""
    is_kept = any(is_detector(name) and not asks_model(name) for name in detectors)
    annotated = tuple(choice.examples()) if is_kept else ()
    recorded = tuple(recorded_detectors(annotated or choice.examples()))
    return Detectors(choice, annotated, asking, recorded=recorded, apart=True), recorded


@dataclass(frozen=True, slots=True)
class BoardData(DataChoice):
    """A choice in which a row whose id was met before raises, or is passed over."""

    repeated: Duplicates = "refuse"

    def open(self) -> Corpus | Iterable[Annotated | Problem]:
        """All of the data; the ids of a corpus are known to be its own."""
        opened = DataChoice.open(self)
        if isinstance(opened, Corpus):
            return opened
        return self._refusing(opened) if self.repeated == "refuse" else self._first_of(opened)

    def passed_over(self) -> int:
        """The number of rows of the part that are passed over; the data is read for it."""
        if self.repeated == "refuse" or isinstance(opened := DataChoice.open(self), Corpus):
            return 0
        rows = sum(isinstance(each, Annotated) for each in self.among(opened))
        return rows - sum(isinstance(each, Annotated) for each in self.read())

    def _refusing(self, rows: Iterable[Annotated | Problem]) -> Iterator[Annotated | Problem]:
        with closing(SeenIds()) as seen:
            for number, each in enumerate(rows, start=1):
                if isinstance(each, Annotated):
                    seen.add(number, each.id)
                yield each
            for met in seen.repeats()[:1]:
                raise InputError(
                    f"the id '{met.id}' appears twice in {self.target}, in rows {met.first:,} "
                    f"and {met.number:,}; what judges say is kept by id",
                    field="duplicates",
                    code="duplicate-responses",
                )

    def _first_of(self, rows: Iterable[Annotated | Problem]) -> Iterator[Annotated | Problem]:
        """The rows but those whose id an earlier one has, for which the data is read once more."""
        with closing(SeenIds()) as seen:
            for number, each in enumerate(self.texts_only(), start=1):
                if isinstance(each, Annotated):
                    seen.add(number, each.id)
            later = {each.number for each in seen.repeats()}
        yield from (each for number, each in enumerate(rows, start=1) if number not in later)

    def texts_only(self) -> Iterable[Annotated | Problem]:
        """All rows, without what was said of them."""
        given = replace(self.columns, judgements=False)
        return open_examples(self.target, self.folder, given, self.language)


def board_data(choice: DataChoice, repeated: Duplicates) -> BoardData:
    """The same choice, with what becomes of a row whose id was met before."""
    given = {each.name: getattr(choice, each.name) for each in fields(DataChoice)}
    return BoardData(**given, repeated=repeated)
