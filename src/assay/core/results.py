"""An example with what a detector said of it, and what many such results add up to."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property

from assay.core.codec import write_judgement
from assay.core.examples import Example
from assay.core.folding import fold_judgement
from assay.core.judgements import Finding, Judgement
from assay.core.labels import Coarse, Label, worst_coarse
from assay.core.problems import Problem
from assay.core.texts import shortened
from assay.core.units import Unit
from assay.core.verdicts import Failure, Outcome, Verdict
from assay.core.wire import LEFT_OUT, ResponseRecord


@dataclass(frozen=True)
class Result:
    """One example and one author's judgement of it.

    A row that could not be read has a `problem`, a single failure, and what is known of its texts.
    """

    example: Example
    judgement: Judgement
    problem: Problem | None = None

    def __repr__(self) -> str:
        units, failures = len(self.units), len(self.failures)
        about = [self.coarse or "no verdict", f"{units} unit{'s' if units != 1 else ''}"]
        about += [f"{failures} failure{'s' if failures != 1 else ''}"] if failures else []
        about += [f"label {self.label}"] if self.label else []
        about += [f"score {self.score:.2f}"] if self.score is not None else []
        return f"<Result {shortened(self.id, 30)}: {', '.join(about)}>"

    @property
    def id(self) -> str:
        """The example's id."""
        return self.example.id

    @property
    def sentences(self) -> tuple[Finding, ...]:
        """The findings about its sentences, in order."""
        return tuple(each for each in self.judgement.findings if each.kind == "sentence")

    @property
    def units(self) -> tuple[Finding, ...]:
        """The findings about all its units, of whatever kind, in order."""
        return self.judgement.findings

    @property
    def counted(self) -> tuple[Finding, ...]:
        """The findings that say how good the response is: all but parts of what was judged."""
        return self.judgement.counted

    @property
    def failures(self) -> tuple[Failure, ...]:
        """The units left without a verdict."""
        return self.judgement.failures

    @cached_property
    def response(self) -> Finding:
        """The whole response: as it was judged, or as bad as its worst unit that states a fact.

        Where units have no verdict and no other is unfaithful, it has none either.
        """
        return Finding(Unit.response(self.example.response.text), fold_judgement(self.judgement))

    @property
    def coarse(self) -> Coarse | None:
        """The class of the whole response, counted as by `assay check --fail-on`.

        `unfaithful` if a unit is, for sure; or else `not-sure` if one is; or else None if one has
        no verdict; or else `faithful`, or `no-fact` if no unit states a fact.
        """
        return worst_coarse(each.coarse for each in self.counted)

    @property
    def label(self) -> Label | None:
        """The label of the response, however unsure it is; None where it has none."""
        return self.response.label

    @property
    def score(self) -> float | None:
        """The response's score; None where no unit has one."""
        return self.response.score

    @property
    def coverage(self) -> float:
        """The share of its units, parts aside, that have a verdict."""
        return _coverage(self.judgement)

    def to_json(self) -> bytes:
        """Its line in a document, with what the units add up to."""
        return write_line(self.judgement)


def write_line(judgement: Judgement) -> bytes:
    """The line of a judgement in a document, with what its units add up to."""
    whole = fold_judgement(judgement)
    label = whole.label.name if whole.label else None
    return write_judgement(
        judgement,
        ResponseRecord(
            label, whole.score, round(_coverage(judgement), 4), is_unsure(whole) or LEFT_OUT
        ),
    )


def is_unsure(outcome: Outcome) -> bool:
    """True if a verdict has a label that its author is not sure of."""
    return isinstance(outcome, Verdict) and bool(outcome.attributes.unsure)


def is_flagged(finding: Finding) -> bool:
    """True if somebody should look at a unit: unfaithful, not sure, or without a verdict."""
    return finding.coarse in (None, "unfaithful", "not-sure")


def _coverage(judgement: Judgement) -> float:
    counted = judgement.counted
    return sum(each.verdict is not None for each in counted) / max(1, len(counted))


UNSURE = "not sure"  # the class of verdicts whose label is not sure


@dataclass(slots=True)
class Totals:
    """Counts over all examples so far; nothing of the examples themselves is kept.

    Parts of units that were judged as a whole are counted apart, but their failures are failures.
    """

    examples: int = 0
    units: int = 0
    kinds: Counter[str] = field(default_factory=Counter)
    labels: Counter[str] = field(default_factory=Counter)
    failures: Counter[str] = field(default_factory=Counter)
    parts: Counter[str] = field(default_factory=Counter)
    failed_parts: int = 0
    peers: Counter[int] = field(default_factory=Counter)  # verdicts by number of peers shown
    characters: int = 0
    characters_read: int = 0

    def add(self, result: Result) -> None:
        """Counts one more example."""
        said = result.judgement
        counted, parts, failures = said.counted, said.parts, said.failures
        self.examples += 1
        self.units += len(counted)
        self.characters += len(result.example.source.text)
        self.characters_read += said.characters_read
        self.kinds.update(each.unit.kind for each in counted)
        outcomes = [each.outcome for each in counted]
        self.labels.update(_class(each) for each in outcomes if isinstance(each, Verdict))
        self.peers.update(peers_shown(said))
        self.parts.update(each.unit.kind for each in parts)
        self.failed_parts += sum(isinstance(each.outcome, Failure) for each in parts)
        self.failures.update(failure.reason for failure in failures)

    @property
    def noun(self) -> str:
        """A word for what was judged: the kind of all units, or `unit` where they differ."""
        return noun_of(self.kinds)

    @property
    def unjudged(self) -> int:
        """The number of units without a verdict, their parts aside."""
        return self.failures.total() - self.failed_parts

    @property
    def coverage(self) -> float | None:
        """The share of units with a verdict; None without any unit."""
        return 1 - self.unjudged / self.units if self.units else None


def _class(verdict: Verdict) -> str:
    """The class that a verdict counts as; labels that are not sure are counted apart."""
    if is_unsure(verdict):
        return UNSURE
    return verdict.label.name if verdict.label else "score only"


def peers_shown(judgement: Judgement) -> Iterator[int]:
    """The number of annotated peers that each verdict rests on, where its judge wants some."""
    for outcome in judgement.outcomes:
        if isinstance(outcome, Verdict) and outcome.attributes.peers is not None:
            yield outcome.attributes.peers


def noun_of(kinds: Iterable[str]) -> str:
    """A word for units of these kinds, in the singular."""
    different = set(kinds)
    return different.pop() if len(different) == 1 else "unit" if different else "sentence"


def plural_of(noun: str) -> str:
    """The word for many.

    >>> plural_of("inconsistency"), plural_of("span"), plural_of("batch")
    ('inconsistencies', 'spans', 'batches')
    """
    if noun.endswith("y"):
        return f"{noun[:-1]}ies"
    return f"{noun}es" if noun.endswith("ch") else f"{noun}s"


def count_of(number: int, noun: str) -> str:
    """A number with its noun.

    >>> count_of(1, "sentence"), count_of(1200, "sentence")
    ('1 sentence', '1,200 sentences')
    """
    return f"{number:,} {noun if number == 1 else plural_of(noun)}"
