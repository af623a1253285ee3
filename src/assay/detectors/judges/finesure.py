"""`judge-finesure`: the kind of error in each sentence, all sentences of a response in one call."""

from assay.core.taxonomies import FINESURE9
from assay.detectors.judges.methods import ModelJudge
from assay.detectors.judges.opinions import Fields
from assay.detectors.judges.options import read_options
from assay.detectors.judges.sentences import AllAtOnce
from assay.detectors.judges.templates import load_prompt
from assay.llm.client import Client


def make_finesure(client: Client, argument: str) -> ModelJudge:
    """The judge."""
    chosen = read_options("judge-finesure", argument, settings={"prompt": "FILE"})
    needs = ("source", "sentences")
    prompt = load_prompt("judge-finesure", chosen["prompt"], needs=needs, labels=FINESURE9)
    return ModelJudge(client, AllAtOnce("judge-finesure", (prompt,), Fields(FINESURE9)))
