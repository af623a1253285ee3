"""Valid JSON made invalid: keys gone, values of other types, bytes flipped, ends cut off."""

import copy
import json
from typing import Any

from hypothesis import strategies as st

ODD: list[Any] = [
    *(None, True, 0, -1, 2**53, 10**400, 1.5, 1e308, "", "abc", "s1", "\ud800", "\x00", [], {}),
    *([[]], [None], {"": 0}, {"label": "x"}, "\x1b[31m", ["a", "b"], -0.0),
]
LITERALS = ["NaN", "Infinity", "-Infinity", "1e400", "[" * 5_000, '{"senses":' * 5_000, "1" * 5_000]


@st.composite
def damaged(draw: st.DrawFn, document: Any) -> bytes:
    """The text of a document with one to three defects."""
    value = copy.deepcopy(document)
    for _ in range(draw(st.integers(1, 3))):
        value = _change(draw, value)
    text = json.dumps(value, ensure_ascii=draw(st.booleans()))
    how = draw(st.sampled_from(["", "", "", "literal", "cut", "flip"]))
    if how == "literal":
        numbers = [place for place, letter in enumerate(text) if letter.isdigit()]
        place = draw(st.sampled_from(numbers)) if numbers else 0
        text = text[:place] + draw(st.sampled_from(LITERALS)) + text[place + 1 :]
    made = bytearray(text.encode("utf-8", "surrogatepass"))
    if how == "cut":
        del made[draw(st.integers(0, len(made))) :]
    if how == "flip" and made:
        made[draw(st.integers(0, len(made) - 1))] ^= draw(st.integers(1, 255))
    return bytes(made)


def _change(draw: st.DrawFn, value: Any) -> Any:
    """Another value somewhere inside, or a part that is gone or twice there."""
    children = value if isinstance(value, dict) else range(len(value)) if _is_list(value) else ()
    names = list(children)
    if not names or draw(st.integers(0, 9)) == 0:
        return copy.deepcopy(draw(st.sampled_from(ODD)))
    name = draw(st.sampled_from(names))
    how = draw(st.sampled_from(["in", "in", "in", "gone", "twice", "more"]))
    if how == "in":
        value[name] = _change(draw, value[name])
    elif how == "gone":
        del value[name]
    elif how == "twice" and isinstance(value, list):
        value.append(copy.deepcopy(value[name]))
    elif isinstance(value, dict):
        value[draw(st.sampled_from(["", "extra", "schema", "id"]))] = value[name]
    return value


def _is_list(value: Any) -> bool:
    return isinstance(value, list)
