"""Agreement of annotators: of a project in the studio, of a corpus, or of a file of one's own."""

from collections.abc import Collection, Iterable, Mapping
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeVar

from assay.core.errors import InputError
from assay.core.examples import Annotated, Example
from assay.core.judgements import GOLD, Judgement
from assay.core.labels import Label
from assay.core.problems import Problem
from assay.core.system.files import is_file
from assay.core.taxonomies import FAITHBENCH, taxonomy
from assay.core.texts import Response, Source
from assay.core.units import RESPONSE
from assay.datasets.corpus import corpus_names, find_card
from assay.datasets.formats.ballots import BallotRow, is_ballots, lacking_names, read_ballots
from assay.datasets.formats.flat import is_table, read_labels
from assay.datasets.selection import MOST_PROBLEMS, DataChoice
from assay.evaluation.agreement.agreement import (
    Agreed,
    AgreementFigures,
    Convention,
    Kind,
    PublishedAlpha,
    all_figures,
)
from assay.evaluation.agreement.ratings import AgreementCounter
from assay.evaluation.reproduce.cells import read_published
from assay.evaluation.reproduce.faithbench import agreement_figures
from assay.evaluation.reproduce.tables import ReleasedData

if TYPE_CHECKING:
    from assay.annotation.studio import Person, Studio

__all__ = ["Convention"]

T = TypeVar("T")

STUDIO = "studio:"
_TABLE = "faithbench-agreement"
_UNASKED = (
    "Who did not rate a unit has no rating there, and a label outside a reading is a missing "
    "rating: it is left out of that reading and counts in its coverage."
)
_SILENT = (
    "FaithBench keeps no trace of an annotator who found nothing: a regular annotator of a batch "
    "who marked nothing in a summary is taken to call it consistent."
)
_WITHOUT_SOURCES = (
    "The table has no sources: intervals resample examples, and are too narrow where several are "
    "about the same source."
)
_UNKNOWN_ROUND = (
    "The data does not say whether people had discussed what they rated: the round is unknown."
)
_BY_BATCH = (
    "Alpha is FaithBench's: classes are equally spaced numbers (interval alpha), each batch has an "
    "alpha of its own, which is 1 where everybody gave one class, and the mean is shown. Readings "
    "without an order are left out. Raw agreement and the kappas are over all units."
)
_ONE_BATCH = "The data has no batches, so that all of it is one."
_PAPER: Mapping[Convention, str] = {
    "standard": "The paper takes the classes as equally spaced numbers (interval alpha), averages "
    "over its 16 batches, and counts a batch with one class only as 1; ours is nominal, over all "
    "units.",
    "faithbench": "The authors also count the 50 samples that their tables leave out, and see no "
    "class in a sub-label without its parent: the last column does so too.",
}


def agree(data: DataChoice, convention: Convention = "standard") -> Agreed:
    """The agreement of the annotators of a corpus, or of a file or folder of annotations.

    The columns of the choice name the labels of a table, and their taxonomy.
    """
    target = data.target
    counter, notes = AgreementCounter(), [_UNASKED]
    rows = blank = 0
    is_corpus = target in corpus_names()
    if not is_corpus and is_file(target) and is_table(target):
        _count_judgements(counter, target)
        notes.append(_WITHOUT_SOURCES)
    elif not is_corpus and is_ballots(target, label := data.columns.label or "label"):
        ballots = _usable(read_ballots(target, data.columns.taxonomy, label))
        rows, blank = len(ballots), sum(each.label is None for each in ballots)
        notes += _count_ballots(counter, data, ballots)
    else:
        _refuse_other_tables(data)
        for each in data.examples():
            counter.add(each)
    found = _figures(counter, target, convention)
    if counter.first_round == "unknown":
        notes.append(_UNKNOWN_ROUND)
    if blank:
        notes.append(f"{blank:,} of {rows:,} labels are blank, which is no rating.")
    notes += _about(convention, counter.batches)
    is_faithbench = _is_faithbench(data)
    if is_faithbench:
        notes.append(_SILENT)
    published = _published(found, data.folder) if is_faithbench else ()
    if published:
        notes.append(_PAPER[convention])
    people = tuple(sorted(counter.annotators))
    return Agreed(target, people, found, tuple(notes), published, convention, rows, blank)


def _about(convention: Convention, batches: Collection[object]) -> list[str]:
    """The convention for alpha in words; empty for the usual one."""
    if convention == "standard":
        return []
    return [_BY_BATCH] if len(batches) > 1 else [_BY_BATCH, _ONE_BATCH]


def agree_in_studio(
    studio: "Studio", who: "Person", slug: str, convention: Convention = "standard"
) -> Agreed:
    """The agreement of the annotators of a project, before and after discussion."""
    from assay.annotation.access import require
    from assay.annotation.figures.agreement import agreements, is_discussed
    from assay.annotation.figures.ratings import rated_items
    from assay.annotation.settings import read_settings

    with studio.read() as connection:
        project: Any = require(connection, who, "see-board", slug)
        rated = rated_items(studio, connection, project)
    settings = read_settings(project.settings)
    kinds: list[Kind] = ["sentence"] if settings.has_sentences else []
    kinds += ["response"] if settings.has_spans else []
    rounds = ("first", "discussed") if is_discussed(rated) else ("first",)
    figures = tuple(
        each
        for each in agreements(rated, kinds, pairs_everywhere=True, convention=convention)
        if each.alpha.n and each.round in rounds
    )
    names = {name for item in rated for name in item.first()}
    if not figures:
        raise _nothing(f"the project '{slug}'", names, "whose annotation is over")
    blind = "Items that are still annotated blind do not count, and neither do reviewers."
    marked = "Who marked no span in a response called it consistent."
    notes = [_UNASKED, blind, *((marked,) if "response" in kinds else ())]
    notes += _about(convention, {item.batch for item in rated})
    people = tuple(sorted(names))
    return Agreed(f"{STUDIO}{slug}", people, figures, tuple(notes), convention=convention)


