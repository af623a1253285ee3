"""LangSmith: an evaluator for its experiments."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Unpack

from assay import Columns
from assay.app.answers import UNFAITHFUL, AnswerCheck, CheckedAnswer
from assay.app.api import DetectorArguments
from assay.core.errors import MissingExtraError

try:
    from langsmith.schemas import Example as Row
    from langsmith.schemas import RunBase
except ModuleNotFoundError:
    raise MissingExtraError("assay.integrations.langsmith", "langchain") from None

KEY = "faithfulness"
_USUAL = Columns()
_RETRIEVED = ("documents", "output")  # where LangChain and `traceable` keep what was retrieved
_DEEPEST = 100  # runs inside each other


def faithfulness_evaluator(
    *,
    fail_on: str | Sequence[str] = UNFAITHFUL,
    language: str | None = None,
    **how: Unpack[DetectorArguments],
) -> Callable[[RunBase, Row | None], dict[str, Any]]:
    """An evaluator for `langsmith.evaluate(..., evaluators=[...])`.

    It checks the answer of a run by the documents among its outputs or inputs, or else by what its
    retriever runs found. Where there is no verdict the feedback has no score, and says why.
    """
    check = AnswerCheck.by(fail_on, how, language)

    def faithfulness(run: RunBase, example: Row | None = None) -> dict[str, Any]:
        return _feedback(check.check(check.read(_row(run))))

    return faithfulness


def _row(run: RunBase) -> Mapping[str, object]:
    row: dict[str, object] = {**(run.inputs or {}), **(run.outputs or {})}
    found = list(_retrieved(run, _DEEPEST)) if _USUAL.find("source", row) is None else []
    if found:
        row["source"] = found
    return row


def _retrieved(run: Any, depth: int) -> Iterator[object]:
    """The documents of the retriever runs inside a run, in order."""
    for child in getattr(run, "child_runs", None) or () if depth else ():
        if child.run_type == "retriever":
            given = child.outputs or {}
            found = next((given[each] for each in _RETRIEVED if each in given), None)
            yield from found if isinstance(found, Sequence) else ()
        else:
            yield from _retrieved(child, depth - 1)


def _feedback(checked: CheckedAnswer) -> dict[str, Any]:
    if checked.passed is None:
        return {"key": KEY, "score": None, "value": "no-verdict", "comment": checked.unjudged}
    assert checked.result is not None
    comment = checked.feedback or str(checked.report)
    return {"key": KEY, "score": checked.score, "value": checked.result.coarse, "comment": comment}
