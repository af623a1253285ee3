"""Web pages as text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.text.html import readable_page

HOSTILE = ["<a ", "<!--", "<![", "<?", "<a b='", "<script>", "<nav>", "</nav>", "<h1>", "&#", "<"]


def test_paragraphs_are_kept_apart_and_inline_tags_dropped() -> None:
    page = readable_page("<p>One <b>bold</b>&nbsp;word.<p>Two<br/>lines.<ul><li>a<li>b</ul>")
    assert page.text == "One bold word.\n\nTwo\nlines.\n\n- a\n- b"


def test_scripts_styles_comments_and_navigation_are_dropped() -> None:
    markup = """<head><title> The  page </title><style>p{}</style></head><body>
    <nav><a>Home</a></nav>
    <script>if (a < b) write("<p>no</p>")</script><p>Yes.</p><!-- no --><footer>no</footer>
    <form><p>no</p></form><p>End.</p>"""
    page = readable_page(markup)
    assert (page.title, page.text) == ("The page", "Yes.\n\nEnd.")


def test_navigation_that_is_never_closed_does_not_swallow_the_page() -> None:
    assert readable_page("<nav>Home<div><p>All there is.</p></div>").text == "Home\n\nAll there is."


def test_a_navigation_end_closes_what_was_left_open_inside() -> None:
    assert readable_page("<nav><form>x</nav><p>Read.</p>").text == "Read."


def test_head_without_an_end_is_no_reason_to_read_nothing() -> None:
    assert readable_page("<html><head><title>T</title><body><p>Text").text == "Text"


def test_a_heading_is_the_title_where_there_is_no_other() -> None:
    assert readable_page("<h1>The <i>ferry</i></h1><p>Sank.").title == "The ferry"


def test_attributes_may_hold_brackets() -> None:
    assert readable_page("<p title='a > b'>Text.</p>").text == "Text."


def test_rows_of_a_table_are_read_with_their_headers() -> None:
    page = readable_page("<table><tr><th>City<th>Since<tr><td>Lund<td>990</table>")
    assert page.text == "City: Lund; Since: 990."


def test_signs_that_are_no_tags_are_text() -> None:
    assert readable_page("<p>1 < 2 and 3 > 2 &amp; more</p>").text == "1 < 2 and 3 > 2 & more"


@pytest.mark.parametrize("piece", HOSTILE)
def test_broken_pages_are_read_in_linear_time(piece: str) -> None:
    page = readable_page(
        piece * (400_000 // len(piece))
    )  # the standard library's parser takes minutes
    assert page.text == page.text.strip()


@given(st.lists(st.sampled_from([*HOSTILE, ">", "</p>", "x ", "\ud800", "<title>"]), max_size=30))
def test_anything_can_be_read(pieces: list[str]) -> None:
    page = readable_page("".join(pieces))
    assert page.text == page.text.strip()


@pytest.mark.parametrize(
    ("reference", "read"),
    [
        ("&#" + "9" * 5_000 + ";", "\ufffd"),
        ("&#" + "0" * 5_000 + "65;", "\ufffd"),
        ("&#x" + "f" * 5_000 + ";", "\ufffd"),
        ("&#00000065;", "A"),
    ],
)
def test_a_character_of_thousands_of_digits_is_unknown(reference: str, read: str) -> None:
    page = readable_page(f"<title>a {reference} b</title><p>One {reference} two.</p>")
    assert (page.title, page.text) == (f"a {read} b", f"One {read} two.")
