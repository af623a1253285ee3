"""Makes of a sentence what services for searching take: few words, no signs with a meaning."""

import re

_WORD = re.compile(r"[^\W_]+(?:['’.,-][^\W_]+)*")
_FUNCTION_WORDS = frozenset(
    """a about after all also am an and any are as at be because been before being but by can could
    did do does for from had has have he her him his how i if in into is it its just may me might
    more most must my no not of on only or other our out over s she should so some such than that
    the their them then there these they this those through to too under up very was we were what
    when where which while who whom whose why will with would you your""".split()
)


def plain_words(query: str) -> list[str]:
    """The words of a query, without signs that a service could take for commands.

    >>> plain_words('"Ada" -site:x.org (born OR 1815) O\\'Brien')
    ['Ada', 'site', 'x.org', 'born', 'OR', '1815', "O'Brien"]
    """
    return _WORD.findall(query)


def key_words(query: str) -> list[str]:
    """The words that tell something, each once; all words where none does.

    >>> key_words("The ferry was sold in 1986, and the ferry sank.")
    ['ferry', 'sold', '1986', 'sank']
    """
    found: dict[str, str] = {}
    for word in plain_words(query):
        found.setdefault(word.casefold(), word)
    telling = [word for folded, word in found.items() if folded not in _FUNCTION_WORDS]
    return telling or list(found.values())


def fit(words: list[str], characters: int, most: int, between: str = " ") -> str:
    """The first of the words, as many as a service takes at once.

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
    """The query in plain words; one that is too long is told by its key words alone."""
    words = plain_words(query)
    whole = " ".join(words)
    if len(whole) <= characters and len(words) <= most:
        return whole
    return fit(key_words(query), characters, most)
