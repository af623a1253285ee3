"""HTML as a reader sees it."""

import pytest

from assay.text.html import read_html

SEEN = {
    "inline tags": ("<p>Born in <b>Lund</b>,\n in <i>1815</i>.</p>", "Born in Lund, in 1815."),
    "scripts and styles": (
        '<p>Yes.</p><SCRIPT>if (a < b) write("<p>It burned.</p>")</script ><style>p{}</style>',
        "Yes.",
    ),
    "script without an end": ("<p>Yes.</p><script>The mill burned.", "Yes."),
    "comments": ("Yes.<!-- The mill > burned. --> No.", "Yes. No."),
    "hidden parts": (
        "<p>Yes.</p><p hidden>no<p>More.</p><div style='display: none'>no<div>no</div>no</div>End.",
        "Yes.\n\nMore.\n\nEnd.",
    ),
    "not hidden": ('<p hidden="false">Yes.</p><p class="hidden-xs">No.</p>', "Yes.\n\nNo."),
    "entities": (
        "Tea &amp; cake, 3 &lt; 5&nbsp;kg &eacute;&#8364;&#x41;",
        "Tea & cake, 3 < 5 kg é€A",
    ),
    "no entities": ("AT&T &; &#; & co", "AT&T &; &#; & co"),
    "signs that are no tags": ("<p>1 < 2 and 3 > 2</p>", "1 < 2 and 3 > 2"),
    "brackets in attributes": ("<p title='a > b' data-x=\"</p>\">Text.</p>", "Text."),
    "line breaks": ("<p>Sold<br>here.<br/>Now.</p>", "Sold\nhere.\nNow."),
    "lists": ("<ol><li>Mix.<li>Bake<ul><li>long</ul></ol>", "1. Mix.\n2. Bake\n- long"),
    "numbered from": ("<ol start=7><li>Mix.</ol>", "7. Mix."),
    "headings": ("<h2>The mill</h2>It burned.", "# The mill\n\nIt burned."),
    "title": ("<html><head><title>The mill</title></head><body>Burned.", "The mill\n\nBurned."),
    "verbatim": ("<pre>a  b\nc\n\nd</pre>", "a b\nc\n\nd"),
    "code": (
        "<p>Run:</p><pre><code class='x'>a = <b>1</b>\n\n<table>b</code></pre><p>Yes.</p>",
        "Run:\n\n```\na = 1\n\nb\n```\n\nYes.",
    ),
    "code with a fence in it": ("<pre><code>```\na</code></pre>", "````\n```\na\n````"),
    "code without an end": ("<pre><code>The mill burned.", "The mill burned."),
    "typed text with a word of code": ("<pre>Run <code>a</code></pre>", "Run a"),
    "powers": (
        "10<sup>6</sup> m<sup>2</sup> 10<sup>-3</sup> 1<sup>st</sup> 2<sup></sup>3",
        "10^6 m^2 10^-3 1st 23",
    ),
    "struck-out text": (
        "<p>In <del>2024</del> <ins>2025</ins>, <s>Bob</s><b>Ada</b> won<strike> twice</strike>.",
        "In 2025, Ada won.",
    ),
    "struck out without an end": ("<p>In <s>2024, Ada won.</p>", "In 2024, Ada won."),
    "invisible parts": ("<p>Yes.</p><p style='visibility: hidden'>No.</p>", "Yes."),
    "terms": (
        "<dl><dt>Mayor</dt><dd>Dag</dd><dd>Eva</dd><dt>Born:<dd>1815<dt><dd>x</dl>",
        "Mayor: Dag\nEva\nBorn: 1815\nx",
    ),
    "soft hyphen": ("the mill\u00adstone&shy;s", "the millstones"),
    "tag in which the page breaks off": ('Yes. <div class="x', "Yes."),
    "nothing to see": ("<script>x()</script>", ""),
}


@pytest.mark.parametrize(("page", "seen"), SEEN.values(), ids=list(SEEN))
def test_page_is_read_as_what_a_reader_sees(page: str, seen: str) -> None:
    assert read_html(page).text == seen


TABLES = {
    "headers": (
        "<table><tr><th>Name<th>Born<tr><td>Ada<td>1815<tr><td>Bob<td></table>",
        "Name: Ada; Born: 1815.\nName: Bob.",
    ),
    "head of plain cells": (
        "<table><thead><tr><td>Name<td>Born</thead><tbody><tr><td>Ada<td>1815</table>",
        "Name: Ada; Born: 1815.",
    ),
    "names of rows": (
        "<table><tr><th>Height</th><td>330 m</td></tr><tr><th>City:</th><td>Lund</td></tr></table>",
        "Height: 330 m.\nCity: Lund.",
    ),
    "no headers": ("<table><tr><td>Ada<td>1815</table>", "Ada; 1815."),
    "cells over several columns and rows": (
        "<table><thead><tr><th rowspan=2>Year<th colspan=2>Sales<tr><th>Tea<th>Rum</thead>"
        "<tr><td rowspan=2>2019<td>1<td>2<tr><td>3<td>4</table>",
        "Year: 2019; Sales Tea: 1; Sales Rum: 2.\nYear: 2019; Sales Tea: 3; Sales Rum: 4.",
    ),
    "table in a table": (
        "<table><tr><td><table><tr><th>N<th>M<tr><td>1<td>2</table><td>x</table>",
        "N: 1; M: 2. x.",
    ),
    "lines in a cell": (
        "<table><tr><th>City<th>Sold<tr><td>Lund<td>tea<br>rum</table>",
        "City: Lund; Sold: tea rum.",
    ),
    "headers and nothing else": ("<table><tr><th>Name<th>Born</table>", "Name; Born."),
    "rows without a table": ("<tr><td>Ada</td><td>1815</td></tr>", "Ada 1815"),
}


@pytest.mark.parametrize(("page", "seen"), TABLES.values(), ids=list(TABLES))
def test_rows_of_a_table_are_lines_with_headers(page: str, seen: str) -> None:
    assert read_html(page).text == seen


def test_table_that_lays_out_a_page_keeps_its_paragraphs() -> None:
    long = "<p>" + "The mill burned down. " * 20 + "</p>"
    page = read_html(f"<table><tr><td>Menu</td><td>{long}{long}</td></tr></table>")
    assert page.text.startswith("Menu\n\nThe mill burned down.")
    assert page.text.count("\n") == 3


def test_skipped_elements_are_gone() -> None:
    assert read_html("<nav>Home</nav><p>Text.</p>", frozenset({"nav"})).text == "Text."


HOSTILE = ["<a ", "<!--", "<![", "<?", "<a b='", "<script>", "<nav>", "</nav>", "<h1>", "&#", "<"]
HOSTILE += [
    "<table>",
    "<tr><td>",
    "<td rowspan=99>x",
    "<ul><li>",
    "<div hidden>",
    "<table><tr><td>x",
]
HOSTILE += ["&amp;", "<p>x", "<a b=\"'", "</table>", "<th colspan=99>x", "<sup>1", "<pre>\n"]
HOSTILE += ["<pre><code>", "<pre><code>`</pre>", "<s>", "<s>x</s>", "<dt>x<dd>", "<dd>"]


@pytest.mark.parametrize("piece", HOSTILE)
def test_broken_pages_are_read_in_linear_time(piece: str) -> None:
    view = read_html(piece * (200_000 // len(piece)))  # minutes if the time were quadratic
    assert list(view.ends) == sorted(view.ends)
