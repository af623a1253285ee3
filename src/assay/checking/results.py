"""What a check gives back: an example with its outcomes, and a report of many."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from assay.core.examples import PART_KINDS, Example, Judgement, parts_of, without_parts
from assay.core.records import Record, failure_record, outcome_record
from assay.core.stored import judged_record
from assay.core.units import UnitKind
from assay.core.verdicts import Failure, Outcome, Verdict
from assay.detectors.fold import fold_outcomes
from assay.detectors.units import response_unit


@dataclass(frozen=True)
class Checked:
    """One example with what a detector said of it."""

    judgement: Judgement

    @property
    def example(self) -> Example:
        """The example that was checked."""
        return self.judgement.example

    @property
    def id(self) -> str:
        """The example's id."""
        return self.example.id

    @property
    def sentences(self) -> tuple[Outcome, ...]:
        """The outcomes for its sentences, in order."""
        return tuple(each for each in self.judgement.outcomes if each.unit.kind == "sentence")

    @property
    def units(self) -> tuple[Outcome, ...]:
        """The outcomes for all its units, of whatever kind, in order."""
        return self.judgement.outcomes

    @property
    def counted(self) -> tuple[Outcome, ...]:
        """The outcomes that say how good the response is: all but the parts of what was judged."""
        return without_parts(self.units)

    @property
    def parts(self) -> tuple[Outcome, ...]:
        """The outcomes for what belongs to a response or sentence that was judged as a whole."""
        return parts_of(self.units)

    @property
    def grouped(self) -> list[list[Outcome]]:
        """All outcomes in order, the claims and relations of a sentence together behind it."""
        groups: list[list[Outcome]] = []
        has_sentences = bool(self.sentences)
        for outcome in self.units:
            if groups and has_sentences and outcome.unit.kind in PART_KINDS:
                groups[-1].append(outcome)
            else:
                groups.append([outcome])
        return groups

    @property
    def failures(self) -> tuple[Failure, ...]:
        """The units left without a verdict."""
        return self.judgement.failures

    @cached_property
    def response(self) -> Outcome:
        """The whole response: as it was judged, or as bad as its worst unit that states a fact.

        Claims and relations count through their sentences.

        Where units have no verdict and no other is unfaithful, it has none either.
        """
        if len(self.units) == 1 and self.units[0].unit.kind == "response":
            return self.units[0]
        return fold_outcomes(response_unit(self.example), self.judgement.outcomes)

    @property
    def coverage(self) -> float:
        """The share of its units, the parts of sentences aside, that have a verdict."""
        judged = sum(isinstance(each, Verdict) for each in self.counted)
        return judged / max(1, len(self.counted))

    @property
    def score(self) -> float | None:
        """The response's score, or None where no unit has one."""
        return self.response.score if isinstance(self.response, Verdict) else None

    def to_dict(self) -> Record:
        """The example as it stands in the JSON document."""
        label = self.response.label if isinstance(self.response, Verdict) else None
        text = self.example.response.text
        others = [each for each in self.units if each.unit.kind != "sentence"]
        return {
            "id": self.id,
            "response": {
                "label": label.name if label else None,
                "score": self.score,
                "coverage": round(self.coverage, 4),
            },
            "sentences": [outcome_record(outcome) for outcome in self.sentences],
            **({"units": [judged_record(each, text) for each in others]} if others else {}),
            "failures": [failure_record(failure) for failure in self.failures],
            "source": {
                "characters": len(self.example.source.text),
                "characters_read": self.judgement.characters_read,
            },
        }


@dataclass(frozen=True, slots=True)
class Report:
    """The result of a check: the detector, its taxonomy, the examples, and what was judged."""

    detector: str
    taxonomy: str
    examples: tuple[Checked, ...]
    unit_kind: UnitKind = "sentence"

    def __iter__(self) -> Iterator[Checked]:
        return iter(self.examples)

    def __len__(self) -> int:
        return len(self.examples)

    def __getitem__(self, index: int) -> Checked:
        return self.examples[index]

    def __str__(self) -> str:
        return "\n".join(_line(outcome) for outcome in self.units)

    @property
    def sentences(self) -> tuple[Outcome, ...]:
        """The outcomes for the sentences of all examples, in order."""
        return tuple(outcome for example in self.examples for outcome in example.sentences)

    @property
    def units(self) -> tuple[Outcome, ...]:
        """The outcomes for the units of all examples, of whatever kind, in order."""
        return tuple(outcome for example in self.examples for outcome in example.units)

    @property
    def failures(self) -> tuple[Failure, ...]:
        """All units left without a verdict."""
        return tuple(failure for example in self.examples for failure in example.failures)

    def to_dict(self) -> dict[str, Any]:
        """The JSON document that `assay check --json` prints."""
        return {
            "detector": self.detector,
            "taxonomy": self.taxonomy,
            "unit_kind": self.unit_kind,
            "examples": [example.to_dict() for example in self.examples],
            "problems": [],
        }

    def to_json(self) -> str:
        """The JSON document as text."""
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=2)


def is_flagged(outcome: Outcome) -> bool:
    """Whether somebody should look at a unit: unfaithful, not sure, or without a verdict."""
    if isinstance(outcome, Failure):
        return True
    if outcome.label is None:
        return outcome.score is not None and outcome.score < 0.5
    return outcome.label.coarse in ("unfaithful", "not-sure")


def _line(outcome: Outcome) -> str:
    if isinstance(outcome, Failure):
        return f"{'no verdict':22} {outcome.unit.text} ({outcome.reason})"
    score = "" if outcome.score is None else f"{outcome.score:.2f}"
    label = outcome.label.name if outcome.label else ""
    return f"{label:22} {score:4} {outcome.unit.text}"
