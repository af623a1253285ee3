"""A page with all that a page can show, and small corpora for the page of an evaluation."""

import shutil
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
from playwright.sync_api import Browser, sync_playwright

from assay.checking.results import Checked
from assay.core.decision import Answers, Interpretation
from assay.core.examples import Example, Judgement
from assay.core.labels import Taxonomy
from assay.core.spans import Span
from assay.core.taxonomies import BINARY, GRAY7
from assay.core.texts import Response, Source
from assay.core.units import Unit
from assay.core.verdicts import ExternalEvidence, Failure, Outcome, Verdict
from assay.evaluate.board import EvaluationReport, Settings, make_report
from assay.evaluate.gold import GoldUnit
from assay.evaluate.items import Reading
from assay.metrics import Resampling
from assay.report.charts import Bar, Link
from assay.report.evaluation_detector import DetectorView
from assay.report.evaluation_page import PageView, view_page
from assay.report.page import PageWriter

CHROMIUM = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A real Chromium; without one the test is skipped."""
    if CHROMIUM is None:
        pytest.skip("there is no Chromium here: install chromium or google-chrome")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield browser
        browser.close()


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

LETTERS = {
    "C": GRAY7["contradicting"],
    "F": GRAY7["fabricated"],
    "A": GRAY7["ambiguous"],
    "N": GRAY7["no-fact"],
    "O": GRAY7["out-dependent"],
    "I": GRAY7["implicitly-supported"],
    "E": GRAY7["explicitly-supported"],
    "+": BINARY["faithful"],
    "-": BINARY["unfaithful"],
}
# Gold, and what three detectors say: labels with scores, tenths as scores only, binary labels of
# which some are missing (?) or could not be read (!).
SCRIPT = {
    "a": ("ECF", "EEF", "923", "!!!"),
    "b": ("NIC", "NIC", "581", "+-!"),
    "c": ("AOE", "EEE", "668", "???"),
    "d": ("II", "IC", "74", "++"),
}


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


def _join(texts: Sequence[str]) -> tuple[str, list[Unit]]:
    """A response of some sentences, and each of them as a unit."""
    whole, start, units = " ".join(texts), 0, []
    for text in texts:
        units.append(Unit.at("sentence", Span.cut(whole, start, start + len(text), "response")))
        start += len(text) + 1
    return whole, units


def _said(unit: Unit, letter: str, judge: str) -> Outcome | None:
    """An outcome from its letter; a digit is a score in tenths."""
    if letter == "?":
        return None
    if letter == "!":
        return Failure(unit, "parse", "no verdict in it", judge=judge)
    if letter.isdigit():
        return Verdict(unit, score=int(letter) / 10, judge=judge)
    label = LETTERS[letter]
    score = label.rank / 6 if label.taxonomy == "gray7" else None
    return Verdict(unit, label, score, note=f"because {letter}", judge=judge)


def _make_example(id: str, gold: str, *judges: str, source: str = "S") -> Example:
    """An example whose sentences are `Sentence 1 of a.` and so on."""
    texts = [f"Sentence {number} of {id}." for number in range(1, len(gold) + 1)]
    whole, units = _join(texts)
    names = ("labels", "scores", "failing")
    outcomes = (
        _said(unit, letter, name)
        for name, letters in zip(names, judges, strict=False)
        for unit, letter in zip(units, letters, strict=True)
    )
    return Example(
        id,
        Source(source * 100 * len(gold), id=f"source of {id}"),
        Response(whole, "model-x"),
        gold=tuple(Verdict(u, LETTERS[letter]) for u, letter in zip(units, gold, strict=True)),
        recorded=tuple(filter(None, outcomes)),
    )


def _report_of(
    examples: list[Example], repairs: str = "", unit: GoldUnit = "sentence"
) -> EvaluationReport:
    settings = Settings(Reading(unit), resampling=Resampling(replicates=50))
    return make_report("toy", examples, [], settings, repairs)


@pytest.fixture(scope="session")
def join() -> Callable[[Sequence[str]], tuple[str, list[Unit]]]:
    """Makes a response and its units from sentences; see `_join`."""
    return _join


@pytest.fixture(scope="session")
def make_example() -> Callable[..., Example]:
    """Makes an example from letters; see `_make_example`."""
    return _make_example


@pytest.fixture(scope="session")
def report_of() -> Callable[..., EvaluationReport]:
    """Evaluates the recorded judges of some examples; see `_report_of`."""
    return _report_of


@pytest.fixture(scope="session")
def small_corpus() -> list[Example]:
    return [_make_example(id, *letters) for id, letters in SCRIPT.items()]


@pytest.fixture(scope="session")
def small_report(small_corpus: list[Example]) -> EvaluationReport:
    return _report_of(small_corpus)


@pytest.fixture(scope="session")
def page(small_report: EvaluationReport) -> PageView:
    """The page of the small corpus, as data."""
    return view_page(small_report)


@pytest.fixture(scope="session")
def detectors(page: PageView) -> dict[str, DetectorView]:
    """The detectors of the small corpus by name."""
    return {each.evaluation.detector: each for each in page.detectors}


@pytest.fixture(scope="session")
def shown() -> Callable[[PageView, Link], list[str]]:
    """The texts that a link of a page opens."""

    def texts(page: PageView, link: Link) -> list[str]:
        return [page.examples.items[page.examples.rows[row].item].text for row in link.rows]

    return texts


@pytest.fixture(scope="session")
def numbers() -> Callable[[tuple[Bar, ...]], list[tuple[str, int, float | None, int]]]:
    """Name, linked count, value and n of some bars."""

    def of_bars(bars: tuple[Bar, ...]) -> list[tuple[str, int, float | None, int]]:
        return [
            (b.name, b.link.count if b.link else 0, b.estimate.value, b.estimate.n) for b in bars
        ]

    return of_bars
