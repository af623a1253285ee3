"""The assertion that a response is faithful to its source, with or without pytest."""

from collections.abc import Callable
from typing import Unpack

from assay import AssayError, NoVerdictError, Report, acheck, check
from assay.app.api import CheckArguments
from assay.core.errors import InputError
from assay.testing.messages import describe_broken, describe_unjudged
from assay.testing.rules import Names, Rules, make_rules
from assay.testing.watching import tell

FAIL_ON = "unfaithful"


def assert_faithful(
    response: object,
    source: object = None,
    question: str = "",
    *,
    fail_on: Names = FAIL_ON,
    allow: Names = (),
    **how: Unpack[CheckArguments],
) -> Report:
    """Raises an AssertionError if a sentence of the response is unfaithful to the source, for sure.

    Give a response and its source; or, as the first argument alone, a dict or row with both, or
    many of these. All else is given as to `check`: `question`, `detector`, `model` and so on.

    It fails as `assay check --fail-on unfaithful` does. What the detector is not sure of passes,
    unless `fail_on` says otherwise, as in `fail_on="unfaithful,not-sure"`. `allow` names labels and
    coarse readings that are accepted all the same, as in `allow="fabricated"`.

    A sentence without a verdict is no pass: it raises a `NoVerdictError`, if no other one fails.
    """
    __tracebackhide__ = _is_told
    try:
        rules = make_rules(how.get("detector"), fail_on, allow)
        report = check(*_given(response, source), question, **how)
    except AssayError as error:
        raise error.with_traceback(None) from error.__cause__
    return _require(tell(report), rules)


async def aassert_faithful(
    response: object,
    source: object = None,
    question: str = "",
    *,
    fail_on: Names = FAIL_ON,
    allow: Names = (),
    **how: Unpack[CheckArguments],
) -> Report:
    """`assert_faithful` for a test with an event loop of its own, which goes on meanwhile."""
    __tracebackhide__ = _is_told
    try:
        rules = make_rules(how.get("detector"), fail_on, allow)
        report = await acheck(*_given(response, source), question, **how)
    except AssayError as error:
        raise error.with_traceback(None) from error.__cause__
    return _require(tell(report), rules)


def _given(response: object, source: object) -> tuple[object, object]:
    """The first two arguments of a check, which has them the other way round."""
    if response is None:
        raise InputError("the response is None, which is nothing to check", field="response")
    if source is None:
        if isinstance(response, str):
            raise InputError(
                "the source is missing: assert_faithful(response, source)", field="source"
            )
        return response, None
    return source, response


def _require(report: Report, rules: Rules) -> Report:
    __tracebackhide__ = _is_told
    if not report.units:
        raise InputError("there is nothing to check")
    if rules.gate(report).failed:
        raise AssertionError(describe_broken(report, rules))
    if report.failures:
        raise NoVerdictError(describe_unjudged(report, rules))
    return report


def _is_told(raised: object) -> bool:
    """True if a test framework should leave our own lines out of a traceback."""
    errisinstance: Callable[[tuple[type, ...]], bool] = getattr(raised, "errisinstance", bool)
    return bool(errisinstance((AssertionError, AssayError)))
