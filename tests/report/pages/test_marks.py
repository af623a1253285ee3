"""Marked words, and verdicts that are not sure, on the page, in a notebook and in the terminal."""

import io
from collections.abc import Callable
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from assay.core.examples import Example
from assay.core.judgements import Author, Judgement, Manifest
from assay.core.results import Result, Totals
from assay.core.taxonomies import GRAY7
from assay.core.texts import Response, Source, Span
from assay.core.units import Unit
from assay.core.verdicts import Attributes, Verdict
from assay.report.pages.badges import NO_VERDICT, SCORE_ONLY, UNSURE, Badge, label_badge
from assay.report.pages.page import html_fragment
from assay.report.terminal import TerminalView
from tests.report.pages.page_data import Data

Write = Callable[..., Path]

SOURCE = "The quay opened in 1986. Ferries sail to Albania."
RESPONSE = "Yes. The new  quay\nopened <b>in</b> 1987 & 😀 burned."
AUTHOR = Author("marking")


def place(words: str) -> Span:
    start = RESPONSE.index(words)
    return Span.cut(RESPONSE, start, start + len(words), "response")


def marked(*marks: str, spans: tuple[Span, ...] = ()) -> Result:
    """A sentence with evidence and marks; with `spans` it is in other places than one."""
    whole = place(RESPONSE[5:])
    unit = Unit("s1", "sentence", whole.text, spans or (whole,))
    evidence = (Span.cut(SOURCE, 0, 24, "source"),)
    verdict = Verdict(
        "s1", GRAY7["fabricated"], 0.2, evidence=evidence, marks=tuple(map(place, marks))
    )
    example = Example("x", Source(SOURCE), Response(RESPONSE))
    return Result(example, Judgement("x", AUTHOR, (unit,), (verdict,), 0, len(SOURCE)))


def printed(result: Result, **options: Any) -> str:
    out = io.StringIO()
    console = Console(file=out, width=200, **options)
    TerminalView(console, GRAY7, Totals(), only_flagged=False).add(result)
    return out.getvalue()


def test_marks_are_underlined_instead_of_words_that_the_evidence_lacks(write: Write) -> None:
    data = Data(write(marked("new  quay", "😀 burned")))
    assert data.runs(1) == ["The ", "new  quay", "\nopened <b>in</b> 1987 & ", "😀 burned", "."]
    assert data.unit(1)["marked"] == 1


def test_without_marks_the_words_that_the_evidence_lacks_are_underlined(write: Write) -> None:
    data = Data(write(marked()))
    assert "1987" in data.runs(1)[1::2]
    assert "marked" not in data.unit(1)


def test_marks_of_a_unit_in_several_places_are_listed(write: Write) -> None:
    data = Data(write(marked("1987", spans=(place("The new  quay"), place("1987 & 😀 burned.")))))
    assert data.unit(1)["words"] == ["1987"]
    assert "marked" not in data.unit(1)


def test_notebook_shows_marks_and_escapes_them() -> None:
    html = html_fragment([marked("<b>in</b> 1987")], Manifest(AUTHOR))
    assert "opened <mark>&lt;b&gt;in&lt;/b&gt; 1987</mark> &amp;" in html


def test_terminal_underlines_marks_in_the_sentence() -> None:
    text = printed(marked("new  quay", "1987"), force_terminal=True, color_system="standard")
    assert "The \x1b[1;4;31mnew quay\x1b[0m opened <b>in</b> \x1b[1;4;31m1987\x1b[0m & 😀" in text


def test_terminal_without_colours_names_the_marks() -> None:
    lines = [line.strip() for line in printed(marked("new  quay", "1987")).splitlines()]
    assert "The new quay opened <b>in</b> 1987 & 😀 burned." in lines
    assert "not borne out: new quay; 1987" in lines


def test_terminal_names_only_the_first_of_many_marks() -> None:
    text = printed(marked("The", "new", "quay", "opened", "1987", "😀", "burned"))
    assert "not borne out: The; new; quay; opened; 1987 and 2 more" in text


@pytest.mark.parametrize("mark", ["1987 & \U0001f600", "burned."])
def test_marks_keep_the_text_whole(mark: str, write: Write) -> None:
    data = Data(write(marked(mark)))
    assert data.text() == RESPONSE
    assert "".join(data.runs(1)) == RESPONSE[5:]


def test_what_is_not_sure_has_a_badge_and_a_tone_of_its_own(write: Write) -> None:
    result = marked("1987")
    (verdict,) = result.judgement.verdicts
    unsure = replace(verdict, score=0.49, attributes=Attributes(unsure=True))
    data = Data(write(replace(result, judgement=replace(result.judgement, outcomes=(unsure,)))))
    badge = data.unit(1)["badge"]
    assert (data.badge(badge), data.tone(badge)) == ("not sure", "not-sure")
    assert data.unit(1)["flagged"] == 1
    assert data.unit(1)["marked"] == 1


@pytest.mark.parametrize("badge", [*map(label_badge, GRAY7), UNSURE, SCORE_ONLY, NO_VERDICT])
def test_every_tone_has_its_colours(badge: Badge) -> None:
    css = files("assay.report").joinpath("templates/check/colours.css").read_text("utf-8")
    assert f".tone-{badge.tone} {{" in css
    assert css.count(f"--{badge.tone}-ink: #") == 2  # by day and by night
