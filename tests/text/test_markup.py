"""HTML, Markdown and plain text as what a reader sees."""

import textwrap

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.text.markup import is_html, visible
from assay.text.sentences import find_sentences

SEEN = {
    "emphasis": (
        "It is **very** *old* and __so cold__.",
        "It is very old and so cold.",
    ),
    "struck-out text": (
        "In ~~2024~~ 2025, <del>Bob</del> <ins>Ada</ins> won <s>it</s> ~~*twice*~~. ~~Never.~~",
        "In 2025, Ada won.",
    ),
    "signs that strike nothing out": "The tokens <s> and </s> cost ~~5 to ~~6 cents.",
    "powers": (
        "10<sup>6</sup> m<sup>2</sup> 10<sup>-3</sup> 1<sup>st</sup> CO<sub>2</sub>",
        "10^6 m^2 10^-3 1st CO2",
    ),
    "signs that are no emphasis": "2*3*4 a_b_c **kwargs and **opts, __init__ f* g* ____ (name)",
    "signs of comparison": "A List<String> holds a < b and c > d; <b> makes text bold.",
    "links": ("See [the *mill*](https://a.org/b_(c) 'x') now.", "See the mill now."),
    "brackets": "He [the miller](sic) left [see below].",
    "image": ("Yes. ![A mill](mill.png)", "Yes."),
    "address in brackets": ("See <https://a.org>.", "See https://a.org."),
    "references": (
        "Tall.[4] Old [1][2], cold [3-5]. Dry【3†source】.[^7]",
        "Tall. Old, cold. Dry.",
    ),
    "links that are references": ("Tall [1](https://a.org) [[2]](b.html).", "Tall."),
    "numbers in brackets that are needed": "It lies in [1, 5], see [3]; sizes: [2]",
    "numbers in brackets in code": "So array[3] is x[1], my_list[2] or f(x)[4]; rowCount[5].",
    "lists of numbers in brackets": "The values [1, 2] and [3, 4] add to [4, 6].",
    "references within a clause": (
        "Lund[1] is near Ystad [2] and the sea (1987)[3]. So [a](https://a.org)[4] says. _Yes._[5]",
        "Lund is near Ystad and the sea (1987). So a says. Yes.",
    ),
    "links by name": (
        "See [the *mill*][Mill], [mill][], [mill] and [a][b].\n\n[mill]: https://a.org",
        "See the mill, mill, mill and [a][b].",
    ),
    "definitions": ("Tall.\n\n[1]: https://a.org 'A'\n[^2]: Short note.", "Tall.\n\nShort note."),
    "code in a line": ("Call `a*b*c` or ``d``.", "Call a*b*c or d."),
    "escapes": (r"Not \*this\*.", "Not *this*."),
    "entities": ("AT&amp;T &lt; 3&nbsp;kg &unknown; R&D", "AT&T < 3 kg &unknown; R&D"),
    "script": ("Yes. <script>The mill burned.</script> No. <!-- Why? -->", "Yes. No."),
    "script that is mentioned": "The <script> tag holds code.",
    "tags in pairs": ("It is <b>old</b> and <span x='1'>cold</span>.", "It is old and cold."),
    "headings": ("## The mill\nIt burned.", "## The mill\nIt burned."),
    "bold line": ("**The mill**\n\nIt burned.", "# The mill\n\nIt burned."),
    "bold label": ("**Cause:** fire", "Cause: fire"),
    "rules and underlines": (
        "The mill\n====\nIt burned.\n\n* * *\nYes.",
        "The mill\n\nIt burned.\n\nYes.",
    ),
    "lists": ("* tea\n*  rum\n- [x] gin\n1. beer", "* tea\n* rum\n- gin\n1. beer"),
    "quotation": ("> It burned,\n> they say.\n\n> 50% did.", "It burned, they say.\n\n> 50% did."),
    "fenced code": (
        "Run:\n```py\nx = [1] * **y**\n\nz\n```\nDone.",
        "Run:\n\n```py\nx = [1] * **y**\n\nz\n```\n\nDone.",
    ),
    "table": (
        "Ships:\n| Name | **Built** |\n|---|---:|\n| [Maro](a.b) | 1987 |\n| Quill | |\nDone.",
        "Ships:\n\nName: Maro; Built: 1987.\nName: Quill.\n\nDone.",
    ),
    "bars in a table": (
        "| Names | Age |\n|--|--|\n| Max \\| Moritz | `a\\|b` |",
        "Names: Max | Moritz; Age: a|b.",
    ),
    "table without outer bars": ("a | b\n--- | ---\nc | d", "a: c; b: d."),
    "spaces": (" one  two\t three\r\n\r\n\r\nFour\u00a0five.\n", "one two three\n\nFour five."),
}


