"""The lines in which people decide about labels: each example with a form, and what others say.

With controls among the units, nothing on a line tells these from the flagged ones: the verdicts of
those who flagged are left out, and the lines are in the order of the data.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from assay.audit.flagging import Labelled
from assay.audit.forms import make_form
from assay.audit.notes import SearchNotes, with_notes
from assay.core.examples import Annotated
from assay.core.judgements import Judgement
from assay.core.recording import with_said
from assay.core.verdicts import Failure

Said = dict[str, Judgement]  # what a detector says, by the ids of examples
Marked = Sequence[tuple[str, Labelled]]  # units that people look at, with the ids of their examples


def form_lines(
    annotated: Sequence[Annotated],
    flagged: Marked,
    controls: Marked,
    said: Sequence[Said],
    reasons: Sequence[Said],
    notes: SearchNotes,
) -> Iterator[Annotated]:
    """The examples to look at, that of the most severe flag first unless there are controls."""
    units: dict[str, list[Labelled]] = {}
    for id, labelled in (*flagged, *controls):
        units.setdefault(id, []).append(labelled)
    by_id = {each.id: each for each in annotated}
    is_blind = notes.has_controls
    for id in by_id if is_blind else units:
        line = _without_detectors(by_id[id]) if is_blind else by_id[id]
        spoken = [one[id] for one in (*(() if is_blind else said), *reasons) if _speaks(one[id])]
        line = with_notes(with_said(line, spoken), notes)
        yield line.with_judgements(make_form(line, units[id]))


def _without_detectors(line: Annotated) -> Annotated:
    people = tuple(each for each in line.judgements if each.author.kind == "person")
    return replace(line, judgements=people)


def _speaks(judgement: Judgement) -> bool:
    """Whether a detector says anything at all."""
    return not all(isinstance(e, Failure) and e.reason == "missing" for e in judgement.outcomes)
