"""The tags of a page, found in time linear in its size, whatever is broken in it.

The parser of the standard library takes minutes for a hundred kilobytes of broken tags.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

# Elements that are dropped with all their content, up to their end or that of the page.
SILENT = frozenset("script style noscript template svg math iframe object select textarea".split())

# Elements whose content was taken back; without an end tag they are only mentioned, or a slip.
STRUCK = frozenset("del s strike".split())

_NAME = re.compile(r"/?[a-zA-Z][^\s/<>]*+")
_TAG_STOP = re.compile(r">|=\s*+[\"']")
_END_TAGS = {name: re.compile(rf"</{name}(?=[\s/>])", re.IGNORECASE) for name in SILENT}
_NUMBER = re.compile(r"\b(colspan|rowspan|start)\s*+=\s*+[\"']?(\d{1,4})", re.IGNORECASE)
_HIDDEN = re.compile(
    r"\shidden(?=[\s=/>])|display\s*+:\s*+none|visibility\s*+:\s*+hidden", re.IGNORECASE
)
_NOT_HIDDEN = re.compile(r"hidden\s*+=\s*+[\"']?(?:false|until-found)\b", re.IGNORECASE)
_END = re.compile(r"</(del|s|strike|pre)(?=[\s/>])", re.IGNORECASE)
_LONGEST_STUMP = 1_000  # of a tag in which the page breaks off


@dataclass(frozen=True, slots=True)
class Tag:
    """A start or end tag, with its name in lower case and where it is in the page."""

    page: str
    name: str
    is_end: bool
    start: int
    end: int

    @property
    def hides(self) -> bool:
        """True if its attributes say that the element is not shown."""
        if self.is_end or self.end - self.start < len(self.name) + len("< hidden>"):
            return False
        attributes = self.page[self.start : self.end]
        return bool(_HIDDEN.search(attributes)) and not _NOT_HIDDEN.search(attributes)

    def number(self, attribute: str, default: int = 1) -> int:
        """The value of an attribute that is a number."""
        found = _NUMBER.findall(self.page, self.start, self.end)
        return next((int(value) for name, value in found if name.lower() == attribute), default)


def find_tags(page: str) -> Iterator[Tag]:
    """The tags of a page in order; comments and declarations are tags without a name.

    So is a script, with its content.
    """
    position = 0
    while (start := page.find("<", position)) >= 0:
        if page.startswith("<!--", start):
            position = _after(page, "-->", start + 4)
            yield Tag(page, "", False, start, position)
        elif page.startswith(("<!", "<?"), start):
            position = _after(page, ">", start + 2)
            yield Tag(page, "", False, start, position)
        elif found := _NAME.match(page, start + 1):
            position = _end_of_tag(page, found.end())
            if position - start > _LONGEST_STUMP and page[position - 1] != ">":
                return  # from a sign that is no tag to the end
            name, is_end = found[0].lstrip("/").lower(), found[0][0] == "/"
            if name in SILENT:
                position = position if is_end else _end_of_element(page, name, position)
                name = ""
            yield Tag(page, name, is_end, start, position)
        else:
            position = start + 1


def last_ends(page: str) -> dict[str, int]:
    """The last end tag of each element that counts only if it has one."""
    return {found[1].lower(): found.start() for found in _END.finditer(page)}


def _after(page: str, mark: str, position: int) -> int:
    found = page.find(mark, position)
    return found + len(mark) if found >= 0 else len(page)


def _end_of_tag(page: str, position: int) -> int:
    """Behind the sign that closes a tag; values in quotation marks may contain that sign."""
    while stop := _TAG_STOP.search(page, position):
        if stop[0] == ">":
            return stop.end()
        closing = page.find(stop[0][-1], stop.end())
        position = closing + 1 if closing >= 0 else stop.end()
    return len(page)


def _end_of_element(page: str, name: str, position: int) -> int:
    found = _END_TAGS[name].search(page, position)
    return _end_of_tag(page, found.end()) if found else len(page)
