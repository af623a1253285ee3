"""Fences around the texts of a prompt, so that nothing inside a text can end its part of it."""

import hashlib
from collections.abc import Mapping
from functools import cached_property


class Fences:
    """Texts between marks with a code that none of them contains; equal texts get equal codes."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self.texts = dict(texts)
        self.code = free_code(tuple(self.texts.values()))

    def __getitem__(self, name: str) -> str:
        """The text of that name between its marks."""
        title = name.upper().replace("_", " ")
        return f"<<<{title} {self.code}>>>\n{self.texts[name]}\n<<<END {title} {self.code}>>>"

    def quotes(self, passage: str) -> bool:
        """Whether a passage of a reply occurs word for word in one of the texts."""
        words = passage.split()
        if not words or not any(words[0] in text for text in self.texts.values()):
            return False  # the usual case, and quick to find out
        return any(" ".join(words) in text for text in self._plain_texts)

    @cached_property
    def _plain_texts(self) -> tuple[str, ...]:
        return tuple(" ".join(text.split()) for text in self.texts.values())


def free_code(texts: tuple[str, ...], digits: int = 8) -> str:
    """A code that occurs in none of the texts and depends only on them."""
    salt = 0
    while True:
        # A text may contain half a surrogate pair, which plain UTF-8 cannot encode.
        key = "\x00".join((str(salt), *texts)).encode("utf-8", "surrogatepass")
        code = hashlib.sha256(key).hexdigest()[:digits]
        # To a model, a code in capital letters is the same code.
        if not any(code in text or code.upper() in text for text in texts):
            return code
        salt += 1
