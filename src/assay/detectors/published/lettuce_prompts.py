"""The prompts of `lettuce`: a source's passages and the question, in the language of the model.

The models were trained with the prompts of the package lettucedetect. These are read from it where
it is installed; elsewhere words of ours take their place, and the version of the detector says so.
"""

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.metadata import PackageNotFoundError, distribution, version
from importlib.resources import files
from pathlib import Path
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


# What the package calls the gaps in its prompts, and what they are called here.
_GAPS = {"context": "passages", "text": "passages", "num_passages": "count"}


@cache
def templates() -> dict[str, PromptTemplate]:
    """The prompts of each language, by its code: the package's, or else ours."""
    said = files("assay.detectors.published").joinpath("lettuce.toml").read_text(encoding="utf-8")
    ours = {code: PromptTemplate(**each) for code, each in tomllib.loads(said).items()}
    folder = _package()
    if folder is None:
        return ours
    return {code: _theirs(folder, code, each) for code, each in ours.items()}


def prompts_name() -> str:
    """The prompts that are used: `lettucedetect` with the version of the package, or `own`."""
    return f"lettucedetect-{version('lettucedetect')}" if _package() else "own"


@cache
def _package() -> Path | None:
    """The folder of the package's prompts, if it is installed; nothing of it is imported."""
    try:
        found = [Path(str(file.locate())) for file in distribution("lettucedetect").files or ()]
    except PackageNotFoundError:
        return None
    return next((each.parent for each in found if each.name == "qa_prompt_en.txt"), None)


def _theirs(folder: Path, code: str, ours: PromptTemplate) -> PromptTemplate:
    """The package's prompts of a language, which call Chinese by its country."""
    name = {"zh": "cn"}.get(code, code)

    def read(kind: str) -> str:
        text = (folder / f"{kind}_prompt_{name}.txt").read_text(encoding="utf-8")
        for theirs, own in (
            ("context", "passages"),
            ("text", "passages"),
            ("num_passages", "count"),
        ):
            text = text.replace(f"${{{theirs}}}", f"${{{own}}}")
        return text

    return PromptTemplate(ours.passage, read("qa"), read("summary"))
