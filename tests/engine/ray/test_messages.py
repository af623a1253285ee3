"""Errors that travel from one process to another."""

import pickle

import pytest

from assay.core.errors import AssayError, BudgetError, MissingExtraError, UnknownNameError
from assay.engine.ray.messages import SentError
from assay.knowledge.sources import FetchError
from assay.llm.client import CallError


def sent(error: Exception) -> Exception:
    """The error as another process has it."""
    there: SentError = pickle.loads(pickle.dumps(SentError.of(error)))
    return there.error


@pytest.mark.parametrize(
    "error",
    [
        BudgetError("all of it is spent", field="budget_calls"),
        UnknownNameError("detector", "overlp", ["overlap"], field="detector"),
        MissingExtraError("judging on Ray", "ray"),
        FetchError("status", "the server says no", status=503, code="fetch"),
        CallError("transport", "no reply", raw="?", worth_retrying=True, wait=2.0),
        ValueError("anything", 3),
    ],
    ids=lambda error: type(error).__name__,
)
def test_error_is_of_the_same_class_with_the_same_fields(error: Exception) -> None:
    there = sent(error)
    assert type(there) is type(error)
    assert (there.args, str(there)) == (error.args, str(error))
    assert vars(there) == vars(error)


def test_error_of_a_class_that_only_its_own_process_knows_keeps_its_words() -> None:
    class OwnError(AssayError):
        """Not importable."""

    there = sent(OwnError("it went wrong"))
    assert type(there) is RuntimeError
    assert str(there) == "OwnError: it went wrong"
