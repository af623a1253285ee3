"""LangChain: a runnable that checks, callbacks that check what a chain answers, and a guard.

Fields of dicts are found by their usual names: `question` or `input`, `context` or
`source_documents`, `answer`, `output` or `result`.
"""

import inspect
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Unpack
from uuid import UUID

from assay import Columns
from assay.app.answers import UNFAITHFUL, AnswerCheck, CheckedAnswer, answer_row
from assay.app.api import DetectorArguments
from assay.app.check import Row
from assay.app.guard import Guard, Guarded
from assay.core.errors import InputError, MissingExtraError
from assay.integrations.run_trees import RunTree, RunTrees

try:
    from langchain_core.callbacks import BaseCallbackHandler
    from langchain_core.documents import Document
    from langchain_core.outputs import LLMResult
    from langchain_core.runnables import Runnable, RunnableConfig, RunnableLambda
except ModuleNotFoundError:
    raise MissingExtraError("assay.integrations.langchain", "langchain") from None

CHECKED = "faithfulness"  # the field of a dict that a check is added under
_USUAL = Columns()


def faithfulness_check(
    *,
    fail_on: str | Sequence[str] = UNFAITHFUL,
    language: str | None = None,
    **how: Unpack[DetectorArguments],
) -> Runnable[Any, dict[str, Any]]:
    """A runnable that takes a dict with documents and answer, and adds a `CheckedAnswer` to it."""
    check = AnswerCheck.by(fail_on, how, language)

    def checked(given: Any) -> dict[str, Any]:
        row = _require_dict(given)
        return {**row, CHECKED: check.check(check.read(row))}

    async def achecked(given: Any) -> dict[str, Any]:
        row = _require_dict(given)
        return {**row, CHECKED: await check.acheck(check.read(row))}

    return RunnableLambda(checked, achecked, name="faithfulness_check")


def _require_dict(given: object) -> Mapping[str, Any]:
    if not isinstance(given, Mapping):
        raise InputError(
            "a check needs a dict with the documents and the answer, as in "
            f"{{'question': ..., 'context': ..., 'answer': ...}}, not {type(given).__name__}"
        )
    return given


def guarded(chain: Runnable[Any, Any], guard: Guard) -> Runnable[Any, dict[str, Any]]:
    """The chain behind a guard: its answers pass, or are abstentions.

    The chain is called with the fields of its input and `feedback`, which is empty at first; a
    question by itself becomes the field `question`. It gives an answer, or a dict with the answer
    and the documents that it rests on. An answer is checked whole, so it is streamed at once.
    """

    def ask(given: Any, config: RunnableConfig) -> dict[str, Any]:
        def answer(question: str, documents: object, feedback: str) -> object:
            return chain.invoke({**row, "feedback": feedback}, config)

        row = dict(given) if isinstance(given, Mapping) else {"question": given}
        return _outputs(guard.run(answer, _question(row), _USUAL.find("source", row)))

    async def aask(given: Any, config: RunnableConfig) -> dict[str, Any]:
        async def answer(question: str, documents: object, feedback: str) -> object:
            return await chain.ainvoke({**row, "feedback": feedback}, config)

        row = dict(given) if isinstance(given, Mapping) else {"question": given}
        return _outputs(await guard.arun(answer, _question(row), _USUAL.find("source", row)))

    return RunnableLambda(ask, aask, name="guarded")


def _question(given: object) -> str:
    found = _USUAL.find("question", given) if isinstance(given, Mapping) else given
    return found if isinstance(found, str) else ""


def _outputs(outcome: Guarded) -> dict[str, Any]:
    return {
        "answer": outcome.answer,
        "abstained": outcome.abstained,
        "attempts": outcome.attempts,
        "guarded": outcome,
    }


@dataclass(frozen=True, slots=True)
class CheckedRun:
    """The answer of one run of a chain, checked; the run is the outermost that was seen."""

    run_id: UUID
    checked: CheckedAnswer


