"""Chains of the real LangChain with its fake models."""

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest
from langchain_core.callbacks import CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.language_models import FakeListChatModel
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import Runnable, RunnableLambda, RunnablePassthrough

from assay import Guard, InputError
from assay.integrations.langchain import (
    AsyncFaithfulnessCallback,
    CheckedRun,
    FaithfulnessCallback,
    faithfulness_check,
    guarded,
)

SOURCE = "Ada was born in London in 1815."
QUESTION = "When was Ada born?"
WRONG, RIGHT = "Ada was born in London in 1852.", "Ada was born in London in 1815."
PROMPT = ChatPromptTemplate.from_template("{context}\n{question}\n{feedback}")


class Library(BaseRetriever):
    """Finds what it was given."""

    texts: list[str]

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun
    ) -> list[Document]:
        return [Document(each, metadata={"source": f"{each[:3]}.md"}) for each in self.texts]


class Prompts(FakeListChatModel):
    """Keeps the prompts that it is given."""

    prompts: list[str]

    def _call(self, messages: Any, *args: Any, **kwargs: Any) -> str:
        self.prompts.append(messages[-1].content)
        return super()._call(messages, *args, **kwargs)


def chain(*replies: str, texts: list[str] | None = None) -> Runnable[Any, Any]:
    """A chain that takes a question, retrieves, and gives a text."""
    found = Library(texts=[SOURCE] if texts is None else texts)
    fields = {"context": found, "question": RunnablePassthrough(), "feedback": lambda _: ""}
    model = FakeListChatModel(responses=list(replies))
    return fields | PROMPT | model | StrOutputParser()


def callback(**settings: Any) -> FaithfulnessCallback:
    return FaithfulnessCallback(detector="embedded", **settings)


def passed(handler: FaithfulnessCallback) -> list[bool | None]:
    return [each.checked.passed for each in handler.results]


def is_empty(handler: FaithfulnessCallback) -> bool:
    return (len(handler._trees), handler._trees.runs) == (0, 0)


def test_callback_checks_the_answer_against_what_was_retrieved() -> None:
    handler = callback()
    assert chain(WRONG).invoke(QUESTION, {"callbacks": [handler]}) == WRONG
    (run,) = handler.results
    assert (run.checked.text, run.checked.passed) == (WRONG, False)
    assert (run.checked.example.question, run.checked.example.source.text) == (QUESTION, SOURCE)
    assert is_empty(handler)


def test_evidence_names_the_documents_that_were_retrieved() -> None:
    handler = callback()
    chain(WRONG, texts=[SOURCE, SOURCE, "Bob was born in 1820."]).invoke(
        QUESTION, {"callbacks": [handler]}
    )
    checked = handler.results[0].checked
    assert [each.name for each in checked.example.source.passages] == ["Ada.md", "Bob.md"]
    assert f"“{SOURCE}” (Ada.md)" in checked.feedback


def test_callback_checks_a_stream_once_it_was_read() -> None:
    handler = callback()
    parts = list(chain(WRONG).stream(QUESTION, {"callbacks": [handler]}))
    assert len(parts) > 5
    assert [each.checked.text for each in handler.results] == [WRONG]
    assert handler.results[0].checked.example.question == QUESTION


def test_stream_that_is_not_read_to_its_end_is_skipped() -> None:
    handler = callback()
    stream = chain(WRONG).stream(QUESTION, {"callbacks": [handler]})
    assert isinstance(stream, Iterator)
    next(stream)
    stream.close()  # type: ignore[attr-defined]
    assert (list(handler.results), handler.skipped, is_empty(handler)) == ([], 1, True)


def test_user_function_gets_each_result_once() -> None:
    found: list[CheckedRun] = []
    handler = callback(on_checked=found.append)
    chain(WRONG, RIGHT).batch([QUESTION] * 6, {"callbacks": [handler]})
    assert sorted(str(each.checked.passed) for each in found) == ["False"] * 3 + ["True"] * 3
    assert len({each.run_id for each in found}) == 6
    assert is_empty(handler)


def test_runs_at_the_same_time_keep_their_own_documents() -> None:
    handler = callback()

    async def all_of_them() -> None:
        made = [
            chain(f"Ada was born in {year}.", texts=[f"Ada was born in {year}."]) for year in YEARS
        ]
        await asyncio.gather(*(each.ainvoke(QUESTION, {"callbacks": [handler]}) for each in made))

    asyncio.run(all_of_them())
    assert passed(handler) == [True] * len(YEARS)
    assert {run.checked.example.source.text == run.checked.text for run in handler.results} == {
        True
    }


YEARS = range(1815, 1821)


def test_asynchronous_callback_awaits_the_user_function() -> None:
    found: list[bool | None] = []

    async def note(run: CheckedRun) -> None:
        await asyncio.sleep(0)
        found.append(run.checked.passed)

    async def ask() -> None:
        handler = AsyncFaithfulnessCallback(note, detector="embedded")
        await chain(WRONG).ainvoke(QUESTION, {"callbacks": [handler]})
        assert [part async for part in chain(RIGHT).astream(QUESTION, {"callbacks": [handler]})]
        chain(WRONG).invoke(QUESTION, {"callbacks": [handler]})
        assert is_empty(handler)

    asyncio.run(ask())
    assert found == [False, True, False]


