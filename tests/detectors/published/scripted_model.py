"""Pairs of real texts, and a model whose replies follow from a digest of what it is asked.

References and our detectors are given the same replies, so that everything around the model can be
compared: chunks, messages, and what is made of a reply and of its probabilities.
"""

import json
import re
from collections.abc import Sequence
from hashlib import sha256
from math import log
from pathlib import Path

Pair = tuple[str, str]
Step = dict[str, float]  # tokens with their log probabilities

CHOICE = (
    "RAGTruth: every 5th response in the file's order, the sources that are texts, with the first"
    " and the last sentence of the response; 187 of them, then 13 pairs of our own"
)
_END = re.compile(r"(?<=[.!?])\s+")
_RAGTRUTH = 187
_EVERY = 5
OWN: tuple[Pair, ...] = (
    ("The ferry leaves at 8.30 a.m. Mrs. Ito sells tickets.", "Mrs. Ito sells tickets."),
    ("", "The ferry leaves at eight."),
    (" \n\t ", "The ferry leaves at eight."),
    ("港は1954年に浚渫された。フェリーは毎時二便出る。", "フェリーは毎時二便出る。"),
    ("صدر التقرير في عام 2019. لم يكتب أحد عنه شيئا.", "صدر التقرير في عام 2020."),
    ("Line one\n\n\nLine two\n- item 1\n- item 2\n\n", "Line two has item 2."),
    ("🚢🚢 <b>Ferry</b> &amp; “naïve” \u200b zero\u00a0width… [SEP] </s> end.", "A ferry 🚢."),
    ("word " * 4000, "The word occurs often."),
    ("The same sentence comes again. " * 400, "The same sentence comes again."),
    ("x" * 9000, "x" * 30),
    ("a\n" * 600, "There are many lines in it."),
    ("Document: a trap\nClaim: it is one.", "Document: no\nClaim: yes"),
    ("A short source.", "word " * 700),
)


def served_pairs(shared: Path) -> list[Pair]:
    """Two hundred pairs of a source and a claim, in an order that every machine finds."""
    folder = shared / "ragtruth"
    sources = {row["source_id"]: row["source_info"] for row in _rows(folder / "source_info.jsonl")}
    found: list[Pair] = []
    for number, row in enumerate(_rows(folder / "response.jsonl")):
        source = sources[row["source_id"]]
        sentences = [each for each in _END.split(row["response"]) if each.strip()]
        if number % _EVERY == 0 and isinstance(source, str) and len(sentences) > 1:
            found += [(source, sentences[0]), (source, sentences[-1])]
    return [*found[:_RAGTRUTH], *OWN]


def _rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def yes_or_no(asked: str) -> Step:
    """The likeliest first tokens of a reply, the first of them the one that is said."""
    number = int.from_bytes(sha256(asked.encode("utf-8", "surrogatepass")).digest()[:4], "big")
    yes = (number % 1000 + 1) / 1100
    names = ("Yes", "No") if yes > 0.45 else ("No", "Yes")
    chances = {"Yes": 0.8 * yes, "yes": 0.15 * yes, "YES": 0.05 * yes, "No": 0.9 * (1 - yes)}
    ordered = (*names, *(name for name in chances if name not in names))
    return {name: log(chances[name]) for name in (*ordered[:4],)} | {"The": log(0.001)}


def choose(asked: str, choices: Sequence[str]) -> str:
    """One of some replies."""
    digest = sha256(asked.encode("utf-8", "surrogatepass")).digest()
    return choices[int.from_bytes(digest[:4], "big") % len(choices)]


STAGES = {
    "facts": ("<Facts Present>",) * 4 + ("<No Facts>",),
    "reference": ("The source says so.<SEP>And this.",) * 4 + ("<No Reference Information>",),
    "type": (
        "<No Hallucination>",
        "<Contradictory>",
        "<Unverifiable>",
        "<矛盾>",
        "< unverifiable >",
    ),
}
