"""Fences around texts that are data, so that nothing inside them can end the fence or a prompt."""

import hashlib
from collections.abc import Mapping
from functools import cached_property


class Fences:
    """Some texts under one code that none of them contains; the same texts have the same code."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self.texts = dict(texts)
        self.code = free_code(tuple(self.texts.values()))

    def __getitem__(self, name: str) -> str:
        """The text of that name between its marks."""
        title = name.upper().replace("_", " ")
        return f"<<<{title} {self.code}>>>\n{self.texts[name]}\n<<<END {title} {self.code}>>>"

    def quotes(self, passage: str) -> bool:
        """Whether a passage of a reply stands word for word in one of the texts."""
        words = passage.split()
        if not words or not any(words[0] in text for text in self.texts.values()):
            return False  # the usual case, and a quick one
        return any(" ".join(words) in text for text in self._plain_texts)

    @cached_property
    def _plain_texts(self) -> tuple[str, ...]:
        return tuple(" ".join(text.split()) for text in self.texts.values())


def free_code(texts: tuple[str, ...], digits: int = 8) -> str:
    """A code that stands in none of the texts and follows from them."""
    salt = 0
    while True:
        # A text may hold half a surrogate pair, which has no bytes in plain UTF-8.
        key = "\x00".join((str(salt), *texts)).encode("utf-8", "surrogatepass")
        code = hashlib.sha256(key).hexdigest()[:digits]
        # To a model a code in capitals is the same code.
        if not any(code in text or code.upper() in text for text in texts):
            return code
        salt += 1
