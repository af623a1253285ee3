"""Marks within the lines of Markdown: emphasis, links, code, citations, entities and a few tags.

Each is recognised by itself, so that plain prose stays as it is. Every pattern is bounded.
"""

import re
from collections.abc import Iterable, Iterator

from assay.text.blocks import find_code
from assay.text.html import ENTITY, UNSEEN, decode
from assay.text.html_tags import SILENT, STRUCK, Tag, find_tags
from assay.text.views import Edit, View, edited

_CITATION = re.compile(
    r"[ \t]?(?:(?:【[^【】\n]{1,80}+】)+|\[\^[^\[\]\s]{1,40}+\]:?"
    r"|(?P<numbers>(?>(?:\[[1-9]\d{0,2}(?:(?:, ?|-|–)[1-9]\d{0,2}){0,9}\])+))(?![\w(=}]))"
)
# "In [1, 5]", "see [3]" and "returns [2]" need their numbers.
_NEEDS_NUMBERS = frozenset(
    """add adds append appends are at be between by contains equals from gives in interval is of on
    print prints range ref refs return returns see to was were with yields""".split()
)
# So do things with several values or an index ("the values [1, 2]", `array[3]`), most of the time.
_HOLDS_NUMBERS = frozenset(
    """args argv arr array arrays buffer column columns coordinates data dict element elements index
    indices input integers item items list lists map matrix node number numbers output pair point
    points result row rows sequence set string tuple value values vector vectors""".split()
)
_OPENS_DATA = tuple(":=(<{[")
# Names as in programs, to which an index is attached: `x[3]`, `my_list[3]`, `rowCount[3]`.
_IDENTIFIER = re.compile(r"[a-z]{1,2}|[A-Z]|[a-z]{1,9}\d{1,9}")
_CODE_STYLE = re.compile(r"\w[_(=]|[a-z][A-Z]|[a-z]\.[a-z]")
_MARKS = "*_\"'“”‘’()«».,;!?…"
_ENDS = tuple('.!?…,;"”’»)')
_ENDS_CLAUSE = re.compile(r"[ \t]{0,3}(?:[.,;:!?…)\"”’»*_\n\r]|\Z)")
_BEFORE_NUMBERS = 24  # characters that tell what numbers in brackets are


def find_citations(text: str) -> Iterator[Edit]:
    """Marks of footnotes and references (`[4]`, `[^2]`), each with the space before it.

    In doubt numbers in brackets are none: after a word that needs them, after a name as in
    programs, and where several stand in the middle of a clause.
    """
    for found in _CITATION.finditer(text):
        if not found["numbers"] or _cites(text, found):
            yield Edit(*found.span(), closes=True)


def _cites(text: str, found: re.Match[str]) -> bool:
    """True if nothing in front of numbers in brackets needs them."""
    before = text[max(0, found.start() - _BEFORE_NUMBERS) : found.start()]
    last = before.split()[-1] if before.strip() else ""
    word, ends = last.strip(_MARKS), last.endswith(_ENDS)
    is_attached = found[0][0] == "[" and not before[-1:].isspace()
    if before.endswith(_OPENS_DATA) or (is_attached and _is_code(last)):
        return False
    if ends:
        return True
    if word.lower() in _NEEDS_NUMBERS or (is_attached and _IDENTIFIER.fullmatch(word)):
        return False
    holds, is_several = word.lower() in _HOLDS_NUMBERS, "," in found["numbers"]
    if holds and (is_attached or is_several):
        return False
    return not (holds or is_several) or bool(_ENDS_CLAUSE.match(text, found.end()))


def _is_code(last: str) -> bool:
    """True if what stands before an index is from a program, and not the end of a link."""
    is_link = "](" in last or "/" in last
    is_end = last.endswith(_ENDS) and last[-1] != ")"
    return not (is_link or is_end) and bool(_CODE_STYLE.search(last.strip("*_")))


