"""A model says why errors happened; those that people or the gold explain are not asked about."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from assay.core.examples import Judgement
from assay.core.verdicts import Failure
from assay.detectors.judges.judging import Material, failed, together
from assay.detectors.judges.opinions import Fields
from assay.detectors.judges.templates import load_prompt
from assay.evaluate.errors.explanations import GOLD, Explained, Proposal, today
from assay.evaluate.errors.items import MENUS, SIDES, ErrorItem, Side
from assay.evaluate.localization.hearing import Tick
from assay.llm.background import background
from assay.llm.client import CallError, Client
from assay.llm.prompts import Prompt

PROMPTS = Path(__file__).parent / "prompts"
_SHOWN = {"missed": "error", "invented": "complaint"}  # what the prompt of each side is shown


def _prompts() -> Mapping[Side, Prompt]:
    return {
        side: load_prompt(
            f"explain-{side}", needs=(_SHOWN[side],), labels=MENUS[side], folder=PROMPTS
        )
        for side in SIDES
    }


@dataclass(frozen=True, slots=True)
class Explainer:
    """Asks a model once about each error."""

    client: Client
    prompts: Mapping[Side, Prompt] = field(default_factory=_prompts)

    async def explain(self, item: ErrorItem) -> Proposal | Failure:
        """The category with a reason, or why there is none."""
        prompt = self.prompts[item.side]
        material = Material(item.example, **{_SHOWN[item.side]: item.in_words})
        try:
            answer = await material.ask(self.client, prompt, Fields(item.menu).form)
        except CallError as error:
            return failed(item.unit, error)
        opinion = answer.value
        return Proposal(opinion.label, self.client.model, opinion.reason, prompt.digest, today())


def from_gold(items: Sequence[ErrorItem]) -> list[Explained]:
    """The errors as they stand before anybody is asked."""
    return [
        Explained(item, proposal=Proposal(item.given, GOLD) if item.given else None)
        for item in items
    ]


def explain_all(
    explained: Sequence[Explained], explainer: Explainer, tick: Tick = lambda _: None
) -> list[Explained]:
    """The errors with a proposal for each that has no category yet."""
    return background().run(_explain_all(explained, explainer, tick))


async def _explain_all(
    explained: Sequence[Explained], explainer: Explainer, tick: Tick
) -> list[Explained]:
    async with explainer.client:
        return await together(_explain(each, explainer, tick) for each in explained)


async def _explain(each: Explained, explainer: Explainer, tick: Tick) -> Explained:
    if each.category:
        return each
    found = await explainer.explain(each.item)
    tick(Judgement(each.item.example, (found,) if isinstance(found, Failure) else (), 0))
    if isinstance(found, Failure):
        return replace(each, failure=found)
    return replace(each, proposal=found)
