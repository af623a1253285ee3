"""From inconsistencies to what is said of the response: at least one makes it unfaithful."""

from collections.abc import Sequence

from assay.core.examples import Example
from assay.core.taxonomies import BINARY
from assay.core.units import Unit
from assay.core.verdicts import Failure, Outcome, Verdict
from assay.detectors.units import response_unit


def conclude(example: Example, found: Sequence[Verdict], note: str = "") -> list[Outcome]:
    """The verdict on the response, then one for each inconsistency."""
    first: dict[Unit, Verdict] = {}
    for verdict in found:
        first.setdefault(verdict.unit, verdict)
    different = list(first.values())
    label = BINARY["unfaithful" if different else "faithful"]
    told = (count_of(len(different)), _repeated(len(found) - len(different)), note)
    whole = Verdict(response_unit(example), label, note=" ".join(filter(None, told)))
    return [whole, *different]


def conclude_in_part(
    example: Example, found: Sequence[Verdict], note: str, unchecked: Sequence[Failure]
) -> list[Outcome]:
    """The same where some facts were not checked: then nothing found proves nothing."""
    if not unchecked:
        return conclude(example, found, note)
    first = unchecked[0]
    counted = "1 fact was" if len(unchecked) == 1 else f"{len(unchecked)} facts were"
    left = f"{counted} not checked ({first.reason})."
    if found:
        return [*conclude(example, found, f"{left} {note}".strip()), *unchecked]
    detail = f"no inconsistency found, but {left} {first.detail}"
    return [Failure(response_unit(example), first.reason, detail, first.raw), *unchecked]


def count_of(inconsistencies: int) -> str:
    """How many there are, in words.

    >>> count_of(0), count_of(1), count_of(2)
    ('No inconsistency found.', '1 inconsistency found.', '2 inconsistencies found.')
    """
    if inconsistencies < 2:
        return f"{'1' if inconsistencies else 'No'} inconsistency found."
    return f"{inconsistencies} inconsistencies found."


def _repeated(entries: int) -> str:
    """What is to be said of entries that are word for word the same: units are told apart."""
    if not entries:
        return ""
    return f"{entries} of the model's entries repeat another word for word and are left out."