@pytest.mark.parametrize("case", SEEN.values(), ids=list(SEEN))
def test_text_is_read_as_what_a_reader_sees(case: str | tuple[str, str]) -> None:
    text, seen = (case, case) if isinstance(case, str) else case
    assert visible(text).text == seen


PROSE = (
    "The ferry Maro was built in 1987 at a yard in Osterholm, which closed soon afterwards. It"
    " carries 120 cars. Captain Ada Berg, who has sailed her since 2004, says that nothing about"
    " the ship has changed since then. In winter she lies in Lindmoor."
)


@pytest.mark.parametrize("width", [*range(20, 50, 3), 60, 72, 80, 100])
def test_wrapped_prose_is_read_like_the_same_on_one_line(width: int) -> None:
    assert visible(textwrap.fill(PROSE, width) + "\n").text == PROSE
    assert visible(textwrap.fill(PROSE, width).replace("\n", "\r\n")).text == PROSE


def test_colon_in_wrapped_prose_ends_no_line() -> None:
    prose = (
        "The mill is known for one\nthing: it burned, first in\nOsterholm, which was then\nrich."
    )
    assert visible(prose).text == prose.replace("\n", " ")


LINES = {
    "names": "Ada Berg from Lindmoor\nBo Dahl from Osterholm\nEva Falk from Westerby",
    "poem": "The mill is old,\nThe mill is cold,\nAnd nobody knows\nWho broke the wheel",
    "dialogue": "Ada: The mill burned down last night, and nobody knows how it began.\nBob: Oh.",
    "fields": "name: Blue Door, the oldest tea house of the town, with a garden\nhours > Mon: 9-5",
    "paragraphs": f"{PROSE}\nThe mayor opened it.",
    "data": '{"label": "a long line of data that goes on and on and on and on"}\n{"label": "b"}',
}


@pytest.mark.parametrize("text", LINES.values(), ids=list(LINES))
def test_lines_that_were_not_wrapped_are_kept(text: str) -> None:
    assert visible(text).text.count("\n") == text.count("\n")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<!DOCTYPE html>\n<p>Text", True),
        ("<html lang='en'>Text", True),
        ("<p>Text.</p>", True),
        ("Text. <p>More.</p> <ul><li>One</li></ul>", True),
        ("A List<String> is for a < b.", False),
        ("The <p> tag begins a paragraph, and `</p>` ends it.", False),
        ("# Guide\n\n<div align='center'><p>Logo</p></div>\n\nText <p>x</p>.", False),
        ("<b>Bold</b> words", False),
    ],
)
def test_html_is_told_from_texts_that_mention_it(text: str, expected: bool) -> None:
    assert is_html(text) == expected


def test_reference_in_a_page_is_no_text() -> None:
    assert visible("<p>It is tall.<sup><a href='#4'>[4]</a></sup></p>").text == "It is tall."


