"""Makes the pictures of the README from the shipped example: `make picture`.

    python docs/images/make.py [folder]

It checks `examples/summary.txt` against `examples/article.txt`, as `make demo` does, opens the page
in Chromium, light and dark, and chooses the sentence that gives a councillor a motive.
"""

import shutil
import struct
import subprocess
import sys
import tempfile
import zlib
from collections.abc import Iterator
from pathlib import Path

from playwright.sync_api import sync_playwright

HERE = Path(__file__).parent
EXAMPLES = HERE.parents[1] / "examples"
WIDTH, HEIGHT = 1160, 1028
PAETH = 4  # the filter of PNG that guesses by three neighbours
CHOSEN = "Henrik Vass"


def make_pictures(folder: Path) -> list[Path]:
    """Writes `check.png` and `check-dark.png` into a folder."""
    chromium = next(
        filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
    )
    if chromium is None:
        sys.exit("the pictures are made with Chromium, and there is none here")
    made = []
    with tempfile.TemporaryDirectory() as place, sync_playwright() as playwright:
        page_file = Path(place, "check.html")
        texts = ["--source", EXAMPLES / "article.txt", "--response", EXAMPLES / "summary.txt"]
        command = [sys.executable, "-m", "assay", "check", *texts, "--quiet", "--html", page_file]
        subprocess.run(command, check=True)
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        for scheme, name in (("light", "check.png"), ("dark", "check-dark.png")):
            page = browser.new_page(
                viewport={"width": WIDTH, "height": HEIGHT},
                color_scheme="dark" if scheme == "dark" else "light",
                reduced_motion="reduce",
            )
            page.goto(page_file.as_uri())
            page.locator(".unit", has_text=CHOSEN).click()
            page.locator(".unit.current", has_text=CHOSEN).wait_for()
            page.mouse.move(0, 0)
            (folder / name).write_bytes(compressed(page.screenshot()))
            made.append(folder / name)
        browser.close()
    return made


def compressed(png: bytes) -> bytes:
    """The same picture in fewer bytes: flat areas pack best without a filter."""
    chunks, place = [], 8
    while place < len(png):
        (length,) = struct.unpack(">I", png[place : place + 4])
        chunks.append((png[place + 4 : place + 8], png[place + 8 : place + 8 + length]))
        place += length + 12
    pixels = zlib.decompress(b"".join(data for kind, data in chunks if kind == b"IDAT"))
    rows = b"".join(b"\0" + row for row in unfiltered(pixels, 3 * WIDTH))
    kept = [chunks[0], (b"IDAT", zlib.compress(rows, 9)), chunks[-1]]
    return png[:8] + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in kept
    )


def unfiltered(pixels: bytes, width: int) -> Iterator[bytes]:
    """The rows of a picture of three bytes a pixel, without the filters of PNG."""
    above = bytearray(width + 3)  # with a pixel before it, as every row here
    for start in range(0, len(pixels), width + 1):
        kind = pixels[start]
        row = bytearray(3) + pixels[start + 1 : start + 1 + width]
        for at in range(3, width + 3):
            left, up, corner = row[at - 3], above[at], above[at - 3]
            if kind == PAETH:
                by_left, by_up = abs(up - corner), abs(left - corner)
                by_corner = abs(left + up - 2 * corner)
                nearest = up if by_up <= by_corner else corner
                guess = left if by_left <= by_up and by_left <= by_corner else nearest
            else:
                guess = (0, left, up, (left + up) // 2)[kind]
            row[at] = (row[at] + guess) % 256
        yield bytes(row[3:])
        above = row


if __name__ == "__main__":
    for picture in make_pictures(Path(sys.argv[1]) if len(sys.argv) > 1 else HERE):
        sys.stdout.write(f"{picture.name}: {picture.stat().st_size / 1000:.0f} kB\n")
