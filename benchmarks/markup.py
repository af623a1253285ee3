"""What the looks of a source do to the embedded model, read as it is written and as it is seen.

python benchmarks/markup.py looks tables figures [--responses 40] [--longest 3000]

`looks` counts the labels that change when the sources of some RAGTruth responses are wrapped, get a
newline at their end, or become HTML or Markdown. `tables` judges claims about tables of our own.
`figures` gives the AUROC of RAGTruth's sentences with the sources as they are released. The
released data must be there (ASSAY_DATA).
"""

import argparse
import asyncio
import textwrap
from collections.abc import Callable, Iterable
from dataclasses import replace
from html import escape

from assay.core.examples import Annotated, Example
from assay.core.judgements import Judgement
from assay.core.texts import Response, Source
from assay.datasets.selection import DataChoice
from assay.detectors.combinators.viewing import ExampleView
from assay.detectors.protocol import Detector
from assay.detectors.registry import DetectorSpec, make_detector, open_detector
from assay.evaluation.gold import gold_labels
from assay.evaluation.policy import GoldPolicy
from assay.text.sentences import split_sentences

WAYS: dict[str, Callable[[DetectorSpec], Detector]] = {
    "as written": make_detector,
    "as seen": open_detector,
}


def wrapped(text: str) -> str:
    """Each paragraph at 72 columns."""
    return "\n".join(textwrap.fill(line, 72) for line in text.split("\n"))


def with_newline(text: str) -> str:
    """A file mostly ends in a newline."""
    return text + "\n"


def html_page(text: str) -> str:
    """A page with a head and a script, a paragraph for each line, and words in bold."""
    lines = (line for line in text.split("\n") if line.strip())
    body = "\n".join(f'<p class="text">{_bold(escape(line), "<b>", "</b>")}</p>' for line in lines)
    script = "<script>var page = {ready: true, user: null};</script><style>p {margin: 0}</style>"
    return f"<!doctype html>\n<html><head>{script}</head>\n<body>\n{body}\n</body></html>\n"


def markdown(text: str) -> str:
    """A list with an item for each sentence, words in bold, and references."""
    items = (
        f"* {_bold(' '.join(each.text.split()), '**', '**')} [{number}]"
        for number, each in enumerate(split_sentences(text), start=1)
    )
    return "\n".join(items) + "\n"


def _bold(line: str, before: str, after: str) -> str:
    words = line.split(" ")
    return " ".join(
        f"{before}{word}{after}" if number % 9 == 4 and word.isalpha() else word
        for number, word in enumerate(words)
    )


LOOKS = {
    "wrapped at 72": wrapped,
    "newline at the end": with_newline,
    "HTML": html_page,
    "Markdown": markdown,
}


def judge(detector: Detector, examples: Iterable[Example]) -> list[Judgement]:
    """The judgements of some examples, in their order."""

    async def work() -> dict[str, Judgement]:
        return {each.example: each async for each in detector.judge(given)}

    given = list(examples)
    found = asyncio.run(work())
    return [found[example.id] for example in given]


def ragtruth() -> list[Annotated]:
    """The examples of RAGTruth."""
    return [row for row in DataChoice("ragtruth").read() if isinstance(row, Annotated)]


def looks(responses: int, longest: int) -> None:
    """Labels that change with the looks of the source."""
    texts = [
        replace(row.example, source=Source(row.example.source.text.strip()))
        for row in ragtruth()
        if row.example.task != "Data2txt" and len(row.example.source.text) < longest
    ]
    examples = texts[:: max(1, len(texts) // responses)][:responses]
    for way, opened in WAYS.items():
        detector = opened(DetectorSpec("embedded"))
        plain = _labels(judge(detector, examples))
        for name, look in LOOKS.items():
            changed = [replace(e, source=Source(look(e.source.text))) for e in examples]
            pairs = list(zip(plain, _labels(judge(detector, changed)), strict=True))
            labels = sum(a != b for a, b in pairs)
            sides = sum((a in FAITHFUL) != (b in FAITHFUL) for a, b in pairs)
            print(f"{way}, {name}: {labels} labels and {sides} sides change, n={len(pairs)}")


FAITHFUL = ("explicitly-supported", "implicitly-supported")


def _labels(judgements: Iterable[Judgement]) -> list[str]:
    return [str(outcome.label) for each in judgements for outcome in each.outcomes]


TABLE = """| Ferry | Built | Cars | Harbour |
|---|---|---|---|
| Maro | 1987 | 120 | Osterholm |
| Quill | 2004 | 310 | Lindmoor |
| Calder | 1965 | 48 | Vass |
"""
CLAIMS = {
    "The Maro was built in 1987.": True,
    "The Quill carries 310 cars.": True,
    "The Calder sails from Vass.": True,
    "The Maro was built in 2004.": False,
    "The Quill carries 48 cars.": False,
    "The Calder sails from Lindmoor.": False,
    "The Quill was built in 1965.": False,
}
TABLE_CLAIM = "| Ferry | Harbour |\n|---|---|\n| Maro | Osterholm |\n| Quill | Vass |\n"


def tables(responses: int, longest: int) -> None:
    """Claims about a table, and a table about prose."""
    prose = "The ferry Maro sails from the harbour of Osterholm. The ferry Quill sails from Vass."
    for way, opened in WAYS.items():
        detector = opened(DetectorSpec("embedded"))
        examples = [Example(str(n), Source(TABLE), Response(c)) for n, c in enumerate(CLAIMS)]
        labels = _labels(judge(detector, examples))
        right = sum(
            (a in FAITHFUL) == gold for a, gold in zip(labels, CLAIMS.values(), strict=True)
        )
        print(f"{way}, claims about a table: {right} of {len(CLAIMS)} right: {labels}")
        (found,) = judge(detector, [Example("t", Source(prose), Response(TABLE_CLAIM))])
        print(f"{way}, a table about prose:", [(f.text, str(f.label)) for f in found.findings])


def figures(responses: int, longest: int) -> None:
    """AUROC of sentences with the sources as they are released, where they look different."""
    rows = [row for row in ragtruth() if len(row.example.source.text) < longest]
    seen = [row for row in rows if ExampleView.of(row.example).shown is not row.example]
    print(f"{len(seen)} of {len(rows)} responses or their sources look different")
    rows = seen[:: max(1, len(seen) // responses)][:responses]
    policy = GoldPolicy("sentence", "any")
    for way, opened in WAYS.items():
        judgements = judge(opened(DetectorSpec("embedded")), [row.example for row in rows])
        pairs = []
        for row, judgement in zip(rows, judgements, strict=True):
            gold = {unit.id: label for unit, label in gold_labels(row, "sentence", "any")}
            for each in judgement.findings:
                if each.score is not None and each.id in gold:
                    pairs.append((each.score, policy.is_faithful(gold[each.id])))
        good = [score for score, faithful in pairs if faithful]
        bad = [score for score, faithful in pairs if faithful is False]
        wins = sum((a > b) + (a == b) / 2 for a in good for b in bad)
        auroc = wins / (len(good) * len(bad))
        print(
            f"{way}: AUROC {auroc:.4f}, n={len(good) + len(bad)} sentences, {len(bad)} unfaithful"
        )


if __name__ == "__main__":
    COMMANDS = {"looks": looks, "tables": tables, "figures": figures}
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", nargs="+", choices=COMMANDS)
    parser.add_argument("--responses", type=int, default=40, help="how many are judged")
    parser.add_argument("--longest", type=int, default=3_000, help="characters of a source")
    given = parser.parse_args()
    for command in given.what:
        COMMANDS[command](given.responses, given.longest)
