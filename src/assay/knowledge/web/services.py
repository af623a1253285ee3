"""Search services: a sentence becomes a query of plain words, and the JSON answer is checked."""

import os
import re
from collections.abc import Sequence
from typing import Any

from assay.core.errors import InputError, ServiceError
from assay.knowledge.sources import FetchError
from assay.knowledge.web.fetching import Fetcher, WebAnswer, WebRequest

_SHOWN = 200  # characters of a server's message that are shown

_WORD = re.compile(r"[^\W_]+(?:['’.,-][^\W_]+)*")
_FUNCTION_WORDS = frozenset(
    """a about after all also am an and any are as at be because been before being but by can could
    did do does for from had has have he her him his how i if in into is it its just may me might
    more most must my no not of on only or other our out over s she should so some such than that
    the their them then there these they this those through to too under up very was we were what
    when where which while who whom whose why will with would you your""".split()
)


def plain_words(query: str) -> list[str]:
    """The words of a query, without signs that a service might take for operators.

    >>> plain_words('"Ada" -site:x.org (born OR 1815) O\\'Brien')
    ['Ada', 'site', 'x.org', 'born', 'OR', '1815', "O'Brien"]
    """
    return _WORD.findall(query)


def key_words(query: str) -> list[str]:
    """The content words, each once; all words if there are none.

    >>> key_words("The ferry was sold in 1986, and the ferry sank.")
    ['ferry', 'sold', '1986', 'sank']
    """
    found: dict[str, str] = {}
    for word in plain_words(query):
        found.setdefault(word.casefold(), word)
    content = [word for folded, word in found.items() if folded not in _FUNCTION_WORDS]
    return content or list(found.values())


def fit(words: list[str], characters: int, most: int, between: str = " ") -> str:
    """The first of the words, as many as fit into a query.

    >>> fit(["ferry", "sold", "1986"], 11, 10)
    'ferry sold'
    """
    joined = ""
    for word in words[:most]:
        longer = joined + between + word if joined else word
        if len(longer) > characters:
            break
        joined = longer
    return joined


def short_query(query: str, characters: int, most: int) -> str:
    """The query in plain words; one that is too long is reduced to its key words."""
    words = plain_words(query)
    whole = " ".join(words)
    if len(whole) <= characters and len(words) <= most:
        return whole
    return fit(key_words(query), characters, most)


def key_from(names: Sequence[str], service: str) -> str:
    """The key in the first of these environment variables that is set."""
    for name in names:
        key = os.environ.get(name, "").strip()
        if key and not (key.isascii() and key.isprintable() and " " not in key):
            raise InputError(
                f"the key in {name} contains a space, a line break or a non-ASCII character"
            )
        if key:
            return key
    raise InputError(
        f"{service} needs a key: set the environment variable {names[0]}", code="no-key"
    )


async def ask_service(fetcher: Fetcher, request: WebRequest, service: str) -> dict[str, Any]:
    """The JSON object that a service answers with; an error status raises."""
    answer = await fetcher.fetch(request)
    if answer.status == 200:
        value = answer.json()
        if isinstance(value, dict):
            return value
        raise FetchError("answer", f"{service} answered with JSON that is not an object")
    said = _words(answer)
    what = f"{answer.status}{said and ': '}{said}"
    if answer.status in (401, 403) and request.headers:
        raise ServiceError(f"{service} does not accept the key ({what})", code="bad-key")
    raise FetchError("status", f"{service} answered with status {what}", status=answer.status)


def _words(answer: WebAnswer) -> str:
    """The message of an error, wherever services put it, on one line."""
    try:
        value = answer.json()
    except FetchError:
        return ""
    for _ in range(3):
        if not isinstance(value, dict):
            break
        inner = (value.get(name) for name in ("error", "detail", "message", "info"))
        value = next((each for each in inner if each), None)
    words = " ".join(value.split()) if isinstance(value, str) else ""
    return words if len(words) <= _SHOWN else words[:_SHOWN] + "…"


def text_of(record: dict[str, Any], name: str, *, needed: bool = False) -> str:
    """A text field of a service's answer; empty if it is missing and not needed."""
    value = record.get(name)
    if value is None and not needed:
        return ""
    if not isinstance(value, str):
        raise _other_form(f"'{name}' is not a string")
    return value.strip()


def objects(record: dict[str, Any], name: str) -> list[dict[str, Any]]:
    """A field of a service's answer that is a list of objects, which may be empty."""
    value = record.get(name)
    if not isinstance(value, list) or not all(isinstance(each, dict) for each in value):
        raise _other_form(f"'{name}' is not a list of objects")
    return value


def _other_form(what: str) -> FetchError:
    """An answer that was not understood must not pass for one without results."""
    return FetchError("answer", f"the answer is not in the documented form: {what}")
