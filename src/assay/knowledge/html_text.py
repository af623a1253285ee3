"""The readable text of a web page: what a reader sees of it, without its navigation."""

import re
from dataclasses import dataclass

from assay.text import html

_TITLE = re.compile(r"<title\b[^<>]*>([^<]*)", re.IGNORECASE)
_HEADING = re.compile(r"<h1\b[^<>]*>(.{1,200}?)</h1", re.DOTALL | re.IGNORECASE)
_BESIDE = frozenset("nav footer aside form button menu dialog".split())  # the content of the page


@dataclass(frozen=True, slots=True)
class Page:
    """A page as text, with blank lines between its paragraphs."""

    title: str
    text: str


def read_html(markup: str) -> Page:
    """The title and the readable text of a page.

    >>> read_html("<title>A &amp; B</title><nav>Home</nav><p>One<br>two.</p><p>Three.</p>")
    Page(title='A & B', text='One\\ntwo.\\n\\nThree.')
    """
    found = _TITLE.search(markup) or _HEADING.search(markup)
    title = html.read_html(found[1]).text if found else ""
    text = _text(markup, _BESIDE) or _text(markup, frozenset())
    return Page(" ".join(title.split()), text)


def _text(markup: str, beside: frozenset[str]) -> str:
    return html.read_html(markup, beside | {"title"}).text
