"""Several detectors side by side over data that is read in a stream.

What the data itself carries is taken as it comes by. What was said elsewhere, or has to be said
first, is opened by name as everywhere (`app/judging`) and laid beside the rows.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import tee

from assay.app.judging import Asking, Judging
from assay.core.errors import InputError
from assay.core.examples import Annotated
from assay.core.judgements import Judgement, Judgements
from assay.datasets.selection import DataChoice
from assay.detectors.registry import DetectorSpec, detector_names
from assay.engine.estimate import RunEstimate
from assay.evaluation.evaluate import name_of
from assay.evaluation.references import align, recorded_detectors, unknown_detector

_REFERENCES = ("run", "gold", "recorded", "studio")

Said = dict[str, Judgement]  # by the detector's name, in the order in which they were named


@dataclass(frozen=True, slots=True)
class Reread:
    """The examples of a choice, read anew each time; so many of them are known to be there."""

    choice: DataChoice
    count: int

    def __iter__(self) -> Iterator[Annotated]:
        return self.choice.examples()

    def __len__(self) -> int:
        return self.count

    def __contains__(self, each: object) -> bool:
        return any(each == one for one in self)


@dataclass(frozen=True, slots=True)
class Panel:
    """Detectors that speak about the same data; without `recorded`, all that the data carries."""

    choice: DataChoice
    recorded: tuple[str, ...] | None
    opened: tuple[Judgements, ...] = ()

    def rows(self, models: Collection[str] = ()) -> Iterator[tuple[Annotated, Said]]:
        """Each example, or each by one of some models, with what the detectors say of it.

        A detector of which nothing is known here is left out, and so is a run over a part of the
        data, of the rows outside; one that was opened and has no judgement of an example that it
        was to judge is there with a `missing` failure.
        """
        rows = (
            each
            for each in self.choice.examples()
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
        """What those of the detectors say that the data carries."""
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
    _refuse_needless_peers(detectors, asking)
    if not detectors:
        return Panel(choice, None)
    if not any(_may_be_elsewhere(name) for name in detectors):
        return Panel(choice, tuple(detectors))
    choice.refuse_unrepeatable()
    recorded, count = _survey(choice)
    others = [name for name in detectors if name not in recorded]
    judging = Judging(choice, Reread(choice, count), asking, recorded=recorded)
    opened = tuple(_each(judging, others))
    return Panel(choice, tuple(name for name in detectors if name in recorded), opened)


def estimate_panel(
    choice: DataChoice, detectors: Sequence[str], asking: Asking
) -> dict[str, RunEstimate]:
    """What those of the detectors would cost that have to be run and ask a model."""
    _refuse_needless_peers(detectors, asking)
    if not any(_may_be_elsewhere(name) for name in detectors):
        return {}
    recorded, count = _survey(choice)
    others = [name for name in detectors if name not in recorded]
    found: dict[str, RunEstimate] = {}
    for alone in _one_by_one(asking):
        judging = Judging(choice, Reread(choice, count), alone, recorded=recorded)
        model = " ".join(alone.models) if len(asking.models) > 1 else ""
        for name, estimate in judging.estimate(*others).items():
            found[f"{name} {model}".strip()] = estimate
    return found


def _refuse_needless_peers(detectors: Sequence[str], asking: Asking) -> None:
    known = detector_names()
    specs = (DetectorSpec(name) for name in detectors if name.partition(":")[0] in known)
    if asking.peers and not any(spec.capabilities.reads_annotations for spec in specs):
        raise InputError("none of the detectors learns from peers; leave them out", field="peers")


def asked_times(name: str, asking: Asking) -> int:
    """How many judges a detector to run stands for: one for each model, if it asks any."""
    is_detector = name.partition(":")[0] in detector_names()
    asks = is_detector and DetectorSpec(name).capabilities.asks_model
    return max(1, len(asking.models)) if asks else 1


def _each(judging: Judging, names: Sequence[str]) -> Iterator[Judgements]:
    """What several names stand for; several models are asked one by one, and do not vote."""
    asking = judging.asking
    times = [asked_times(name, asking) for name in names]
    if max(times, default=1) == 1:
        yield from judging.each(names)
        return
    judging.require(*names)
    silent = replace(judging, asking=replace(asking, models=()))
    for name, count in zip(names, times, strict=True):
        if count == 1:
            yield silent.judgements(name)
        else:
            for alone in _one_by_one(asking):
                yield replace(judging, asking=alone).judgements(name)


def _one_by_one(asking: Asking) -> Iterator[Asking]:
    for model in asking.models or ("",):
        yield replace(asking, models=(model,) if model else ())


def refuse_unmet(panel: Panel, met: Collection[str]) -> None:
    """Raises if a recorded detector was named that the data does not carry."""
    for name in panel.recorded or ():
        if name not in met:
            raise unknown_detector(name, met)


def _may_be_elsewhere(name: str) -> bool:
    kind, colon, _ = name.partition(":")
    is_reference = bool(colon) and kind in _REFERENCES
    return is_reference or name.endswith(".json") or kind in detector_names()


def _survey(choice: DataChoice) -> tuple[tuple[str, ...], int]:
    """The recorded detectors of the data, and how many examples it has."""
    names: dict[str, None] = {}
    count = 0
    for each in choice.examples():
        names.update(dict.fromkeys(recorded_detectors((each,))))
        count += 1
    return tuple(names), count