def _figures(
    counter: AgreementCounter, target: str, convention: Convention
) -> tuple[AgreementFigures, ...]:
    shared = [(round_, each) for round_, some in counter.rounds().items() for each in some]
    if not shared:
        raise _nothing(target, counter.annotators)
    found = tuple(
        figures
        for round_, ratings in shared
        for figures in all_figures(ratings, round_, pairs_everywhere=True, convention=convention)
    )
    if not found:
        raise InputError(
            f"the labels of {target} have no order, and FaithBench's alpha takes them as numbers; "
            "take the standard one",
            field="convention",
        )
    return found


def _nothing(what: str, names: Iterable[str], which: str = "") -> InputError:
    known = sorted(names)
    if not known:
        message = f"{what} names no annotators; agreement takes two who judged the same unit"
    elif len(known) == 1:
        message = f"{what} has one annotator, '{known[0]}'; agreement takes two"
    else:
        unit = " ".join(filter(None, ("unit", which)))
        message = f"no {unit} of {what} was judged by two of its {len(known):,} annotators"
    return InputError(message, code="no-annotators")


def _count_judgements(counter: AgreementCounter, path: str) -> None:
    """A table of annotations; its examples have no texts, so that each stands for its source."""
    said: dict[str, list[Judgement]] = {}
    for each in _usable(read_labels(path)):
        if each.author.kind == "person" and each.author != GOLD:
            said.setdefault(each.example, []).append(each)
    for example, given in said.items():
        whole = (each.by_id[RESPONSE].text for each in given if RESPONSE in each.by_id)
        texts = Source(example), Response(next(whole, "") or example)
        counter.add(Annotated(Example(example, *texts), tuple(given)))


def _count_ballots(
    counter: AgreementCounter, data: DataChoice, ballots: Iterable[BallotRow]
) -> list[str]:
    """A table of labels; a second label by the same annotator raises."""
    units: dict[tuple[str, str], dict[str, Label]] = {}
    first: dict[tuple[str, str], BallotRow] = {}
    for each in ballots:
        key = each.item, each.unit
        votes = units.setdefault(key, {})
        if each.label and each.annotator in votes:
            where = f"'{each.item}'" + (f", {each.unit}" if each.unit else "")
            raise InputError(f"{data.target}: {each.annotator} has two labels for {where}")
        if each.label:
            votes[each.annotator] = each.label
        first.setdefault(key, each)
    menu = taxonomy(data.columns.taxonomy).name
    for key, votes in units.items():
        about = first[key]
        counter.add_votes(about.kind, menu, votes, about.source, about.batch)
    return [_WITHOUT_SOURCES] if all(first[key].source == key[0] for key in units) else []


def _refuse_other_tables(data: DataChoice) -> None:
    """Raises for rows of which none can be what an annotator said: what they lack is told."""
    from assay.datasets.formats.detection import form_of

    if data.target in corpus_names():
        return
    lacking = lacking_names(data.target, data.columns.label or "label")
    if lacking and form_of(data.target) in ("plain", "parts"):
        raise InputError(
            f"{data.target}: a table of annotations needs an id, an annotator and a label in each "
            f"row; it has no field {' and no field '.join(lacking)}",
            code="no-annotators",
            field="label_field" if lacking == [data.columns.label or "label"] else "",
        )


def _usable(rows: Iterable[T | Problem]) -> list[T]:
    """All rows of a table; what is wrong with the first few raises, the same thing once."""
    read = list(rows)
    problems = [each for each in read if isinstance(each, Problem)]
    if problems:
        places: dict[str, list[str]] = {}
        for each in problems:
            places.setdefault(each.message, []).append(each.where)
        told = [
            f"{where[0]}: {message.rstrip('.')}"
            + (f" (in {len(where):,} rows)" if where[1:] else "")
            for message, where in islice(places.items(), MOST_PROBLEMS)
        ]
        fields = {each.field for each in problems}
        field = fields.pop() if len(fields) == 1 else ""
        raise InputError("; ".join(told), code="bad-rows", field=field)
    return [each for each in read if not isinstance(each, Problem)]


def _is_faithbench(data: DataChoice) -> bool:
    """True for FaithBench's annotations: a corpus of them, or files in its form."""
    from assay.datasets.formats.detection import form_of

    if data.target in corpus_names():
        card = find_card(data.target)
        return card.taxonomy == FAITHBENCH.name and card.folder == "faithbench"
    return form_of(data.target) == "faithbench"


def _published(
    figures: Iterable[AgreementFigures], folder: str | None
) -> tuple[PublishedAlpha, ...]:
    """The figures of FaithBench's paper, beside ours of the same readings."""
    ours = {each.reading: each.alpha for each in reversed(tuple(figures))}  # of the first round
    found = {each.row: each for each in read_published(_TABLE) if "paper" in each.published_in}
    theirs = _in_authors_way(folder)
    return tuple(
        PublishedAlpha(
            row, each.value, each.published_in, ours[row].value, ours[row].n, theirs.get(row)
        )
        for row, each in found.items()
        if row in ours
    )


def _in_authors_way(folder: str | None) -> dict[str, float | None]:
    """Alpha as the authors compute it, by reading; nothing where their files are not here."""
    try:
        figures = list(agreement_figures(ReleasedData(folder)))
    except InputError:
        return {}
    return {each.row: each.value for each in figures if "authors" in each.metric}
