"""The examples that are measured in several looks."""

import json
from pathlib import Path

import numpy as np
import pytest

from assay.core.texts import Source
from training import evaluate_looks
from training.looks import RESTATED
from training.measured import Measured, suite, write_gold
from training.measured_looks import PLAIN, in_looks

pytestmark = pytest.mark.soak

EXAMPLES = [
    Measured(
        "ragtruth-qa",
        f"{number}",
        f"source {number}",
        Source(f"passage 1: The gate opens at nine.\n\npassage 2: It shuts at {number}."),
        "When does it open?",
        ("The gate opens at nine.", "It shuts at twelve."),
        ("faithful", "conflict"),
        (1, number % 2),
        number % 2,
    )
    for number in range(6)
]


def test_every_example_comes_in_every_look_with_its_gold() -> None:
    found = list(in_looks(EXAMPLES))
    looks = {each.group.partition("|")[0] for each in found}
    assert len(looks) == 10
    assert len(found) == len(looks) * len(EXAMPLES)
    for each in found:
        original = EXAMPLES[int(each.id)]
        assert each.group.endswith("|ragtruth-qa")
        assert (each.sentences, each.faithful) == (original.sentences, original.faithful)
        words = each.source.text.lower().replace("**", "").split()
        assert set(original.source.text.lower().split()) <= set(words)
    plain = [each for each in found if each.group.startswith(PLAIN)]
    assert [each.source for each in plain] == [each.source for each in EXAMPLES]


def test_question_takes_up_the_unfaithful_sentence_in_words_of_its_own() -> None:
    asked = {each.group: each.question for each in in_looks(EXAMPLES[:1])}
    assert asked["restated|ragtruth-qa"] == "Is it true that it shuts at twelve?"
    assert asked["presupposed|ragtruth-qa"] == "Why is it that it shuts at twelve?"
    assert asked["no question|ragtruth-qa"] == ""
    assert not any("true that" in form or "Why is it" in form for form in RESTATED)


def test_share_of_changed_verdicts_is_against_the_plain_look(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cases = [*EXAMPLES, *list(suite())[:6]]
    examples = list(in_looks(cases))
    (tmp_path / "looks").mkdir()
    write_gold(examples, tmp_path / "looks" / "development.jsonl")
    marks = [len(each.sentences) for each in examples]
    logits = np.zeros((sum(marks), 3), dtype=np.float32)
    logits[:, 0] = 4
    flipped = next(n for n, e in enumerate(examples) if e.group == "wrapped|ragtruth-qa")
    logits[sum(marks[:flipped]), 0] = -4
    np.savez(
        tmp_path / "looks" / "development.npz",
        logits=logits,
        mark_ends=np.cumsum(marks),
        example=np.arange(len(examples)),
        sentences=np.concatenate([np.arange(count) for count in marks]),
    )
    paths = ["--prepared", str(tmp_path), "--trained", str(tmp_path)]
    evaluate_looks.main([*paths, "--replicates", "20"])
    figures = json.loads((tmp_path / "looks.json").read_text())
    assert figures["ragtruth, wrapped: changed"].startswith("0.167")
    assert figures["suite, padded: changed"].startswith("0.000")
    assert "ragtruth, restated: BAcc" in capsys.readouterr().out
