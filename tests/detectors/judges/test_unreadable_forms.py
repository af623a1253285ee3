"""Forms of replies that a judge cannot read are refused; claims in other forms are read."""

from pathlib import Path

import pytest

from assay.core.errors import InputError
from assay.llm.client import Scripted
from tests.detectors.judges.scripts import (
    echo,
    hear,
    load,
)
from tests.detectors.judges.test_paper_forms import PEERS

GAPS = {
    "judge-simple": "source, response",
    "judge-finesure": "source, sentences",
    "judge-claims": "source, claims",
    "faithjudge": "source, response, peers",
    "discourse:claims": "source, claims",
    "discourse:split": "sentences",
    "p-true": "question, answer, first, second",
    "localize-pipeline": "source, facts",
}


@pytest.mark.parametrize(
    ("judge", "lines", "problem"),
    [
        (
            "judge-simple",
            "reply: choice\nchoices: A = fabricated",
            "the labels are unfaithful, fai",
        ),
        ("judge-simple", "reply: letters", "replies to this judge are json or choice or line, not"),
        ("judge-finesure", "reply: choice", "replies to this judge are json, not 'choice'"),
        ("judge-claims", "reply: letters", "replies to this judge are json or choice or line"),
        (
            "judge-claims",
            "reply: line\nmarker: Verdict",
            "is one verdict on all claims, .* write judge-claims:fold=any,prompt=",
        ),
        (
            "judge-claims:fold=mean,",
            "reply: choice",
            "'reply: choice' is one verdict on all claims",
        ),
        (
            "judge-claims:fold=any,",
            "reply: line\nmarker: V\nchoices: x = fabricated",
            "choices has 'x = fabricated'; the labels are unfaithful, faithful",
        ),
        ("faithjudge", "reply: json", "replies to this judge are choice or line, not 'json'"),
        (
            "faithjudge",
            "reply: line\nmarker: V\nchoices: yes = Consistent",
            "choices has 'yes = Consistent'; the labels are faithful, unfaithful, invalid",
        ),
        (
            "faithjudge:ternary,",
            "reply: choice\nchoices: yes = faithful",
            "the labels are consistent, benign, unwanted, invalid",
        ),
        ("faithjudge", "marker: Verdict", "'marker' needs a form: add 'reply: choice'"),
        (
            "discourse:claims",
            "reply: line\nmarker: V",
            "replies to this judge are json, not 'line'",
        ),
        ("discourse:split", "reply: letters", "leave out 'reply: letters'"),
        ("p-true", "reply: choice\nmarker: Answer", "leave out choices, marker and tag"),
        ("localize-pipeline", "reply: map", "a list of inconsistencies has the form letters or"),
    ],
)
def test_form_that_the_judge_cannot_read_is_one_line_before_anything_is_sent(
    tmp_path: Path, judge: str, lines: str, problem: str
) -> None:
    name, _, options = judge.partition(":")
    inputs = GAPS.get(judge) or GAPS[name]
    head = f"name: p\nversion: 1\ninputs: {inputs}\n{lines}"
    gaps = " ".join(f"${each}" for each in inputs.split(", "))
    (tmp_path / "p.md").write_text(f"---\n{head}\n---\n# user\n{gaps}\n", encoding="utf-8")
    setting = f"{options}=" if name == "discourse" else f"{options}prompt="
    client, peers = Scripted(()), (lambda: PEERS) if name == "faithjudge" else None
    with pytest.raises(InputError, match=problem) as raised:
        load(f"{name}:{setting}{tmp_path / 'p.md'}", client, peers)
    assert "\n" not in str(raised.value)
    assert not client.requests


def test_claims_are_read_in_another_form_too(tmp_path: Path) -> None:
    head = "name: p\nversion: 1\ninputs: source, claims\nreply: json\nlabel: verdict"
    (tmp_path / "p.md").write_text(f"---\n{head}\n---\n# user\n$source $claims\n", encoding="utf-8")
    heard = hear(f"judge-claims:prompt={tmp_path / 'p.md'}", echo)
    assert '"verdict": "faithful"' in heard.requests[-1].example
    assert set(heard.labels) == {"faithful"}


def test_split_in_bullets_is_about_one_sentence(tmp_path: Path) -> None:
    head = "name: p\nversion: 1\ninputs: sentences\nreply: letters"
    (tmp_path / "p.md").write_text(f"---\n{head}\n---\n# user\n$sentences\n", encoding="utf-8")
    for judge in ("judge-claims:split={}", "claimwise:split={},overlap"):
        with pytest.raises(InputError, match=r"\$sentence is missing"):
            load(judge.format(tmp_path / "p.md"), Scripted(()))
