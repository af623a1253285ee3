"""How a collection stands: what every model has written, and what is lacking."""

from dataclasses import dataclass, field
from typing import Any


@dataclass(slots=True)
class ModelLine:
    """What came of one model: every source has a response, of whatever kind, or lacks one."""

    model: str
    sources: int
    is_asked: bool  # otherwise its responses were made elsewhere
    responses: int = 0
    refused: int = 0
    empty: int = 0
    truncated: int = 0
    lacking: list[str] = field(default_factory=list)  # the ids of sources without a response
    problem: str = ""  # why some are lacking

    def to_dict(self) -> dict[str, Any]:
        """The entry of a model in the document that `--json` prints."""
        return {name: getattr(self, name) for name in self.__slots__}


@dataclass(frozen=True, slots=True)
class Collected:
    """How a collection stands: what is in its file, what is lacking, and how it ended."""

    file: str
    sources: int
    models: tuple[ModelLine, ...]
    state: str = "complete"  # or what ended it: budget, interrupted, terminated
    detail: str = ""  # what the budget said
    stopped: tuple[str, ...] = ()  # what services said that could not be used
    adaptations: tuple[str, ...] = ()

    @property
    def lacking(self) -> int:
        """How many responses are not there."""
        return sum(len(each.lacking) for each in self.models)

    def to_dict(self) -> dict[str, Any]:
        """The document that `assay collect --json` prints."""
        return {
            "file": self.file,
            "sources": self.sources,
            "state": self.state,
            "lacking": self.lacking,
            "adaptations": list(self.adaptations),
            "models": [each.to_dict() for each in self.models],
        }
