"""`judge-simple`: one short question about the whole response."""

from dataclasses import dataclass

from assay.core.examples import Example
from assay.core.labels import Taxonomy
from assay.core.taxonomies import BINARY
from assay.core.units import UnitKind
from assay.core.verdicts import Outcome
from assay.detectors.judges.judging import Material, failed
from assay.detectors.judges.methods import ModelJudge
from assay.detectors.judges.opinions import Fields
from assay.detectors.judges.options import read_options
from assay.detectors.judges.quoting import Quotable
from assay.detectors.judges.templates import load_prompt
from assay.detectors.units import response_unit
from assay.llm.choices import probability_of
from assay.llm.client import CallError, Client
from assay.llm.prompts import Prompt

FIELDS = Fields(BINARY)


@dataclass(frozen=True, slots=True)
class Simple:
    """Asks once, and takes a reason and a label."""

    prompts: tuple[Prompt]
    name: str = "judge-simple"
    unit_kind: UnitKind = "response"
    taxonomy: Taxonomy = BINARY

    async def outcomes(self, client: Client, example: Example) -> list[Outcome]:
        """The response."""
        unit = response_unit(example)
        try:
            answer = await Material(example).ask(client, self.prompts[0], FIELDS.form)
        except CallError as error:
            return [failed(unit, error)]
        opinion = answer.value
        confidence = probability_of(answer.reply, opinion.label.name)
        return [opinion.verdict(unit, Quotable(example.source.text), confidence)]


def make_simple(client: Client, argument: str) -> ModelJudge:
    """The judge."""
    chosen = read_options("judge-simple", argument, settings={"prompt": "FILE"})
    needs = ("source", "response")
    prompt = load_prompt("judge-simple", chosen["prompt"], needs=needs, labels=BINARY)
    return ModelJudge(client, Simple((prompt,)))
