"""What `assay evaluate` and `assay compare` do once their options are read."""

import json
import sys
from dataclasses import dataclass, replace
from typing import cast, get_args

from rich.console import Console
from rich.table import Table

from assay.core.errors import InputError, UnknownNameError
from assay.core.examples import Example
from assay.core.readings import reading
from assay.core.writing import replacing, require_writable
from assay.datasets.conversion import is_converted
from assay.datasets.corpus import CORPORA, Corpus
from assay.datasets.fields import Columns
from assay.datasets.files import Problem
from assay.datasets.opening import open_examples
from assay.detectors.fold import Rule
from assay.evaluate.board import EvaluationReport, Settings, evaluate_judges, make_report
from assay.evaluate.comparison import PairComparison, compare
from assay.evaluate.gold import GoldUnit, Pool
from assay.evaluate.items import Reading
from assay.evaluate.judged import Judged
from assay.report.evaluation_table import (
    LEGEND,
    comparison_document,
    csv_table,
    json_document,
    markdown_table,
    terminal_tables,
)


@dataclass(frozen=True, slots=True)
class Request:
    """The corpus and the reading that the user named."""

    dataset: str
    data: str | None
    reading: str
    unit: str
    pool: str
    threshold: str
    fold: str
    split: str
    columns: Columns
    model: str = ""
    runs: str | None = None

    def settings(self) -> Settings:
        """The settings, if every name is one."""
        if self.reading:
            reading(self.reading)
        unit = cast(GoldUnit, _choice("unit", self.unit, get_args(GoldUnit)))
        pool = cast(Pool, _choice("pool", self.pool, get_args(Pool)))
        names = [name.strip() for name in self.fold.split(",")]
        rules = tuple(cast(Rule, _choice("fold", name, get_args(Rule))) for name in names)
        return Settings(
            Reading(unit, pool, self.reading),
            _threshold(self.threshold),
            rules,
            model=self.model,
            runs=self.runs,
        )

    def load(self) -> "Loaded":
        """The examples of the corpus or file, and the repairs that were made."""
        if not self.dataset:
            raise InputError("name a corpus: --dataset NAME ('assay data list' shows them)")
        is_ours = self.dataset in CORPORA or is_converted(self.dataset)
        opened = open_examples(self.dataset, self.data, Columns() if is_ours else self.columns)
        examples, left_out = [], set()
        for each in opened:
            if isinstance(each, Problem):  # a part of a file is never reported as the whole
                raise InputError(f"{each}; mend it or take it out, then evaluate again")
            if not self.split or each.split == self.split:
                examples.append(each)
            else:
                left_out.add(each.id)
        if not examples:
            choices = ", ".join(opened.card.splits) if isinstance(opened, Corpus) else ""
            wanted = f"split '{self.split}'; its splits: {choices or 'none'}"
            raise InputError(f"{self.dataset} has no {wanted if self.split else 'examples'}")
        if not isinstance(opened, Corpus):
            return Loaded(examples, frozenset(left_out))
        return Loaded(examples, frozenset(left_out), str(opened.repairs), opened.card.labels)


@dataclass(frozen=True, slots=True)
class Loaded:
    """The examples to evaluate, the ids of those of other splits, and what a card says of them."""

    examples: list[Example]
    left_out: frozenset[str]
    repairs: str = ""
    labels: str = ""


@dataclass(frozen=True, slots=True)
class Outputs:
    """Where the figures go."""

    as_json: bool
    csv: str | None
    markdown: str | None
    html: str | None


def run_evaluate(request: Request, judges: list[str], outputs: Outputs) -> None:
    """Prints the table, and writes what else was asked for."""
    settings = request.settings()
    for path in filter(None, (outputs.csv, outputs.markdown, outputs.html)):
        require_writable(path)
    loaded = request.load()
    settings = replace(settings, left_out=loaded.left_out)
    report = replace(
        make_report(request.dataset, loaded.examples, judges, settings, loaded.repairs),
        labels=loaded.labels,
    )
    _write(outputs.csv, csv_table(report))
    _write(outputs.markdown, markdown_table(report))
    if outputs.html:
        from assay.report.evaluation_page import write_evaluation_page

        write_evaluation_page(outputs.html, report)
    if outputs.as_json:
        sys.stdout.write(json.dumps(json_document(report), ensure_ascii=False, indent=1) + "\n")
    else:
        _show(report)


