"""HTML, Markdown and plain text as what a reader sees, with every place in the original kept.

A text is HTML if it begins as a page does, or if tags of paragraphs, lists or tables are closed in
it and nothing shows that it is Markdown. In all other texts each mark is recognised by itself.
"""

import re
from functools import lru_cache

from assay.text.html import UNSEEN, read_html
from assay.text.inline import find_citations, read_inline
from assay.text.layout import read_layout
from assay.text.views import View, edited

_ANYTHING = re.compile(rf"[^\S ]|[*_`~|<>\[\\&【{UNSEEN}]|  |\A | \Z")
_PAGE = re.compile(
    r"\s*+(?:<\?xml[^<>]{0,200}+>\s*+)?(?:<!--[^<>]{0,500}+-->\s*+)?<(?:!doctype\s|html\b|body\b|head\b)",
    re.IGNORECASE,
)
_MARKDOWN = re.compile(r"^(?:#{1,6} |```|~~~|[|: ]{0,9}-{2,99}[ :]{0,9}\|)", re.MULTILINE)
_BLOCK = "p|div|table|tr|td|th|ul|ol|li|dl|h[1-6]|section|article|body|blockquote|pre|header|main"
_BEGINS = re.compile(rf"\s*+<(?:{_BLOCK})(?=[\s/>])", re.IGNORECASE)
_CLOSED = re.compile(rf"(?<!`)</(?:{_BLOCK})\s{{0,9}}>(?!`)", re.IGNORECASE)
_ENOUGH_CLOSED = 3  # in a text that begins with something else


@lru_cache(maxsize=8)
def visible(text: str) -> View:
    """The view of a text as a reader sees it; plain prose on one line is its own view.

    >>> visible("<p>Tea &amp; <b>cake</b></p><script>x()</script>").text
    'Tea & cake'
    """
    if not _ANYTHING.search(text):
        return View.of(text)
    if is_html(text):
        page = read_html(text)
        return page.then(edited(page.text, find_citations(page.text)))
    line = read_inline(text)
    return line.then(read_layout(line.text))


def is_html(text: str) -> bool:
    """True if a text is a web page or a part of one, rather than prose that mentions a tag.

    >>> is_html("<p>Tea.</p>"), is_html("A List<String> is for a < b; <b> makes text bold.")
    (True, False)
    """
    if "<" not in text:
        return False
    if _PAGE.match(text):
        return True
    if _MARKDOWN.search(text):
        return False
    enough = 1 if _BEGINS.match(text) else _ENOUGH_CLOSED
    return sum(1 for _, _ in zip(_CLOSED.finditer(text), range(enough), strict=False)) == enough
