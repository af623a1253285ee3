"""`judge-gray7`: one of seven labels for each sentence, asked one by one or all at once."""

from assay.core.taxonomies import GRAY7
from assay.detectors.judges.methods import ModelJudge
from assay.detectors.judges.opinions import Fields
from assay.detectors.judges.options import read_options
from assay.detectors.judges.sentences import AllAtOnce, OneByOne
from assay.detectors.judges.templates import load_prompt
from assay.llm.client import Client

FIELDS = Fields(GRAY7, quotes=True, readings=True)


def make_gray7(client: Client, argument: str) -> ModelJudge:
    """The judge; `batch` asks about all sentences of a response in one call."""
    chosen = read_options("judge-gray7", argument, switches=("batch",), settings={"prompt": "FILE"})
    if "batch" in chosen:
        prompt = load_prompt(
            "judge-gray7-batch", chosen["prompt"], needs=("source", "sentences"), labels=GRAY7
        )
        return ModelJudge(client, AllAtOnce("judge-gray7:batch", (prompt,), FIELDS))
    prompt = load_prompt(
        "judge-gray7", chosen["prompt"], needs=("source", "sentence"), labels=GRAY7
    )
    return ModelJudge(client, OneByOne("judge-gray7", (prompt,), FIELDS))
