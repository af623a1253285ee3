"""Two ways to ask about sentences: each in a call of its own, or all of a response in one."""

from dataclasses import dataclass

from assay.core.examples import Example
from assay.core.labels import Taxonomy
from assay.core.units import Unit, UnitKind
from assay.core.verdicts import Outcome
from assay.detectors.judges.batches import judge_numbered
from assay.detectors.judges.judging import Material, failed, together
from assay.detectors.judges.opinions import Fields
from assay.detectors.judges.quoting import Quotable
from assay.detectors.units import sentence_units
from assay.llm.choices import probability_of
from assay.llm.client import CallError, Client
from assay.llm.prompts import Prompt


@dataclass(frozen=True, slots=True)
class _Sentences:
    """What both ways are made of."""

    name: str
    prompts: tuple[Prompt]
    fields: Fields
    unit_kind: UnitKind = "sentence"

    @property
    def taxonomy(self) -> Taxonomy:
        """The menu that the model chooses from."""
        return self.fields.taxonomy


class OneByOne(_Sentences):
    """Asks about each sentence in a call of its own, all at the same time."""

    __slots__ = ()

    async def outcomes(self, client: Client, example: Example) -> list[Outcome]:
        """The sentences that the example names, or those of its response."""
        units = {f"sentence_{n}": unit for n, unit in enumerate(sentence_units(example), 1)}
        # One code for all sentences: what stands before the sentence stays the same for each, and
        # a server that remembers the beginnings of prompts reads the source once.
        material = Material(example, **{name: unit.text for name, unit in units.items()})
        source = Quotable(example.source.text)
        return await together(
            self._outcome(client, unit, material, material.shown[name], source)
            for name, unit in units.items()
        )

    async def _outcome(
        self, client: Client, unit: Unit, material: Material, sentence: str, source: Quotable
    ) -> Outcome:
        try:
            answer = await material.ask(
                client, self.prompts[0], self.fields.form, sentence=sentence
            )
        except CallError as error:
            return failed(unit, error)
        opinion = answer.value
        return opinion.verdict(unit, source, probability_of(answer.reply, opinion.label.name))


class AllAtOnce(_Sentences):
    """Asks about all sentences of an example in one call, or in a few if there are many."""

    __slots__ = ()

    async def outcomes(self, client: Client, example: Example) -> list[Outcome]:
        """The sentences that the example names, or those of its response."""
        units = sentence_units(example)
        return await judge_numbered(client, self.prompts[0], example, units, self.fields)
