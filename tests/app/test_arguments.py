"""Python functions take what their requests take, and say so to type checkers."""

import pytest

from assay import (
    BoardRequest,
    CalibrateRequest,
    CheckRequest,
    DataChoice,
    EvaluateRequest,
    LocalizeRequest,
    RunRequest,
    check,
    evaluate,
)
from assay.app.api import DetectorArguments
from assay.app.board import BoardArguments
from assay.app.calibrate import CalibrateArguments
from assay.app.evaluate import EvaluateArguments
from assay.app.judging import Asking
from assay.app.localize import LocalizeArguments
from assay.core.options import declared
from assay.detectors.local import LocalOptions


@pytest.mark.parametrize(
    ("arguments", "request_"),
    [
        (EvaluateArguments, EvaluateRequest),
        (BoardArguments, BoardRequest),
        (LocalizeArguments, LocalizeRequest),
        (CalibrateArguments, CalibrateRequest),
        (DetectorArguments, CheckRequest),
        (DetectorArguments, RunRequest),
    ],
)
def test_typed_arguments_are_options_of_their_request(arguments: type, request_: type) -> None:
    options = list(declared(request_))
    groups = {name for each in options for name in each.fields[:-1]}
    assert set(arguments.__annotations__) <= {each.name for each in options} | groups


@pytest.mark.parametrize(
    ("arguments", "request_"),
    [(EvaluateArguments, EvaluateRequest), (BoardArguments, BoardRequest)],
)
def test_every_option_of_a_request_alone_is_a_typed_argument(
    arguments: type, request_: type
) -> None:
    own = {each.name for each in declared(request_) if len(each.fields) == 1}
    named = {"detectors", "judges", "by_model"}  # which the functions name themselves
    assert own - named <= set(arguments.__annotations__)


def test_argument_that_is_no_option_raises() -> None:
    with pytest.raises(TypeError, match="unexpected keyword argument 'detectr'"):
        check("The cat sat.", "The cat sat.", detectr="overlap")  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="unexpected keyword argument 'unti'"):
        evaluate("overlap", data="x.jsonl", unti="response")  # type: ignore[call-arg]


@pytest.mark.parametrize(
    ("detectors", "cut", "threshold"),
    [(("a.json", "run:b"), 0.7, None), (("a.json", "embedded"), None, 0.7), ((), None, 0.7)],
)
def test_threshold_is_the_cut_where_no_detector_runs_a_model_here(
    detectors: tuple[str, ...], cut: float | None, threshold: float | None
) -> None:
    asking = Asking(local=LocalOptions(threshold=0.7))
    request = EvaluateRequest(DataChoice("x.jsonl"), asking, detectors)
    assert (request.cut, request.asking.local.threshold) == (cut, threshold)


def test_older_word_for_invalid_responses_is_read() -> None:
    assert EvaluateRequest(DataChoice("x.jsonl"), invalid="failure").invalid == "apart"
    assert BoardRequest(DataChoice("x.jsonl"), invalid="failure").invalid == "apart"