_CODE = re.compile(r"(?<!`)(`{1,2})(?!`)[^`\n]{1,300}+\1(?!`)")
_ESCAPE = re.compile(r"\\[*_#<>~`\[\]]")
_IMAGE = re.compile(r"!\[[^\[\]\n]{0,300}+\]\([^()\n]{0,2000}+\)")
_LINK = re.compile(
    r"\[([^\[\]\n]{1,300}+|\[\d{1,3}\])\]"
    r"\((?=[^()\s]{0,200}[/.#:])[^()\s]{1,2000}+(?:\([^()\s]{0,300}+\)[^()\s]{0,300}+)?"
    r"(?: [\"'][^\"'\n]{0,300}+[\"'])?\)"
)
_REFERENCE_NUMBER = re.compile(r"\[?\^?\d{1,3}\]?")
_REFERENCE = re.compile(
    r"^ {0,3}\[([^\[\]\n^]{1,100}+)\]:[ \t]{1,9}<?(?:https?:|/|#|www\.)[^\n]{1,2000}+", re.MULTILINE
)
# A link whose address is elsewhere in the text: `[the mill][mill]`, `[mill][]` or `[mill]`.
_NAMED_LINK = re.compile(r"\[([^\[\]\n]{1,300}+)\](?:\[([^\[\]\n]{0,100}+)\])?(?![\[(:])")
_ADDRESS = re.compile(r"<(?=https?://|mailto:)[^<>\s]{1,2000}+>")
_LOOK_BACK = 12
_ENTITY = re.compile(ENTITY)
_UNSEEN = re.compile(f"[{UNSEEN}]+")
_MARK = re.compile(
    r"(?<!\*)\*{1,3}(?!\*)|(?<!_)_{1,3}(?!_)|(?<!~)~~(?!~)|\n(?=[ \t]*+(?:\n|[-+|#>*]))"
)
_ONE_NAME = re.compile(r"[a-z][a-z0-9_]{0,60}")
_LINE_TAGS = frozenset("blockquote center details div h1 h2 h3 h4 h5 h6 li p summary tr".split())
_PAIRED = _LINE_TAGS | frozenset(
    """a abbr b cite code del em font i ins kbd mark ol q s small span strike strong sub sup table
    tbody td th thead u ul""".split()
)
_LONGEST_TAG = 2_000


