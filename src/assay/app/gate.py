"""The rules by which a check fails, and what breaks them."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from typing import Literal, Protocol

from assay.core.complaints import CheckEnd, Complaint, fingerprint
from assay.core.errors import InputError, UnknownNameError
from assay.core.judgements import Finding
from assay.core.labels import COARSE, Label, Taxonomy
from assay.core.results import UNSURE, Result, count_of, is_unsure, noun_of
from assay.core.wire import EndState

LOW_SCORE = "low-score"  # the name of the rule about scores
_SPARED = "not counted, because the detector is not sure"


class Known(Protocol):
    """Knowledge of findings from before."""

    @property
    def lacks(self) -> str:
        """The words for a finding that is new."""
        ...

    def complaint(self, result: Result, finding: Finding, rule: str, said: str) -> Complaint:
        """The complaint about a finding, with its standing."""
        ...

    def unjudged(self, result: Result) -> None:
        """Notes a result that has no verdict on some of its sentences."""
        ...


@dataclass(slots=True)
class Gate:
    """Counts what breaks the rules: a score that is too low, or an unwanted label.

    A label that its author is not sure of breaks no rule about labels; it breaks one about what is
    not sure. A rule about the share of unfaithful responses counts those that are so for sure,
    among those that are judged in full. What has a score and no label breaks rules about coarse
    readings. A rule about scores looks at scores alone. A label that is `known` from before breaks
    no rule either; it is counted apart.
    """

    fail_under: float | None = None
    fail_on: frozenset[Label] = frozenset()
    fail_on_coarse: frozenset[str] = frozenset()
    low_scores: int = 0
    bad_labels: Counter[str] = field(default_factory=Counter)
    unscored: int = 0
    bad_kinds: set[str] = field(default_factory=set)
    spared: int = 0  # units whose label would break a rule if it were sure
    spared_kinds: set[str] = field(default_factory=set)
    max_unfaithful: Decimal | None = None  # share of responses
    judged: int = 0  # responses, in full
    unfaithful: int = 0  # of these
    unjudged: int = 0  # responses without a verdict for all they say
    unfaithful_unjudged: int = 0  # of these
    known: Known | None = None
    standings: Counter[str] = field(default_factory=Counter)  # of complaints

    @property
    def has_rule(self) -> bool:
        """True if there is a rule about single sentences or responses."""
        return bool(self.fail_on or self.fail_on_coarse) or self.fail_under is not None

    def add(self, result: Result) -> tuple[Complaint, ...]:
        """Compares one more result with the rules; gives what it breaks them by."""
        self._count_share(result)
        if self.fail_under is not None:
            self.unscored += result.score is None and _states_fact(result)
            self.low_scores += any(map(self._is_low, result.counted))
        if self.known and result.failures:
            self.known.unjudged(result)
        return tuple(self._complaints(result))

    def breaking(self, result: Result) -> tuple[Finding, ...]:
        """The findings of a result for which it breaks a rule about scores or labels."""
        return tuple(each for each in result.counted if self._is_low(each) or self.broken_by(each))

    def broken_by(self, finding: Finding) -> str:
        """The label, or `not sure`, that breaks a rule; empty where none is broken."""
        label, coarse = finding.label, finding.coarse
        if is_unsure(finding.outcome):
            return UNSURE if "not-sure" in self.fail_on_coarse else ""
        if label is None:
            return coarse if coarse and coarse in self.fail_on_coarse else ""
        return label.name if label in self.fail_on else ""

    def _complaints(self, result: Result) -> Iterator[Complaint]:
        for finding in result.counted:
            complaint = None
            if name := self.broken_by(finding):
                complaint = self._about_label(result, finding, name)
                yield complaint
            elif is_unsure(finding.outcome) and finding.label in self.fail_on:
                self.spared += 1
                self.spared_kinds.add(finding.kind)
            if self._is_low(finding) and not (complaint and complaint.standing == "new"):
                below = f"score {finding.score:.2f} below {self.fail_under}"
                yield new_complaint(result, finding, LOW_SCORE, below)

    def _about_label(self, result: Result, finding: Finding, name: str) -> Complaint:
        make = self.known.complaint if self.known else new_complaint
        said = f"not sure, leans to {finding.label or finding.leaning}" if name == UNSURE else name
        complaint = make(result, finding, "not-sure" if name == UNSURE else name, said)
        self.standings[complaint.standing] += 1
        if complaint.standing == "new":
            self.bad_labels[name] += 1
            self.bad_kinds.add(finding.kind)
        return complaint

    def _is_low(self, finding: Finding) -> bool:
        if self.fail_under is None or finding.score is None:
            return False
        return finding.score < self.fail_under

    def _count_share(self, result: Result) -> None:
        """One without a verdict for all it says is left out, whatever the rest is found to be.

        If it were counted where the rest is unfaithful, failures would make the share larger.
        """
        unfaithful = result.coarse == "unfaithful"
        if result.failures or result.coarse is None:
            self.unjudged += 1
            self.unfaithful_unjudged += unfaithful
        else:
            self.judged += 1
            self.unfaithful += unfaithful

    @property
    def share(self) -> str:
        """The share of unfaithful responses with its interval, where a rule is about it."""
        if self.max_unfaithful is None:
            return ""
        from assay.metrics.estimates import wilson_interval

        interval = wilson_interval(self.unfaithful, self.judged)
        if interval is None:
            return "no response was judged in full, so nobody knows what share is unfaithful"
        low, high = interval
        left = f", {self.unjudged:,} not judged in full left out" if self.unjudged else ""
        if self.unfaithful_unjudged:
            left += f" ({self.unfaithful_unjudged:,} of them unfaithful all the same)"
        return (
            f"{self.unfaithful:,} of {count_of(self.judged, 'response')} unfaithful: "
            f"{self.unfaithful / self.judged:.1%}, 95 % interval {low:.1%} to {high:.1%}, "
            f"at most {_percent(self.max_unfaithful)} allowed{left}"
        )

    @property
    def has_no_share(self) -> bool:
        """True if there is a rule about the share, and nothing was judged to have one."""
        return self.max_unfaithful is not None and not self.judged

    def end(self, state: EndState, message: str = "") -> CheckEnd:
        """The end of a check, with what these rules say of all of it."""
        how: Literal["kept", "broken", "unknown"] = "broken" if self.is_over else "kept"
        how = "unknown" if self.has_no_share else how
        unscored = self._unscored_told if self.unscored else ""
        return CheckEnd(state, message, str(self), self.failed, self.share, how, unscored)

    @property
    def _unscored_told(self) -> str:
        return f"{count_of(self.unscored, 'response')} without a score to compare"

    @property
    def is_over(self) -> bool:
        """True if too large a share of the responses is unfaithful."""
        most = self.max_unfaithful
        return most is not None and self.unfaithful > most * self.judged

    @property
    def failed(self) -> bool:
        """True if anything broke a rule."""
        return bool(self.low_scores or self.bad_labels or self.is_over)

    def __str__(self) -> str:
        labels, names = self.bad_labels.total(), " or ".join(sorted(self.bad_labels))
        kind, unsure = noun_of(self.bad_kinds), noun_of(self.spared_kinds)
        noted, known, accepted = (self.standings[each] for each in ("noted", "known", "accepted"))
        new = f" and {self.known.lacks}" if self.known else ""
        told = (
            (self.low_scores, f"{count_of(self.low_scores, 'response')} below {self.fail_under}"),
            (labels, f"{count_of(labels, kind)} labelled {names}{new}"),
            (noted, f"{noted:,} new for the baseline"),
            (known, f"{known:,} known before"),
            (accepted, f"{accepted:,} accepted"),
            (self.spared, f"{count_of(self.spared, unsure)} {_SPARED}"),
            (self.unscored, self._unscored_told),
            (1 if self.share else 0, self.share),
        )
        return "; ".join(words for number, words in told if number)


def new_complaint(result: Result, finding: Finding, rule: str, said: str) -> Complaint:
    """The complaint about a finding of which nothing is known from before."""
    return Complaint(finding, rule, said, fingerprint(result.example, finding.text))


def share_of(text: str) -> Decimal:
    """A share as people write it: `5%` or `0.05`.

    >>> share_of("0.7%")
    Decimal('0.007')
    """
    number, percent, rest = text.strip().partition("%")
    try:
        share = Decimal(number) / (100 if percent else 1)
    except InvalidOperation:
        share = Decimal(-1)
    if rest.strip() or not share.is_finite() or not 0 <= share <= 1:
        raise InputError(f"{text!r} is no share; write it as in 5% or 0.05", field="max_unfaithful")
    return share


def _percent(share: Decimal) -> str:
    """A share as it was given, in percent."""
    return f"{(100 * share).normalize():f}%"


def make_gate(fail_under: float | None, fail_on: Iterable[str], taxonomy: Taxonomy) -> Gate:
    """The gate for some rules; names are labels of the taxonomy or coarse readings."""
    names, labels = tuple(fail_on), set[Label]()
    for name in names:
        if name in COARSE:
            labels.update(label for label in taxonomy if label.coarse == name)
        else:
            labels.add(_label(taxonomy, name))
    return Gate(fail_under, frozenset(labels), frozenset(names) & frozenset(COARSE))


def _label(taxonomy: Taxonomy, name: str) -> Label:
    try:
        return taxonomy[name]
    except UnknownNameError:
        menu = (*taxonomy.names, *COARSE)
        raise UnknownNameError("label", name, menu, field="fail_on") from None


def _states_fact(result: Result) -> bool:
    """True if the response has a verdict that could have a score."""
    return result.response.coarse in ("faithful", "not-sure", "unfaithful")
