"""What `assay data stats`, `convert` and `validate` do once their options are read."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from typing import Any

from rich.console import Console, RenderableType
from rich.status import Status
from rich.text import Text

from assay.cli.check_run import Problems
from assay.cli.data_cards import make_console, print_json
from assay.core.errors import InputError
from assay.core.examples import Example
from assay.datasets.conversion import convert
from assay.datasets.corpus import Corpus
from assay.datasets.fields import Columns
from assay.datasets.files import Problem
from assay.datasets.opening import open_examples
from assay.datasets.overlaps import Overlaps, find_overlaps
from assay.datasets.presence import file_states
from assay.datasets.repairs import Repairs
from assay.datasets.validation import Finding, validate
from assay.evaluate.corpus_stats import StatsCollector
from assay.evaluate.label_counts import response_label
from assay.report.corpus_view import stats_document, stats_view, table_view


@dataclass(frozen=True, slots=True)
class Request:
    """The corpus or file that the user named, and how to read it."""

    target: str
    data: str | None
    columns: Columns
    language: str

    def open(self) -> "Corpus | Iterable[Example | Problem]":
        """The corpus of that name, or else the examples in the file of that name."""
        return open_examples(self.target, self.data, self.columns, self.language)


def run_stats(request: Request, *, overlap: bool, as_json: bool) -> int:
    """Counts everything in one pass, prints it, and gives 2 if some rows could not be read."""
    opened = request.open()
    problems = Problems(None)
    collector = StatsCollector()
    with _busy(f"reading {request.target}"):
        for example in _readable(opened, problems):
            collector.add(example)
    problems.close()
    stats = collector.stats()
    overlaps = None
    if overlap:
        with _busy("comparing sources with the other corpora"):
            overlaps = find_overlaps(collector.prints, request.data, skip=request.target)
    repairs = _repairs(opened)
    if as_json:
        about: dict[str, Any] = {"name": request.target, **stats_document(stats)}
        about["overlaps"] = asdict(overlaps) if overlaps else None
        print_json({**about, "repairs": _repair_records(repairs), "problems": problems.count})
    else:
        heading = f": {opened.card.title}" if isinstance(opened, Corpus) else ""
        views = (stats_view(stats), _overlap_view(overlaps), _repair_view(repairs))
        _print(request.target + heading, *views)
    return 2 if problems.count else 0


def run_convert(request: Request, target: str) -> int:
    """Writes the examples, says what was mended on the way, and gives 2 if rows were unreadable."""
    opened = request.open()
    problems = Problems(None)
    origins: Counter[str] = Counter()

    def labelling(example: Example) -> tuple[str, str]:
        label, label_from = response_label(example)
        origins[label_from or "none"] += 1
        return label, label_from

    with _busy(f"converting {request.target}"):
        count = convert(_readable(opened, problems), target, labelling)
    problems.close()
    labels = "; ".join(f"{origin} {times:,}" for origin, times in origins.items())
    heading = f"written to {target}: examples {count:,}" + (labels and f"; labels: {labels}")
    _print(heading, _repair_view(_repairs(opened)))
    return 2 if problems.count else 0


def run_validate(request: Request, *, as_json: bool) -> int:
    """Counts what is wrong, and gives 2 if anything is."""
    opened = request.open()
    card = opened.card if isinstance(opened, Corpus) else None
    files = file_states(card, request.data) if card else ()
    with _busy(f"reading {request.target}"):
        validation = validate(opened, card, files)
    repairs = _repairs(opened)
    if as_json:
        print_json(
            {"name": request.target, **asdict(validation), "repairs": _repair_records(repairs)}
        )
    else:
        heading = (
            f"{request.target}: examples {validation.examples:,}, without a gold label "
            f"{validation.unlabelled:,}, problems {validation.problems:,}"
        )
        _print(heading, _finding_view(validation.findings), _repair_view(repairs))
    return 2 if validation.problems else 0


def _readable(items: Iterable[Example | Problem], problems: Problems) -> Iterator[Example]:
    """The examples; rows that cannot be read are told, and no example at all raises."""
    count = 0
    for item in items:
        if isinstance(item, Problem):
            problems(item)
        else:
            count += 1
            yield item
    if not count:
        raise InputError("the input has no examples")


def _busy(what: str) -> Status:
    """Says on a terminal what takes its time."""
    return Console(stderr=True).status(what)


def _print(heading: str, *views: Iterable[RenderableType]) -> None:
    console = make_console()
    console.print(heading, style="bold", markup=False, highlight=False, soft_wrap=True)
    for view in views:
        for each in view:
            console.print(each)


def _repairs(opened: object) -> Repairs:
    return opened.repairs if isinstance(opened, Corpus) else Repairs()


def _repair_records(repairs: Repairs) -> list[dict[str, Any]]:
    return [
        {"name": name, "count": count, "meaning": repairs.meanings[name]}
        for name, count in repairs.counts.items()
    ]


def _repair_view(repairs: Repairs) -> Iterator[RenderableType]:
    rows = [(name, repairs.meanings[name], f"{count:,}") for name, count in repairs.counts.items()]
    if rows:
        yield table_view("repairs made while reading", ("repair", "what", "times"), rows, words=2)


def _overlap_view(overlaps: Overlaps | None) -> Iterator[RenderableType]:
    """The corpora with sources in common, and those that nothing can be said of."""
    if overlaps is None:
        return
    rows = [
        (each.corpus, f"{each.h80:,}", f"{each.h200:,}", f"{each.sources:,}")
        for each in overlaps.shared
    ]
    if rows:
        headers = ("corpus", "h80", "h200", "its sources")
        yield table_view("sources shared with other corpora", headers, rows)
    yield Text(
        f"\nshared with {len(rows)} of {len(overlaps.compared)} other corpora that are here, by "
        f"hashes of how a source begins (h80: {overlaps.h80:,} different, h200: "
        f"{overlaps.h200:,}; too short: {overlaps.short:,})"
    )
    for name, reason in overlaps.unread.items():
        yield Text(f"{name} could not be read: {reason}")


def _finding_view(findings: Iterable[Finding]) -> Iterator[RenderableType]:
    rows = [
        (each.name, f"{each.meaning}, for example:\n" + "\n".join(each.places), f"{each.count:,}")
        for each in findings
    ]
    if rows:
        yield table_view("problems", ("problem", "what and where", "times"), rows, words=2)
