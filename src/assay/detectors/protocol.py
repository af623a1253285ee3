"""What every detector can do."""

from collections.abc import Iterable, Iterator
from typing import Protocol

from assay.core.examples import Example, Judgement
from assay.core.labels import Taxonomy
from assay.core.units import UnitKind


class Detector(Protocol):
    """Judges one kind of unit in one taxonomy; examples in, judgements out, in the same order.

    `detect` reads ahead no further than it needs, so a stream of any length fits in memory. An
    example that names its units has exactly those judged; what cannot be judged is a Failure.
    """

    @property
    def name(self) -> str: ...

    @property
    def unit_kind(self) -> UnitKind: ...

    @property
    def taxonomy(self) -> Taxonomy: ...

    def detect(self, examples: Iterable[Example]) -> Iterator[Judgement]: ...
