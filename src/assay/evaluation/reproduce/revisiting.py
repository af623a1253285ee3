"""Revisiting Faithfulness Annotations for Long-form Summaries: the sizes of its three benchmarks.

A benchmark whose files are not here has no figures. The paper does not say what it counts as a
word: white space alone gives fewer than it prints, words and punctuation marks as many. Which
sentences were flagged and revised (Table 2), and what the systems said of them (Table 4), is not
part of the released data.
"""

import re
from collections.abc import Iterator
from statistics import fmean

from assay.datasets.corpus import find_card
from assay.datasets.download import presence
from assay.evaluation.reproduce.cells import Figure
from assay.evaluation.reproduce.tables import ReleasedData

# The paper's name of a benchmark -> the corpus, in the version that the paper looks at.
BENCHMARKS = {"StorySumm": "storysumm", "VeriGray": "verigray-20251007", "FaReBio": "farebio"}
_MARKS = re.compile(r"\w+(?:['’]\w+)?|[^\w\s]")


def size_figures(data: ReleasedData) -> Iterator[Figure]:
    """Summaries, sentences and words per summary of each benchmark that is here."""
    for row, name in BENCHMARKS.items():
        if presence(find_card(name), data.root) != "here":
            continue
        examples = [each.example for each in data.load(name)]
        texts = [each.response.text for each in examples]
        sentences = sum(unit.kind == "sentence" for each in examples for unit in each.units)
        n = len(examples)
        yield Figure(row, "summaries", float(n), n)
        yield Figure(row, "sentences", float(sentences), n)
        yield Figure(row, "words", fmean(len(text.split()) for text in texts), n)
        marks = fmean(len(_MARKS.findall(text)) for text in texts)
        yield Figure(row, "words and punctuation marks", marks, n)


def audit_figures(data: ReleasedData) -> Iterator[Figure]:
    """The size of each benchmark that is here; the audit itself is not released."""
    for figure in size_figures(data):
        if figure.metric == "sentences":
            yield figure
