"""How soon the page of a check can be read and used, and what it takes to write it.

    python benchmarks/page.py [number of responses ...]

Each page is opened from disk in a real Chromium, a few times, beside a reference: a page of the
same size with one line of text and nothing to run. Ready is when a response stands there and the
next key is answered. Rows are invented: five sentences each, a source of about 300 words.
"""

import random
import resource
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

from assay.core.decision import Answers
from assay.core.examples import Example
from assay.core.judgements import Author, Judgement, Manifest
from assay.core.results import Result
from assay.core.taxonomies import GRAY7
from assay.core.texts import Response, Source, Span
from assay.core.units import Unit, unit_id
from assay.core.verdicts import Verdict
from assay.report.pages.page import PageWriter

SIZES = (100, 1_500, 10_000)
TIMES = 5
WORDS = (
    "harbour ferry council vote bridge winter cannery worker night route budget engine letter "
    "museum garden teacher river market station village record summer island doctor railway"
).split()
CHROMIUM = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
# When the first response stands there, counted from the start of the navigation.
SHOWN = """() => new Promise(done => {
  const look = () => document.querySelector("#shown .unit, #reference")
    ? requestAnimationFrame(() => setTimeout(() => done(performance.now())))
    : setTimeout(look, 4);
  look();
})"""
# How long it takes from an event to the next frame after it.
ANSWER = """([name, act]) => new Promise(done => {
  const start = performance.now();
  const before = document.querySelector("#shown-id")?.textContent;
  const until = { key: () => document.querySelector("#shown-id").textContent !== before,
                  filter: () => document.querySelector("#tally").textContent.includes(" of "),
                  sort: () => document.querySelector("#rows").firstChild,
                  scroll: () => document.querySelector("#rows .row") }[name];
  eval(act);
  const look = () => until() ? requestAnimationFrame(() => done(performance.now() - start))
                             : setTimeout(look, 1);
  look();
})"""
ACTS = {
    "key": "document.body.dispatchEvent(new KeyboardEvent('keydown', {key: 'j', bubbles: true}))",
    "filter": "document.querySelector('button[data-label]').click()",
    "sort": "want({ label: '', sort: 'score' })",
    "scroll": "document.querySelector('#list').scrollTop = 1e6",
}


def make_results(count: int) -> Iterator[Result]:
    """Invented results; every label occurs, and each sentence has two passages of evidence."""
    chance = random.Random(14)
    for number in range(count):
        sentences = [_sentence(chance) for _ in range(23)]
        source = " ".join(sentences)
        said = [_sentence(chance) for _ in range(5)]
        yield Result(*_judged(f"response-{number}", source, " ".join(said), said, chance))


def _sentence(chance: random.Random) -> str:
    words = [*chance.choices(WORDS, k=12), str(chance.randrange(1800, 2100))]
    return " ".join(words).capitalize() + "."


def _judged(
    id: str, source: str, response: str, sentences: list[str], chance: random.Random
) -> tuple[Example, Judgement]:
    units, verdicts, start = [], [], 0
    for number, sentence in enumerate(sentences, start=1):
        span = Span.cut(response, start, start + len(sentence), "response")
        unit = Unit.at("sentence", span, unit_id("sentence", number))
        label = chance.choice(GRAY7.labels)
        at = chance.randrange(len(source) - 200)
        evidence = tuple(Span.cut(source, a, a + 90, "source") for a in (at, at + 100))
        score = chance.random()
        note = "The source does not say so. Not in the evidence: harbour, 1986."
        answers = Answers(states_fact=True, entailed=False, contradicted=False)
        units.append(unit)
        verdicts.append(Verdict(unit.id, label, score, score, note, evidence, answers=answers))
        start += len(sentence) + 1
    example = Example(id, Source(source), Response(response, f"model-{len(id) % 3}"))
    author = Author("embedded", version="1")
    judgement = Judgement(
        id, author, tuple(units), tuple(verdicts), len(source), len(source), "2026-11-15T00:00:00"
    )
    return example, judgement


def write_page(path: Path, count: int) -> tuple[float, float]:
    """The seconds that writing takes, and by how many MB the process grows at most."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    began = time.process_time()
    manifest = Manifest(Author("embedded", version="1"), taxonomy="gray7")
    with PageWriter(str(path), manifest) as page:
        for result in make_results(count):
            page.add(result)
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    return time.process_time() - began, grown / 1024


def write_reference(path: Path, size: int) -> None:
    """A page of that size that shows one line."""
    head = '<!doctype html><meta charset="utf-8"><p id="reference">One line.</p>'
    block = f'<script type="application/json">"{"x" * 199_950}"</script>\n'
    path.write_text(head + block * (size // len(block)), encoding="utf-8")


def open_page(browser: Browser, path: Path) -> float:
    """Milliseconds from the start of the navigation until something can be read."""
    page = browser.new_page()
    page.goto(path.as_uri(), wait_until="commit")
    took = float(page.evaluate(SHOWN))
    page.close()
    return took


def use_page(browser: Browser, path: Path) -> dict[str, float]:
    """Milliseconds until the page answers, after it has been read to its end; and its nodes."""
    page = browser.new_page()
    page.goto(path.as_uri())
    page.wait_for_selector("#shown .unit")
    loaded = float(page.evaluate("performance.getEntriesByType('navigation')[0].loadEventEnd"))
    found = {name: float(page.evaluate(ANSWER, [name, act])) for name, act in ACTS.items()}
    page.evaluate("want({ label: '', q: 'response-77' })")
    began = time.perf_counter()
    page.wait_for_function("() => document.querySelector('#list[aria-busy=false]')")
    found["search"] = (time.perf_counter() - began) * 1000
    found["read to the end"] = loaded
    found["nodes"] = float(page.evaluate("document.querySelectorAll('*').length"))
    page.close()
    return found


def main(sizes: list[int]) -> None:
    """Prints a table."""
    if CHROMIUM is None:
        sys.exit("there is no Chromium here")
    print("responses   MB  write s  grown MB  ready ms  reference ms  ratio  nodes  answers in ms")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        for count in sizes:
            page, reference = Path(folder, "page.html"), Path(folder, "reference.html")
            seconds, memory = write_page(page, count)
            size = page.stat().st_size
            write_reference(reference, size)
            pairs = [
                (open_page(browser, page), open_page(browser, reference)) for _ in range(TIMES)
            ]
            ready, plain = (statistics.median(each) for each in zip(*pairs, strict=True))
            used = use_page(browser, page)
            nodes = used.pop("nodes")
            answers = ", ".join(f"{name} {value:.0f}" for name, value in used.items())
            print(
                f"{count:9,} {size / 1e6:4.1f} {seconds:8.1f} {memory:9.1f} {ready:9.0f} "
                f"{plain:13.0f} {ready / plain:6.1f} {nodes:6.0f}  {answers}"
            )
        browser.close()


if __name__ == "__main__":
    main([int(each) for each in sys.argv[1:]] or list(SIZES))
