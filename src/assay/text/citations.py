"""Marks of footnotes and references in prose, told from numbers in brackets that it needs."""

import re
from collections.abc import Iterator

from assay.text.views import Edit

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
_LOOK_BACK = 24


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
    before = text[max(0, found.start() - _LOOK_BACK) : found.start()]
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
