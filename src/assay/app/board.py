"""Boards: LLMs ranked by how often they hallucinate, and the judges that say so."""

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast, get_args
from typing import Annotated as With

from threadpoolctl import ThreadpoolController

from assay.app.board_detectors import Measuring, measured
from assay.app.evaluate import EvaluateRequest
from assay.app.judging import EACH_MODEL, Asking, AskingArguments
from assay.app.panels import Panel, board_data, estimate_panel, open_panel, refuse_unmet
from assay.app.results import data_frame
from assay.board.building import BoardSettings, Built, build
from assay.board.judges import own_llms
from assay.board.results import Board, Judge, board_document
from assay.board.rows import Row, judged_rows
from assay.core.errors import InputError, UnknownNameError
from assay.core.examples import Annotated
from assay.core.judgements import GOLD, Judgement, Judgements
from assay.core.options import Argument, Option, Takes, require_choices
from assay.core.pooling import GoldBasis, Pool, Voices
from assay.datasets.corpus import recorded_llm
from assay.datasets.selection import DataChoice
from assay.datasets.survey import content
from assay.engine.estimate import RunEstimate
from assay.evaluation.evaluate import name_of
from assay.evaluation.levels import Counting, RefusalRule
from assay.evaluation.policy import POOL, Invalid
from assay.evaluation.references import recorded_detectors
from assay.evaluation.responses import (
    Duplicates,
    JudgeCodes,
    Responses,
    ResponseTable,
    gold_judgement,
    pooled_gold,
)
from assay.metrics import Resampling

if TYPE_CHECKING:
    from pandas import DataFrame


@dataclass(frozen=True, slots=True)
class BoardRequest:
    """The data, the judges, and how a board is made of them.

    Without judges, people's labels where there are some, and every recorded detector. `own` says
    which LLM a judge asks, where nothing else tells.
    """

    data: With[
        DataChoice,
        Takes(
            "language sample seed",
            dataset=Argument(
                "Responses of several LLMs: a corpus ('assay data list' names them) or a file.",
                "DATA",
            ),
        ),
    ]
    asking: With[Asking, Takes(model=EACH_MODEL)] = field(default_factory=Asking)
    judges: With[
        tuple[str, ...],
        Argument(
            "Who says what is hallucinated: gold (people), recorded detectors of the data, runs as "
            "run:NAME, files of judgements (.json, .parquet, DIR/), or detectors to run; by "
            "default gold where there is some, and all recorded detectors.",
            "JUDGE",
        ),
    ] = ()
    title: With[str, Option("Title of the board.")] = ""
    levels: With[
        tuple[str, ...],
        Option(
            "Only these levels, as in unwanted,benign; by default all that the labels allow.",
            "NAME,...",
            commas=True,
        ),
    ] = ()
    invalid: With[
        str,
        Option(
            "What becomes of responses that a judge calls invalid: counted apart, or as "
            "hallucinated, as FaithJudge does.",
            choices=get_args(Invalid),
        ),
    ] = "apart"
    refusals: With[
        str,
        Option(
            "What becomes of replies that decline or are empty: counted apart, as the judge says, "
            "or as hallucinated.",
            choices=get_args(RefusalRule),
        ),
    ] = "apart"
    duplicates: With[
        str,
        Option(
            "What becomes of a second response of an LLM to a source: an error, or left out.",
            choices=get_args(Duplicates),
        ),
    ] = "refuse"
    by_task: With[bool, Option("Rank the LLMs in each task as well.")] = False
    common: With[bool, Option("Use only sources that every LLM has a verdict on.")] = False
    replicates: With[int, Option("How often sources are drawn for the intervals.", "N")] = 1000
    seed: With[int, Option("Seed of these draws.", "S")] = 0
    own: With[
        Mapping[str, str],
        Option(
            "The LLM that a judge asks, so that what it says of itself is marked; may be repeated.",
            "JUDGE=LLM",
            several=True,
            reads=lambda given: read_own(given),
        ),
    ] = field(default_factory=dict)
    pool: With[str, POOL] = ""

    def __post_init__(self) -> None:
        if self.invalid == "failure":  # the word of `evaluate` before 0.3
            object.__setattr__(self, "invalid", "apart")

    def pooled(self) -> Pool:
        """The rule by which labels of several annotators become one."""
        asked = EvaluateRequest(self.data, self.asking, unit="response", pool=self.pool)
        return asked.settings().policy.pool

    def settings(self) -> BoardSettings:
        """The settings of the board; raises for a name that is none."""
        require_choices(self)
        if self.replicates < 1:
            raise InputError(
                f"replicates must be 1 or more, not {self.replicates}", field="replicates"
            )
        if self.seed < 0:
            raise InputError(f"the seed must be 0 or more, not {self.seed}", field="seed")
        counting = Counting(cast(Invalid, self.invalid), cast(RefusalRule, self.refusals))
        return BoardSettings(
            title=self.title,
            counting=counting,
            levels=self.levels,
            by_task=self.by_task,
            is_common=self.common,
            resampling=Resampling(self.replicates, seed=self.seed),
        )


