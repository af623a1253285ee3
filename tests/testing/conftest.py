"""A package with a detector that says of a sentence what its last word says, as pip installs it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from assay.core.system.plugins import find_plugins

DETECTOR = """
from assay import Author, Capabilities, DetectorType, Failure, Finding, Span, Verdict, taxonomy
from assay.core.verdicts import Attributes
from assay.detectors.protocol import judgement_of
from assay.text.sentences import sentence_units

GRAY7 = taxonomy("gray7")


def said_of(unit, source):
    word = unit.text.rstrip(". ").rpartition(" ")[2]
    if word == "unjudged":
        return Failure(unit.id, "refused", "it would not say")
    unsure = word.endswith("?")
    evidence = (Span.cut(source, 0, len(source), "source"),)
    label = GRAY7[word.rstrip("?")]
    score, sure = (0.4, 0.5) if unsure else (label.rank / 10, 0.9)
    return Verdict(unit.id, label, score, sure, f"because of {word}", evidence,
                   attributes=Attributes(unsure=unsure or None))


class Spoken:
    prompt_digests = {}
    author = Author("spoken", version="7")
    capabilities = Capabilities("sentence", GRAY7)

    async def judge(self, examples):
        for example in examples:
            units = sentence_units(example)
            said = (Finding(each, said_of(each, example.source.text)) for each in units)
            yield judgement_of(example, self.author, said)


TYPE = DetectorType("says what the last word says", Spoken.capabilities, lambda given: Spoken())
"""


@pytest.fixture
def packages(tmp_path: Path) -> Path:
    """A folder as pip leaves it: the detector `spoken`, and our own plugin for pytest."""
    folder = tmp_path / "packages"
    for name, group, point in (
        ("spoken", "assay.detectors", "spoken = spoken_detector:TYPE"),
        ("assay_faith", "pytest11", "assay = assay.testing.plugin"),
    ):
        about = folder / f"{name}-1.0.dist-info"
        about.mkdir(parents=True)
        (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        (about / "entry_points.txt").write_text(f"[{group}]\n{point}\n")
    (folder / "spoken_detector.py").write_text(DETECTOR)
    return folder


@pytest.fixture
def spoken(packages: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The name of that detector, which this process finds for one test."""
    monkeypatch.syspath_prepend(packages)
    find_plugins.cache_clear()
    yield "spoken"
    find_plugins.cache_clear()
