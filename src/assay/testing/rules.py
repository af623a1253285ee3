"""The rules of an assertion: those of `assay check --fail-on`, less what a test accepts."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from assay import DetectorSpec, Label, Result
from assay.app.check import Gate, make_gate
from assay.core.errors import InputError
from assay.core.judgements import Finding
from assay.core.options import split

Names = str | Label | Iterable[str | Label]  # of labels and coarse readings


@dataclass(frozen=True, slots=True)
class Rules:
    """The labels and coarse readings that a test refuses."""

    labels: frozenset[Label]
    coarse: frozenset[str]

    def gate(self, results: Iterable[Result]) -> Gate:
        """The gate that these results have gone through."""
        gate = Gate(fail_on=self.labels, fail_on_coarse=self.coarse)
        for result in results:
            gate.add(result)
        return gate

    def are_broken_by(self, finding: Finding, result: Result) -> bool:
        """True if one unit of a result is enough to fail."""
        alone = replace(result.judgement, units=(finding.unit,), outcomes=(finding.outcome,))
        return self.gate([Result(result.example, alone)]).failed


def make_rules(detector: str | DetectorSpec | None, fail_on: Names, allow: Names) -> Rules:
    """The rules in the labels of a detector; a name that it does not have raises."""
    named = DetectorSpec(detector) if isinstance(detector, str) else detector
    spec = named or DetectorSpec()
    taxonomy = spec.capabilities.taxonomy
    refused = make_gate(None, names_of(fail_on), taxonomy)
    accepted = make_gate(None, names_of(allow), taxonomy)
    labels = refused.fail_on - accepted.fail_on
    coarse = refused.fail_on_coarse - accepted.fail_on_coarse
    if not labels and not coarse:
        raise InputError(
            "no label is left that could fail: name one in fail_on, as in 'unfaithful', that allow "
            "does not accept",
            field="allow",
        )
    return Rules(labels, coarse)


def names_of(given: Names) -> tuple[str, ...]:
    """The names that were given one by one, or in one text with commas between them."""
    if isinstance(given, str | Label):
        return split(str(given))
    return tuple(name for each in given for name in split(str(each)))
