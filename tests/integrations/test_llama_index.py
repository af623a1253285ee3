"""Query engines of the real LlamaIndex, with a model that reads its answers from a list."""

import asyncio
from typing import Any

import pytest
from llama_index.core import Document, MockEmbedding, VectorStoreIndex
from llama_index.core.base.base_query_engine import BaseQueryEngine
from llama_index.core.base.response.schema import PydanticResponse, Response
from llama_index.core.bridge.pydantic import BaseModel
from llama_index.core.evaluation import BatchEvalRunner
from llama_index.core.llms import (
    CompletionResponse,
    CompletionResponseGen,
    CustomLLM,
    LLMMetadata,
)
from llama_index.core.schema import NodeWithScore, TextNode
from llama_index.core.tools import QueryEngineTool

from assay import Guard, InputError
from assay.integrations.llama_index import AssayEvaluator, GuardedQueryEngine

SOURCE = "Ada was born in London in 1815."
OTHER = "Bob was born in Rome in 1820."
QUESTION = "When was Ada born?"
WRONG, RIGHT = "Ada was born in London in 1852.", SOURCE
FOREIGN = "Die Fähre überquert seit 1986 jeden Abend die Meerenge."


class Scripted(CustomLLM):
    """Gives its answers one after the other, whole or word by word, and keeps the prompts."""

    answers: list[str]
    prompts: list[str]

    @property
    def metadata(self) -> LLMMetadata:
        return LLMMetadata()

    def complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> CompletionResponse:
        self.prompts.append(prompt)
        return CompletionResponse(text=self.answers.pop(0))

    def stream_complete(
        self, prompt: str, formatted: bool = False, **kwargs: Any
    ) -> CompletionResponseGen:
        said = ""
        for word in self.complete(prompt).text.split(" "):
            delta = f" {word}" if said else word
            said += delta
            yield CompletionResponse(text=said, delta=delta)


def engine(*answers: str, **settings: Any) -> tuple[BaseQueryEngine, Scripted]:
    """A query engine over two documents, and its model."""
    named = {"ada.pdf": SOURCE, "bob.pdf": OTHER}
    documents = [Document(text=t, metadata={"file_name": name}) for name, t in named.items()]
    index = VectorStoreIndex.from_documents(documents, embed_model=MockEmbedding(embed_dim=8))
    model = Scripted(answers=list(answers), prompts=[])
    return index.as_query_engine(llm=model, **settings), model


def evaluator(**settings: Any) -> AssayEvaluator:
    return AssayEvaluator(detector="embedded", **settings)


@pytest.mark.parametrize("streaming", [False, True])
def test_response_is_evaluated_by_its_nodes_and_evidence_names_them(streaming: bool) -> None:
    asked, _ = engine(WRONG, streaming=streaming)
    result = evaluator().evaluate_response(QUESTION, asked.query(QUESTION))
    assert (result.passing, result.invalid_result) == (False, False)
    assert result.score is not None
    assert result.score < 0.1
    assert (result.query, result.response) == (QUESTION, WRONG)
    assert sorted(result.contexts or ()) == [SOURCE, OTHER]
    assert f"“{SOURCE}” (ada.pdf)" in (result.feedback or "")


def test_faithful_response_passes_with_its_score() -> None:
    result = evaluator().evaluate(QUESTION, RIGHT, [SOURCE, OTHER])
    assert result.passing
    assert result.score is not None
    assert result.score > 0.9


@pytest.mark.parametrize("response", ["", None, FOREIGN, f"{RIGHT}\n\n{FOREIGN}"])
def test_response_without_a_verdict_is_invalid_and_has_no_score(response: str | None) -> None:
    result = evaluator().evaluate(QUESTION, response, [SOURCE])
    assert (result.passing, result.score, result.invalid_result) == (None, None, True)
    assert result.invalid_reason


@pytest.mark.parametrize("contexts", [[], [""]])
def test_response_from_no_documents_is_invalid(contexts: list[str]) -> None:
    assert evaluator().evaluate(QUESTION, RIGHT, contexts).invalid_result


