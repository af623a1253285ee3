"""JSON in replies, even with prose around it, single quotes, comments and other small errors.

Small errors are those that leave no doubt what is meant: also a word without quotes as the value of
a key, as in `"fact": yes`, and strings in a list without a comma between them. A string that does
not end is not guessed: its value is skipped.
"""

import json
import re
from dataclasses import dataclass, field
from math import isfinite
from typing import Any

DEPTH = 64  # anything nested deeper is skipped; no reply that we ask for comes near


@dataclass(frozen=True, slots=True)
class FoundValue:
    """A value and its place in the reply."""

    value: Any
    start: int
    end: int


def find_values(text: str) -> list[FoundValue]:
    """All outermost JSON objects and arrays of a text in order, in time linear in its length.

    A value that breaks off is skipped, with everything inside it. Brackets that do not look like
    JSON are prose.

    >>> [each.value for each in find_values("So {a, b}: {'label': 'fine', 'sure': True,}.")]
    [{'label': 'fine', 'sure': True}]
    """
    if found := _whole(text):
        return found
    at = 0
    while opening := _OPENING.search(text, at):
        reading = _Reading(text, opening.start())
        found += reading.values()
        at = reading.at
    return found


def _whole(text: str) -> list[FoundValue]:
    """The value, if the text is nothing but valid JSON: the usual case, and fast to read."""
    start, end = len(text) - len(text.lstrip()), len(text.rstrip())
    if text[start : start + 1] not in ("{", "[") or "\\u" in text:
        return []
    if text.count("[") + text.count("{") > DEPTH:  # it may be nested too deep
        return []
    try:
        value = _DECODER.decode(text)
    except (ValueError, RecursionError, _BrokenError):
        return []
    return [FoundValue(value, start, end)]


@dataclass(slots=True)
class _Open:
    """An object or array that has not ended yet."""

    start: int
    container: dict[str, Any] | list[Any]
    key: str = ""
    full: bool = False  # whether a comma or the end must come next
    inner: list[FoundValue] = field(default_factory=list)

    def take(self, value: Any) -> None:
        self.full = True
        if isinstance(self.container, dict):
            self.container[self.key] = value
        else:
            self.container.append(value)


class _BrokenError(Exception):
    """The text that follows is not JSON."""


