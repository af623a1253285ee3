"""The same examples in several looks, to measure what changes a verdict though nothing matters.

The questions that take up a sentence are worded as no training item's are. The passages about
something else come from the schemas that are trained on, filled with other values.
"""

import random
import textwrap
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from assay.core.texts import Source
from training.composed import composed
from training.looks import as_clause, marked_down, reordered
from training.measured import Measured

PLAIN = "plain"
SEED = 1_117  # not that of training


def in_looks(examples: Iterable[Measured]) -> Iterator[Measured]:
    """Every example in every look; `look|group` is its group."""
    examples = list(examples)
    rng = random.Random(SEED)
    passages = [item.source for item in composed(1, SEED) if not item.origin]
    sources: dict[str, Callable[[str], str]] = {
        "lower case": str.lower,
        "wrapped": _wrapped,
        "padded": _padded,
        "Markdown": lambda text: marked_down(text, rng),
        "other order": lambda text: reordered(text, rng),
        "distracted": lambda text: "\n\n".join([rng.choice(passages), text, rng.choice(passages)]),
    }
    questions: dict[str, Callable[[Measured], str]] = {
        PLAIN: lambda example: example.question,
        "no question": lambda example: "",
        "restated": lambda example: f"Is it true that {as_clause(_suspect(example))}?",
        "presupposed": lambda example: f"Why is it that {as_clause(_suspect(example))}?",
    }
    for look, asked in questions.items():
        for example in examples:
            yield replace(example, group=f"{look}|{example.group}", question=asked(example))
    for look, shown in sources.items():
        for example in examples:
            source = Source(shown(example.source.text))
            yield replace(example, group=f"{look}|{example.group}", source=source)


def _suspect(example: Measured) -> str:
    """The first sentence that is not faithful, otherwise the first of all."""
    pairs = zip(example.sentences, example.faithful, strict=True)
    return next((text for text, faithful in pairs if not faithful), example.sentences[0])


def _wrapped(text: str) -> str:
    return "\n".join(textwrap.fill(line, 60) if line.strip() else line for line in text.split("\n"))


def _padded(text: str) -> str:
    """White space before and behind the text, between its sentences, and before its lines."""
    return "\n\n  " + text.replace(". ", ".  ").replace("\n", "\n  ") + "\n\n"