class BoardArguments(AskingArguments, total=False):
    """The same as arguments of a Python function."""

    title: str
    levels: Sequence[str]
    invalid: str
    refusals: str
    duplicates: str
    by_task: bool
    common: bool
    replicates: int
    seed: int
    own: Mapping[str, str] | None
    pool: str
    peers: str


def read_own(given: Iterable[str]) -> dict[str, str]:
    """The LLM of each judge, from words such as `run:a=openai/gpt-4o`."""
    found = {}
    for each in given:
        judge, sign, model = each.rpartition("=")
        if not (sign and judge.strip() and model.strip()):
            raise InputError(f"'{each}' is not of the form JUDGE=LLM", field="own")
        found[judge.strip()] = model.strip()
    return found


@dataclass(frozen=True, slots=True, repr=False)
class BoardResult:
    """A board, and the responses behind it, which are read again when they are wanted."""

    board: Board
    _built: Built
    _responses: Responses
    _panel: Panel
    _pool: Pool

    def __repr__(self) -> str:
        return f"<board of {len(self.board.models)} LLMs on {self.board.dataset}>"

    def rows(self) -> Iterator[Row]:
        """The responses in the order of the data, with what each judge says of them."""
        return judged_rows(self._built, self._responses, _given(self._panel, self._pool))

    def to_json(self) -> str:
        """The document of `to_dict` as a text, on one line."""
        from assay.report.board.views import board_json

        return board_json(self.board)

    def to_dict(self) -> dict[str, Any]:
        """The document that `assay board build --json` prints."""
        return board_document(self.board)

    def to_pandas(self) -> "DataFrame":
        """A data frame with a row for each LLM, judge, level and task; pandas must be installed."""
        from assay.report.board.views import HEADS, standing_rows

        return data_frame(standing_rows(self.board), list(HEADS))

    def to_markdown(self) -> str:
        """The board in Markdown."""
        from assay.report.board.views import board_markdown

        return board_markdown(self.board)

    def to_csv(self) -> str:
        """A line for each LLM by each judge, at each level, in each task."""
        from assay.report.board.views import board_csv

        return board_csv(self.board)

    def to_site(self, folder: str | Path) -> Any:
        """A site that can be published as it is, in a folder that is made for it."""
        from assay.report.site.site import write_site

        return write_site(self.board, self.rows(), Path(folder))

    def _repr_html_(self) -> str:
        return str(self.to_pandas().to_html(index=False, na_rep=""))


def require_site(folder: str | Path) -> None:
    """Raises if no site can be written there, before anything is done for it."""
    from assay.report.site import site

    site.require_site(folder)


def estimate(request: BoardRequest) -> dict[str, RunEstimate]:
    """The cost of the judges that ask a model; nothing is sent."""
    names = [name for name in request.judges if name != GOLD.name]
    return estimate_panel(request.data, names, request.asking)


