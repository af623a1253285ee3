"""A page with all that a page can show."""

from collections.abc import Callable
from pathlib import Path

import pytest

from assay.checking.results import Checked
from assay.core.decision import Answers, Interpretation
from assay.core.examples import Example, Judgement
from assay.core.labels import Taxonomy
from assay.core.spans import Span
from assay.core.taxonomies import GRAY7
from assay.core.texts import Response, Source
from assay.core.units import Unit
from assay.core.verdicts import ExternalEvidence, Failure, Verdict
from assay.report.page import PageWriter

SOURCE = (
    "Ada Lovelace was born in London in 1815. 😀 Her father left a month later. "
    + "Nothing of note is said here. " * 80
    + "She wrote seven notes on the engine in 1843. She lies next to her father.\n"
)
RESPONSE = (
    "Here is a summary.\n\nAda Lovelace was born in London in 1815. She grew up without her "
    "father. Her notes are of 1853. She liked tea. She lies in Hucknall. It had seven parts.\n"
    "She met the queen."
)


def _sentence(words: str) -> Unit:
    start = RESPONSE.index(words)
    return Unit.at("sentence", Span.cut(RESPONSE, start, start + len(words), "response"))


def _quote(words: str) -> Span:
    start = SOURCE.index(words)
    return Span.cut(SOURCE, start, start + len(words), "source")


def _judge(words: str, label: str, *quotes: str, answers: Answers | None = None) -> Verdict:
    evidence = tuple(map(_quote, quotes))
    return Verdict(
        _sentence(words), GRAY7[label], 0.5, 0.75, f"Why {label}.", evidence, answers=answers
    )


@pytest.fixture
def sample() -> Checked:
    """All seven labels, overlapping evidence, and a sentence without a verdict."""
    notes = "She wrote seven notes on the engine in 1843."
    ambiguous = Verdict(
        _sentence("It had seven parts."),
        GRAY7["ambiguous"],
        evidence=(_quote("seven notes on the engine in 1843. She lies"),),
        interpretations=(
            Interpretation(GRAY7["explicitly-supported"], "it is the work"),
            Interpretation(GRAY7["fabricated"], "it is the engine"),
        ),
    )
    outside = Verdict(
        _sentence("She lies in Hucknall."),
        GRAY7["out-dependent"],
        evidence=(_quote("She lies next to her father."),),
        external=(
            ExternalEvidence("https://example.org/hucknall", "Byron lies there.", "A church"),
            ExternalEvidence("javascript:alert(1)"),
        ),
    )
    outcomes = (
        _judge("Here is a summary.", "no-fact"),
        _judge(
            "Ada Lovelace was born in London in 1815.",
            "explicitly-supported",
            "Ada Lovelace was born in London in 1815.",
        ),
        _judge(
            "She grew up without her father.",
            "implicitly-supported",
            "😀 Her father left a month later.",
            answers=Answers(states_fact=True, entailed=True, explicit=False),
        ),
        _judge("Her notes are of 1853.", "contradicting", notes, "born in London in 1815."),
        _judge("She liked tea.", "fabricated"),
        outside,
        ambiguous,
        Failure(_sentence("She met the queen."), "parse", "not an object", "I <b>think</b> so"),
    )
    example = Example("ada", Source(SOURCE), Response(RESPONSE, "model-x"), "Who was Ada?")
    return Checked(Judgement(example, outcomes, len(SOURCE)))


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    """Writes a page of some examples and tells where it is."""

    def write_page(*examples: Checked, taxonomy: Taxonomy = GRAY7) -> Path:
        path = tmp_path / "page.html"
        with PageWriter(str(path), "some-detector", taxonomy) as page:
            for example in examples:
                page.add(example)
        return path

    return write_page
