"""How soon the static site of a board can be used, and how long it stays busy when it is used.

    python benchmarks/site.py [folder of a site]

Without a folder, the site of the 68 LLMs of the leaderboard is written first. It is opened from
disk in a real Chromium, a few times, beside an empty page. It is usable when the table stands there
and the next frame is drawn. Busy is the longest time for which the main thread answers nothing,
from an act until a moment after what it asks for is seen.
"""

import resource
import shutil
import statistics
import sys
import tempfile
import time
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright
from shared_data import shared_data

from assay.app.board import BoardRequest, build_board
from assay.app.judging import Asking
from assay.datasets.selection import DataChoice

TIMES = 7
REPLICATES = 100
CHROMIUM = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
# When the table stands there, counted from the start of the navigation.
USABLE = """() => new Promise(done => {
  const look = () => document.querySelector("main .board tbody tr, #reference")
    ? requestAnimationFrame(() => setTimeout(() => done(performance.now())))
    : setTimeout(look, 2);
  look();
})"""
# The milliseconds until an act is answered, and the longest gap between two ticks meanwhile.
ANSWER = """([name]) => new Promise(done => {
  const acts = {
    sort: () => document.querySelector("[data-sort=hallucinated]").click(),
    filter: () => {
      const field = document.querySelector("#q");
      field.value = "gpt";
      field.dispatchEvent(new InputEvent("input", { bubbles: true }));
    },
    compare: () => document.querySelector("[data-compare]").click(),
    examples: () => document.querySelector(".board .number").click(),
    "another response": () => document.querySelectorAll(".line")[9].click(),
    "another judge": () => document.querySelectorAll(".verdict")[1].click(),
    charts: () => { location.hash = "#view=charts"; },
    judges: () => { location.hash = "#view=judges"; },
  };
  const channel = new MessageChannel();
  const start = performance.now();
  let [last, longest, seen] = [start, 0, 0];
  channel.port1.onmessage = () => {
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
    const isReady = document.documentElement.dataset.ready === location.hash;
    if (isReady && !seen) requestAnimationFrame(() => { seen = performance.now(); });
    if (seen && now - seen > 100) done([seen - start, longest]);
    else channel.port2.postMessage(0);
  };
  acts[name]();
  channel.port2.postMessage(0);
})"""
ACTS = ("sort", "compare", "filter", "examples", "another response", "another judge")
VIEWS = ("charts", "judges")


def write(folder: Path) -> None:
    """Writes the site of the leaderboard and tells what that takes."""
    began = time.perf_counter()
    asking = Asking()
    data = DataChoice("leaderboard", str(shared_data()))
    made = build_board(BoardRequest(data, asking, replicates=REPLICATES))
    board = time.perf_counter() - began
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    began = time.perf_counter()
    made.to_site(folder)
    wrote = time.perf_counter() - began
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    rows = sum(1 for _ in made.rows())
    read = time.perf_counter() - began - wrote
    print(f"board {board:.1f} s; site {wrote:.1f} s, of which {read:.1f} s to read {rows:,} rows")
    print(f"the process grew by {grown:.0f} MB beyond what the board had taken")


def open_page(browser: Browser, path: Path) -> float:
    """Milliseconds from the start of the navigation until the page can be used."""
    page = browser.new_page(viewport={"width": 1440, "height": 900})
    page.goto(path.as_uri(), wait_until="commit")
    took = float(page.evaluate(USABLE))
    page.close()
    return took


def use(browser: Browser, path: Path) -> dict[str, tuple[float, float]]:
    """For each act: milliseconds until it is answered, and the longest that nothing else was."""
    found = {}
    page = browser.new_page(viewport={"width": 1440, "height": 900})
    page.goto(path.as_uri())
    page.wait_for_selector("html[data-ready]", state="attached")
    for act in (*ACTS, *VIEWS):
        seen, longest = page.evaluate(ANSWER, [act])
        found[act] = (float(seen), float(longest))
    page.close()
    return found


def main(given: list[str]) -> None:
    """Prints what it takes."""
    if CHROMIUM is None:
        sys.exit("there is no Chromium here")
    with tempfile.TemporaryDirectory() as place, sync_playwright() as playwright:
        site = Path(given[0]) if given else Path(place, "site")
        if not given:
            write(site)
        files = [each for each in site.rglob("*") if each.is_file()]
        size = sum(each.stat().st_size for each in files)
        print(f"{len(files):,} files, {size / 1e6:.0f} MB")
        empty = Path(place, "empty.html")
        empty.write_text('<!doctype html><meta charset="utf-8"><p id="reference">One line.</p>')
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        pages = (site.resolve() / "index.html", empty)
        pairs = [[open_page(browser, page) for page in pages] for _ in range(TIMES)]
        usable, plain = (statistics.median(each) for each in zip(*pairs, strict=True))
        worst = max(own for own, _ in pairs)
        print(f"usable after {usable:.0f} ms (at worst {worst:.0f})")
        print(f"an empty page after {plain:.0f} ms: ratio {usable / plain:.1f}")
        runs = [use(browser, pages[0]) for _ in range(3)]
        for act in (*ACTS, *VIEWS):
            seen, longest = (statistics.median(run[act][at] for run in runs) for at in (0, 1))
            print(f"  {act:17} seen after {seen:4.0f} ms, busy for at most {longest:4.0f} ms")
        browser.close()


if __name__ == "__main__":
    main(sys.argv[1:])
