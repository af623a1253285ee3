"""What a server answered, and how its bytes are read."""

import codecs
import json
import re
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from assay.knowledge.sources import FetchError

TYPES = ("text/html", "text/plain", "application/json")
_CHARSET = re.compile(rb"<meta[^<>]{0,200}?charset\s*=\s*[\"']?\s*([\w.:-]{1,40})", re.IGNORECASE)
_NO_PAGES = frozenset({"punycode", "idna", "unicode_escape", "raw_unicode_escape"})
_HEAD = 4096  # bytes of a page in which it says how it is written


@dataclass(frozen=True, slots=True)
class Fetched:
    """An answer; `address` is where it really came from, and `type` one of `TYPES`."""

    address: str
    status: int
    type: str
    charset: str
    body: bytes
    retrieved: str
    rest: float = 0.0  # seconds that the server wants to be left alone

    @property
    def text(self) -> str:
        """The body as text, read as the server or the page says; what does not fit is marked."""
        return self.body.decode(self._encoding(), "replace").removeprefix("\ufeff")

    def json(self) -> Any:
        """The body as JSON; anything else raises."""
        try:
            return json.loads(self.body)
        except (ValueError, RecursionError):
            raise FetchError("answer", f"{self.address} does not answer with JSON") from None

    def _encoding(self) -> str:
        stated = _CHARSET.search(self.body, 0, _HEAD) if self.type == "text/html" else None
        for name in (self.charset, stated[1].decode() if stated else "", "utf-8"):
            with suppress(LookupError, ValueError):
                if name and codecs.lookup(name).name not in _NO_PAGES and b"a".decode(name):
                    return name
        return "utf-8"
