"""Texts judged by a detector, without the use cases around it."""

from assay.core.examples import Example
from assay.core.rendering import read_source
from assay.core.results import Result
from assay.core.texts import Response
from assay.core.verdicts import Failure, Verdict
from assay.detectors.protocol import Detector
from tests.judging import result_of


def check_with(
    detector: Detector, source: object, response: str, question: str = "", language: str = "en"
) -> Result:
    """What a detector says of one response."""
    example = Example("1", read_source(source), Response(response), question, language)
    return result_of(detector, example)


def only_verdict(result: Result) -> Verdict:
    """The verdict on the only unit that was judged."""
    (finding,) = result.units
    assert isinstance(finding.outcome, Verdict)
    return finding.outcome


def only_failure(result: Result) -> Failure:
    """The failure of the only unit that was judged."""
    (finding,) = result.units
    assert isinstance(finding.outcome, Failure)
    return finding.outcome
