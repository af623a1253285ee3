"""A page with all that a page can show, and small corpora for the page of an evaluation."""

import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import Browser, sync_playwright

from assay.core.decision import Answers, Interpretation
from assay.core.examples import Annotated, Example
from assay.core.judgements import GOLD, Author, Finding, Judgement, Manifest
from assay.core.labels import Taxonomy
from assay.core.results import Result
from assay.core.taxonomies import BINARY, GRAY7
from assay.core.texts import Response, Source, Span
from assay.core.units import Unit, unit_id
from assay.core.verdicts import ExternalEvidence, Failure, Outcome, Verdict
from assay.evaluation.comparison import EvaluationReport, make_report
from assay.evaluation.evaluate import Settings
from assay.evaluation.policy import GoldPolicy, GoldUnit
from assay.evaluation.references import recorded_detectors, recorded_judgements
from assay.metrics import Resampling
from assay.report.evaluation.charts import DetectorCharts
from assay.report.evaluation.page import PageView, view_page
from assay.report.pages.charts import Bar, ItemLink
from assay.report.pages.page import PageWriter

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


AUTHOR = Author("some-detector", version="1.2")


def _sentence(words: str, id: str = "s1") -> Unit:
    start = RESPONSE.index(words)
    return Unit.at("sentence", Span.cut(RESPONSE, start, start + len(words), "response"), id)


def _quote(words: str) -> Span:
    start = SOURCE.index(words)
    return Span.cut(SOURCE, start, start + len(words), "source")


def _judge(label: str, *quotes: str, answers: Answers | None = None) -> Verdict:
    evidence = tuple(map(_quote, quotes))
    return Verdict("", GRAY7[label], 0.5, 0.75, f"Why {label}.", evidence, answers=answers)


def _sample() -> dict[str, Outcome]:
    """All seven labels, overlapping evidence, and a sentence without a verdict."""
    notes = "She wrote seven notes on the engine in 1843."
    born = "Ada Lovelace was born in London in 1815."
    inferred = Answers(states_fact=True, entailed=True, explicit=False)
    ambiguous = Verdict(
        "",
        GRAY7["ambiguous"],
        evidence=(_quote("seven notes on the engine in 1843. She lies"),),
        interpretations=(
            Interpretation(GRAY7["explicitly-supported"], "it is the work"),
            Interpretation(GRAY7["fabricated"], "it is the engine"),
        ),
    )
    outside = Verdict(
        "",
        GRAY7["out-dependent"],
        evidence=(_quote("She lies next to her father."),),
        external=(
            ExternalEvidence("https://example.org/hucknall", "Byron lies there.", "A church"),
            ExternalEvidence("javascript:alert(1)"),
        ),
    )
    return {
        "Here is a summary.": _judge("no-fact"),
        born: _judge("explicitly-supported", born),
        "She grew up without her father.": _judge(
            "implicitly-supported", "😀 Her father left a month later.", answers=inferred
        ),
        "Her notes are of 1853.": _judge("contradicting", notes, "born in London in 1815."),
        "She liked tea.": _judge("fabricated"),
        "She lies in Hucknall.": outside,
        "It had seven parts.": ambiguous,
        "She met the queen.": Failure("", "parse", "not an object", "I <b>think</b> so"),
    }


@pytest.fixture(scope="session")
def sample() -> Result:
    """A response with sentences of all kinds; see `_sample`."""
    findings = []
    for number, (words, outcome) in enumerate(_sample().items(), start=1):
        unit = _sentence(words, unit_id("sentence", number))
        findings.append(Finding(unit, replace(outcome, unit=unit.id)))
    example = Example("ada", Source(SOURCE), Response(RESPONSE, "model-x"), "Who was Ada?")
    judgement = Judgement(
        "ada",
        AUTHOR,
        tuple(each.unit for each in findings),
        tuple(each.outcome for each in findings),
        len(SOURCE),
        len(SOURCE),
    )
    return Result(example, judgement)


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    """Writes a page of some results and tells where it is."""

    def write_page(*results: Result, taxonomy: Taxonomy = GRAY7) -> Path:
        path = tmp_path / "page.html"
        manifest = Manifest(AUTHOR, version="0.1.0", taxonomy=taxonomy.name)
        with PageWriter(str(path), manifest) as page:
            for result in results:
                page.add(result)
        return path

    return write_page


