"""The assertion that a response is faithful to its source, with or without pytest."""

from collections.abc import Callable, Iterable
from typing import Unpack

from assay import AssayError, DetectorSpec, Label, Report, acheck, check
from assay.app.api import CheckArguments
from assay.app.gate import Gate, make_gate
from assay.app.rows import refusal_of
from assay.core.errors import InputError, UnknownNameError
from assay.core.labels import COARSE
from assay.core.options import split
from assay.core.problems import NO_ANSWER
from assay.testing import ALLOWED
from assay.testing.messages import describe
from assay.testing.watching import tell

Names = str | Label | Iterable[str | Label]  # of labels and coarse readings

REFUSED = ("unfaithful", "not-sure")  # what no response may be, unless it is allowed


def assert_faithful(
    response: object,
    source: object = None,
    question: str = "",
    *,
    allow: Names = ALLOWED,
    **how: Unpack[CheckArguments],
) -> Report:
    """Raises an AssertionError that shows what in a response its source does not bear out.

    Give a response and its source; or, as the first argument alone, a dict or row with both, or
    many of these. All else is given as to `check`: `question`, `detector`, `model` and so on. The
    report of what passes is returned.

    `allow` names labels or coarse readings that pass beside what is faithful or states no fact. By
    default what the detector is not sure of passes, as in `assay check --fail-on unfaithful`;
    `allow=()` lets nothing else pass. A sentence without a verdict never passes, nor does an empty
    response; another row that cannot be read is an InputError, unless `on_error="keep"`.
    """
    __tracebackhide__ = _is_told
    try:
        gate = rules(how.get("detector"), allow)
        report = _readable(check(*_given(response, source), question, **_kept(how)), how)
    except AssayError as error:  # without our own lines in the traceback
        raise error.with_traceback(None) from error.__cause__
    return _require(tell(report), gate)


async def aassert_faithful(
    response: object,
    source: object = None,
    question: str = "",
    *,
    allow: Names = ALLOWED,
    **how: Unpack[CheckArguments],
) -> Report:
    """`assert_faithful` for a test with an event loop of its own, which goes on meanwhile."""
    __tracebackhide__ = _is_told
    try:
        gate = rules(how.get("detector"), allow)
        report = await acheck(*_given(response, source), question, **_kept(how))
        report = _readable(report, how)
    except AssayError as error:
        raise error.with_traceback(None) from error.__cause__
    return _require(tell(report), gate)


def rules(detector: str | DetectorSpec | None, allow: Names) -> Gate:
    """The gate for what is left to refuse, in the labels of a detector."""
    named = DetectorSpec(detector) if isinstance(detector, str) else detector
    taxonomy = (named or DetectorSpec()).capabilities.taxonomy
    names, menu = _names(allow), (*taxonomy.names, *COARSE)
    for name in names:
        if name not in menu:
            raise UnknownNameError("label", name, menu, field="allow")
    refused, allowed = make_gate(None, REFUSED, taxonomy), make_gate(None, names, taxonomy)
    return Gate(
        fail_on=refused.fail_on - allowed.fail_on,
        fail_on_coarse=refused.fail_on_coarse - allowed.fail_on_coarse,
    )


def _names(given: Names) -> tuple[str, ...]:
    """The names that were given one by one, or in one text with commas between them."""
    if isinstance(given, str | Label):
        return split(str(given))
    return tuple(name for each in given for name in split(str(each)))


def _given(response: object, source: object) -> tuple[object, object]:
    """The first two arguments of a check, which has them the other way round."""
    if response is None:
        raise InputError("the response is None, which is nothing to check", field="response")
    if source is not None:
        return source, response
    if isinstance(response, str):
        raise InputError("the source is missing: assert_faithful(response, source)", field="source")
    return response, None


def _kept(how: CheckArguments) -> CheckArguments:
    """The arguments, by which rows that cannot be read are kept unless they say otherwise."""
    return {"on_error": "keep", **how}


def _readable(report: Report, how: CheckArguments) -> Report:
    """The report; a row that cannot be read raises, unless it only has no answer, or was wanted."""
    for number, result in enumerate(report):
        problem = result.problem
        if problem and problem.code != NO_ANSWER and "on_error" not in how:
            error = refusal_of(problem)
            error.results = report.results[:number]
            raise error
    return report


def _require(report: Report, gate: Gate) -> Report:
    __tracebackhide__ = _is_told
    if not report.units:
        raise InputError("there is nothing to check")
    for result in report:
        gate.add(result)
    if gate.failed or report.failures:
        raise AssertionError(describe(report, gate))
    return report


def _is_told(raised: object) -> bool:
    """True if a test framework should leave our own lines out of a traceback."""
    errisinstance: Callable[[tuple[type, ...]], bool] = getattr(raised, "errisinstance", bool)
    return bool(errisinstance((AssertionError, AssayError)))
