"""Fences around the texts of a prompt, so that nothing inside a text can end its part of it."""

import hashlib
from collections.abc import Mapping
from functools import cached_property
from itertools import count


class Fences:
    """Texts between marks with a code that none of them contains.

    The code comes from the first text, usually the source. So prompts about one source begin alike,
    whatever response follows, and a provider that remembers the beginnings of prompts reads the
    source once. Only where a text contains that code, all of them get another.
    """

    def __init__(self, texts: Mapping[str, str]) -> None:
        self.texts = dict(texts)
        self.code = free_code(tuple(self.texts.values()))

    def __getitem__(self, name: str) -> str:
        """The text of that name between its marks."""
        title = name.upper().replace("_", " ")
        return f"<<<{title} {self.code}>>>\n{self.texts[name]}\n<<<END {title} {self.code}>>>"

    def quotes(self, passage: str) -> bool:
        """True if a passage of a reply occurs word for word in one of the texts."""
        words = passage.split()
        if not words or not any(words[0] in text for text in self.texts.values()):
            return False  # the usual case, and quick to find out
        return any(" ".join(words) in text for text in self._plain_texts)

    @cached_property
    def _plain_texts(self) -> tuple[str, ...]:
        return tuple(" ".join(text.split()) for text in self.texts.values())


def free_code(texts: tuple[str, ...], digits: int = 8) -> str:
    """A code that depends on the first text alone, unless it occurs in one of them."""
    # To a model, a code in capital letters is the same code.
    plain = [text.lower() for text in texts]
    # A text may contain half a surrogate pair, which plain UTF-8 cannot encode.
    key = hashlib.sha256("".join(texts[:1]).encode("utf-8", "surrogatepass")).hexdigest()
    codes = (hashlib.sha256(f"{salt} {key}".encode()).hexdigest()[:digits] for salt in count())
    return next(code for code in codes if not any(code in text for text in plain))