class FaithfulnessCallback(BaseCallbackHandler):
    """Checks what each run of a chain answers against what was retrieved in it.

    `results` keeps the last ones, and `on_checked` is called with each. A run without documents,
    retrieved or among its input and output, is `skipped`, and so is a stream that was not read to
    its end; a run that fails is dropped. Exceptions of `on_checked` are logged by LangChain, or
    with `raise_error` raised.
    """

    def __init__(
        self,
        on_checked: Callable[[CheckedRun], object] | None = None,
        *,
        fail_on: str | Sequence[str] = UNFAITHFUL,
        language: str | None = None,
        keep: int = 100,
        raise_error: bool = False,
        **how: Unpack[DetectorArguments],
    ) -> None:
        self.results: deque[CheckedRun] = deque(maxlen=keep)
        self.skipped = 0
        self.raise_error = raise_error
        self._on_checked = on_checked
        self._check = AnswerCheck.by(fail_on, how, language)
        self._trees = RunTrees()

    def on_chain_start(self, serialized: Any, inputs: Any, *, run_id: UUID, **about: Any) -> Any:
        self._trees.begin(run_id, about.get("parent_run_id"), inputs)

    def on_llm_start(self, serialized: Any, prompts: Any, *, run_id: UUID, **about: Any) -> Any:
        self._trees.begin(run_id, about.get("parent_run_id"), writes=True)

    def on_chat_model_start(
        self, serialized: Any, messages: Any, *, run_id: UUID, **about: Any
    ) -> Any:
        self._trees.begin(run_id, about.get("parent_run_id"), writes=True)

    def on_tool_start(self, serialized: Any, input_str: Any, *, run_id: UUID, **about: Any) -> Any:
        self._trees.begin(run_id, about.get("parent_run_id"))

    def on_retriever_start(self, serialized: Any, query: str, *, run_id: UUID, **about: Any) -> Any:
        self._trees.begin(run_id, about.get("parent_run_id"))
        self._trees.search(run_id, query)

    def on_retriever_end(self, documents: Sequence[Document], *, run_id: UUID, **about: Any) -> Any:
        self._trees.retrieve(run_id, {each.page_content: each for each in documents})
        self._trees.end(run_id)

    def on_llm_end(self, response: LLMResult, *, run_id: UUID, **about: Any) -> Any:
        written = [each.text for some in response.generations for each in some]
        self._trees.complete(run_id, written[0] if written else "")
        self._trees.end(run_id)

    def on_tool_end(self, output: Any, *, run_id: UUID, **about: Any) -> Any:
        self._trees.end(run_id)

    def on_chain_end(self, outputs: Any, *, run_id: UUID, **about: Any) -> Any:
        if tree := self._trees.end(run_id):
            row = self._row(tree, outputs, about.get("inputs"))
            if row is not None:
                found = CheckedRun(run_id, self._check.check(row))
                self.results.append(found)
                if self._on_checked:
                    self._on_checked(found)

    def _forget(self, error: BaseException, *, run_id: UUID, **about: Any) -> Any:
        """Drops a run that failed, and if it was the root all of its tree."""
        self._trees.end(run_id)

    on_chain_error = on_llm_error = on_tool_error = on_retriever_error = _forget

    def _row(self, tree: RunTree, outputs: object, inputs: object) -> Row | None:
        """The example to check; None if the run has no documents, or no whole answer."""
        given = inputs if inputs is not None else tree.inputs  # a stream tells them at its end
        question = _question(given) or next(iter(tree.queries), "")
        documents: object = None if tree.documents is None else list(tree.documents.values())
        if documents is None and isinstance(given, Mapping):
            documents = _USUAL.find("source", given)
        for said in () if tree.writing else (outputs, tree.completion):
            try:
                return self._check.read(answer_row(said, question, documents))
            except InputError:
                continue
        self.skipped += 1
        return None


class AsyncFaithfulnessCallback(FaithfulnessCallback):
    """The same for chains that are awaited: the event loop goes on while an answer is checked.

    `on_checked` may be asynchronous.
    """

    run_inline = True  # what only takes notes needs no thread

    async def on_chain_end(self, outputs: Any, *, run_id: UUID, **about: Any) -> Any:
        if tree := self._trees.end(run_id):
            row = self._row(tree, outputs, about.get("inputs"))
            if row is not None:
                found = CheckedRun(run_id, await self._check.acheck(row))
                self.results.append(found)
                told = self._on_checked(found) if self._on_checked else None
                if inspect.isawaitable(told):
                    await told
