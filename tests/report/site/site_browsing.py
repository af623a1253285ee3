"""A site in a real browser, opened from disk with the network off."""

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from assay.board.results import Board
from assay.board.rows import Row
from assay.core.examples import Annotated
from assay.core.judgements import GOLD, Author, Judgement
from assay.core.taxonomies import GRAY7
from assay.core.texts import Span
from assay.core.units import Unit, unit_id
from assay.core.verdicts import ExternalEvidence, Verdict
from assay.evaluation.levels import Class
from assay.evaluation.responses import gold_judgement
from assay.report.site.site import write_site
from tests.report.tabs import Tabs

Open = Callable[..., Page]


FAMILY = "\U0001f469\u200d\U0001f469\u200d\U0001f467"  # one emoji, held together by joiners


def _hostile(rows: list[Row]) -> list[Row]:
    """More rows of beta: text that would break out, turn around, or is very long."""
    one = next(row for row in rows if row.example.response.model == "beta")
    turned = "\u202eturned\u202c שלום \u2028"
    nasty = f"</script><img src=x onerror=alert(1)> {turned} {FAMILY} <b>bold</b> __proto__"
    long = " ".join(f"Sentence {number} is one of very many here." for number in range(2_500))
    return [
        _judged(one, "hostile", nasty, [nasty]),
        _judged(one, "long", long, [f"{each}." for each in long.split(". ")[:-1]]),
        _annotated(one),
    ]


def _annotated(one: Row) -> Row:
    """A response of which the corpus, Ann and Ben say something, sentence by sentence."""
    text = "It opened in 1931. It cost two million."
    example = replace(
        one.example, id="annotated", response=replace(one.example.response, text=text)
    )
    units = tuple(
        Unit.at("sentence", Span.cut(text, *place, "response"), unit_id("sentence", number))
        for number, place in enumerate(((0, 18), (19, 39)), start=1)
    )

    def says(author: Author, second: str, note: str) -> Judgement:
        labels = (GRAY7["explicitly-supported"], GRAY7[second])
        verdicts = tuple(
            Verdict(unit.id, label, note=note if number else "")
            for number, (unit, label) in enumerate(zip(units, labels, strict=True))
        )
        return Judgement("annotated", author, units, verdicts)

    people = (
        says(GOLD, "fabricated", "No sum is given."),
        says(Author("Ann", "person"), "fabricated", "No sum is given."),
        says(Author("Ben", "person"), "ambiguous", "Which million?"),
    )
    gold = gold_judgement(Annotated(example, people))
    return Row(example, (gold, *one.said[1:]), one.classes, people)


def _judged(one: Row, id: str, text: str, sentences: list[str]) -> Row:
    example = replace(one.example, id=id, response=replace(one.example.response, text=text))
    units, start = [], 0
    for number, sentence in enumerate(sentences, start=1):
        start = text.index(sentence, start)
        span = Span.cut(text, start, start + len(sentence), "response")
        units.append(Unit.at("sentence", span, unit_id("sentence", number)))
        start += len(sentence)
    outside = (ExternalEvidence("javascript:alert(1)", text[:40], "A page"),)
    evidence = (Span.cut(example.source.text, 0, 9, "source"),)
    verdicts = tuple(
        Verdict(each.id, GRAY7["fabricated"], 0.2, 0.3, text[:90], evidence, outside)
        for each in units
    )
    said = Judgement(id, Author("reader"), tuple(units), verdicts)
    wrong: tuple[Class, ...] = ("hallucinated", "hallucinated")
    classes = (wrong, wrong, *one.classes[2:])
    return Row(example, (one.said[0], said, *one.said[2:]), classes)


@pytest.fixture(scope="module")
def site(board: Board, rows: list[Row], tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sites") / "a site"
    write_site(board, [*rows, *_hostile(rows)], folder)
    return folder


@pytest.fixture(scope="module")
def tabs(browser: Browser) -> Iterator[Tabs]:
    tabs = Tabs(browser, settle, 900)
    yield tabs
    tabs.close()


@pytest.fixture
def open_site(tabs: Tabs, site: Path) -> Iterator[Open]:
    """Opens the site at some address; a request to anywhere else fails the test; see `Tabs`."""
    with tabs.of_one_test():
        yield partial(tabs.open, (site / "index.html").as_uri())
        own = (site.as_uri(), "data:image/svg", "about:blank")
        assert [url for url in tabs.requests if not url.startswith(own)] == []


def settle(page: Page, hash: str) -> None:
    """Shows what the site shows at an address; all that it shows is in its address."""
    ready(page)
    page.evaluate(
        "hash => { history.replaceState(null, '', location.pathname + hash); render();"
        " document.activeElement?.blur(); scrollTo(0, 0); }",
        hash,
    )
    ready(page)


def ready(page: Page) -> None:
    page.wait_for_selector("html[data-ready]", state="attached")


def go(page: Page, hash: str) -> Page:
    page.evaluate("hash => { location.hash = hash; }", hash)
    page.wait_for_selector(f"html[data-ready={json.dumps(hash)}]", state="attached")
    return page
