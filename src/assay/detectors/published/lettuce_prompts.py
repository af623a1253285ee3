"""The prompts of `lettuce`: a source's passages and the question, in the language of the model."""

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from string import Template

from assay.detectors.published.scores import Place


@dataclass(frozen=True, slots=True)
class FilledPrompt:
    """A prompt, and where the passages stand in it."""

    text: str
    places: tuple[Place, ...]

    def unread(self, end: int) -> int:
        """The number of characters of passages that stand after a place."""
        return sum(max(0, last - max(first, end)) for first, last in self.places)


@dataclass(frozen=True, slots=True)
class PromptTemplate:
    """The prompts of one language: with a question, and without one."""

    passage: str
    question: str
    summary: str

    def line(self, number: int, passage: str) -> str:
        """A passage with its heading."""
        return f"{self.passage} {number}: {passage}"

    def fill(self, passages: Sequence[str], question: str) -> FilledPrompt:
        """The prompt for some passages; an empty question is none."""
        head, _, tail = (self.question if question else self.summary).partition("${passages}")
        values = {"question": question, "count": len(passages)}
        text = Template(head).substitute(values)
        places = list[Place]()
        for number, passage in enumerate(passages, start=1):
            text += ("\n" if places else "") + self.line(number, passage)
            places.append((len(text) - len(passage), len(text)))
        return FilledPrompt(text + Template(tail).substitute(values), tuple(places))


@cache
def templates() -> dict[str, PromptTemplate]:
    """The prompts of each language, by its code."""
    said = files("assay.detectors.published").joinpath("lettuce.toml").read_text(encoding="utf-8")
    return {code: PromptTemplate(**each) for code, each in tomllib.loads(said).items()}
