"""Writes the static site of a board: a folder that opens from disk and from any server."""

import os
import secrets
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

from assay.board.results import Board
from assay.board.rows import Row
from assay.core.errors import InputError
from assay.report.board.leaderboard import gold_words
from assay.report.board.views import board_csv, board_json
from assay.report.pages.badges import make_environment
from assay.report.pages.records import literal
from assay.report.pages.texts import SeenTexts
from assay.report.site.overview import BoardRecord
from assay.report.site.pieces import Folder, RowEntry, Rows, SourcePieces
from assay.report.site.records import Recorder

SHARED = ("elements.js", "units.js")  # with the other pages
SCRIPTS = (
    "state.js",
    *SHARED,
    "parts.js",
    "ranking.js",
    "plots.js",
    "charts.js",
    "judges.js",
    "texts.js",
    "examples.js",
    "method.js",
    "main.js",
)
_SIGN = '<meta name="generator" content="Assay board">'
_OWN = {"index.html", "data", "static", "board.json", "board.csv"}
_LETTERS = {
    "hallucinated": "h",
    "faithful": "f",
    "refused": "r",
    "invalid": "i",
    "failed": "x",
    "uncounted": "u",
}


@dataclass(frozen=True, slots=True)
class Written:
    """A written site; `size` is in bytes."""

    folder: Path
    rows: int
    sources: int
    files: int
    size: int


def write_site(board: Board, rows: Iterable[Row], folder: str | Path) -> Written:
    """Writes the site of a board with the responses behind it, which are read one by one.

    The folder appears whole, and an older site in its place stays until then. A folder that holds
    anything else is refused.
    """
    with _replacing(folder) as part:
        try:
            return _write(board, rows, Folder(part), Path(folder))
        except OSError as error:
            raise _unwritable(folder, error) from None


def require_site(folder: str | Path) -> None:
    """Raises if a site may not take the place of what is there, before long work is done for it."""
    place = Path(os.path.realpath(folder))
    if not place.exists():
        return
    if not place.is_dir():
        raise InputError(f"cannot write a site to {folder}: it is not a folder")
    found = sorted(each.name for each in place.iterdir())
    if not found:
        return
    if not _is_site(place):
        raise InputError(
            f"cannot write a site to {folder}: there is something else in this folder; "
            "name a new or an empty one, or an older site"
        )
    others = [name for name in found if name not in _OWN]
    if others:
        raise InputError(
            f"cannot replace the site in {folder}: {others[0]} there is not a part of it and "
            "would be lost"
        )


def _is_site(place: Path) -> bool:
    try:
        with (place / "index.html").open(encoding="utf-8", errors="replace") as page:
            return _SIGN in page.read(4096)
    except OSError:
        return False


@contextmanager
def _replacing(folder: str | Path) -> Iterator[Path]:
    """A folder beside the target that takes its place if nothing goes wrong."""
    require_site(folder)
    target = Path(os.path.realpath(folder))
    part, old = (
        target.with_name(f".assay-{secrets.token_hex(8)}.{end}") for end in ("part", "old")
    )
    try:
        part.mkdir()
        yield part
        require_site(folder)
        with suppress(FileNotFoundError):
            target.rename(old)
        try:
            part.rename(target)
        except OSError:
            with suppress(FileNotFoundError):
                old.rename(target)
            raise
    except OSError as error:
        raise _unwritable(folder, error) from None
    finally:
        for each in (part, old):
            shutil.rmtree(each, ignore_errors=True)


def _unwritable(folder: str | Path, error: OSError) -> InputError:
    return InputError(f"cannot write {folder}: {error.strerror or error}")


def _write(board: Board, rows: Iterable[Row], folder: Folder, target: Path) -> Written:
    recorder, sources = Recorder(), SourcePieces(folder)
    pieces = Rows(folder, len(board.models), len(board.judges), len(board.levels))
    models = {name: number for number, name in enumerate(board.models)}
    tasks = {name: number for number, name in enumerate(board.tasks, start=1)}
    for row in rows:
        model = models.get(row.example.response.model)
        if model is None:
            continue
        seen = SeenTexts(row.example)
        place = sources.place(row.example.source, seen)
        edits = sources.edits(place, seen)
        record = recorder.row(row.example, row.said, row.people, place, edits)
        pieces.add(model, _entry(row, tasks, recorder), record)
    sources.close()
    counts = pieces.close()
    overview = BoardRecord(board, recorder)
    folder.piece("board", literal(overview.document(counts, folder.digest)))
    _write_page(board, sum(counts), folder)
    return Written(target, sum(counts), len(sources), folder.files, folder.size)


def _entry(row: Row, tasks: dict[str, int], recorder: Recorder) -> RowEntry:
    return RowEntry(
        id=row.example.id,
        task=tasks.get(row.example.task, 0),
        classes=["".join(_LETTERS[each] for each in levels) for levels in row.classes],
        labels=[recorder.label(each) for each in row.said],
    )


def _write_page(board: Board, rows: int, folder: Folder) -> None:
    """The page, its looks and scripts, and the numbers for other programs."""
    folder.write("board.json", board_json(board))
    folder.write("board.csv", board_csv(board))
    for name in SCRIPTS:
        folder.write(f"static/{name}", script_path(name).read_text(encoding="utf-8"))
    folder.write("static/style.css", _styles())
    page = make_environment("site/templates").get_template("index.html.jinja")
    shown = next((each for each in board.rankings if not each.task), None)
    people = [judge.name for judge in board.judges if judge.kind == "person"]
    text = page.render(
        board=board,
        rows=rows,
        ranking=shown,
        gold=gold_words(board) if shown and shown.judge in people else "",
        scripts=SCRIPTS,
        build=folder.digest,
    )
    folder.write("index.html", text.encode("utf-8", "xmlcharrefreplace").decode("utf-8"))


def script_path(name: str) -> Traversable:
    """The file of a script, which may be one that other pages have, too."""
    place = "templates/shared" if name in SHARED else "site/static"
    return files("assay.report") / place / name


def _styles() -> str:
    """One style sheet: the colours and type of all pages, and what is the site's own."""
    pages = files("assay.report")
    shared = [pages / "templates" / "check" / name for name in ("colours.css", "page.css")]
    own = [pages / "site" / "static" / name for name in ("style.css", "examples.css")]
    return "\n".join(each.read_text(encoding="utf-8") for each in (*shared, *own))
