"""A Haystack pipeline, evaluated, and behind a guard.

Run it with `python examples/haystack_rag.py` after `pip install 'assay-faith[haystack]'`. It needs
no key and no network: the generator reads its answers from a list.
"""

import os

os.environ.setdefault("HAYSTACK_TELEMETRY_ENABLED", "False")  # Haystack counts pipelines otherwise

from haystack import Document, Pipeline, SuperComponent, component
from haystack.components.builders import PromptBuilder

from assay.integrations.haystack import AssayFaithfulnessEvaluator, GuardedAnswerer

DOCUMENTS = [
    Document(content="Ada Lovelace was born in London in 1815.", meta={"file_path": "life.pdf"}),
    Document(
        content="In 1843 she published notes on Charles Babbage's Analytical Engine.",
        meta={"file_path": "work.pdf"},
    ),
]
QUESTION = "When was Ada Lovelace born?"
TEMPLATE = """{% for document in documents %}{{ document.content }}
{% endfor %}
{{ question }}

{{ feedback }}"""


@component
class ScriptedGenerator:
    """A generator that gives these answers, one after the other; yours goes here."""

    def __init__(self) -> None:
        self.answers = ["Ada Lovelace was born in 1852.", "Ada Lovelace was born in 1815."]

    @component.output_types(replies=list[str])
    def run(self, prompt: str) -> dict[str, list[str]]:
        """The next answer."""
        return {"replies": [self.answers.pop(0)]}


def make_pipeline() -> Pipeline:
    """Prompt and generator; the prompt has a place for feedback, which may stay empty."""
    pipeline = Pipeline()
    required = ["documents", "question"]
    pipeline.add_component("prompt", PromptBuilder(TEMPLATE, required_variables=required))
    pipeline.add_component("llm", ScriptedGenerator())
    pipeline.connect("prompt", "llm")
    return pipeline


def main() -> None:
    """Shows the evaluator and the guard."""
    print("1. The evaluator says whether answers are faithful to their contexts.")
    given = {"prompt": {"question": QUESTION, "documents": DOCUMENTS}}
    replies = make_pipeline().run(given)["llm"]["replies"]
    evaluator = AssayFaithfulnessEvaluator(detector="embedded")
    found = evaluator.run(questions=[QUESTION], contexts=[DOCUMENTS], predicted_answers=replies)
    print("  ", replies[0], f"-> score {found['score']:.2f}, n={found['n']}")
    print("  ", found["results"][0]["feedback"])

    print("2. A guarded pipeline has the answer written again.")
    answerer = SuperComponent(
        make_pipeline(),
        input_mapping={
            "question": ["prompt.question"],
            "documents": ["prompt.documents"],
            "feedback": ["prompt.feedback"],
        },
        output_mapping={"llm.replies": "replies"},
    )
    guard = GuardedAnswerer(answerer, {"detector": "embedded"})
    result = guard.run(question=QUESTION, documents=DOCUMENTS)
    print("  ", result["answer"], f"({result['attempts']} attempts)")


if __name__ == "__main__":
    main()
