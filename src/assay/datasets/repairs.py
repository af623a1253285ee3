"""Repairs by name, counted: nothing of a release is mended, dropped or re-labelled unsaid."""

from collections import Counter


class Repairs:
    """Counts every named repair that a loader makes; `meanings` say what each one does."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.meanings: dict[str, str] = {}

    def note(self, name: str, meaning: str, times: int = 1) -> None:
        """Counts a repair that was just made."""
        self.counts[name] += times
        self.meanings[name] = meaning

    def __str__(self) -> str:
        return "; ".join(
            f"{name} {count:,} x ({self.meanings[name]})" for name, count in self.counts.items()
        )
