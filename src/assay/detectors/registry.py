"""The detectors by name. Nothing is imported before it is asked for."""

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from inspect import signature
from typing import cast

from assay.core.errors import InputError, UnknownNameError
from assay.detectors.protocol import Detector


@dataclass(frozen=True, slots=True)
class Entry:
    """Where a detector is made, what it judges and answers in, and what it is in one line."""

    place: str
    judges: str
    taxonomy: str
    summary: str
    facts: str = ""  # where a function gives more facts about it


DETECTORS: dict[str, Entry] = {
    "embedded": Entry(
        "assay.detectors.embedded.detector:EmbeddedDetector",
        "sentences",
        "gray7",
        "a small entailment model that comes with the package; the default",
        "assay.detectors.embedded.card:facts",
    ),
    "overlap": Entry(
        "assay.detectors.overlap:OverlapDetector",
        "sentences",
        "gray7",
        "the lexical floor: it counts shared words and understands nothing",
    ),
    "recorded": Entry(
        "assay.detectors.recorded:RecordedDetector",
        "sentences",
        "those of the file",
        "replays verdicts that 'assay check --json' wrote: recorded:FILE.json",
    ),
}
DEFAULT = "embedded"


def load_detector(name: str = DEFAULT) -> Detector:
    """The detector of that name; what follows a colon is given to it: `recorded:verdicts.json`."""
    key, _, argument = name.partition(":")
    make = _imported(find_entry(key).place)
    if argument and not signature(make).parameters:
        raise InputError(f"detector '{key}' takes nothing after its name, but got ':{argument}'")
    return cast(Detector, make(argument) if argument else make())


def find_entry(name: str) -> Entry:
    """The entry of a detector."""
    if name not in DETECTORS:
        raise UnknownNameError("detector", name, DETECTORS)
    return DETECTORS[name]


def detector_facts(name: str) -> Mapping[str, str]:
    """What there is to know about a detector, by heading."""
    entry = find_entry(name)
    facts = {
        "detector": name,
        "what it is": entry.summary,
        "judges": entry.judges,
        "labels": entry.taxonomy,
    }
    return {**facts, **(_imported(entry.facts)() if entry.facts else {})}


def _imported(place: str):  # type: ignore[no-untyped-def]
    module, attribute = place.split(":")
    return getattr(import_module(module), attribute)
