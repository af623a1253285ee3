"""A model that takes the prompts at their word: it looks at the source, and knows nothing else.

A claim is supported if a sentence of the source has its words, and if whatever stands before them
and limits them (`said`, `if`, `in order to`, `may`, `planned`) is in the claim or in its scope.
"""

import re
from dataclasses import dataclass, field
from typing import Any

from assay.llm.client import Line, Request
from assay.text.words import terms
from tests.detectors.discourse.scripts import GOOD, entry, said_of

LIMITS = ("said", "if", "in order to", "may", "planned", "denied")
_LINE = re.compile(r"^(\d+)\. (.*?)(?: \[within: (.*)\])?$", re.MULTILINE)
_FORM = re.compile(r"\bas (?:a condition for|the aim of):")
_FENCED = r"<<<{0} (\w+)>>>\n(.*?)\n<<<END {0} \1>>>"


@dataclass(frozen=True)
class Literal:
    """Answers the first question as it is told, and the others by the source."""

    split: Line
    asked: dict[str, str] = field(default_factory=dict)  # what was sent, by its kind

    def __call__(self, request: Request) -> Line:
        question = request.messages[1].content
        if "The sentences to take apart" in question:
            return self.split
        key = "claims" if "The claims to check" in question else "relations"
        source, lines = _between(question, "SOURCE"), _between(question, key.upper())
        self.asked[key] = lines
        sentences = re.split(r"(?<=\.) ", source)
        judge = _claim if key == "claims" else _relation
        return said_of(key, [judge(*found[1:], sentences) for found in _lines(lines)])


def _claim(text: str, scope: str, sentences: list[str]) -> dict[str, Any]:
    for sentence in sentences:
        if not set(terms(text)) <= set(terms(sentence)):
            continue
        limits = _limits(_up_to(sentence, text))
        dropped = [each for each in limits if each not in _limits(f"{text} {scope}")]
        if dropped:
            return entry("fabricated", "hedging-removal", reason=f"Only with “{dropped[0]}”.")
        if not set(terms(_FORM.sub("", scope))) <= set(terms(sentence)):
            return entry("contradicting", "scope-attachment", reason="Under another scope.")
        return GOOD
    return entry("fabricated", reason="The source does not say so.")


def _relation(text: str, scope: str, sentences: list[str]) -> dict[str, Any]:
    words = set(terms(re.sub(r"^\w+: |\(.*\)", "", text)))
    for sentence in sentences:
        if words <= set(terms(sentence)):
            dropped = set(_limits(sentence)) - set(_limits(f"{text} {scope}"))
            return entry("fabricated", "hedging-removal") if dropped else GOOD
    return entry("fabricated", "fabricated-link")


def _up_to(sentence: str, claim: str) -> str:
    """The sentence up to the last word of a claim."""
    last = sentence.lower().rfind(claim.split()[-1].lower().strip("."))
    return sentence[: last + 1]


def _limits(text: str) -> list[str]:
    low = text.lower().replace("condition", "if").replace("aim of", "in order to")
    return [each for each in LIMITS if re.search(rf"\b{each}\b", low)]


def _lines(text: str) -> list[tuple[str, str, str]]:
    return [(n, said, scope or "") for n, said, scope in _LINE.findall(text)]


def _between(text: str, name: str) -> str:
    found = re.search(_FENCED.format(name), text, re.DOTALL)
    assert found, name
    return found[2]
