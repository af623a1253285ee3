"""The tables that can be recomputed, by name, and the data that they are recomputed from."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from assay.core.errors import InputError, UnknownNameError
from assay.core.examples import Annotated
from assay.datasets.corpus import data_root, load_corpus
from assay.evaluation.reproduce.cells import Figure


class ReleasedData:
    """The corpora and files below one folder; a corpus that several tables need is read once."""

    def __init__(self, root: str | Path | None = None) -> None:
        self.root = data_root(root)
        if not self.root.is_dir():
            raise InputError(
                f"there is no released data at {self.root}", code="no-data", field="data"
            )
        self._loaded: dict[str, list[Annotated]] = {}

    def file(self, name: str) -> Path:
        """A file that belongs to no corpus; without it the table cannot be computed."""
        path = self.root / name
        if not path.is_file():
            raise InputError(f"{name} is not at {self.root}", code="no-data", field="data")
        return path

    def load(self, name: str) -> list[Annotated]:
        """The examples of a corpus with all that was said about them."""
        if name not in self._loaded:
            self._loaded[name] = list(load_corpus(name, self.root))
        return self._loaded[name]


Computation = Callable[[ReleasedData], Iterable[Figure]]


@dataclass(frozen=True, slots=True)
class PublishedTable:
    """A published table: `computation` is `module:function` in this package.

    `needs` names the corpora, or files, that it is computed from; both are empty where these are
    not released.
    """

    title: str
    how: str
    computation: str = ""
    needs: tuple[str, ...] = ()

    def compute(self, data: ReleasedData) -> Iterable[Figure]:
        """Our figures for it."""
        if not self.computation:
            return ()
        module, _, name = self.computation.partition(":")
        function: Computation = getattr(import_module(f"{__package__}.{module}"), name)
        return function(data)


TABLES = {
    "verigray-notebook": PublishedTable(
        "VeriGray, figures printed in the authors' notebook",
        "from its 7 x 7 confusion matrices; gray annotations are left out of the rates",
        "verigray:notebook_figures",
        needs=("verigray/confusions.json",),
    ),
    "verigray-table4": PublishedTable(
        "VeriGray, Table 4, the two LLMs whose matrices are released",
        "from the same matrices, which are of another version of the labels than the table",
        "verigray:table4_figures",
        needs=("verigray/confusions.json",),
    ),
    "faithbench-table1": PublishedTable(
        "FaithBench, Table 1: LLMs by rate of hallucination",
        "750 selected summaries, worst class of the selected annotators",
        "faithbench:table1_figures",
        needs=("faithbench-paper",),
    ),
    "faithbench-table2": PublishedTable(
        "FaithBench, Table 2: detectors on whole summaries",
        "the same labels, benign is faithful; a missing prediction counts as wrong",
        "faithbench:table2_figures",
        needs=("faithbench-paper",),
    ),
    "faithbench-table3": PublishedTable(
        "FaithBench, Table 3: detectors on sentences",
        "all 800 summaries, benign is hallucinated; claims paired as published, and as they belong",
        "faithbench:table3_figures",
        needs=("faithbench-sentences",),
    ),
    "faithbench-agreement": PublishedTable(
        "FaithBench, section 3.1: Krippendorff's alpha",
        "authors' convention: interval alpha by batch, averaged; standard: nominal alpha, pooled",
        "faithbench:agreement_figures",
        needs=("faithbench-paper",),
    ),
    "faithjudge-leaderboard": PublishedTable(
        "FaithJudge, leaderboard of 46 LLMs",
        "counts of inconsistent or invalid responses; overall rate = summed counts / responses",
        "faithjudge:leaderboard_figures",
        needs=("faithjudge-judged",),
    ),
    "faithjudge-table3": PublishedTable(
        "FaithJudge, Table 3: the judge on FaithBench, of which the labels can be recomputed",
        "the class that most annotators give, the most severe of equally frequent ones; who marked "
        "nothing votes consistent",
        "faithjudge:table3_figures",
        needs=("faithbench-paper", "faithjudge-peers"),
    ),
    "faithjudge-table4": PublishedTable(
        "FaithJudge, Table 4: two prompts on four tasks",
        "not released",
    ),
    "faithjudge-table5": PublishedTable(
        "FaithJudge, Table 5: three judges and their majority on four tasks",
        "not released",
    ),
    "revisiting-table1": PublishedTable(
        "Revisiting Faithfulness Annotations, Table 1: sizes of three benchmarks",
        "what the files list; a benchmark whose files are not here is left out",
        "revisiting:size_figures",
        needs=("storysumm", "verigray-20251007", "farebio"),
    ),
    "revisiting-table2": PublishedTable(
        "Revisiting Faithfulness Annotations, Table 2: outcome of the audit",
        "the sizes as in Table 1; the audit itself is not released",
        "revisiting:audit_figures",
        needs=("storysumm", "verigray-20251007", "farebio"),
    ),
    "revisiting-table4": PublishedTable(
        "Revisiting Faithfulness Annotations, Table 4: systems before and after the revision",
        "not released",
    ),
    "vectara-2024-10-02": PublishedTable(
        "Vectara's hallucination leaderboard of 2024-10-02",
        "share of the summaries that are not empty with an HHEM-2.1 score below 0.5",
        "faithjudge:rate_figures",
        needs=("leaderboard",),
    ),
}


def find_tables(names: Iterable[str]) -> dict[str, PublishedTable]:
    """The tables of these names, or all of them if none is named."""
    wanted = list(names) or list(TABLES)
    for name in wanted:
        if name not in TABLES:
            raise UnknownNameError("table", name, TABLES, field="tables")
    return {name: TABLES[name] for name in wanted}
