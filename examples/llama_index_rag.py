"""A LlamaIndex query engine, evaluated, and behind a guard.

Run it with `python examples/llama_index_rag.py` after `pip install 'assay-faith[llama-index]'`. It
needs no key and no network: the model reads its answers from a list.
"""

from typing import Any

from llama_index.core import Document, MockEmbedding, VectorStoreIndex
from llama_index.core.base.base_query_engine import BaseQueryEngine
from llama_index.core.bridge.pydantic import Field
from llama_index.core.llms import (
    CompletionResponse,
    CompletionResponseGen,
    CustomLLM,
    LLMMetadata,
)

from assay import Guard
from assay.integrations.llama_index import AssayEvaluator, GuardedQueryEngine

DOCUMENTS = [
    Document(text="Ada Lovelace was born in London in 1815.", metadata={"file_name": "life.pdf"}),
    Document(
        text="In 1843 she published notes on Charles Babbage's Analytical Engine.",
        metadata={"file_name": "work.pdf"},
    ),
]
QUESTION = "When was Ada Lovelace born?"


class ScriptedLLM(CustomLLM):
    """A model that gives these answers, one after the other; yours goes here."""

    answers: list[str] = Field(
        default=["Ada Lovelace was born in 1852.", "Ada Lovelace was born in 1815."]
    )

    @property
    def metadata(self) -> LLMMetadata:
        return LLMMetadata()

    def complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> CompletionResponse:
        return CompletionResponse(text=self.answers.pop(0))

    def stream_complete(
        self, prompt: str, formatted: bool = False, **kwargs: Any
    ) -> CompletionResponseGen:
        raise NotImplementedError


def make_engine() -> BaseQueryEngine:
    """A query engine over the documents."""
    index = VectorStoreIndex.from_documents(DOCUMENTS, embed_model=MockEmbedding(embed_dim=8))
    return index.as_query_engine(llm=ScriptedLLM())


def main() -> None:
    """Shows the evaluator and the guard."""
    print("1. The evaluator says whether a response is faithful to its nodes.")
    result = AssayEvaluator(detector="embedded").evaluate_response(
        QUESTION, make_engine().query(QUESTION)
    )
    print("  ", result.response, "-> passing:", result.passing)
    print("  ", result.feedback)

    print("2. A guarded query engine has the answer written again.")
    engine = GuardedQueryEngine(make_engine(), Guard(detector="embedded"))
    response = engine.query(QUESTION)
    about = (response.metadata or {})["assay"]
    print("  ", response, f"({about['attempts']} attempts, {about['coarse']})")


if __name__ == "__main__":
    main()
