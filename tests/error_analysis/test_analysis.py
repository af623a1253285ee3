"""The whole analysis: what is found, who is asked again, and with which settings."""

import asyncio
import json
from collections.abc import Iterator
from dataclasses import replace

import pytest

from assay.core.errors import InputError, ServiceError
from assay.core.examples import Annotated
from assay.core.judgements import Parameter
from assay.decisions.forms import FormLine
from assay.detectors.overlap import OverlapDetector
from assay.detectors.registry import DetectorSpec, open_detector
from assay.error_analysis.analysis import (
    ErrorReport,
    Experiments,
    Subject,
    explain_errors,
    find_subject,
)
from assay.evaluation.localization.matchers import OfflineMatcher
from assay.llm.client import Line, Reply, Request, Scripted, Wrapper
from assay.llm.settings.options import Options
from tests.detectors.judges.scripts import asked
from tests.detectors.localize.scripts import listed
from tests.error_analysis.cases import CARGO, PLACE, believer, gold_of, opinion
from tests.evaluation.localization.stories import WRECK, judged, predictions
from tests.judging import judge_all

CORPUS = [gold_of((PLACE, ""), example=replace(WRECK, id=str(n))) for n in range(3)]
LOCALIZER = predictions(
    *(judged(each, [CARGO]) for each in CORPUS[:2]), detector="localize-cot", unit_kind="response"
)


def analysed(subject: Subject, experiments: Experiments, ticks: list[None]) -> ErrorReport:
    return asyncio.run(
        explain_errors(
            "d", CORPUS, subject, OfflineMatcher(), experiments, lambda: ticks.append(None)
        )
    )


def of(subject: object = LOCALIZER) -> Subject:
    return find_subject(subject, "explainer", Options(concurrency=3))  # type: ignore[arg-type]


def test_localizer_that_judged_a_part_of_the_corpus_is_looked_at_there() -> None:
    client = Scripted(lambda request: opinion(_category(request.messages[-1].content)))
    ticks: list[None] = []
    report = analysed(of(), Experiments(client=client), ticks)
    # Two examples are matched, and of each an error is missed and another invented.
    assert (report.gathered.units, len(report.explained), len(ticks)) == (2, 4, 2 + 4)
    assert (report.gathered.detector, report.matcher) == ("run:localize-cot", "offline")
    assert [each.decided for each in report.distributions] == [2, 2]
    assert report.is_complete
    assert [each.id for each in report.annotated] == ["0", "1"]


def _category(shown: str) -> str:
    return "omission" if "COMPLAINT" in shown else "intrinsic-alteration"


def test_detector_of_sentences_is_looked_at_without_a_matcher() -> None:
    detector = OverlapDetector()
    said = judge_all(detector, (each.example for each in CORPUS))
    report = analysed(of(predictions(*said, detector="overlap")), Experiments(sample=1), [])
    assert (report.gathered.level, report.matcher) == ("response", "")
    assert report.is_complete


def test_answers_of_an_earlier_report_are_taken_and_nobody_is_asked_again() -> None:
    client = Scripted(lambda request: opinion(_category(request.messages[-1].content)))
    first = analysed(of(), Experiments(client=client), [])
    answers = tuple(map(FormLine, first.annotated))
    again = analysed(of(), Experiments(client=Scripted(()), answers=answers), [])
    assert again.explained == first.explained
    assert [each.decided for each in again.distributions] == [2, 2]


def test_answers_outside_the_sample_are_refused() -> None:
    client = Scripted(lambda request: opinion(_category(request.messages[-1].content)))
    found = analysed(of(), Experiments(client), []).annotated
    answers = tuple(FormLine(_decided(each)) for each in found)
    with pytest.raises(InputError, match="2 answers are about errors outside the sample"):
        analysed(of(), Experiments(answers=answers, sample=1), [])


def _decided(annotated: Annotated) -> Annotated:
    """The form of a file, filled in by a person who agrees."""
    *others, form = annotated.judgements
    agreed = [
        replace(each, attributes=replace(each.attributes, decision="accepted"))
        for each in form.verdicts
    ]
    filled = replace(form, author=replace(form.author, name="ann"), outcomes=tuple(agreed))
    return replace(annotated, judgements=(*others, filled))


def test_predictions_about_other_examples_are_refused() -> None:
    other = predictions(judged(replace(WRECK, id="who"), [PLACE]))
    with pytest.raises(InputError, match="not in the corpus, first 'who'"):
        analysed(of(other), Experiments(), [])


def test_experiments_need_a_model() -> None:
    for more in ({"believer": OverlapDetector()}, {"again": OverlapDetector()}):
        with pytest.raises(InputError, match="asks a model, and none is given") as raised:
            Experiments(**more)  # type: ignore[arg-type]
        assert raised.value.field == "model"
    with pytest.raises(InputError, match="sample must be 1 error or more, not 0"):
        Experiments(sample=0)


# All experiments, cut off and gone on with.


