"""`embedded-large`: the same detector as `embedded` with a network that reads far better.

It needs the public file of its base, which the user fetches once, and far more time:
docs/measured.md says how much.
"""

from pathlib import Path

from assay.detectors.embedded.detector import CAPABILITIES, EntailmentDetector
from assay.detectors.embedded.large.weights import SHIPPED, facts, load_model
from assay.detectors.registry import DetectorType, Ingredients


def _make(parts: Ingredients) -> EntailmentDetector:
    folder = Path(parts.argument).resolve() if parts.argument else SHIPPED
    return EntailmentDetector(load_model(folder).ready, parts.local)


EMBEDDED_LARGE = DetectorType(
    "a large entailment model that runs here, on a public base that is fetched once",
    CAPABILITIES,
    _make,
    facts,
)
