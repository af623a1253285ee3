"""Makes the pictures of the README from the shipped example: `make picture`.

    python docs/images/make.py [folder]

It checks `examples/summary.txt` against `examples/article.txt`, and `examples/answers.jsonl`, opens
the page in Chromium, light and dark, and keeps what a reader sees first.
"""

import json
import shutil
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

import assay

HERE = Path(__file__).parent
EXAMPLES = HERE.parents[1] / "examples"
WIDTH, HEIGHT = 1200, 660


def make_pictures(folder: Path) -> list[Path]:
    """Writes `check.png` and `check-dark.png` into a folder."""
    chromium = next(
        filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
    )
    if chromium is None:
        sys.exit("the pictures are made with Chromium, and there is none here")
    article, summary, answers = (
        (EXAMPLES / name).read_text("utf-8")
        for name in ("article.txt", "summary.txt", "answers.jsonl")
    )
    rows = [{"id": "night-ferry", "source": article, "response": summary}]
    rows += [json.loads(line) for line in answers.splitlines()]
    made = []
    with tempfile.TemporaryDirectory() as place, sync_playwright() as playwright:
        page_file = Path(place, "check.html")
        assay.check(rows).to_html(page_file)
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        for scheme, name in (("light", "check.png"), ("dark", "check-dark.png")):
            page = browser.new_page(
                viewport={"width": WIDTH, "height": HEIGHT},
                color_scheme="dark" if scheme == "dark" else "light",
                reduced_motion="reduce",
            )
            page.goto(page_file.as_uri())
            page.wait_for_selector("#panel .stance")
            page.screenshot(path=folder / name)
            made.append(folder / name)
        browser.close()
    return made


if __name__ == "__main__":
    for picture in make_pictures(Path(sys.argv[1]) if len(sys.argv) > 1 else HERE):
        sys.stdout.write(f"{picture.name}: {picture.stat().st_size / 1000:.0f} kB\n")
