"""What kind of text a source is."""

import pytest

from assay.core.rendering import read_source
from assay.core.texts import Source
from training.source_kinds import source_kind

CHAT = "Ilka: someone's bike is in the way\nMehmet: not mine\nIlka: it's red\nJo: mine, sorry"
CSV = "Item,stock,price\nRope,40,3.20\nHooks,25,0.40\nCanvas,18,12.00"
HTML = "<table><tr><th>A</th></tr><tr><td>1</td></tr><tr><td>2</td></tr></table>"
PROSE = (
    "The ferry, which was built in 1987, sails daily. Tickets, food and drinks are sold on board."
)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (CHAT, "dialogue"),
        ("[10:02] Ann: hello\n[10:03] Bo: hi\n[10:04] Ann: bye", "dialogue"),
        ("**Ann:** hello\n**Bo:** hi\n**Ann:** bye", "dialogue"),
        (CSV, "table"),
        (CSV.replace(",", "\t"), "table"),
        (HTML, "table"),
        ("Stock\n\n| a | b |\n|---|---|\n| 1 | 2 |", "table"),
        ('{"name": "Ada", "born": 1815}', "record"),
        (PROSE, "short"),
        (f"{PROSE}\n{PROSE}\n{PROSE}", "short"),
        (PROSE * 30, "article"),
        ("", "short"),
    ],
)
def test_kind_of_a_text(text: str, kind: str) -> None:
    assert source_kind(Source(text)) == kind


def test_fields_of_an_object_are_a_record() -> None:
    assert source_kind(read_source({"name": "Ada", "works": ["Notes"]})) == "record"


@pytest.mark.parametrize("text", ["|" * 100_000, "a:" * 50_000, ",\n" * 50_000, "<tr " * 25_000])
def test_hostile_texts_have_a_kind(text: str) -> None:
    assert source_kind(Source(text)) in {"short", "article", "table", "dialogue"}