def _join(texts: Sequence[str]) -> tuple[str, list[Unit]]:
    """A response of some sentences, and each of them as a unit."""
    whole, start, units = " ".join(texts), 0, []
    for number, text in enumerate(texts, start=1):
        span = Span.cut(whole, start, start + len(text), "response")
        units.append(Unit.at("sentence", span, unit_id("sentence", number)))
        start += len(text) + 1
    return whole, units


def _said(unit: Unit, letter: str) -> Outcome | None:
    """An outcome from its letter; a digit is a score in tenths."""
    if letter == "?":
        return None
    if letter == "!":
        return Failure(unit.id, "parse", "no verdict in it")
    if letter.isdigit():
        return Verdict(unit.id, score=int(letter) / 10)
    label = LETTERS[letter]
    score = label.rank / 6 if label.taxonomy == "gray7" else None
    return Verdict(unit.id, label, score, note=f"because {letter}")


def _make_example(id: str, gold: str, *judges: str, source: str = "S") -> Annotated:
    """An example whose sentences are `Sentence 1 of a.` and so on."""
    texts = [f"Sentence {number} of {id}." for number in range(1, len(gold) + 1)]
    whole, units = _join(texts)
    example = Example(
        id, Source(source * 100 * len(gold), id=f"source of {id}"), Response(whole, "model-x")
    )
    people = tuple(Verdict(u.id, LETTERS[letter]) for u, letter in zip(units, gold, strict=True))
    judgements = [Judgement(id, GOLD, tuple(units), people)]
    for name, letters in zip(("labels", "scores", "failing"), judges, strict=False):
        said = (_said(unit, letter) for unit, letter in zip(units, letters, strict=True))
        outcomes = tuple(each for each in said if each is not None)
        judgements.append(Judgement(id, Author(name, version="2.0"), tuple(units), outcomes))
    return Annotated(example, tuple(judgements))


def _report_of(
    examples: list[Annotated], repairs: str = "", unit: GoldUnit = "sentence"
) -> EvaluationReport:
    settings = Settings(GoldPolicy(unit), resampling=Resampling(replicates=50))
    predictions = [
        recorded_judgements(name, "toy", examples) for name in recorded_detectors(examples)
    ]
    return make_report("toy", examples, predictions, settings, repairs=repairs)


@pytest.fixture(scope="session")
def join() -> Callable[[Sequence[str]], tuple[str, list[Unit]]]:
    """Makes a response and its units from sentences; see `_join`."""
    return _join


@pytest.fixture(scope="session")
def make_example() -> Callable[..., Annotated]:
    """Makes an example from letters; see `_make_example`."""
    return _make_example


@pytest.fixture(scope="session")
def report_of() -> Callable[..., EvaluationReport]:
    """Evaluates the recorded judges of some examples; see `_report_of`."""
    return _report_of


@pytest.fixture(scope="session")
def small_corpus() -> list[Annotated]:
    return [_make_example(id, *letters) for id, letters in SCRIPT.items()]


@pytest.fixture(scope="session")
def small_report(small_corpus: list[Annotated]) -> EvaluationReport:
    return _report_of(small_corpus)


@pytest.fixture(scope="session")
def page(small_report: EvaluationReport) -> PageView:
    """The page of the small corpus, as data."""
    return view_page(small_report)


@pytest.fixture(scope="session")
def detectors(page: PageView) -> dict[str, DetectorCharts]:
    """The detectors of the small corpus by name."""
    return {each.evaluation.detector: each for each in page.detectors}


@pytest.fixture(scope="session")
def shown() -> Callable[[PageView, ItemLink], list[str]]:
    """The texts that a link of a page opens."""

    def texts(page: PageView, link: ItemLink) -> list[str]:
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
