"""Models behind a server: what is sent and what is made of replies equals the published code."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from zlib import crc32

import pytest

from assay.core.examples import Example
from assay.core.texts import Response, Source, Span
from assay.core.units import Unit
from assay.core.verdicts import Outcome
from assay.detectors.published import chunks
from assay.detectors.registry import DetectorSpec, make_detector
from assay.llm.client import Line, Reply, Request, Scripted, Token, Usage
from tests.detectors.published.scripted_model import (
    STAGES,
    Pair,
    Step,
    choose,
    served_pairs,
    yes_or_no,
)
from tests.judging import judge_one

RECORD: dict[str, Any] = json.loads(
    (Path(__file__).parent / "reference" / "served.json").read_text(encoding="utf-8")
)
ANNOTATIONS = {
    "ok": "supported",
    "nofact": "nothing-to-check",
    "contradictory": "contradictory",
    "unverifiable": "unsupported",
}


@pytest.fixture(scope="module")
def pairs(shared_data: Path) -> list[Pair]:
    found = served_pairs(shared_data)
    assert len(found) == len(RECORD["minicheck"]) == 200
    return found


@pytest.fixture
def _punkt(monkeypatch: pytest.MonkeyPatch) -> None:
    """The sentences that Punkt found, without NLTK."""

    def places(line: str) -> list[tuple[int, int]]:
        known = RECORD["places"].get(str(crc32(line.encode("utf-8", "surrogatepass"))))
        if known is not None:
            return [(first, last) for first, last in known]
        start = len(line) - len(line.lstrip())
        return [(start, start + len(line.strip()))] if line.strip() else []

    monkeypatch.setattr(chunks, "_punkt", lambda: places)


def reply(step: Step, text: str = "") -> Reply:
    """A reply with the likeliest tokens at its first place."""
    first = next(iter(step.items()))
    return Reply(text or first[0], Usage(1, 1), tokens=(Token(*first, tuple(step.items())),))


def judged(name: str, script: Callable[[Request], Line], pair: Pair) -> Outcome:
    """The outcome of the whole response, which is one sentence."""
    source, claim = pair
    unit = Unit.at("sentence", Span.cut(claim, 0, len(claim), "response"), "s1")
    units = (unit,) if DetectorSpec(name).capabilities.unit_kind == "sentence" else ()
    example = Example("1", Source(source), Response(claim), units=units)
    return judge_one(make_detector(DetectorSpec(name), [Scripted(script)]), example).outcomes[0]


@pytest.mark.usefixtures("_punkt")
def test_minicheck_makes_the_same_chunks_and_scores(pairs: list[Pair]) -> None:
    name, calls = f"minicheck:bespoke-7b,window={RECORD['window']}", 0

    def script(request: Request) -> Line:
        nonlocal calls
        calls += 1
        return reply(yes_or_no(request.messages[-1].content))

    outcomes = [judged(name, script, pair) for pair in pairs]
    assert [each.score for each in outcomes] == pytest.approx(RECORD["minicheck"], abs=1e-6)
    said = [each.label == "faithful" for each in outcomes]
    assert said == [score > 0.5 for score in RECORD["minicheck"]]
    assert calls > 300  # many sources have several chunks


@pytest.mark.parametrize("version", ["3.2", "3.3"])
def test_granite_guardian_is_sent_and_read_the_same(version: str, pairs: list[Pair]) -> None:
    for pair, (digest, label, risk) in zip(pairs, RECORD[f"granite {version}"], strict=True):
        sent: list[Request] = []
        step = yes_or_no("|".join(pair))
        word = next(iter(step))
        text = word if version == "3.2" else f"<score> {word.lower()} </score>"

        answer = reply(step, text)

        def script(request: Request, to: list[Request] = sent, said: Reply = answer) -> Line:
            to.append(request)
            return said

        outcome = judged(f"granite-guardian:{version}", script, pair)
        messages = [{"role": each.role, "content": each.content} for each in sent[0].messages]
        assert crc32(json.dumps([messages, sent[0].template]).encode()) == digest
        assert outcome.label == ("unfaithful" if label else "faithful")
        assert outcome.score == pytest.approx(1 - risk, abs=2e-6)


def test_anah_comes_to_the_same_types(pairs: list[Pair]) -> None:
    for pair, annotation in zip(pairs, RECORD["anah"], strict=True):

        def script(request: Request, claim: str = pair[1]) -> Line:
            stage = [*STAGES][len(request.messages) // 2]
            return choose(f"{stage}|{claim}", STAGES[stage])

        assert judged("anah", script, pair).label == ANNOTATIONS[annotation]
