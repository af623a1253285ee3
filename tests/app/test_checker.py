"""A detector that stays open: the same verdicts as a bare check, for many callers at once."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

import assay
from assay.app.checker import Checker
from assay.core.errors import InputError
from assay.core.examples import Example
from assay.core.rendering import read_source
from assay.core.results import Result
from assay.core.texts import Response
from assay.detectors.protocol import closing
from assay.detectors.registry import DetectorSpec
from assay.engine.check import CheckRequest
from assay.llm.settings.options import Options
from tests.cli.loopback import Loopback
from tests.tracing import Spans, is_below

SOURCES = (
    "Ada Lovelace was born in London in 1815. She wrote notes on the Analytical Engine.",
    "The bridge was opened on 3 May 1987 by Ann Lee. It is 1.2 km long and 14 m wide. "
    "The council paid 12 million dollars for it, which is twice what was planned.",
    {"name": "Golden Spoon", "city": "Lindmoor", "hours": {"Monday": "9:0-17:0"}, "stars": 4.5},
)
RESPONSES = (
    "Ada was born in 1852. She wrote notes.",
    "Ann Lee opened the bridge, which is 1,200 metres long. It cost 6 million dollars.",
    "The Golden Spoon in Lindmoor has 4.5 stars and is open on Mondays.",
    "Thank you!",
)


def request(detector: str) -> CheckRequest:
    return CheckRequest(DetectorSpec(detector))


def examples() -> list[Example]:
    """Every response by every source; all have the same id."""
    sources = [read_source(each) for each in SOURCES]
    return [Example("x", source, Response(text)) for source in sources for text in RESPONSES]


async def collected(checker: Checker, some: Sequence[Example]) -> list[Result]:
    return [result async for result in checker.check(some)]


def said(result: Result) -> list[object]:
    """All that is said of an example but when, with scores to the sixth place."""
    return [
        replace(each, score=round(each.score, 6), confidence=None)
        if isinstance(each, assay.Verdict) and each.score is not None
        else each
        for each in result.judgement.outcomes
    ]


def checked(detector: str, callers: Sequence[Sequence[Example]]) -> list[list[Result]]:
    """The results of some callers, who all ask at the same time."""

    async def work() -> list[list[Result]]:
        async with Checker(request(detector)) as checker:
            return await asyncio.gather(*(collected(checker, each) for each in callers))

    return asyncio.run(work())


@pytest.mark.parametrize("detector", ["embedded", "overlap"])
def test_verdicts_of_callers_at_once_are_those_of_bare_checks(detector: str) -> None:
    each_alone = [[example] for example in examples()]
    for (result,), (example,) in zip(checked(detector, each_alone), each_alone, strict=True):
        row = {"source": example.source, "response": example.response.text, "id": example.id}
        (bare,) = assay.check([row], detector=detector)
        assert said(result) == said(bare)
        assert (result.id, result.coarse, result.label) == (bare.id, bare.coarse, bare.label)


def test_results_come_in_the_order_of_the_examples() -> None:
    all_of_them = examples()
    (results,) = checked("embedded", [all_of_them])
    assert [each.example for each in results] == all_of_them


def test_manifest_is_that_of_the_bare_check() -> None:
    report = assay.check("A cat sat.", "It sat.", detector="embedded")
    assert Checker(request("embedded")).manifest == report.manifest


def test_what_is_wrong_with_the_request_is_raised_when_it_is_made() -> None:
    with pytest.raises(InputError, match="unknown detector 'embeded'"):
        Checker(request("embeded"))


def test_results_of_models_are_asked_for_at_the_same_time_within_one_budget(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    server = Loopback()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.setenv("OPENAI_API_KEY", "a-key")
    options = Options(base_url=server.url, budget_calls=3)
    spec = DetectorSpec("judge-simple", models=("a-model",), options=options)

    async def work() -> list[object]:
        async with Checker(CheckRequest(spec)) as checker:
            some = (collected(checker, [example]) for example in examples()[:4])
            done = await asyncio.gather(*some, return_exceptions=True)
            return [*done, checker.usage]

    *done, usage = asyncio.run(work())
    server.close()
    assert str(usage).startswith("3 calls")
    assert sum(isinstance(each, list) for each in done) == 3
    assert sum(isinstance(each, assay.BudgetError) for each in done) == 1


def test_a_caller_that_stops_leaves_the_others_their_results() -> None:
    async def work() -> int:
        async with Checker(request("overlap")) as checker:
            async with closing(checker.check(examples() * 20)) as results:
                await anext(results)
            return len(await collected(checker, examples()))

    assert asyncio.run(work()) == len(examples())


def test_checks_stand_each_below_the_span_of_their_caller(monkeypatch: pytest.MonkeyPatch) -> None:
    spans = Spans(monkeypatch)

    async def caller(checker: Checker, name: str) -> None:
        with spans.tracer.start_as_current_span(name):
            await collected(checker, examples()[:1])

    async def work() -> None:
        async with Checker(request("overlap")) as checker:
            await asyncio.gather(*(caller(checker, name) for name in ("first", "second")))

    asyncio.run(work())
    for name in ("first", "second"):
        checks = spans.named("check overlap")
        assert sum(is_below(each, spans.one(name)) for each in checks) == 1
