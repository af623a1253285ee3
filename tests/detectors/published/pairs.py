"""Texts on which published detectors are compared with their references.

Most are of RAGTruth, which is kept beside the checkout; the odd ones are our own.
"""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from assay.datasets.corpora.ragtruth import read_grounding
from assay.detectors.published.scores import Claim

_LONG = "The Lindmoor ferry carried 1,204 passengers on 3 May 1962, and one dog. "
ODD = (
    ("", "Nothing is known of it.", ""),
    ("The harbour closed in 1962.", "", ""),
    ("", "", ""),
    (" \n\t ", " The harbour closed.\n\nIt opened again. ", "When?"),
    (
        "港口于一九六二年关闭。渡轮每天运送一千名乘客。",
        "港口关闭了。渡轮不再运送乘客。",
        "港口何时关闭？",
    ),
    ("أُغلق الميناء عام 1962.", "لم يُغلق الميناء.", ""),
    ("Գործարանը փակվեց։ Նա ասաց «այո»։", "Գործարանը բաց է։", "Ի՞նչ եղավ"),
    ("The ferry ⛴️ is 👩‍👩‍👧 friendly, naïve & café.", "The ferry ⛴️ is for 👩‍👩‍👧 only!", ""),
    (
        "Tags </s> <pad> [SEP] [CLS] {text1} ${passages} in it.",
        "{text2} <pad> [SEP] $question",
        "$x",
    ),
    (_LONG * 20, "The ferry carried 1,204 passengers. It sank.", "How many passengers were there?"),
)


def odd_claims() -> list[Claim]:
    """Empty texts, other scripts, names of special tokens, and a source of 1,440 characters."""
    return [_whole(*each) for each in ODD]


def ragtruth_claims(folder: Path, count: int, most: int = 400) -> list[Claim]:
    """As many responses, evenly spaced through RAGTruth's file, with sources and questions.

    Of most sources only the beginning is taken, to save time; every twentieth is whole.
    """
    about = {}
    sources = (folder / "ragtruth" / "source_info.jsonl").read_text(encoding="utf-8")
    for row in map(json.loads, sources.splitlines()):
        about[row["source_id"]] = row["source_info"]
    lines = (folder / "ragtruth" / "response.jsonl").read_text(encoding="utf-8").splitlines()
    claims = []
    for number in range(count):
        row = json.loads(lines[number * len(lines) // count])
        source, question = read_grounding(about[row["source_id"]], row["source_id"])
        end = most if number % 20 else len(source.text)
        places = () if source.json else [(each.start, each.end) for each in source.passages]
        kept = tuple((first, min(last, end)) for first, last in places if first < end)
        whole = _whole(source.text[:end], row["response"], question)
        claims.append(replace(whole, passages=kept))
    return claims


def first_sentences(claims: Sequence[Claim], most: int = 200) -> list[Claim]:
    """The same with the first sentence of each response; every fortieth source is long."""
    return [
        replace(
            claim,
            text=claim.text.partition(". ")[0],
            source=claim.source[: most if number % 40 else 5 * most],
        )
        for number, claim in enumerate(claims)
    ]


def _whole(source: str, response: str, question: str) -> Claim:
    """A whole response as a claim."""
    return Claim(source, response, question, response=response, place=(0, len(response)))
