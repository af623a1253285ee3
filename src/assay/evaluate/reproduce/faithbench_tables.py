"""FaithBench's tables of whole summaries: how often LLMs hallucinate, how well detectors see it.

Both use the 750 summaries and the annotators that the paper selects (`faithbench-paper`), with the
worst class that anyone marked in a summary as its label.
"""

from collections.abc import Iterator, Sequence

from assay.core.examples import Example
from assay.core.readings import reading
from assay.core.taxonomies import FAITHBENCH
from assay.core.verdicts import Failure, Outcome
from assay.evaluate.reproduce.cells import Figure
from assay.evaluate.reproduce.shelf import Shelf
from assay.metrics import balanced_accuracy, macro_f1

# The paper's name of an LLM -> its name in the data.
MODELS = {
    "GPT-4o": "openai/gpt-4o",
    "GPT-3.5-Turbo": "openai/GPT-3.5-Turbo",
    "Qwen2.5-7B": "Qwen/Qwen2.5-7B-Instruct",
    "Phi-3-mini": "microsoft/Phi-3-mini-4k-instruct",
    "Claude-3.5-Sonnet": "Anthropic/claude-3-5-sonnet-20240620",
    "Command-R": "cohere/command-r-08-2024",
    "Llama-3.1-70B": "meta-llama/Meta-Llama-3.1-70B-Instruct",
    "Llama-3.1-8B": "meta-llama/Meta-Llama-3.1-8B-Instruct",
    "Gemini-1.5-Flash": "google/gemini-1.5-flash-001",
    "Mistral-7B": "mistralai/Mistral-7B-Instruct-v0.3",
}
# The paper's name of a detector -> its name in the data.
DETECTORS = {
    "HHEM-2.1": "hhem-2.1",
    "HHEM-2.1-English": "hhem-2.1-english",
    "HHEM-2.1-Open": "hhem-2.1-open",
    "HHEM-1": "hhem-1",
    "AlignScore-base": "alignscore-base",
    "AlignScore-large": "alignscore-large",
    "True-Teacher": "trueteacher",
    "True-NLI": "true-nli",
    "GPT-4-Turbo": "gpt-4-turbo",
    "GPT-4o": "gpt-4o",
    "O1-Mini": "o1-mini",
    "O3-Mini": "o3-mini",
    "MiniCheck-Roberta": "minicheck-roberta-large",
    "MiniCheck-Deberta": "minicheck-deberta-v3-large",
    "MiniCheck-Flan-T5": "minicheck-flan-t5-large",
}
CLASSES = ("unwanted", "questionable", "benign")


def table1_figures(shelf: Shelf) -> Iterator[Figure]:
    """The share of each LLM's summaries whose label is one of the first one, two, three classes."""
    labels: dict[str, list[str]] = {}
    for example in shelf.examples("faithbench-paper"):
        labels.setdefault(example.response.model, []).append(_label(example))
    for row, model in MODELS.items():
        given = labels.get(model, [])
        for last in range(1, len(CLASSES) + 1):
            count = sum(label in CLASSES[:last] for label in given)
            share = 100 * count / len(given) if given else None
            yield Figure(row, "+".join(CLASSES[:last]), share, len(given))


def table2_figures(shelf: Shelf) -> Iterator[Figure]:
    """Detectors against labels; benign is faithful, and a missing prediction counts as wrong."""
    examples = shelf.examples("faithbench-paper")
    reading = reading("faithbench")
    gold = [reading(FAITHBENCH[_label(example)]) for example in examples]
    truths = [label is not None and label.name == "faithful" for label in gold]
    for row, judge in DETECTORS.items():
        said = [_outcome(example, judge) for example in examples]
        if any(said):
            yield from score_rows(row, truths, [says_faithful(outcome) for outcome in said])


def says_faithful(outcome: Outcome | None) -> bool | None:
    """Whether a detector called a unit faithful: by its label, or a score from 0.5 up."""
    if outcome is None or isinstance(outcome, Failure):
        return None
    if outcome.label is None:
        return outcome.score is not None and outcome.score >= 0.5
    return outcome.label.coarse == "faithful"


def score_rows(row: str, gold: Sequence[bool], said: Sequence[bool | None]) -> Iterator[Figure]:
    """Balanced accuracy and macro F1 in percent; where nothing was said, that counts as wrong."""
    predicted = [
        not truth if word is None else word for truth, word in zip(gold, said, strict=True)
    ]
    metrics = {"balanced accuracy": balanced_accuracy, "macro F1": macro_f1}
    for name, metric in metrics.items():
        value = metric(gold, predicted)
        yield Figure(row, name, None if value is None else 100 * value, len(gold))


def _label(example: Example) -> str:
    """The class of a summary: the verdict on the whole that no single annotator gave."""
    return next(str(v.label) for v in example.gold if v.unit.kind == "response" and not v.judge)


def _outcome(example: Example, judge: str) -> Outcome | None:
    return next((outcome for outcome in example.recorded if outcome.judge == judge), None)