def test_sentences_of_a_view_lie_where_they_are_written() -> None:
    text = (
        "**Note.** It is [tall](https://a.org).[4]\n\n| City | Since |\n|--|--|\n| Lund | 990 |\n"
    )
    found = [(unit.text, text[unit.start : unit.end]) for unit in find_sentences(text)]
    assert found == [
        (words, words) for words in ("**Note.**", "It is [tall](https://a.org).[4]", "Lund | 990")
    ]


PIECES = (
    *"*_~`#>|-=[]()!<>&;:. \n\r\t\\\x0b\u2028\u00ad\u200b\ufeff\ud800",
    *(
        "**",
        "```\n",
        "| a | b |\n",
        "|--|--|\n",
        "[a](http://b.c)",
        "[1]",
        "[^1]: ",
        "【3】",
        "&amp;",
    ),
    *(
        "<p>",
        "</p>",
        "<b>",
        "</b>",
        "<table>",
        "<tr>",
        "<td rowspan=2>",
        "<th colspan=2>",
        "</table>",
    ),
    *("<pre><code>", "</pre>", "2<sup>", "3</sup>", "<s>", "</s>", "<dt>", "<dd>", "~~", "\\|"),
    *("<script>", "</script>", "<!--", "-->", "<div hidden>", "</div>", "<br>", "<!doctype html>"),
    *(
        "&#",
        "&#10;",
        "&nbsp",
        "- ",
        "1. ",
        "Ada ",
        "it is",
        "é",
        "e\u0301",
        "中文",
        "👍🏽",
        "x" * 60,
    ),
)
ANY_TEXT = st.lists(st.sampled_from(PIECES) | st.characters(exclude_categories=())).map("".join)


@settings(max_examples=500)
@given(ANY_TEXT)
def test_every_character_of_a_view_has_its_place_in_the_original(text: str) -> None:
    view = visible(text)
    starts, ends = list(view.starts), list(view.ends)
    assert len(starts) == len(ends) == len(view.text)
    assert starts == sorted(starts)
    assert ends == sorted(ends)
    assert all(0 <= a <= b <= len(text) for a, b in zip(starts, ends, strict=True))
    for sign, start, end in zip(view.text, starts, ends, strict=True):
        written = text[start:end]
        # Written as such, by an entity, or put there: space, a bullet, a header, the end of a row.
        assert sign in written or "&" in written or start == end or sign.isspace() or sign in ";#:^"


@given(ANY_TEXT)
def test_sentences_quote_the_original_in_order(text: str) -> None:
    units = [unit for unit in find_sentences(text) if unit.spans]
    assert all(text[unit.start : unit.end] == unit.text for unit in units)
    places = [place for unit in units for place in (unit.start, unit.end)]
    assert places == sorted(places, key=lambda place: place or 0)


@given(st.lists(st.sampled_from(["Tea is sold.", "Who came?", "It rose 5%, to 3.5."]), min_size=1))
def test_plain_prose_is_its_own_view(sentences: list[str]) -> None:
    assert visible(" ".join(sentences)).is_original


HOSTILE = """[ ![ ]( [a]( * **a _a` ` ``a < <b> <!-- <script> & &# | |- > - # \\\\* 【 [1] [1, ~~
    <br> [^ <br>| <a_href=" [1](http://a.b <http:// <td>a</td> </p> <p> **a** `a` &amp;""".split()
HOSTILE += [" ", "\n", "\t", "a\n", "|a|\n|-|\n", "| a ", "```\n", "\u00ad", "x" * 60 + "\n", "> "]
HOSTILE += ["<s>", "<s>x</s>", "<sup>1</sup>", "~~a~~ ", "[a][b]", "[a]: /b\n[a]", "|\\|\n|-|\n"]


@pytest.mark.parametrize("piece", HOSTILE)
def test_any_mark_is_read_in_linear_time(piece: str) -> None:
    view = visible(piece * (100_000 // len(piece)))  # minutes if the time were quadratic
    assert list(view.ends) == sorted(view.ends)
