"""HTML as a reader sees it: without tags, scripts and hidden parts, tables as rows with headers."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import unescape

from assay.text.html_tags import STRUCK, Tag, find_tags, last_ends
from assay.text.tables import ENDS, TableCell, TableReader, add_row
from assay.text.views import View, ViewBuilder

PARAGRAPHS = frozenset(
    """address article aside blockquote body caption center details dialog div dl fieldset
    figcaption figure footer form h1 h2 h3 h4 h5 h6 head header hr html main menu nav ol p pre
    section summary table title ul""".split()
)
_LINES = frozenset("br dd dt li option".split())
_ROWS = frozenset("tr thead tbody tfoot".split())
_CELLS = frozenset("td th".split())
_HEADINGS = frozenset("h1 h2 h3 h4 h5 h6".split())
_VOID = frozenset("area base br col embed hr img input link meta param source track wbr".split())

ENTITY = r"&(?:#[0-9]++|#[xX][0-9a-fA-F]++|[a-zA-Z][a-zA-Z0-9]{1,31});?"
UNSEEN = "\u00ad\u200b\u2060\ufeff"  # soft hyphens, marks of byte order and the like
_WORD = rf"[^\s&{UNSEEN}]++"
# Words with one space between them are shown as they are, and are one piece: most of any page.
_PIECE = re.compile(rf"{_WORD}(?: {_WORD})*|\s+|{ENTITY}|[{UNSEEN}]+|&")

_BACKTICKS = re.compile(r"`+")

_TITLE = re.compile(r"<title\b[^<>]*>([^<]*)", re.IGNORECASE)
_HEADING = re.compile(r"<h1\b[^<>]*>(.{1,200}?)</h1", re.DOTALL | re.IGNORECASE)
_BESIDE = frozenset("nav footer aside form button menu dialog".split())  # the content of the page

_SPACE, _LINE, _PARAGRAPH = 1, 2, 3
_GAPS = ("", " ", "\n", "\n\n")
_DEEPEST = 50  # no honest page nests hidden parts or lists deeper
_DEEPEST_TABLE = 6
_LONGEST_ENTITY = 40
_LONGEST_CELL = 300  # characters of a cell of several lines that is read as one


def read_html(page: str, skipped: frozenset[str] = frozenset()) -> View:
    """The visible text of a page or of a part of one, without the elements to be skipped.

    >>> read_html("<script>x()</script><ul><li>Tea &amp; cake<li>Rum</ul><p>Sold<br>here.").text
    '- Tea & cake\\n- Rum\\n\\nSold\\nhere.'
    """
    return _Reader(page, skipped).read()


@dataclass(frozen=True, slots=True)
class Page:
    """A web page as text, with blank lines between its paragraphs."""

    title: str
    text: str


def readable_page(markup: str) -> Page:
    """The title of a web page, and what a reader sees of it without its navigation.

    >>> readable_page("<title>A &amp; B</title><nav>Home</nav><p>One<br>two.</p><p>Three.</p>")
    Page(title='A & B', text='One\\ntwo.\\n\\nThree.')
    """
    found = _TITLE.search(markup) or _HEADING.search(markup)
    title = read_html(found[1]).text if found else ""
    beside = (_BESIDE | {"title"}, frozenset({"title"}))
    text = next(filter(None, (read_html(markup, each).text for each in beside)), "")
    return Page(" ".join(title.split()), text)


def decode(entity: str) -> str:
    """The sign that an entity stands for; no character has a number of twenty digits.

    >>> decode("&eacute;"), decode("&#" + "9" * 5000)
    ('é', '\ufffd')
    """
    return unescape(entity) if len(entity) < _LONGEST_ENTITY else "\ufffd"


@dataclass(slots=True)
class _Out:
    """The text so far, and the gap and prefix before the next words."""

    shown: ViewBuilder
    gap: int = 0
    prefix: str = ""
    cell: Tag | None = None  # whose content it is

    def separate(self, gap: int) -> None:
        """Keeps the next words at least so far apart."""
        self.gap = max(self.gap, gap)

    def make_room(self, start: int) -> None:
        """Shows the gap and the prefix; the next words start here."""
        if self.shown:
            gap = min(self.gap, _LINE) if self.cell else self.gap
            self.shown.put(_GAPS[gap], self.shown.end, start)
        self.shown.put(self.prefix, start, start)
        self.gap, self.prefix = 0, ""


@dataclass(slots=True)
class _OpenTable:
    table: TableReader
    depth: int  # how many cells, of tables around it, were open before
    in_head: bool = False


class _Reader:
    def __init__(self, page: str, skipped: frozenset[str]) -> None:
        self._page = page
        self._skipped = skipped
        self._outs = [_Out(ViewBuilder(page))]  # that of the page, then those of open cells
        self._tables: list[_OpenTable] = []
        self._lists: list[int | None] = []  # the number of the next item, by open list
        self._inside: list[str] = []  # the open elements that are not shown
        self._last_ends = last_ends(page)
        self._verbatim = 0  # where the content of an open `pre` begins
        runs = map(len, _BACKTICKS.findall(page))
        self._longer_than_any = "`" * max(3, 1 + max(runs, default=0))
        self._fence = ""  # of the code that is open
        self._term: tuple[_Out, int] | None = None  # where the last `dt` begins

    def read(self) -> View:
        """The view of the whole page."""
        position = 0
        for tag in find_tags(self._page):
            self._text(position, tag.start)
            position = tag.end
            if tag.name and not self._is_unseen(tag):
                self._meet(tag)
        self._text(position, len(self._page))
        while self._tables:
            self._end_table()
        return self._outs[0].shown.build()

    def _text(self, start: int, end: int) -> None:
        if self._inside or start >= end:
            return
        out = self._outs[-1]
        for piece in _PIECE.finditer(self._page, start, end):
            sign = decode(piece[0]) if piece[0][0] == "&" else piece[0]
            if sign.strip(UNSEEN) == "":
                continue
            if sign.isspace():
                self._space(sign)
                continue
            if out.prefix == "^" and not (sign[0].isdigit() or sign[0] in "-−+"):
                out.prefix = ""
            out.make_room(piece.start())
            if sign == piece[0]:
                out.shown.copy(*piece.span())
            else:
                out.shown.put(sign, *piece.span())

    def _space(self, sign: str) -> None:
        lines = sign.count("\n") if self._verbatim else 0
        self._outs[-1].separate(min(_SPACE + lines, _PARAGRAPH))

    def _is_unseen(self, tag: Tag) -> bool:
        """True if a tag belongs to what is not shown; keeps track of where that ends."""
        inside, name = self._inside, tag.name
        if inside and inside[-1] == "p" and name in PARAGRAPHS and not tag.is_end:
            inside.pop()  # a paragraph ends where another one begins
        if tag.is_end and name in inside:
            while inside.pop() != name:
                pass
            return True
        is_struck = name in STRUCK and tag.start < self._last_ends.get(name, 0)
        hides = not tag.is_end and (name in self._skipped or is_struck or tag.hides)
        if hides and not is_struck:
            self._outs[-1].separate(_PARAGRAPH if name in PARAGRAPHS else _SPACE)
        nests = not tag.is_end and name in inside
        if (hides or nests) and name not in _VOID and len(inside) < _DEEPEST:
            inside.append(name)
        return bool(inside) or hides

    def _meet(self, tag: Tag) -> None:
        name, out = tag.name, self._outs[-1]
        if self._fence:
            self._in_code(tag)
        elif name in _CELLS or name in _ROWS or name == "table":
            self._table_part(tag)
        elif name in ("ol", "ul", "menu"):
            self._list(tag)
        elif name in PARAGRAPHS:
            out.separate(_PARAGRAPH)
            if name in _HEADINGS:
                out.prefix = "" if tag.is_end else "# "
            elif name == "pre":
                self._verbatim = 0 if tag.is_end else tag.end
        elif name == "code":
            self._begin_code(tag)
        elif name == "dd" and not tag.is_end and self._term:
            self._define(out)
        elif name in _LINES:
            out.separate(_LINE)
            if name == "dt" and not tag.is_end:
                self._term = out, len(out.shown)
            if name == "li":
                out.prefix = "" if tag.is_end else self._bullet()
        elif name == "sup" and not tag.is_end and out.shown.last.isalnum() and not out.gap:
            out.prefix = "^"  # a power, and not one more digit
        elif name == "sup" and out.prefix == "^":
            out.prefix = ""

    def _begin_code(self, tag: Tag) -> None:
        """Opens a fence where `pre` holds nothing but code; other `pre` is text as it was typed."""
        out, has_end = self._outs[-1], tag.start < self._last_ends.get("pre", 0)
        is_near = self._verbatim and tag.start - self._verbatim < _LONGEST_ENTITY
        if not (is_near and has_end and out.cell is None and not tag.is_end):
            return
        if self._page[self._verbatim : tag.start].strip():
            return
        self._fence = self._longer_than_any
        out.separate(_PARAGRAPH)
        out.make_room(tag.start)
        out.shown.put(self._fence, tag.start, tag.start)
        out.separate(_LINE)

    def _in_code(self, tag: Tag) -> None:
        out = self._outs[-1]
        if tag.name == "pre" and tag.is_end:
            out.gap = _LINE
            out.make_room(tag.start)
            out.shown.put(self._fence, tag.start, tag.start)
            self._fence, self._verbatim = "", 0
            out.separate(_PARAGRAPH)
        elif tag.name in PARAGRAPHS or tag.name in _LINES:
            out.separate(_LINE)

    def _define(self, out: _Out) -> None:
        """A term and what it means, or a field and its value, are one line: `Mayor: Dag`."""
        term, self._term = self._term, None
        if term is None or term[0] is not out or term[1] == len(out.shown):
            out.separate(_LINE)
            return
        out.shown.put("" if out.shown.last in ENDS else ":", out.shown.end, out.shown.end)
        out.gap = _SPACE

    def _list(self, tag: Tag) -> None:
        is_inner = len(self._lists) > tag.is_end
        self._outs[-1].separate(_LINE if is_inner else _PARAGRAPH)
        if tag.is_end:
            del self._lists[-1:]
        elif len(self._lists) < _DEEPEST:
            self._lists.append(tag.number("start") if tag.name == "ol" else None)

    def _bullet(self) -> str:
        number = self._lists[-1] if self._lists else None
        if number is None:
            return "- "
        self._lists[-1] = number + 1
        return f"{number}. "

    def _table_part(self, tag: Tag) -> None:
        name, out = tag.name, self._outs[-1]
        if name == "table" and not tag.is_end:
            out.separate(_PARAGRAPH)
            if len(self._tables) < _DEEPEST_TABLE:
                self._tables.append(_OpenTable(TableReader(), len(self._outs)))
        elif not self._tables:
            out.separate(_SPACE if name in _CELLS else _LINE)
        elif name == "table":
            self._end_table()
        elif name in _CELLS:
            self._end_cell()
            if not tag.is_end:
                self._outs.append(_Out(ViewBuilder(self._page, tag.end), cell=tag))
        else:
            self._end_row()
            if name != "tr":
                self._tables[-1].in_head = name == "thead" and not tag.is_end

    def _end_cell(self) -> None:
        current, cell = self._tables[-1], self._outs[-1].cell
        if cell is not None and len(self._outs) > current.depth:
            columns, rows = cell.number("colspan"), cell.number("rowspan")
            shown = self._outs.pop().shown
            current.table.add_cell(shown, columns, rows, is_header=cell.name == "th")

    def _end_row(self) -> None:
        self._end_cell()
        current = self._tables[-1]
        self._show(current.table.end_row(in_head=current.in_head), current.table.headers)

    def _end_table(self) -> None:
        self._end_row()
        self._show(self._tables.pop().table.headers_alone(), {})
        self._outs[-1].separate(_PARAGRAPH)

    def _show(self, cells: Sequence[TableCell], headers: Mapping[int, str]) -> None:
        """Shows a row as a line; one with whole texts in it was made for the looks of the page."""
        out = self._outs[-1]
        texts = [cell.shown.text for cell in cells]
        if any("\n" in text and len(text) > _LONGEST_CELL for text in texts):
            for cell in cells:
                out.separate(_PARAGRAPH)
                out.make_room(cell.shown.start)
                out.shown.extend(cell.shown)
        elif cells:
            out.separate(_LINE)
            out.prefix = ""
            out.make_room(cells[0].shown.start)
            for cell in cells:
                cell.shown.on_one_line()
            add_row(out.shown, cells, headers)
        out.separate(_LINE if cells else 0)
