"""A LangChain chain, checked by a callback, by a runnable, and behind a guard.

Run it with `python examples/langchain_rag.py` after `pip install 'assay-faith[langchain]'`. It
needs no key and no network: the model is LangChain's own fake, which reads its answers from a list.
"""

from langchain_core.callbacks import CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.language_models import FakeListChatModel
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import Runnable, RunnablePassthrough

from assay import Guard
from assay.integrations.langchain import FaithfulnessCallback, faithfulness_check, guarded

DOCUMENTS = [
    Document("Ada Lovelace was born in London in 1815.", metadata={"source": "life.pdf"}),
    Document(
        "In 1843 she published notes on Charles Babbage's Analytical Engine.",
        metadata={"source": "work.pdf"},
    ),
]
QUESTION = "When was Ada Lovelace born?"
ANSWERS = ["Ada Lovelace was born in 1852.", "Ada Lovelace was born in 1815."]
PROMPT = ChatPromptTemplate.from_template("{context}\n\n{question}\n\n{feedback}")


class Library(BaseRetriever):
    """Finds all documents; a vector store of yours goes here."""

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun
    ) -> list[Document]:
        return DOCUMENTS


def make_chain() -> Runnable[dict[str, str], dict[str, object]]:
    """A chain that takes a question and gives the documents and the answer beside it."""
    model = FakeListChatModel(responses=ANSWERS)
    found = (lambda given: given["question"]) | Library()
    return RunnablePassthrough.assign(context=found).assign(
        answer=PROMPT | model | StrOutputParser()
    )


def main() -> None:
    """Shows the three ways."""
    print("1. A callback checks what the chain answers, and changes nothing.")
    callback = FaithfulnessCallback(detector="embedded")
    given = {"question": QUESTION, "feedback": ""}
    make_chain().invoke(given, {"callbacks": [callback]})
    checked = callback.results[-1].checked
    print("  ", checked.text, "->", checked.report.coarse if checked.report else checked.unjudged)

    print("2. A runnable adds the check to the fields of the chain.")
    found = (make_chain() | faithfulness_check(detector="embedded")).invoke(given)
    print("  ", "passed:", found["faithfulness"].passed)
    print("  ", found["faithfulness"].feedback)

    print("3. A guard has the answer written again.")
    safe = guarded(make_chain(), Guard(detector="embedded"))
    result = safe.invoke({"question": QUESTION})
    print("  ", result["answer"], f"({result['attempts']} attempts)")


if __name__ == "__main__":
    main()
