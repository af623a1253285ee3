"""FaReBio, in the form that its card describes."""

import json
from pathlib import Path
from typing import Any

import pytest

from assay.core.errors import InputError
from assay.datasets.corpora.farebio import CARD
from assay.datasets.corpus import Corpus
from tests.datasets.corpora.opinions import gold_of


def write(folder: Path, **more: Any) -> Corpus:
    first = {"text": "Mice slept.", "label": "faithful", "evidence": [1]}
    second = {"text": "They sang.", "label": 0, **more}
    article = {"article_id": 7, "article": ["Cats ran.", "Mice slept long."], "model": "m"}
    line = json.dumps({**article, "sentences": [first, second]})
    (folder / "farebio.jsonl").write_text(line, encoding="utf-8")
    return Corpus(CARD, folder)


def test_a_sentence_has_its_label_and_evidence(tmp_path: Path) -> None:
    [annotated] = write(tmp_path)
    first, second = gold_of(annotated)
    assert (str(first.label), str(second.label)) == ("faithful", "unfaithful")
    assert [span.text for span in first.evidence] == ["Mice slept long."]
    assert (second.evidence, second.unit.text) == ((), "They sang.")
    assert (annotated.id, annotated.example.response.text) == ("7/m", "Mice slept. They sang.")


@pytest.mark.parametrize("evidence", [[2], [-1], ["one"]])
def test_evidence_that_is_not_in_the_article_raises(evidence: Any, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="the article '7' has no sentence"):
        list(write(tmp_path, evidence=evidence))


def test_another_label_raises(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="'odd' is not one of"):
        list(write(tmp_path, label="odd"))
