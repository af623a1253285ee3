"""`judge-fewshot`: entailment, neutral or contradiction for each sentence, after examples."""

from assay.core.taxonomies import NLI
from assay.detectors.judges.methods import ModelJudge
from assay.detectors.judges.opinions import Fields
from assay.detectors.judges.options import read_options
from assay.detectors.judges.sentences import OneByOne
from assay.detectors.judges.templates import load_prompt
from assay.llm.client import Client


def make_fewshot(client: Client, argument: str) -> ModelJudge:
    """The judge; the worked examples are in its prompt."""
    chosen = read_options("judge-fewshot", argument, settings={"prompt": "FILE"})
    needs = ("source", "sentence")
    prompt = load_prompt("judge-fewshot", chosen["prompt"], needs=needs, labels=NLI)
    return ModelJudge(client, OneByOne("judge-fewshot", (prompt,), Fields(NLI)))
