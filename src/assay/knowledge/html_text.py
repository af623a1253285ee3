"""The readable text of a web page: its paragraphs, without scripts, styles and navigation.

One pattern finds the tags, in time linear in the size of the page. The parser of the standard
library takes minutes for a hundred kilobytes of broken tags, and a page may well contain them.
"""

import re
from dataclasses import dataclass
from html import unescape

# Elements dropped with all their content, up to their end or that of the page.
_SILENT = "script|style|noscript|template|svg|math|iframe|object|select|textarea"
_ATTRIBUTES = r"(?:[^<>\"']|\"[^\"<]*\"|'[^'<]*'|[\"'])*+"
_TAG = re.compile(
    rf"<!--.*?(?:-->|\Z)|<({_SILENT})\b{_ATTRIBUTES}>.*?(?:</\1\s*>|\Z)"
    rf"|<(/?)([a-z][a-z0-9:-]*+){_ATTRIBUTES}>|<[!?][^<>]*>",
    re.DOTALL | re.IGNORECASE,
)
_TITLE = re.compile(r"<title\b[^<>]*>([^<]*)", re.IGNORECASE)
_HEADING = re.compile(r"<h1\b[^<>]*>(.{1,200}?)</h1", re.DOTALL | re.IGNORECASE)
_BESIDE = frozenset(
    "nav footer aside form button menu dialog".split()
)  # not the content of the page
_PARAGRAPHS = frozenset(
    """address article blockquote body caption center dd div dl dt fieldset figcaption figure h1 h2
    h3 h4 h5 h6 header hr html li main ol p pre section summary table tbody tfoot thead tr ul title
    """.split()
)
_SPACES = re.compile(r"\s+")
# No character has such a number, and `unescape` raises an error if it has thousands of digits.
_TOO_LONG = re.compile(r"&#[0-9]{20,}+;?")
_DEEPEST = 50  # no honest page nests skipped elements deeper


@dataclass(frozen=True, slots=True)
class Page:
    """A page as text, with blank lines between its paragraphs."""

    title: str
    text: str


def read_html(markup: str) -> Page:
    """The title and the readable text of a page.

    >>> read_html("<title>A &amp; B</title><nav>Home</nav><p>One<br>two.</p><p>Three.</p>")
    Page(title='A & B', text='One two.\\n\\nThree.')
    """
    found = _TITLE.search(markup) or _HEADING.search(markup)
    title = _plain(_TAG.sub(" ", found[1])) if found else ""
    text = _paragraphs(markup, _BESIDE) or _paragraphs(markup, frozenset())
    return Page(title, text)


def _paragraphs(markup: str, beside: frozenset[str]) -> str:
    """The paragraphs outside the elements that are skipped."""
    paragraphs: list[str] = []
    pieces: list[str] = []
    inside: list[str] = []  # the skipped elements that are open, outermost first
    position, is_title = 0, False
    for tag in _TAG.finditer(markup):
        if not inside and not is_title:
            pieces.append(markup[position : tag.start()])
        position, name, is_end = tag.end(), (tag[3] or "").lower(), bool(tag[2])
        is_title = name == "title" and not is_end
        if name in beside:
            _enter_or_leave(inside, name, is_end=is_end)
        if name in _PARAGRAPHS or name in beside:
            paragraphs.append(_plain("".join(pieces)))
            pieces.clear()
        elif name in ("br", "td", "th"):
            pieces.append(" ")
    if not inside:
        pieces.append(markup[position:])
    paragraphs.append(_plain("".join(pieces)))
    return "\n\n".join(filter(None, paragraphs))


def _enter_or_leave(inside: list[str], name: str, *, is_end: bool) -> None:
    """Tracks open elements; an end tag also closes whatever was left open inside."""
    if not is_end and len(inside) < _DEEPEST:
        inside.append(name)
    elif is_end and name in inside:
        while inside.pop() != name:
            pass


def _plain(markup: str) -> str:
    return _SPACES.sub(" ", unescape(_TOO_LONG.sub("\ufffd", markup))).strip()