class Kept(Wrapper):
    """A client that keeps its replies, as the journal of a run does."""

    def __init__(self, client: Scripted, replies: dict[object, Reply]) -> None:
        super().__init__(client)
        self.replies = replies

    async def ask(self, request: Request) -> Reply:
        key = (self.model, request.messages, request.sample, request.attempt)
        if key not in self.replies:
            self.replies[key] = await super().ask(request)
        return self.replies[key]


def answer(request: Request) -> str:
    """A model in all its roles: it explains, asks, believes, changes words and judges."""
    shown = asked(request)
    if "A: CORRECT" in shown or "A: INCORRECT" in shown:
        return "A"
    if "<<<WORDS " in shown:
        return json.dumps({"reason": "It was elsewhere.", "alternatives": ["in Nordia"]})
    if '"question"' in shown:
        return json.dumps({"question": "Which land has divers?", "answer": "Vardia."})
    if "<<<COMPLAINT " in shown:
        return opinion("omission")
    if "Nordia" in shown:
        found = {"quotes": ["in Nordia"], "evidence": [], "description": "It was not in Nordia."}
        return listed({**found, "category": "extrinsic-wrong"}, reasoning="")
    return opinion("extrinsic-correct")


def with_all(client: Scripted, replies: dict[object, Reply], ticks: list[None]) -> ErrorReport:
    kept = Kept(client, replies)
    again = open_detector(DetectorSpec("localize-cot", ("m",)), [kept])
    return analysed(of(), Experiments(kept, believer(kept), again), ticks)


def figures(report: ErrorReport) -> tuple[object, ...]:
    return report.distributions, report.beliefs, report.counterfactual


def test_analysis_that_is_cut_off_anywhere_goes_on_and_asks_nothing_twice() -> None:
    replies: dict[object, Reply] = {}
    complete = with_all(Scripted(answer, model="m"), replies, [])
    everything = len(replies)
    assert complete.is_complete
    assert [str(each.mean) for each in complete.beliefs] == ["0.500 n=2"]  # of one source
    assert complete.counterfactual is not None
    assert complete.counterfactual.after_missed.value == 1.0
    for stop in range(everything):
        replies = {}
        lines = iter(range(stop))

        def cut_off(request: Request, lines: Iterator[int] = lines) -> Line:
            if next(lines, None) is None:
                return ServiceError("no more money")
            return answer(request)

        with pytest.raises(ServiceError, match="no more money"):
            with_all(Scripted(cut_off, model="m"), replies, [])
        assert len(replies) == stop
        rest = Scripted(answer, model="m")
        assert figures(with_all(rest, replies, [])) == figures(complete)
        assert len(rest.requests) == everything - stop


# The detector, asked again.


def test_settings_of_the_run_come_before_those_of_today() -> None:
    same: dict[str, Parameter] = {
        "model": "judge",
        "base_url": "http://there",
        "temperature": 0.3,
        "seed": 4,
    }
    run = predictions(detector="judge-simple", model="judge", parameters=same, votes=3)
    options = Options(base_url="http://there", temperature=0.3, seed=4, concurrency=3)
    assert of(run).spec() == DetectorSpec("judge-simple", ("judge",), 3, options)
    believer = of(run).believer_spec(repeat=2)
    assert (believer.name, believer.models) == ("p-true:repeat=2", ("judge",))
    assert believer.options == replace(options, temperature=1.0, logprobs=True)
    with pytest.raises(InputError, match="repeat must be 1 or more, not 0"):
        of(run).believer_spec(repeat=0)


def test_detector_without_a_model_believes_what_the_explainer_does() -> None:
    subject = of(predictions(detector="overlap"))
    assert (subject.model, subject.options) == ("explainer", Options(concurrency=3))
    assert subject.spec() == DetectorSpec("overlap")


@pytest.mark.parametrize(
    ("manifest", "reason"),
    [
        ({"detector": "judge-simple", "model": "a+b"}, "several models voted"),
        ({"detector": "embedded", "knowledge": "wikipedia"}, "it consulted wikipedia"),
        ({"detector": "faithjudge"}, "learns from annotated responses"),
        ({"detector": "somebody-elses"}, "not known how it was made"),
    ],
)
def test_run_that_cannot_be_repeated_for_one_response_is_refused(
    manifest: dict[str, str], reason: str
) -> None:
    with pytest.raises(InputError, match=f"cannot be asked again: .*{reason}"):
        of(predictions(**manifest)).spec()


def test_detector_whose_prompt_has_changed_is_refused() -> None:
    detector = open_detector(DetectorSpec("judge-simple", ("m",)), [Scripted((), model="m")])
    digests = dict(detector.prompt_digests)
    run = predictions(detector="judge-simple", prompt_digests=digests)
    of(run).refuse_other_prompts(detector)
    name = next(iter(digests))
    other = predictions(detector="judge-simple", prompt_digests={name: "another"})
    with pytest.raises(InputError, match=f"its prompt '{name}' has changed since"):
        of(other).refuse_other_prompts(detector)
