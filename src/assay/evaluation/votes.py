"""What detectors of different taxonomies say of a response, as votes on one scale."""

from dataclasses import dataclass, field

from assay.core.examples import Example
from assay.core.folding import Rule
from assay.core.judgements import Judgement
from assay.core.readings import reading
from assay.core.verdicts import Failure
from assay.evaluation.items import response_outcome
from assay.evaluation.policy import GoldPolicy, Threshold, says_faithful


@dataclass(frozen=True, slots=True)
class Scale:
    """How an outcome becomes faithful or unfaithful: a reading, a threshold, a rule of folding.

    A label of the reading's taxonomy is read by it, another one by its coarse reading, in which
    `not-sure` is no faithful vote; a score counts as faithful from 0.5 upwards.
    """

    policy: GoldPolicy = field(default_factory=GoldPolicy)
    threshold: Threshold = None
    rule: Rule = "worst"

    def vote(self, example: Example, judgement: Judgement, name: str) -> bool | str:
        """Whether a judgement calls a response faithful, or why it does not say so."""
        outcome = response_outcome(example, judgement, name, self.rule)
        if isinstance(outcome, Failure):
            return outcome.reason
        named = self.policy.reading
        menus = (reading(named).origin,) if named else ()
        said = says_faithful(outcome, self.policy, menus, self.threshold)
        return "missing" if said is None else said