def read_inline(text: str) -> View:
    """The view of a text without the marks within its lines.

    >>> read_inline("The **tower** is [330 m](https://x.org/a) tall [2].").text
    'The tower is 330 m tall.'
    """
    code = [Edit(block.start, block.end) for block in find_code(text)]
    spans = [found.span() for found in _CODE.finditer(_masked(text, code))]
    marks = [len(text[start:end]) - len(text[start:end].strip("`")) for start, end in spans]
    inner = [Edit(a + n // 2, b - n // 2) for (a, b), n in zip(spans, marks, strict=True)]
    escapes = [Edit(*found.span()) for found in _ESCAPE.finditer(_masked(text, [*code, *inner]))]
    masked = _masked(text, [*code, *inner, *escapes])
    return edited(
        text,
        (
            *(Edit(a, each.start, opens=True) for (a, _), each in zip(spans, inner, strict=True)),
            *(Edit(each.end, b, closes=True) for (_, b), each in zip(spans, inner, strict=True)),
            *(Edit(each.start, each.start + 1, opens=True) for each in escapes),
            *_links(masked),
            *find_citations(masked),
            *_emphasis(masked),
            *_signs(masked),
            *_tags(masked),
        ),
    )


def _masked(text: str, ranges: Iterable[Edit]) -> str:
    """The text with letters in place of some ranges, where no mark is looked for."""
    parts, position = [], 0
    for each in sorted(ranges, key=lambda each: each.start):
        if each.start >= position:
            parts += [text[position : each.start], "x" * (each.end - each.start)]
            position = each.end
    return "".join(parts) + text[position:]


def _links(text: str) -> Iterator[Edit]:
    """Links are their text; images, and links of mere numbers, are nothing."""
    for pattern in (_IMAGE, _REFERENCE):
        yield from (Edit(*found.span()) for found in pattern.finditer(text))
    for found in _LINK.finditer(text):
        start, end = found.span()
        if _REFERENCE_NUMBER.fullmatch(found[1]):
            space = start > 0 and text[start - 1] == " "
            yield Edit(start - space, end, closes=True)
        elif text[start - 1 : start] != "!":
            yield Edit(start, start + 1, opens=True)
            yield Edit(found.end(1), end, closes=True)
    yield from _named_links(text)
    for found in _ADDRESS.finditer(text):
        yield Edit(found.start(), found.start() + 1, opens=True)
        yield Edit(found.end() - 1, found.end(), closes=True)


def _named_links(text: str) -> Iterator[Edit]:
    """Links by a name that the text gives an address are their text."""
    names = {found[1].strip().casefold() for found in _REFERENCE.finditer(text)}
    for found in _NAMED_LINK.finditer(text) if names else ():
        name = (found[2] or found[1]).strip().casefold()
        if name in names and not _REFERENCE_NUMBER.fullmatch(found[1]):
            yield Edit(found.start(), found.start() + 1, opens=True)
            yield Edit(found.end(1), found.end(), closes=True)


def _signs(text: str) -> Iterator[Edit]:
    """Entities are the signs that they stand for; what nobody sees is gone."""
    for found in _ENTITY.finditer(text):
        sign = decode(found[0])
        if found[0][-1] == ";" and sign not in ("|", "", found[0]):
            yield Edit(*found.span(), " " if sign.isspace() else sign)
    yield from (Edit(*found.span()) for found in _UNSEEN.finditer(text))


def _emphasis(text: str) -> Iterator[Edit]:
    """Pairs of asterisks and underscores around words, and words that tildes strike out.

    A bold line is a heading.
    """
    opened: dict[str, int] = {}
    for found in _MARK.finditer(text):
        mark, start, end = found[0], *found.span()
        if mark == "\n":
            opened.clear()
            continue
        before, after = text[max(0, start - 1) : start], text[end : end + 1]
        opener = opened.get(mark)
        if opener is not None and before.strip() and not after.isalnum():
            del opened[mark]
            inner = text[opener + len(mark) : start]
            if mark == "__" and _ONE_NAME.fullmatch(inner):
                continue  # a name as in programs
            if mark == "~~":
                yield _struck(text, opener, end)
                continue
            is_heading = mark == "**" and _is_line(text, opener, end) and inner[-1] not in ".!?…:"
            yield Edit(opener, opener + len(mark), "# " if is_heading else "", opens=True)
            yield Edit(start, end, closes=True)
        elif after.strip() and not before.isalnum():
            opened[mark] = start


def _struck(text: str, start: int, end: int) -> Edit:
    """Remove struck-out words, and the space before them if none is needed."""
    is_apart = text[start - 1 : start] == " " and not text[end : end + 1].isalnum()
    return Edit(start - is_apart, end)


def _is_line(text: str, start: int, end: int) -> bool:
    """True if a range is all of one line."""
    before = text[max(0, start - _LOOK_BACK) : start].rstrip(" \t")
    ends = text[end : end + 1] in ("", "\n", "\r")
    return ends and before[-1:] in ("", "\n", "\r") and "\n" not in text[start:end]


def _tags(text: str) -> Iterator[Edit]:
    """Comments and scripts are gone; so are tags in pairs, but no single one that is mentioned."""
    opened: dict[str, Tag] = {}
    for tag in find_tags(text):
        shown = "\n" if tag.name in _LINE_TAGS else " " if tag.name in ("td", "th") else ""
        if not tag.name:
            if _is_closed(text, tag):
                yield Edit(tag.start, tag.end, " ")
        elif tag.name == "br" or (tag.name == "img" and "src" in text[tag.start : tag.end]):
            in_table = "|" in _line_around(text, tag.start)
            yield Edit(tag.start, tag.end, " " if in_table or tag.name == "img" else "\n")
        elif tag.end - tag.start > _LONGEST_TAG or tag.name not in _PAIRED:
            continue
        elif not tag.is_end:
            opened[tag.name] = tag
        elif not (start := opened.pop(tag.name, None)):
            continue
        elif tag.name in STRUCK:
            if _is_one_passage(text[start.end : tag.start]):
                yield _struck(text, start.start, tag.end)
        elif tag.name == "sup" and _is_power(text, start, tag):
            yield Edit(start.start, start.end, "^")
            yield Edit(tag.start, tag.end, closes=True)
        else:
            yield Edit(start.start, start.end, shown, opens=not shown)
            yield Edit(tag.start, tag.end, shown, closes=not shown)


def _is_one_passage(words: str) -> bool:
    """True if words between tags are part of a paragraph, and no blank separates them from it."""
    return bool(words) and words == words.strip() and "\n\n" not in words


def _is_power(text: str, start: Tag, end: Tag) -> bool:
    """True if a raised number follows a digit or a letter."""
    before, raised = text[start.start - 1 : start.start], text[start.end : end.start]
    return before.isalnum() and raised.lstrip("-−+").isdigit()


def _is_closed(text: str, tag: Tag) -> bool:
    """True if a comment or a script has an end."""
    if text.startswith("<!--", tag.start):
        return text.endswith("-->", tag.start, tag.end)
    is_element = any(text.startswith(name, tag.start + 1) for name in SILENT)
    return is_element and "</" in text[tag.end - 20 : tag.end] and text[tag.end - 1] == ">"


def _line_around(text: str, place: int) -> str:
    """The line of a place, or what of it is near."""
    before = text[max(0, place - _LONGEST_TAG) : place].rpartition("\n")[2]
    return before + text[place : place + _LONGEST_TAG].partition("\n")[0]
