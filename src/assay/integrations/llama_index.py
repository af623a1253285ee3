"""LlamaIndex: an evaluator for its evaluation tools, and a guard around a query engine."""

import inspect
from collections.abc import Sequence
from typing import Any, Unpack

from assay.app.answers import UNFAITHFUL, AnswerCheck, CheckedAnswer
from assay.app.api import DetectorArguments
from assay.app.guard import Guard, Guarded
from assay.core.errors import InputError, MissingExtraError

try:
    from llama_index.core.async_utils import asyncio_run
    from llama_index.core.base.base_query_engine import BaseQueryEngine
    from llama_index.core.base.response.schema import RESPONSE_TYPE, Response
    from llama_index.core.evaluation.base import BaseEvaluator, EvaluationResult
    from llama_index.core.schema import NodeWithScore, QueryBundle
except ModuleNotFoundError:
    raise MissingExtraError("assay.integrations.llama_index", "llama-index") from None


class AssayEvaluator(BaseEvaluator):
    """Evaluates whether responses are faithful to their contexts, sentence by sentence.

    `passing` follows the rule of `assay check --fail-on`. Where there is no verdict, the result is
    invalid and says why; it passes nothing, and has no score.
    """

    def __init__(
        self,
        *,
        fail_on: str | Sequence[str] = UNFAITHFUL,
        language: str | None = None,
        **how: Unpack[DetectorArguments],
    ) -> None:
        self._check = AnswerCheck.by(fail_on, how, language)

    def _get_prompts(self) -> dict[str, Any]:
        return {}

    def _update_prompts(self, prompts: dict[str, Any]) -> None:
        """Has no prompts of LlamaIndex's kind."""

    async def aevaluate(
        self,
        query: str | None = None,
        response: str | None = None,
        contexts: Sequence[str] | None = None,
        **kwargs: Any,
    ) -> EvaluationResult:
        """Checks one response by its contexts."""
        if contexts is None:
            raise InputError("contexts are missing: a response is checked against them")
        return await self._evaluated(query, response, contexts, contexts)

    def evaluate_response(
        self, query: str | None = None, response: Any = None, **kwargs: Any
    ) -> EvaluationResult:
        """Checks what a query engine gave by its nodes."""
        found: EvaluationResult = asyncio_run(self.aevaluate_response(query, response, **kwargs))
        return found

    async def aevaluate_response(
        self, query: str | None = None, response: Any = None, **kwargs: Any
    ) -> EvaluationResult:
        """The same for a program with an event loop; evidence says which document it is from."""
        if response is None:
            raise InputError("the response is missing")
        whole = await _whole(response)
        texts = [each.node.get_content() for each in whole.source_nodes]
        return await self._evaluated(query, whole.response, texts, whole.source_nodes)

    async def _evaluated(
        self,
        query: str | None,
        response: str | None,
        contexts: Sequence[str],
        source: Sequence[object],
    ) -> EvaluationResult:
        row = {"source": list(source), "response": response or "", "question": query or ""}
        checked = await self._check.acheck(self._check.read(row))
        return EvaluationResult(
            query=query, response=response, contexts=list(contexts), **_outcome(checked)
        )


async def _whole(response: Any) -> Response:
    """The response of a query engine, once all of its stream was read."""
    whole: Any = response.get_response() if hasattr(response, "get_response") else response
    found: Response = await whole if inspect.isawaitable(whole) else whole
    return found


def _outcome(checked: CheckedAnswer) -> dict[str, Any]:
    if checked.passed is None:
        return {"invalid_result": True, "invalid_reason": checked.unjudged}
    return {
        "passing": checked.passed,
        "score": checked.score,
        "feedback": checked.feedback or str(checked.report),
    }


class GuardedQueryEngine(BaseQueryEngine):
    """A query engine whose responses pass a guard, or are abstentions.

    Feedback follows the question in the query; embeddings are still those of the question. The
    response's metadata says under `assay` what the guard did.
    """

    def __init__(self, engine: BaseQueryEngine, guard: Guard) -> None:
        super().__init__(engine.callback_manager)
        self._engine = engine
        self._guard = guard

    def _get_prompt_modules(self) -> dict[str, Any]:
        return {"query_engine": self._engine}

    def _query(self, query_bundle: QueryBundle) -> RESPONSE_TYPE:
        said: list[Response] = []

        def answer(question: str, documents: object, feedback: str) -> Response:
            response: Any = self._engine.query(_asking(query_bundle, feedback))
            said.append(response.get_response() if hasattr(response, "get_response") else response)
            return said[-1]

        return _response(self._guard.run(answer, query_bundle.query_str), said[-1])

    async def _aquery(self, query_bundle: QueryBundle) -> RESPONSE_TYPE:
        said: list[Response] = []

        async def answer(question: str, documents: object, feedback: str) -> Response:
            said.append(await _whole(await self._engine.aquery(_asking(query_bundle, feedback))))
            return said[-1]

        return _response(await self._guard.arun(answer, query_bundle.query_str), said[-1])


def _asking(query: QueryBundle, feedback: str) -> QueryBundle:
    """The query with the feedback, which retrieval by embeddings does not see."""
    if not feedback:
        return query
    return QueryBundle(
        query_str=f"{query.query_str}\n\n{feedback}",
        image_path=query.image_path,
        custom_embedding_strs=query.embedding_strs,
        embedding=query.embedding,
    )


def _response(guarded: Guarded, last: Response) -> Response:
    nodes: list[NodeWithScore] = list(last.source_nodes)
    about = {
        "abstained": guarded.abstained,
        "attempts": guarded.attempts,
        "reason": guarded.reason,
        "coarse": guarded.report.coarse if guarded.report else None,
        "removed": list(guarded.removed),
    }
    return Response(guarded.answer, nodes, {**(last.metadata or {}), "assay": about})