def test_chain_that_fails_leaves_nothing_behind() -> None:
    handler = callback()
    failing = chain(WRONG) | RunnableLambda(lambda _: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        failing.invoke(QUESTION, {"callbacks": [handler]})
    assert (list(handler.results), is_empty(handler)) == ([], True)


def test_model_that_fails_and_is_replaced_does_not_hide_the_answer() -> None:
    def fail(_: object) -> str:
        raise ValueError

    handler = callback()
    careful = RunnableLambda(fail).with_fallbacks([chain(WRONG)])
    careful.invoke(QUESTION, {"callbacks": [handler]})
    assert passed(handler) == [False]


def test_search_that_finds_nothing_has_no_verdict() -> None:
    handler = callback()
    chain(WRONG, texts=[]).invoke(QUESTION, {"callbacks": [handler]})
    assert passed(handler) == [None]


def test_run_without_documents_is_skipped() -> None:
    handler = callback()
    model = FakeListChatModel(responses=[WRONG])
    (model | StrOutputParser()).invoke(QUESTION, {"callbacks": [handler]})
    model.invoke(QUESTION, {"callbacks": [handler]})
    Library(texts=[SOURCE]).invoke(QUESTION, {"callbacks": [handler]})
    assert (list(handler.results), handler.skipped, is_empty(handler)) == ([], 1, True)


def test_documents_among_input_or_output_are_enough() -> None:
    handler = callback()
    plain: Runnable[Any, Any] = RunnableLambda(lambda _: WRONG)
    plain.invoke({"question": QUESTION, "context": [SOURCE]}, {"callbacks": [handler]})
    state: Runnable[Any, Any] = RunnableLambda(
        lambda _: {"answer": WRONG, "context": [Document(SOURCE)]}
    )
    state.invoke({"question": QUESTION}, {"callbacks": [handler]})
    assert passed(handler) == [False, False]


def test_state_of_an_agent_is_read_as_a_conversation() -> None:
    handler = callback()
    messages = [HumanMessage(QUESTION), ToolMessage(SOURCE, tool_call_id="1"), AIMessage(WRONG)]
    agent: Runnable[Any, Any] = RunnableLambda(lambda _: {"messages": messages})
    agent.invoke({}, {"callbacks": [handler]})
    assert passed(handler) == [False]


def test_callback_inside_a_larger_chain_sees_its_own_part() -> None:
    handler = callback()
    inner = chain(WRONG).with_config({"callbacks": [handler]})
    (RunnableLambda(str) | inner | RunnableLambda(lambda _: "done")).invoke(QUESTION)
    assert [each.checked.text for each in handler.results] == [WRONG]
    assert is_empty(handler)


def test_no_more_results_are_kept_than_wanted() -> None:
    handler = callback(keep=2)
    chain(WRONG).batch([QUESTION] * 4, {"callbacks": [handler]})
    assert len(handler.results) == 2


def test_user_function_may_stop_the_chain() -> None:
    def refuse(run: CheckedRun) -> None:
        raise PermissionError(run.checked.text)

    chain(WRONG).invoke(QUESTION, {"callbacks": [callback(on_checked=refuse)]})
    with pytest.raises(PermissionError, match="1852"):
        chain(WRONG).invoke(
            QUESTION, {"callbacks": [callback(on_checked=refuse, raise_error=True)]}
        )


def rag(*replies: str) -> Runnable[Any, Any]:
    """A chain that gives question, documents and answer."""
    found = RunnableLambda(lambda given: given["question"]) | Library(
        texts=[SOURCE, "Bob was born in 1820."]
    )
    model = FakeListChatModel(responses=list(replies))
    return RunnablePassthrough.assign(context=found).assign(
        answer=PROMPT | model | StrOutputParser()
    )


def test_runnable_adds_the_check_to_the_fields_of_the_chain() -> None:
    checking = rag(WRONG) | faithfulness_check(detector="embedded")
    given = {"question": QUESTION, "feedback": ""}
    found = checking.invoke(given)
    assert (found["answer"], found["faithfulness"].passed) == (WRONG, False)
    assert [each["faithfulness"].passed for each in checking.stream(given)] == [False]
    assert asyncio.run(checking.ainvoke(given))["faithfulness"].passed is False


@pytest.mark.parametrize("given", ["Ada.", ["Ada."], {"answer": "Ada."}, {"context": "Ada."}])
def test_runnable_says_what_it_needs(given: object) -> None:
    with pytest.raises(InputError, match=r"a check needs a dict|no source|no response"):
        faithfulness_check(detector="embedded").invoke(given)


def test_guarded_chain_is_asked_again_with_feedback() -> None:
    model = Prompts(responses=[WRONG, RIGHT], prompts=[])
    safe = guarded(PROMPT | model, Guard(detector="embedded"))
    found = safe.invoke({"question": QUESTION, "context": [Document(SOURCE)]})
    assert (found["answer"], found["attempts"], found["abstained"]) == (RIGHT, 2, False)
    assert [WRONG in each for each in model.prompts] == [False, True]


def test_guarded_chain_takes_a_bare_question_and_can_be_awaited_and_streamed() -> None:
    safe = guarded(rag(WRONG, RIGHT), Guard(detector="embedded"))
    assert safe.invoke(QUESTION)["answer"] == RIGHT
    assert asyncio.run(safe.ainvoke(QUESTION))["answer"] == RIGHT
    assert [each["attempts"] for each in safe.stream({"question": QUESTION})] == [2]


def test_callbacks_see_inside_of_a_guarded_chain() -> None:
    handler = callback()
    safe = guarded(rag(WRONG, RIGHT), Guard(detector="embedded"))
    safe.invoke(QUESTION, {"callbacks": [handler]})
    assert [each.checked.text for each in handler.results] == [RIGHT]
    assert is_empty(handler)
