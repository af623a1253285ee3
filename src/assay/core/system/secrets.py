"""Keys are hidden in whatever a server sends back, before anybody reads, shows or keeps it.

A server that is broken, or hostile, may repeat the key that it was sent: in a reply, an error, a
redirect. It is found as it is, backwards, in hexadecimal digits and in base64, each also in URL and
HTML escapes and in those of JSON, and in bytes also as UTF-16 and UTF-32.
"""

import re
from base64 import b64encode
from collections.abc import Iterator

MASK = "***"
_SHORTEST = 4  # characters; a shorter word is no key, and may be part of any other
_SHORTEST_ENCODED = 8
_ESCAPES = ("\\u00", "\\/", "%", "&#")
_URL_SAFE = str.maketrans("+/", "-_")


class Secrets:
    """Some keys, and how they are hidden."""

    def __init__(self, *keys: str) -> None:
        forms = sorted({form for key in keys for form in _forms(key)}, key=len, reverse=True)
        whole = "|".join("".join(map(_written, form)) for form in forms)
        # Only where two letters fit can there be one: each form is not tried at every place.
        begin = (
            "".join(_written(*sorted({form[at] for form in forms})) for at in (0, 1))
            if forms
            else ""
        )
        pattern = f"(?={begin})(?:{whole})"
        self._in_text = re.compile(pattern)
        self._in_bytes = re.compile(pattern.encode())
        self._signs = (*forms, *_ESCAPES) if forms else ()  # without any of them there is no key
        self._byte_signs = tuple(sign.encode() for sign in self._signs)

    def hide(self, text: str) -> str:
        """The text with a mask in the place of each key."""
        is_likely = any(sign in text for sign in self._signs)
        return self._in_text.sub(MASK, text) if is_likely else text

    def hide_bytes(self, raw: bytes) -> bytes:
        """The same for text that is not decoded yet; without the zeros of UTF-16 and UTF-32.

        Neither UTF-8 text nor JSON has any, and between them the letters of a key could be read.
        """
        if self._signs and b"\0" in raw:
            raw = raw.replace(b"\0", b"")
        is_likely = any(sign in raw for sign in self._byte_signs)
        return self._in_bytes.sub(MASK.encode(), raw) if is_likely else raw


def _forms(key: str) -> Iterator[str]:
    """The key, backwards, in hexadecimal digits, and in base64 wherever in a text it begins."""
    if len(key) < _SHORTEST:
        return
    yield key
    if len(key) >= _SHORTEST_ENCODED:
        digits = key.encode().hex()
        yield from (key[::-1], digits, digits.upper())
    for before in range(3 if len(key) >= _SHORTEST_ENCODED else 0):
        raw = bytes(before) + key.encode()
        # The first and the last letter may share bits with what stands around the key.
        encoded = b64encode(raw).decode()[-(-before * 8 // 6) : len(raw) * 8 // 6]
        yield encoded
        yield encoded.translate(_URL_SAFE)


def _written(*letters: str) -> str:
    """A pattern for any of these, as it is or escaped; each alternative has a bounded length."""
    plain = "|".join(r"\\{0,4}/" if each == "/" else re.escape(each) for each in letters)
    number = "|".join(str(ord(each)) for each in letters)
    codes = "|".join(
        "".join(f"[{digit}{digit.upper()}]" for digit in f"{ord(each):02x}") for each in letters
    )
    url, html = f"%(?:25)?(?:{codes})", rf"&#0{{0,5}}(?:{number}|[xX]0{{0,5}}(?:{codes}));"
    return rf"(?:{plain}|\\{{1,4}}u00(?:{codes})|{url}|{html})"
