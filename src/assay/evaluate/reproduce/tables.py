"""The tables that can be recomputed, by name."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib import import_module

from assay.core.errors import UnknownNameError
from assay.evaluate.reproduce.cells import Figure
from assay.evaluate.reproduce.shelf import Shelf

Computation = Callable[[Shelf], Iterable[Figure]]


@dataclass(frozen=True, slots=True)
class Table:
    """A published table: `computation` is `module:function` in this package."""

    title: str
    how: str
    computation: str

    def compute(self, shelf: Shelf) -> Iterable[Figure]:
        """Our figures for it, from the released data."""
        module, _, name = self.computation.partition(":")
        function: Computation = getattr(import_module(f"{__package__}.{module}"), name)
        return function(shelf)


TABLES = {
    "verigray-notebook": Table(
        "VeriGray, figures printed in the authors' notebook",
        "from its 7 x 7 confusion matrices; gray annotations are left out of the rates",
        "verigray:notebook_figures",
    ),
    "verigray-table4": Table(
        "VeriGray, Table 4, the two LLMs whose matrices are released",
        "from the same matrices, which are of another version of the labels than the table",
        "verigray:table4_figures",
    ),
    "faithbench-table1": Table(
        "FaithBench, Table 1: LLMs by rate of hallucination",
        "750 selected summaries, worst class of the selected annotators",
        "faithbench_tables:table1_figures",
    ),
    "faithbench-table2": Table(
        "FaithBench, Table 2: detectors on whole summaries",
        "the same labels, benign is faithful; a missing prediction counts as wrong",
        "faithbench_tables:table2_figures",
    ),
    "faithbench-table3": Table(
        "FaithBench, Table 3: detectors on sentences",
        "all 800 summaries, benign is hallucinated; claims paired as published, and as they belong",
        "faithbench_sentences:table3_figures",
    ),
    "faithbench-agreement": Table(
        "FaithBench, section 3.1: Krippendorff's alpha",
        "authors' convention: interval alpha by batch, averaged; standard: nominal alpha, pooled",
        "faithbench_agreement:agreement_figures",
    ),
    "faithjudge-leaderboard": Table(
        "FaithJudge, leaderboard of 46 LLMs",
        "counts of inconsistent or invalid responses; overall rate = summed counts / responses",
        "faithjudge_board:leaderboard_figures",
    ),
    "vectara-2024-10-02": Table(
        "Vectara's hallucination leaderboard of 2024-10-02",
        "share of the summaries that are not empty with an HHEM-2.1 score below 0.5",
        "leaderboard_rates:rate_figures",
    ),
}


def find_tables(names: Iterable[str]) -> dict[str, Table]:
    """The tables of these names, or all of them if none is named."""
    wanted = list(names) or list(TABLES)
    for name in wanted:
        if name not in TABLES:
            raise UnknownNameError("table", name, TABLES)
    return {name: TABLES[name] for name in wanted}
