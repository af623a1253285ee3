"""`localize-pipeline`: facts of the response, each checked, and duplicates merged at the end."""

from dataclasses import dataclass

from assay.core.examples import Example
from assay.core.labels import Taxonomy
from assay.core.taxonomies import BINARY
from assay.core.units import UnitKind
from assay.core.verdicts import Failure, Outcome
from assay.detectors.judges.judging import failed
from assay.detectors.localize.checks import check_facts
from assay.detectors.localize.conclusions import conclude, conclude_in_part, count_of
from assay.detectors.localize.facts import find_facts
from assay.detectors.localize.merging import merge_duplicates
from assay.detectors.units import response_unit
from assay.llm.client import CallError, Client
from assay.llm.prompts import Prompt


@dataclass(frozen=True, slots=True)
class Pipeline:
    """Takes the response apart, checks its facts in groups, and merges what was found twice."""

    name: str
    split: Prompt
    check: Prompt
    merge: Prompt
    unit_kind: UnitKind = "response"
    taxonomy: Taxonomy = BINARY

    @property
    def prompts(self) -> tuple[Prompt, Prompt, Prompt]:
        """Those of its three steps."""
        return self.split, self.check, self.merge

    async def outcomes(self, client: Client, example: Example) -> list[Outcome]:
        """The response, its inconsistencies, and the facts that could not be used or checked."""
        try:
            facts = await find_facts(client, self.split, example)
        except CallError as error:
            return [failed(response_unit(example), error)]
        if not facts.units:
            return [*conclude(example, (), "It states nothing to check."), *facts.invented]
        checked = await check_facts(client, self.check, example, facts.units)
        try:
            found = await merge_duplicates(client, self.merge, example, checked.inconsistencies)
        except CallError as error:
            return [_unmerged(example, len(checked.inconsistencies), error), *facts.invented]
        said = conclude_in_part(example, found, facts.note, checked.unchecked)
        return [*said, *facts.invented]


def _unmerged(example: Example, found: int, error: CallError) -> Failure:
    """What is said where duplicates are not known: the list would count errors twice."""
    detail = f"{count_of(found)} Which of them are the same is not known: {error.detail}"
    return Failure(response_unit(example), error.reason, detail, error.raw)
