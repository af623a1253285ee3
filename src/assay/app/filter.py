"""Filtering: what does not belong in a benchmark is set aside, each with its reason."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated as With

from assay import __version__
from assay.app.judging import ONE_MODEL, Asking, Detectors
from assay.app.targets import require_targets, write_examples
from assay.bench.contradictions import (
    proposals,
    read_source_ids,
    require_contradictions,
    sentence_examples,
)
from assay.bench.filters import RULES, Decisions, Dropped, Filtered, Rules, decide
from assay.core.errors import InputError, UnknownNameError
from assay.core.examples import Annotated, Example
from assay.core.judgements import FILTERING, Author, Judgement, utc_now
from assay.core.options import Option, Takes
from assay.core.units import RESPONSE, Unit
from assay.core.verdicts import Failure
from assay.datasets.part_writing import is_parts_target, require_example_target, write_example_sets
from assay.datasets.selection import DATA_ARGUMENT, DataChoice, warned_of_labels
from assay.datasets.sources import source_of
from assay.detectors.registry import DetectorSpec, detector_names
from assay.engine.estimate import RunEstimate
from assay.evaluation.corpora.label_counts import response_label

FILTER = Author(FILTERING, "detector", __version__)
_SHOWN = 3


@dataclass(frozen=True, slots=True)
class FilterRequest:
    """Data, the rules, and where goes what is kept, what is dropped and what is proposed."""

    data: With[DataChoice, Takes("language sample seed", dataset=DATA_ARGUMENT)]
    asking: With[Asking, Takes("peers", model=ONE_MODEL)] = field(default_factory=Asking)
    rules: Rules = field(default_factory=Rules)
    out: With[str, Option("Write what is kept there.", "FILE|DIR/")] = ""
    dropped: With[str, Option("Write what is dropped there, with the reasons.", "FILE|DIR/")] = ""
    contradictions: With[
        str,
        Option(
            "Look for sources that contradict themselves; they are proposed, not dropped.",
            "DETECTOR",
            RULES,
        ),
    ] = ""
    proposals: With[
        str, Option("Write there which sources contradict themselves.", "FILE", RULES)
    ] = ""
    drop_sources: With[
        str, Option("Drop these sources: ids, one a line, or edited proposals.", "FILE", RULES)
    ] = ""

    def __post_init__(self) -> None:
        if self.asking.models and not self.contradictions:
            raise InputError(
                "a model is asked only where contradictions are looked for", field="model"
            )
        if not self.out and not self.proposals:
            raise InputError("no file is named for what is kept", field="out")
        if bool(self.contradictions) != bool(self.proposals):
            raise InputError(
                "contradictions are looked for by a detector, and its proposals need a file: name "
                "both or none",
                field="proposals",
            )
        if self.contradictions:
            _require_detector(self.contradictions)
        self.data.refuse_unrepeatable()
        files = {"out": self.out, "dropped": self.dropped, "proposals": self.proposals}
        for name, path in files.items():
            if path and name != "proposals":
                require_example_target(path, name)
            elif path and not path.endswith(".jsonl"):
                raise InputError(f"{path} must end in .jsonl", field=name)
        kinds = {name: path for name, path in files.items() if not is_parts_target(path)}
        require_targets(kinds, self.data.target, self.drop_sources)

    def decisions(self) -> Decisions:
        """The responses that are kept or dropped, with the reasons."""
        listed = read_source_ids(self.drop_sources) if self.drop_sources else self.rules.listed
        decisions = decide(self.data.examples(), replace(self.rules, listed=listed))
        _require_listed(listed, decisions)
        return decisions


def filter_data(request: FilterRequest) -> Filtered:
    """Decides about all of the data, writes what is kept and dropped, and proposes."""
    decisions = request.decisions()
    if request.out or request.dropped:
        _write(request, decisions.dropped)
    found = _propose(request, decisions.dropped) if request.contradictions else None
    return Filtered(
        len(decisions.dropped),
        sum(each is None for each in decisions.dropped),
        decisions.sources,
        decisions.kept_sources,
        {model: dict(counts) for model, counts in decisions.models.items()},
        request.out,
        request.dropped,
        request.proposals,
        None if found is None else len(found),
        0 if found is None else len({each.example.source.id for each in found}),
    )


def estimate(request: FilterRequest) -> dict[str, RunEstimate]:
    """The cost of looking for contradictions, if the detector asks a model."""
    if not request.contradictions:
        return {}
    decisions = request.decisions()
    with _Sentences(request, decisions.dropped) as judging:
        return judging.estimate(request.contradictions)


def _write(request: FilterRequest, dropped: Sequence[Dropped | None]) -> None:
    """Writes what is kept and what is dropped, for each of which the data is read once more."""
    at = utc_now()
    whole = request.data.keeping_all()

    def kept() -> Iterator[Annotated]:
        rows = zip(warned_of_labels(whole.examples()), dropped, strict=True)
        return (each for each, why in rows if not why)

    def set_aside() -> Iterator[Annotated]:
        rows = zip(whole.examples(), dropped, strict=True)
        return (_with_reason(each, why, at) for each, why in rows if why)

    sets = {request.out: kept, request.dropped: set_aside}
    write_example_sets({path: read for path, read in sets.items() if path}, response_label)


def _with_reason(each: Annotated, why: Dropped, at: str) -> Annotated:
    earlier = sum(said.author.name == FILTER.name for said in each.judgements)
    unit = Unit.response(each.example.response.text)
    failure = Failure(RESPONSE, "invalid", f"{why.rule}: {why.detail}")
    return each.with_judgements(
        Judgement(each.id, FILTER, (unit,), (failure,), at=at, round=earlier + 1)
    )


def _propose(request: FilterRequest, dropped: Sequence[Dropped | None]) -> list[Annotated]:
    with _Sentences(request, dropped) as judging:
        examples = [each.example for each in judging.annotated]
        found = proposals(examples, judging.judgements(request.contradictions))
    write_examples(request.proposals, found)
    return found


class _Sentences:
    """The sentences of the kept sources, in a file that a detector which asks a model can reread.

    The same sentences have the same digest wherever the file is, so that a run of them goes on.
    """

    def __init__(self, request: FilterRequest, dropped: Sequence[Dropped | None]) -> None:
        self._request = request
        self._dropped = dropped
        self._folder = TemporaryDirectory()

    def __enter__(self) -> Detectors:
        sentences = [Annotated(each) for each in sentence_examples(self._sources())]
        if not sentences:
            raise InputError(
                f"no source of {self._request.data.target} has two sentences or more",
                field="contradictions",
            )
        stem = Path(self._request.data.target).name.partition(".")[0] or "data"
        path = Path(self._folder.name) / f"{stem}-sentences.jsonl"
        write_examples(str(path), sentences)
        return Detectors(DataChoice(str(path)), sentences, self._request.asking)

    def __exit__(self, *_: object) -> None:
        self._folder.cleanup()

    def _sources(self) -> Iterator[Example]:
        seen: set[str] = set()
        for each, why in zip(self._request.data.examples(), self._dropped, strict=True):
            source = source_of(each)
            if why is None and source.id not in seen:
                seen.add(source.id)
                yield source


def _require_detector(name: str) -> None:
    if name.partition(":")[0] not in detector_names():
        raise UnknownNameError("detector", name, detector_names(), field="contradictions")
    require_contradictions(name, DetectorSpec(name).capabilities.taxonomy)


def _require_listed(listed: frozenset[str], decisions: Decisions) -> None:
    strange = sorted(listed - decisions.listed)
    if strange:
        more = f" and {len(strange) - _SHOWN:,} more" if len(strange) > _SHOWN else ""
        ids = ", ".join(f"'{each}'" for each in strange[:_SHOWN])
        raise InputError(
            f"the list of sources to drop names {ids}{more}, which the data does not have",
            code="unknown-source",
            field="drop_sources",
        )
