"""The rules of `assay check`: when it fails, and what is known from before."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Annotated

from assay.app.baseline import Baseline, read_baseline
from assay.app.check import CheckRequest, Inputs
from assay.app.gate import LOW_SCORE, Gate, make_gate, share_of
from assay.app.known import KnownFindings, entry_lines, read_accepted
from assay.cli.errors import say
from assay.core.complaints import CheckEnd, Complaint
from assay.core.errors import InputError
from assay.core.judgements import Author
from assay.core.options import Option, split
from assay.core.results import Result, count_of
from assay.core.system.files import refuse_as_output, require_writable
from assay.core.texts import shortened
from assay.report.locations import location_of

UNFAITHFUL = ("unfaithful",)
MOST = 10  # new findings that are told one by one
_LONGEST = 120  # characters of a sentence


@dataclass(frozen=True, slots=True)
class CheckRules:
    """The rules by which a check fails."""

    fail_under: Annotated[
        float | None,
        Option("Exit with 1 if a response scores less than this.", "X", least=0, most=1),
    ] = None
    fail_on: Annotated[
        str | None,
        Option(
            "Exit with 1 if a sentence has one of these labels (or: unfaithful, not-sure, no-fact, "
            "faithful).",
            "LABEL,...",
        ),
    ] = None
    max_unfaithful: Annotated[
        str | None,
        Option("Exit with 1 if a larger share of responses is unfaithful, as in 5%.", "SHARE"),
    ] = None
    baseline: Annotated[
        str | None,
        Option(
            "Fail only by findings that are not in this file. --fail-on says which labels count; "
            "unfaithful, if left out.",
            "FILE",
        ),
    ] = None
    update_baseline: Annotated[
        bool, Option("Write what is found into the file of --baseline, and do not fail by it.")
    ] = False
    accept: Annotated[
        str | None,
        Option(
            "Do not fail by findings in this file, which a person accepted. --fail-on says which "
            "labels count; unfaithful, if left out.",
            "FILE",
        ),
    ] = None

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels of the rule about them; what is about that rule has one without saying so."""
        named = split(self.fail_on or "")
        has_rule = self.baseline is not None or self.accept is not None
        return named or (UNFAITHFUL if has_rule else ())

    def opened(self, request: CheckRequest, inputs: Inputs) -> "OpenRules":
        """The rules with what is known from before; whatever is wrong with them raises."""
        self._require(request)
        taxonomy = request.detector.capabilities.taxonomy
        gate = make_gate(self.fail_under, self.labels, taxonomy)
        if self.max_unfaithful is not None:
            gate.max_unfaithful = share_of(self.max_unfaithful)
        told = gate if gate.has_rule else make_gate(None, UNFAITHFUL, taxonomy)
        known = self._known(inputs)
        gate.known = told.known = known
        return OpenRules(self, gate, told, known)

    def _known(self, inputs: Inputs) -> KnownFindings | None:
        if self.baseline is None and self.accept is None:
            return None
        accepted = read_accepted(self.accept) if self.accept is not None else None
        baseline = None if self.baseline is None else self._baseline(self.baseline, inputs)
        return KnownFindings(baseline, accepted, self.update_baseline)

    def _baseline(self, path: str, inputs: Inputs) -> Baseline:
        if not self.update_baseline:
            return read_baseline(path)
        inputs.refuse_as_output(path)
        refuse_as_output(path, self.accept)
        require_writable(path)
        return read_baseline(path) if Path(path).exists() else Baseline(path)

    def _require(self, request: CheckRequest) -> None:
        if self.fail_on is not None and not split(self.fail_on):
            raise InputError("--fail-on needs labels, such as unfaithful; leave it out for no rule")
        if self.fail_under is not None and not request.detector.capabilities.scores:
            raise InputError(
                f"{request.detector.name} gives labels without scores, so --fail-under has nothing "
                "to compare: use --fail-on, as in --fail-on unfaithful"
            )
        if self.update_baseline and self.baseline is None:
            raise InputError("--update-baseline needs --baseline FILE, the file to write")
        if {self.baseline, self.accept} & {"", "-"}:
            raise InputError("--baseline and --accept need the names of files")


