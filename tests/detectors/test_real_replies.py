"""What a real small model wrote, word for word, and what becomes of it.

The replies are those of Qwen2.5-Coder-1.5B-Instruct to the examples of `benchmarks/real_replies.py`
without enforced schemas. Each line has the replies to the questions about one example, in their
order, and what is made of each unit. Where it names a version, it is that of the prompt; the other
lines reply to earlier wordings, whose failures led to later ones.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from assay.core.examples import Annotated, Example
from assay.core.judgements import Finding
from assay.core.taxonomies import BINARY
from assay.core.texts import Response, Source
from assay.llm.client import Line, Reply, Scripted, Usage
from tests.detectors.judges.scripts import annotate, load, whole
from tests.judging import judge_one

FOLDER = Path(__file__).parent / "real_replies"
EXAMPLES = Path(__file__).parents[2] / "benchmarks" / "real_replies.jsonl"
LIMIT = 700  # tokens
METHODS = {  # whose files cannot have their names
    "judge-gray7-batch": "judge-gray7:batch",
    "judge-gray7-definitions": "judge-gray7:definitions",
    "judge-gray7-batch-definitions": "judge-gray7:batch,definitions",
    "judge-fewshot-definitions": "judge-fewshot:definitions",
    "judge-finesure-definitions": "judge-finesure:definitions",
    "judge-grounding-json": "judge-grounding:json",
    "faithjudge-ternary": "faithjudge:ternary",
    "localize-zero-definitions": "localize-zero:definitions",
    "localize-few-definitions": "localize-few:definitions",
    "localize-cot-definitions": "localize-cot:definitions",
    "localize-cot-hint-definitions": "localize-cot-hint:definitions",
    "localize-recall-definitions": "localize-recall:definitions",
}
PLAIN = (
    "judge-gray7 judge-fewshot judge-finesure judge-simple judge-grounding judge-claims faithjudge "
    "discourse localize-zero localize-few localize-cot localize-cot-hint localize-recall"
).split()


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


RECORDED = [
    pytest.param(path.stem, line, id=f"{path.stem} {line['example']}")
    for path in sorted(FOLDER.glob("*.jsonl"))
    for line in lines(path)
]
TEXTS = lines(EXAMPLES)


def example(text: dict[str, Any]) -> Example:
    """One of the twenty examples."""
    source, response = Source(text["source"]), Response(text["response"])
    return Example(text["id"], source, response, text.get("question", ""), task=text["task"])


def annotated() -> list[Annotated]:
    """All of them with a label for the response, for a judge that learns from peers."""
    labels = [BINARY["unfaithful" if text["errors"] else "faithful"] for text in TEXTS]
    return [
        annotate(example(text), gold=[whole(text["response"], label)])
        for text, label in zip(TEXTS, labels, strict=True)
    ]


def replied(said: str | dict[str, str]) -> Line:
    """A whole reply, or one that was cut off at the limit of tokens."""
    if isinstance(said, str):
        return said
    return Reply(said["cut off"], Usage(0, LIMIT), finish="length")


def told(finding: Finding) -> str:
    """The label, with the error if there is one, or why there is none."""
    if finding.failure:
        return f"failed: {finding.failure.reason}"
    verdict = finding.verdict
    assert verdict is not None
    return f"{verdict.label}, {verdict.error}" if verdict.error else str(verdict.label)


@pytest.mark.parametrize(("name", "line"), RECORDED)
def test_real_replies_are_read(name: str, line: dict[str, Any]) -> None:
    [text] = (each for each in TEXTS if each["id"] == line["example"])
    client = Scripted(map(replied, line["replies"]))
    peers = annotated if name.startswith("faithjudge") else None
    found = judge_one(load(METHODS.get(name, name), client, peers), example(text))
    assert [told(each) for each in found.findings] == line["outcomes"]
    assert len(client.requests) == len(line["replies"])


def test_there_are_replies_for_every_way_to_ask() -> None:
    assert {path.stem for path in FOLDER.glob("*.jsonl")} >= {*METHODS, *PLAIN}
