"""What `assay data list`, `show` and `download` do once their options are read."""

import json
import sys
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from rich.console import Console

from assay.datasets.cards import Card
from assay.datasets.corpus import CORPORA, data_root, find_card
from assay.datasets.download import download
from assay.datasets.presence import STATES, FileState, file_states, presence
from assay.report.corpus_view import facts_view, table_view


def run_list(root: str | None, *, as_json: bool) -> None:
    """Prints a line for each corpus."""
    cards = [find_card(name) for name in CORPORA]
    if as_json:
        print_json([_summary(card, root) for card in cards])
        return
    rows = (
        (
            card.name,
            card.unit_kind,
            card.taxonomy,
            card.licence,
            "yes" if card.may_train else "no",
            presence(card, root),
        )
        for card in cards
    )
    headers = ("corpus", "units", "taxonomy", "licence", "may train", "files")
    title = f"{len(cards)} corpora; files are looked for at {data_root(root)}"
    make_console().print(table_view(title, headers, rows, words=6))


def run_show(name: str, root: str | None, *, as_json: bool) -> None:
    """Prints a card, and how the files that are here compare with it."""
    card = find_card(name)
    files = file_states(card, root)
    if as_json:
        print_json({**_summary(card, root), **_details(card), "files": [asdict(f) for f in files]})
        return
    console = make_console()
    console.print(facts_view(_facts(card)))
    if files:
        headers = ("file", "state", "can be fetched", "bytes")
        folder = data_root(root) / card.folder
        console.print(table_view(f"files at {folder}", headers, map(_file_row, files), words=3))
    else:
        console.print(f"\nnothing of it is at {data_root(root) / card.folder}", highlight=False)


def run_download(name: str, root: str | None) -> int:
    """Says the licence, fetches file by file, and gives 2 if some of them cannot be fetched."""
    card = find_card(name)
    console = make_console()
    console.print(facts_view([("licence", card.licence), ("origin", card.origin)]))
    left = 0
    for file in download(card, root):
        reason = f" ({file.reason})" if file.reason else ""
        line = f"{file.result}: {file.path}{reason}"
        console.print(line, markup=False, highlight=False, soft_wrap=True)
        left += bool(file.reason)
    if left:
        sys.stderr.write(f"assay: {card.name} cannot be fetched in whole. {card.notes}\n")
    return 2 if left else 0


def make_console() -> Console:
    """A console that is wide enough for tables where the output goes to a file or a pipe."""
    return Console() if sys.stdout.isatty() else Console(width=120)


def print_json(document: Any) -> None:
    """Prints one JSON document."""
    sys.stdout.write(json.dumps(document, ensure_ascii=False, indent=1) + "\n")


def _summary(card: Card, root: str | None) -> dict[str, Any]:
    return {
        "name": card.name,
        "title": card.title,
        "unit_kind": card.unit_kind,
        "taxonomy": card.taxonomy,
        "licence": card.licence,
        "may_train": card.may_train,
        "presence": presence(card, root),
        "folder": str(data_root(root) / card.folder),
    }


def _details(card: Card) -> dict[str, Any]:
    fields = ("origin", "revision", "paper", "splits", "labels", "defects", "notes")
    return {field: getattr(card, field) for field in fields}


def _facts(card: Card) -> Iterator[tuple[str, str]]:
    yield "corpus", f"{card.name}: {card.title}"
    yield "origin", card.origin
    yield "revision", card.revision
    yield "licence", card.licence
    yield "may train", "yes" if card.may_train else "no: for evaluation only"
    yield "paper", card.paper
    yield "units", f"{card.unit_kind}s, judged in the taxonomy {card.taxonomy}"
    yield "splits", ", ".join(card.splits) or "none"
    yield "labels", card.labels
    yield "defects", "\n".join(f"- {defect}" for defect in card.defects)
    yield "notes", card.notes


def _file_row(file: FileState) -> tuple[str, str, str, str]:
    size = "-" if file.size is None else f"{file.size:,}"
    return file.path, STATES[file.state], "yes" if file.can_be_fetched else "no", size
