"""What came of a filter: how much is kept, and what was dropped by which rule."""

from collections import Counter
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Filtered:
    """Counts of responses and of sources; `models` has for each LLM its counts by rule.

    `proposed` counts the sentences that seem to contradict their source, None if nobody looked.
    """

    responses: int
    kept: int
    sources: int
    kept_sources: int
    models: dict[str, dict[str, int]]
    file: str = ""
    dropped_file: str = ""
    proposals_file: str = ""
    proposed: int | None = None
    proposed_sources: int = 0

    @property
    def rules(self) -> Counter[str]:
        """How many responses each rule dropped."""
        total = Counter[str]()
        for counts in self.models.values():
            total.update({rule: count for rule, count in counts.items() if rule != "kept"})
        return total

    def to_dict(self) -> dict[str, Any]:
        """The document that `assay filter --json` prints."""
        return {
            "responses": self.responses,
            "kept": self.kept,
            "sources": self.sources,
            "kept_sources": self.kept_sources,
            "dropped": dict(self.rules),
            "models": self.models,
            "file": self.file,
            "dropped_file": self.dropped_file,
            "proposals_file": self.proposals_file,
            "proposed": self.proposed,
            "proposed_sources": self.proposed_sources,
        }