def test_missing_contexts_or_response_are_a_mistake_of_the_caller() -> None:
    with pytest.raises(InputError, match="contexts are missing"):
        evaluator().evaluate(QUESTION, RIGHT)
    with pytest.raises(InputError, match="the response is missing"):
        evaluator().evaluate_response(QUESTION)


@pytest.mark.filterwarnings("ignore:asyncio_module")  # LlamaIndex's own
def test_runner_of_llama_index_evaluates_many_at_a_time() -> None:
    runner = BatchEvalRunner({"faithful": evaluator()}, workers=2)
    texts = [RIGHT, "", WRONG]
    found = asyncio.run(runner.aevaluate_response_strs([QUESTION] * 3, texts, [[SOURCE]] * 3))
    assert [each.passing for each in found["faithful"]] == [True, None, False]
    asked, _ = engine(WRONG, WRONG)
    found = asyncio.run(runner.aevaluate_queries(asked, [QUESTION, QUESTION]))
    assert [each.passing for each in found["faithful"]] == [False, False]


def test_evaluator_goes_on_inside_a_running_loop() -> None:
    async def both() -> list[bool | None]:
        asked = (evaluator().aevaluate(QUESTION, each, [SOURCE]) for each in (RIGHT, WRONG))
        return [each.passing for each in await asyncio.gather(*asked)]

    assert asyncio.run(both()) == [True, False]


def test_rule_of_the_evaluator_may_name_what_is_not_sure() -> None:
    unsure = "Ada was born in England."
    assert evaluator().evaluate(QUESTION, unsure, [SOURCE]).passing
    assert not evaluator(fail_on="unfaithful,not-sure").evaluate(QUESTION, unsure, [SOURCE]).passing


class Birth(BaseModel):
    """What a program asks a model for."""

    year: int


def test_structured_response_is_evaluated_as_its_json() -> None:
    nodes = [NodeWithScore(node=TextNode(text="The year of birth is 1815."), score=0.5)]
    given: Any = PydanticResponse(Birth(year=1815), nodes)
    assert evaluator().evaluate_response(QUESTION, given).response == '{"year":1815}'


def guarded(asked: BaseQueryEngine, **settings: Any) -> GuardedQueryEngine:
    return GuardedQueryEngine(asked, Guard(detector="embedded", **settings))


@pytest.mark.parametrize("streaming", [False, True])
@pytest.mark.parametrize("awaited", [False, True])
def test_guarded_engine_asks_again_with_feedback(streaming: bool, awaited: bool) -> None:
    asked, model = engine(WRONG, RIGHT, streaming=streaming)
    safe = guarded(asked)
    response = asyncio.run(safe.aquery(QUESTION)) if awaited else safe.query(QUESTION)
    assert isinstance(response, Response)
    assert (response.response, (response.metadata or {})["assay"]["attempts"]) == (RIGHT, 2)
    assert [WRONG in each for each in model.prompts] == [False, True]
    assert {each.metadata["file_name"] for each in response.source_nodes} == {"ada.pdf", "bob.pdf"}


def test_guarded_engine_abstains_and_says_so_in_the_metadata() -> None:
    asked, _ = engine(WRONG)
    response = guarded(asked, attempts=1, otherwise="Ask a person.").query(QUESTION)
    about = (response.metadata or {})["assay"]
    assert (str(response), about["abstained"]) == ("Ask a person.", True)
    assert (about["reason"], about["coarse"]) == ("unfaithful", "unfaithful")


def test_retrieval_by_embeddings_does_not_see_the_feedback() -> None:
    asked, _ = engine(WRONG, RIGHT)
    seen: list[list[str]] = []
    query = asked._query
    asked._query = lambda bundle: seen.append(bundle.embedding_strs) or query(bundle)  # type: ignore
    guarded(asked).query(QUESTION)
    assert seen == [[QUESTION], [QUESTION]]


def test_guarded_engine_is_a_tool_for_agents() -> None:
    asked, _ = engine(WRONG, RIGHT)
    tool = QueryEngineTool.from_defaults(guarded(asked), name="library", description="Knows Ada.")
    assert tool.call(QUESTION).content == RIGHT