class _Reading:
    """Reads one outermost value; `at` is the position in the text, which never goes back."""

    def __init__(self, text: str, start: int) -> None:
        self.text = text
        self.at = start
        self._stack: list[_Open] = []
        self._quote = '"'
        self._is_json = False  # whether prose can be ruled out

    def values(self) -> list[FoundValue]:
        """The value, or the values inside it if its brackets turn out to be prose."""
        try:
            self._open()
            while True:
                done = self._step()
                if done:
                    return [done]
        except _BrokenError:
            if not self._is_json:
                return [each for level in self._stack for each in level.inner]
            self._pass_over()
            return []

    def _step(self) -> FoundValue | None:
        """Reads an end, a comma or one element; returns the outermost value at its end."""
        top = self._stack[-1]
        self._skip(_SPACE)
        sign = self.text[self.at : self.at + 1]
        if sign == ("}" if isinstance(top.container, dict) else "]"):
            self.at += 1
            return self._close()
        if top.full:
            if sign != ",":
                raise _BrokenError
            self.at += 1
            top.full = False
            self._is_json |= isinstance(top.container, list) and isinstance(top.container[-1], str)
            return None
        if isinstance(top.container, dict):
            self._read_key(top)
        self._read_value(top)
        return None

    def _open(self) -> None:
        if len(self._stack) == DEPTH:
            self._is_json = True
            raise _BrokenError
        self._stack.append(_Open(self.at, {} if self.text[self.at] == "{" else []))
        self.at += 1

    def _close(self) -> FoundValue | None:
        closed = self._stack.pop()
        found = FoundValue(closed.container, closed.start, self.at)
        if not self._stack:
            return found
        self._stack[-1].inner.append(found)
        self._stack[-1].take(closed.container)
        return None

    def _read_key(self, top: _Open) -> None:
        key = self._skip(_KEY)
        if not key:
            self._is_json |= bool(self._skip(_CUT_KEY))
            raise _BrokenError
        top.key = _unescape(key[key.lastindex or 0])
        is_quoted = key[0][0] in _STRINGS
        if is_quoted:
            self._quote = key[0][0]
        self._skip(_SPACE)
        self._is_json |= is_quoted or bool(_VALUE_START.match(self.text, self.at))

    def _read_value(self, top: _Open) -> None:
        sign = self.text[self.at : self.at + 1]
        if sign in ("{", "["):
            self._open()
        elif sign in _STRINGS:
            self._take_string(top, sign)
        elif word := self._skip(_WORD):
            top.take(_WORDS[word[0].casefold()])
        elif number := self._skip(_NUMBER):
            top.take(_number(number[0]))
        elif self._is_json and isinstance(top.container, dict) and (bare := self._skip(_BARE)):
            top.take(bare[0])
        else:
            raise _BrokenError

    def _take_string(self, top: _Open, quote: str) -> None:
        found = self._skip(_STRINGS[quote])
        if not found:  # it never ends, so everything that follows is part of it
            self._is_json, self.at = True, len(self.text)
            raise _BrokenError
        self._quote = quote
        is_list = isinstance(top.container, list)
        for body in _BESIDE[quote].split(found[1]) if is_list else (found[1],):
            top.take(_unescape(body))

    def _skip(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        found = pattern.match(self.text, self.at)
        if found:
            self.at = found.end()
        return found

    def _pass_over(self) -> None:
        """Moves to the end of the broken value; brackets inside strings do not count."""
        depth = len(self._stack)
        for found in _BROKEN[self._quote].finditer(self.text, self.at):
            depth += {"{": 1, "[": 1, "}": -1, "]": -1}.get(found[0], 0)
            if depth == 0:
                self.at = found.end()
                return
        self.at = len(self.text)


def _number(digits: str) -> float:
    value = float(digits)
    if not isfinite(value):
        raise _BrokenError
    return int(digits) if digits.lstrip("+-").isdecimal() else value


_DECODER = json.JSONDecoder(strict=False, parse_float=_number, parse_constant=_number)


def _unescape(body: str) -> str:
    """The text that a string stands for; half a surrogate pair becomes a replacement character."""
    if "\\" not in body:
        return body
    text = _ESCAPE.sub(_unescaped, body)
    if _SURROGATE.search(text):
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def _unescaped(escape: re.Match[str]) -> str:
    sign = escape[1]
    return chr(int(sign[1:], 16)) if len(sign) == 5 else _ESCAPES.get(sign, escape[0])


_OPENING = re.compile(r"\[|\{(?=\s*+[}\"'“/\w])")
_SPACE = re.compile(r"(?:\s++|//[^\n]*+|/\*(?:[^*]++|\*(?!/))*(?:\*/)?)*")
_KEY = re.compile(
    r"""(?: "((?:[^"\\\n]++|\\.)*)" | '((?:[^'\\\n]++|\\.)*)' | “([^“”\n]*+)”
      | ([^\W\d][\w-]{0,60}+) ) \s*+ :""",
    re.VERBOSE,
)
_CUT_KEY = re.compile(r'"(?:[^"\\]++|\\.)*(?:"\s*+|\\)?\Z', re.DOTALL)
_VALUE_START = re.compile(r"[\[{\"'“\d.+-]|(?:true|false|null|none)\b", re.IGNORECASE)
_WORD = re.compile(r"(?:true|false|null|none)\b", re.IGNORECASE)
_BARE = re.compile(r"(?!(?i:nan|infinity)\b)[^\W\d][\w-]{0,60}+(?=\s*+[,}])")
_WORDS = {"true": True, "false": False, "null": None, "none": None}
_NUMBER = re.compile(r"[+-]?(?:\d{1,300}+(?:\.\d*+)?|\.\d++)(?:[eE][+-]?\d{1,9}+)?(?![\w.])")
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|.)", re.DOTALL)
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}
_ESCAPES |= {sign: sign for sign in "\"'/\\“”"}
_SURROGATE = re.compile("[\ud800-\udfff]")

# A quote that the model forgot to escape is not followed by what must follow the end of a string.
_GOES_ON = r"""(?=\s*+(?: [}\]] | ,\s*+(?:["'“}\]{\[/]|[\w.+-]++\s*+[:,}\]]) | /[/*] | \Z))"""


def _string(opening: str, closing: str) -> re.Pattern[str]:
    inside = rf"(?>(?:[^{closing}\\]++|\\.|{closing}(?!{_GOES_ON}))*)"
    return re.compile(f"{opening}({inside}){closing}", re.DOTALL | re.VERBOSE)


def _broken(opening: str, closing: str) -> re.Pattern[str]:
    inside = rf"(?>(?:[^{closing}\\]++|\\.|{closing}(?!\s*+(?:[,:}}\]]|\Z)))*)"
    return re.compile(rf"{opening}{inside}(?:{closing}|\Z)|[{{}}\[\]]", re.DOTALL)


_STRINGS = {opening: _string(opening, closing) for opening, closing in ('""', "''", "“”")}
_BROKEN = {opening: _broken(opening, closing) for opening, closing in ('""', "''", "“”")}
_BESIDE = {  # strings with only space between them
    opening: re.compile(rf"(?<!\\){closing}\s+{opening}") for opening, closing in ('""', "''", "“”")
}
