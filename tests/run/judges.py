"""A judge of sentences that asks once for each, for tests of runs."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from assay.core import Example, Failure, Judgement, Outcome, Taxonomy, Unit, Verdict
from assay.core.taxonomies import GRAY7
from assay.core.units import UnitKind
from assay.detectors.judges.protocol import detect_in_order
from assay.detectors.units import response_unit, sentence_units
from assay.llm.client import CallError, Client, Message, Request


@dataclass(frozen=True)
class Asking:
    """Asks for the label of each unit, in its own words."""

    client: Client
    unit_kind: UnitKind = "sentence"
    name: str = "asking"
    taxonomy: Taxonomy = GRAY7
    prompt_digests: Mapping[str, str] = field(default_factory=dict)

    async def judge(self, example: Example) -> Judgement:
        is_whole = self.unit_kind == "response"
        units = (response_unit(example),) if is_whole else sentence_units(example)
        outcomes = tuple([await self._ask(unit) for unit in units])
        return Judgement(example, outcomes, len(example.source.text))

    def detect(self, examples: Iterable[Example]) -> Iterator[Judgement]:
        return detect_in_order(self, examples)

    async def _ask(self, unit: Unit) -> Outcome:
        try:
            reply = await self.client.ask(Request((Message("user", unit.text),)))
        except CallError as error:
            return Failure(unit, error.reason, error.detail, error.raw)
        return Verdict(unit, GRAY7[reply.text])