def run_compare(request: Request, first: str, second: str, *, as_json: bool, show: int) -> None:
    """Prints the paired test, errors by gold label, and items where the two differ."""
    settings = request.settings()
    loaded = request.load()
    settings = replace(settings, left_out=loaded.left_out)
    if len(settings.rules) > 1:
        raise InputError("two detectors are compared under one fold; name one with --fold")
    one, other = evaluate_judges(request.dataset, loaded.examples, [first, second], settings)
    pair = compare(one, other, settings.resampling)
    if as_json:
        document = comparison_document(pair)
        sys.stdout.write(json.dumps(document, ensure_ascii=False, indent=1) + "\n")
    else:
        menus = dict.fromkeys(each.item.gold.taxonomy for each in one.judged)
        reading = f"{settings.reading.describe(menus)}; {settings.describe()}"
        _show_pair(pair, f"{request.dataset}: {reading}", len(one.judged), show)


def _show(report: EvaluationReport) -> None:
    console = Console()
    for table in terminal_tables(report, console.width):
        console.print(table)
    console.print(LEGEND, style="dim")
    if report.labels:
        console.print(f"labels: {report.labels}", style="dim", soft_wrap=True)
    if report.repairs:
        console.print(f"repairs: {report.repairs}", style="dim", soft_wrap=True)


def _show_pair(pair: PairComparison, about: str, items: int, show: int) -> None:
    console = Console()
    accuracy = pair.balanced_accuracy
    console.print(about, style="dim", soft_wrap=True)
    counted = f"{pair.n:,} of {items:,} items, which the reading counts and both judged"
    console.print(f"{pair.first} against {pair.second} on {counted}", soft_wrap=True)
    console.print(
        f"balanced accuracy {_number(accuracy.first)} and {_number(accuracy.second)}; "
        f"difference {accuracy.difference}; p = {_number(accuracy.p_value)} (paired bootstrap)"
    )
    console.print(
        f"only the first right {pair.right.only_first:,}, only the second "
        f"{pair.right.only_second:,}; p = {_number(pair.right.p_value)} "
        f"(McNemar, {pair.right.test}; items taken as independent)"
    )
    kinds = ("both right", "first wrong", "second wrong", "both wrong")
    table = Table("gold label", *kinds)
    for name, counts in pair.errors_by_gold.items():
        table.add_row(name, *(f"{counts.get(kind, 0):,}" for kind in kinds))
    console.print(table)
    console.print(f"{len(pair.differences):,} items differ")
    for each in pair.differences[:show]:
        unit = " ".join(each.first.item.unit.text.split())[:160]
        said = f"{_word(each.first)} / {_word(each.second)}"
        console.print(f"  {each.first.item.example}  gold {each.first.item.gold}, {said}: {unit}")


def _word(judged: Judged) -> str:
    return "faithful" if judged.faithful else "unfaithful"


def _number(value: float | None) -> str:
    return "undefined" if value is None else f"{value:.3f}"


def _choice(what: str, name: str, choices: tuple[str, ...]) -> str:
    if name not in choices:
        raise UnknownNameError(what, name, choices)
    return name


def _threshold(text: str) -> float | str | None:
    if not text:
        return None
    try:
        value = float(text)
    except ValueError:
        return text
    if not 0 <= value <= 1:
        raise InputError(f"a threshold is a label or a score between 0 and 1, not {text}")
    return value


def _write(path: str | None, text: str) -> None:
    if path:
        with replacing(path) as part:
            part.write_text(text, encoding="utf-8")