@dataclass(slots=True)
class OpenRules:
    """The rules while a check goes on, and the first of what is new.

    `told` is the gate whose complaints outputs show: the rules' own, or without any about sentences
    one about what is unfaithful, by which nothing fails.
    """

    rules: CheckRules
    gate: Gate
    told: Gate
    known: KnownFindings | None
    _new: list[tuple[Result, Complaint]] = field(default_factory=list)

    @property
    def fails(self) -> bool:
        """True if what outputs show makes the check fail."""
        return self.told is self.gate

    def add(self, result: Result) -> tuple[Complaint, ...]:
        """Compares one more result with the rules."""
        complaints = self.told.add(result)
        if self.told is not self.gate:
            self.gate.add(result)
        if self.known and len(self._new) < MOST:
            new = [(result, each) for each in complaints if _is_unknown(each)]
            self._new += new[: MOST - len(self._new)]
        return complaints

    def begin(self, author: Author) -> None:
        """Says what else a baseline was made with."""
        baseline = self.known.baseline if self.known else None
        for difference in baseline.differences(author, self.rules.labels) if baseline else ():
            say(f"the baseline {self.rules.baseline} {difference}")

    def tell(self, end: CheckEnd, author: Author, *, is_whole: bool) -> None:
        """Says what is new and how to settle it, what is gone, and writes the baseline."""
        if self.known is None:
            return
        for line in self._lines(is_whole):
            say(line)
        self._tell_new()
        if self.rules.update_baseline:
            self._update(self.known.baseline, end, author, is_whole=is_whole)

    def _lines(self, is_whole: bool) -> Iterator[str]:
        known = self.known
        if known and known.baseline and known.has_numbered:
            yield (
                "a baseline knows rows without an id by their source, and what they say is new "
                "when that changes; give each row an 'id'"
            )
        if known and known.has_repeated:
            yield (
                "rows with different sources have the same id, and what is known of one is taken "
                "for known of the other; give each row an 'id' of its own"
            )
        if not is_whole or not known:
            return
        gone = known.baseline.gone(self.rules.labels) if known.baseline else 0
        if gone and not known.updates:
            yield (
                f"{count_of(gone, 'finding')} of {self.rules.baseline} no longer "
                f"{'appears' if gone == 1 else 'appear'}; --update-baseline takes "
                f"{'it' if gone == 1 else 'them'} out"
            )
        if known.accepted and (stale := known.accepted.stale):
            named = ", ".join(each.fingerprint for each in stale[:3])
            more = f" and {len(stale) - 3:,} more" if len(stale) > 3 else ""
            entries = "an entry that matches" if len(stale) == 1 else "entries that match"
            yield f"{self.rules.accept} has {entries} no finding any more: {named}{more}"

    def _tell_new(self) -> None:
        if not self._new or not self.known:
            return
        word = "new" if self.known.baseline else "found"
        for result, each in self._new:
            at = location_of(result.example, each.finding, Path.cwd())
            text = shortened(each.finding.text, _LONGEST)
            say(f"{word}: {each.fingerprint} {at} {result.id} {each.said}: {text}")
        more = self.told.standings["new"] - len(self._new)
        if more > 0:
            say(f"... and {more:,} more")
        if self.rules.accept is not None:
            say(f"to accept what is right after all, say who and why, in {self.rules.accept}:")
            self._print_entries()
        elif not self.rules.update_baseline:
            say(
                "look at what is new: --update-baseline takes all of it into the baseline, and "
                "--accept FILE prints lines to accept it one by one"
            )

    def _print_entries(self) -> None:
        from assay.cli.output import write_error

        today = date.today()
        once = {each.fingerprint: (result, each) for result, each in reversed(self._new)}
        for result, each in reversed(once.values()):
            lines = entry_lines(each, result.id, today)
            write_error("".join(f"{line}\n" for line in ("", *lines)))

    def _update(
        self, baseline: Baseline | None, end: CheckEnd, author: Author, *, is_whole: bool
    ) -> None:
        if baseline is None:
            return
        if not is_whole:
            why = end.cut_off or "there are rows that cannot be read"
            state = "as it was" if baseline.head else "not written"
            say(f"the baseline {baseline.path} is {state}: {why}")
            return
        change = baseline.write(author, self.rules.labels)
        say(f"wrote the baseline {baseline.path}: {change}")


def _is_unknown(complaint: Complaint) -> bool:
    """True if it is new, and could be known; of scores nothing is known from before."""
    return complaint.standing == "new" and complaint.rule != LOW_SCORE
