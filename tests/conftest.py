"""Shared fixtures: the released corpora beside a checkout, examples, detectors with a script."""

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from hypothesis import settings

from assay.core import Example, Judgement, Outcome, Response, Taxonomy, Unit, read_source, taxonomy
from assay.core.units import UnitKind
from assay.detectors import Detector
from assay.detectors.units import response_unit, sentence_units

settings.register_profile("assay", deadline=None, derandomize=True, database=None)
settings.load_profile("assay")


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of the released corpora; without it the test is skipped."""
    beside = Path(__file__).resolve().parents[2] / "shared" / "data"
    folder = Path(os.environ.get("ASSAY_DATA", beside))
    if not folder.is_dir():
        pytest.skip(f"the released corpora are not at {folder}; set ASSAY_DATA to their folder")
    return folder


@pytest.fixture
def make_example() -> Callable[..., Example]:
    """Examples from two texts."""

    def make(source: object = "The cat sat.", response: str = "It sat.", id: str = "1") -> Example:
        return Example(id, read_source(source), Response(response))

    return make


@dataclass(frozen=True)
class Scripted:
    """A detector that says what its script says of each unit, and logs what it was asked."""

    script: Callable[[Unit], Outcome]
    name: str = "scripted"
    unit_kind: UnitKind = "sentence"
    taxonomy: Taxonomy = field(default_factory=lambda: taxonomy("gray7"))
    log: list[str] = field(default_factory=list)

    def detect(self, examples: Iterable[Example]) -> Iterator[Judgement]:
        for example in examples:
            is_whole = self.unit_kind == "response"
            units = (response_unit(example),) if is_whole else sentence_units(example)
            self.log.extend(unit.text for unit in units)
            outcomes = tuple(map(self.script, units))
            yield Judgement(example, outcomes, characters_read=len(example.source.text))


@pytest.fixture
def scripted() -> Callable[..., Detector]:
    """Makes detectors from a script: `scripted(lambda unit: Verdict(unit, score=0.5))`."""
    return Scripted