def build_board(request: BoardRequest) -> BoardResult:
    """Ranks the LLMs whose responses the data has by what judges say of these."""
    settings, pool = request.settings(), request.pooled()
    if GOLD.name in request.judges:
        request = replace(request, data=request.data.labelled())
    data = board_data(request.data, cast(Duplicates, request.duplicates))
    data.refuse_unrepeatable()
    panel = _open(replace(request, data=data))
    table = ResponseTable(cast(Duplicates, request.duplicates))
    digest, has_gold, met, voices = hashlib.sha256(), False, set[str](), Counter[Voices]()
    wants_gold = not request.judges or GOLD.name in request.judges
    for each, said in panel.rows():
        digest.update(content(each.example))
        if not (wants_gold or has_gold):
            has_gold = any(one.author.kind == "person" for one in each.judgements)
        gold = pooled_gold(each, pool) if wants_gold else None
        given = {GOLD.name: gold[0], **said} if gold else said
        met.update(given)
        if table.add(each.example, given) and gold:
            voices[gold[1]] += 1
    if not met.issuperset(panel.recorded or ()):  # once more, for the names that there are
        refuse_unmet(panel, recorded_detectors(data.examples()))
    if GOLD.name in request.judges and GOLD.name not in met:
        raise InputError(f"{request.data.target} has no gold labels", field="judges")
    responses = table.responses(_ordered(request, panel) or None)
    judges = _judges(request, panel, responses)
    # Threads that share small products mostly wait for each other.
    with ThreadpoolController().limit(limits=1, user_api="blas"):
        built = build(
            responses,
            judges,
            settings,
            dataset=request.data.target,
            digest=digest.hexdigest()[:32],
        )
    left_out = _left_out(table, data.passed_over())
    basis = GoldBasis(pool, voices) if voices else None
    board = replace(built.board, gold=basis, warnings=(*left_out, *built.board.warnings))
    if has_gold or GOLD.name in met:
        how = Measuring(panel, request.asking, settings.resampling, request.pool, request.by_task)
        board = measured(board, responses, how)
    return BoardResult(board, replace(built, board=board), responses, panel, pool)


def _open(request: BoardRequest) -> Panel:
    others = [name for name in request.judges if name != GOLD.name]
    if request.judges and not others:
        return Panel(request.data, ())
    return open_panel(request.data, others, request.asking)


def _given(panel: Panel, pool: Pool) -> Iterator[tuple[Annotated, dict[str, Judgement]]]:
    """Each response with what the judges say of it, people under the name of gold."""
    for each, said in panel.rows():
        gold = gold_judgement(each, pool)
        yield each, {GOLD.name: gold, **said} if gold else said


def _ordered(request: BoardRequest, panel: Panel) -> list[str]:
    """The names of the judges, in the order in which they were given."""
    names: list[str] = []
    for name in request.judges:
        opened = panel.by_name.get(name)
        names += [name] if opened is None else map(name_of, opened)
    return names


def _judges(request: BoardRequest, panel: Panel, responses: Responses) -> tuple[Judge, ...]:
    opened = {name_of(each): each for each in panel.opened}
    names = list(responses.judged)
    if not request.judges:  # people come first
        names.sort(key=lambda name: name != GOLD.name)
    for name in request.own:
        if name not in names:
            raise UnknownNameError("judge", name, names, field="own")
    for model in request.own.values():
        if not own_llms(model, responses.models):
            raise UnknownNameError("LLM", model, responses.models, field="own")
    return tuple(_judge(name, responses.judged[name], opened.get(name), request) for name in names)


def _judge(
    name: str, judged: JudgeCodes, opened: Judgements | None, request: BoardRequest
) -> Judge:
    menus = tuple(dict.fromkeys(label.taxonomy for label in judged.labels))
    own = request.own.get(name, "")
    if opened is None:
        kind = GOLD.kind if name == GOLD.name else "detector"
        return Judge(name, name, kind, menus, own or recorded_llm(request.data.target, name))
    said = opened.manifest
    model = own or said.model or recorded_llm(said.dataset, said.detector)
    return Judge(name, opened.reference, said.author.kind, menus, model)


def _left_out(table: ResponseTable, passed_over: int) -> Iterator[str]:
    if table.unnamed:
        yield f"responses that do not say which LLM wrote them are left out: {table.unnamed:,}"
    if passed_over:
        yield f"rows whose id appeared before are left out: {passed_over:,}"
    if table.repeated:
        yield f"second responses of an LLM to the same source are left out: {table.repeated:,}"
