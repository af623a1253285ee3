"""A check in the terminal: each unit with its label, evidence and reason, then the sums."""

import re
from collections.abc import Iterator, Sequence

from rich.console import Console, Group
from rich.padding import Padding
from rich.rule import Rule
from rich.text import Text

from assay.checking.results import Checked, is_flagged
from assay.checking.totals import Totals
from assay.core.labels import Taxonomy
from assay.core.verdicts import Failure, Outcome, Verdict
from assay.report.looks import NO_VERDICT, look_of

# Control characters of a text could steer the terminal, so they are spelled out.
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
QUOTES = 2
QUOTE_LENGTH = 160


class TerminalView:
    """Prints results as they come; of many, only the units that need a look."""

    def __init__(self, console: Console, taxonomy: Taxonomy, *, only_flagged: bool) -> None:
        self._console = console
        self._taxonomy = taxonomy
        self._only_flagged = only_flagged
        self._totals = Totals()

    def add(self, checked: Checked) -> None:
        """Prints one example."""
        self._totals.add(checked)
        groups = [
            group
            for group in checked.grouped
            if not self._only_flagged or any(map(is_flagged, group))
        ]
        if self._only_flagged and groups:
            self._console.print(Rule(_heading(checked), align="left", style="dim"))
        for outcome, *parts in groups:
            self._console.print(_rows(outcome, parts))

    def close(self) -> None:
        """Prints the closing line, if anything was judged."""
        if not self._totals.examples:
            return
        self._console.print(Rule(style="dim"))
        self._console.print(closing_line(self._totals, self._taxonomy), soft_wrap=True)


def printable(text: str) -> str:
    """A text on one line, as it may safely stand on a terminal.

    >>> printable("a\\x1b[31m\\n b")
    'a\\\\x1b[31m b'
    """
    flat = " ".join(text.split())
    return _CONTROL.sub(lambda match: f"\\x{ord(match[0]):02x}", flat)


def closing_line(totals: Totals, taxonomy: Taxonomy) -> Text:
    """Counts per class, coverage, failures, and how much of the sources was read."""
    line = Text()
    line.append(_count(totals.units, totals.noun), style="bold")
    if totals.parts:
        counts = (_count(count, kind) for kind, count in sorted(totals.parts.items()))
        line.append(f" ({', '.join(counts)})")
    if totals.examples != 1 and totals.noun != "response":
        line.append(f" in {_count(totals.examples, 'response')}")
    for label in reversed(taxonomy.labels):
        if totals.labels[label.name]:
            look = look_of(label)
            line.append("  ")
            line.append(f"{look.symbol} {totals.labels[label.name]:,} {label}", style=look.style)
    coverage = "none" if totals.coverage is None else f"{totals.coverage:.1%}"
    line.append(f"  coverage {coverage}, {_count(totals.failures.total(), 'failure')}")
    if totals.failures:
        reasons = ", ".join(f"{reason} {n:,}" for reason, n in totals.failures.most_common())
        line.append(f" ({reasons})", style="red")
    if totals.characters_read < totals.characters:
        line.append(f", {totals.characters_read / totals.characters:.1%} of the sources read")
    return line


def _count(number: int, noun: str) -> str:
    plural = f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"
    return f"{number:,} {noun if number == 1 else plural}"


def _heading(checked: Checked) -> Text:
    heading = Text(f"{printable(checked.id)} ")
    response = checked.response
    if isinstance(response, Verdict):
        look = look_of(response.label)
        score = "" if response.score is None else f" {response.score:.2f}"
        heading.append(f"{look.symbol} {response.label or 'score only'}{score}", style=look.style)
    else:
        heading.append(f"{NO_VERDICT.symbol} no verdict", style=NO_VERDICT.style)
    return heading


def _rows(outcome: Outcome, parts: Sequence[Outcome]) -> Group:
    """The label, the unit, below it what the label rests on, and the parts of a sentence."""
    if isinstance(outcome, Failure):
        lines = [Text(printable(f"{outcome.reason}: {outcome.detail}"), style="dim italic")]
    else:
        lines = list(_grounds(outcome))
    body = Text(printable(outcome.unit.text), style="" if lines else "dim")
    # A sentence that is one claim is shown once.
    below = [_part(part) for part in parts if len(parts) > 1]
    return Group(
        _head(outcome),
        *(Padding(line, (0, 0, 0, 2)) for line in (body, *lines)),
        *(Padding(line, (0, 0, 0, 4)) for line in below),
        "",
    )


def _head(outcome: Outcome) -> Text:
    if isinstance(outcome, Failure):
        return Text(f"{NO_VERDICT.symbol} no verdict", style=NO_VERDICT.style)
    look = look_of(outcome.label)
    score = "" if outcome.score is None else f"  {outcome.score:.2f}"
    error = f"  {outcome.error}" if outcome.error else ""
    return Text(f"{look.symbol} {outcome.label or 'score only'}{error}{score}", style=look.style)


def _part(outcome: Outcome) -> Text:
    """A claim or relation in a line of its own; the page and the document tell more."""
    why = f" ({outcome.reason}: {outcome.detail})" if isinstance(outcome, Failure) else ""
    said = Text(f"{outcome.unit.kind} ", style="dim").append_text(_head(outcome))
    return said.append(f"  {printable(outcome.unit.text + why)}", style="default not bold")


def _grounds(verdict: Verdict) -> Iterator[Text]:
    if verdict.unit.kind == "inconsistency":
        for span in verdict.unit.spans:
            yield Text(f"in the response: {_shorten(span.text)}", style="dim")
    for span in verdict.evidence[:QUOTES]:
        yield Text(f"❝ {_shorten(span.text)} ❞", style="dim")
    for each in verdict.external:
        yield Text(f"outside: {printable(each.address)} {_shorten(each.quote)}", style="dim")
    for reading in verdict.interpretations:
        yield Text(f"read as: {printable(reading.meaning)} → {reading.label}", style="dim")
    if verdict.note:
        yield Text(printable(verdict.note), style="dim italic")


def _shorten(text: str) -> str:
    flat = printable(text)
    return flat if len(flat) <= QUOTE_LENGTH else flat[: QUOTE_LENGTH - 1] + "…"
