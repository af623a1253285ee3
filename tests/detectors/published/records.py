"""The recorded scores of references, and ours on the same pairs."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any
from zlib import crc32

from assay.core.verdicts import Failure
from assay.detectors.local import LocalOptions
from assay.detectors.published.kinds import ModelChoice
from assay.detectors.published.scores import Claim, Place, Scorer
from tests.detectors.published.text_pairs import text_pairs

FOLDER = Path(__file__).parent / "reference"
NEAR = 1e-4


def record(method: str) -> Any:
    """The record of a method."""
    return json.loads((FOLDER / f"{method}.json").read_text(encoding="utf-8"))


def punkt_sentences() -> Callable[[str, str], Sequence[Place]]:
    """Sentences as NLTK's Punkt model found them in the texts of the record."""
    found: dict[str, list[int]] = record("sentences")["found"]

    def places(text: str, _: str) -> Sequence[Place]:
        numbers = found[f"{crc32(text.encode()):08x}"]
        return list(zip(numbers[::2], numbers[1::2], strict=True))

    return places


def choice(detector: str, folder: Path, **settings: str) -> ModelChoice:
    """A choice of a folder, as the command line makes it."""
    return ModelChoice(detector, str(folder), None, "sentence", settings)


def differences(
    method: str, part: str, scorer: Scorer, shared: Path, rows: slice = slice(None)
) -> list[float]:
    """How far our scores are from the recorded ones, for each pair that has one.

    Those of SummaC's zero-shot form lie between -1 and 1 in the record.
    """
    found = record(method)
    pairs = text_pairs(shared, found["cut"])[rows]
    expected = found["found"][part][rows]
    if part.startswith("zs "):
        expected = [(each + 1) / 2 for each in expected]
    ours = scorer.score([Claim(*pair) for pair in pairs])
    assert len(ours) == len(expected)
    return [
        abs(own.score - score)
        for own, score in zip(ours, expected, strict=True)
        if score is not None and not isinstance(own, Failure)
    ]


CPU = LocalOptions()
