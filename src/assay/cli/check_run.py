"""What `assay check` does once its options are read."""

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from itertools import chain, islice
from typing import Protocol

from rich.console import Console

from assay.checking.document import DocumentWriter
from assay.checking.gate import Gate, make_gate
from assay.checking.loading import JudgeChoice, load_judge, read_peers
from assay.checking.results import Checked
from assay.checking.stream import check_stream
from assay.checking.totals import Totals
from assay.checking.usage import meters_of, usage_line
from assay.cli.inputs import Inputs
from assay.cli.progress import Progress
from assay.core.errors import InputError, ServiceError
from assay.core.examples import Example
from assay.datasets.files import Problem
from assay.detectors.protocol import Detector
from assay.detectors.registry import DEFAULT, find_entry
from assay.knowledge import KnowledgeChoice, KnowledgeSource
from assay.llm.settings import is_model_configured
from assay.report.terminal import TerminalView, printable

MOST_PROBLEMS = 10


class _Console(Console):
    """A console that leaves a closed pipe to the command, whose exit codes have meanings."""

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError


class Sink(Protocol):
    """Something that results are written to."""

    def add(self, checked: Checked) -> None: ...


@dataclass(frozen=True, slots=True)
class Outputs:
    """What is looked up besides, where results go, and when they count as failed."""

    as_json: bool = False
    page: str | None = None
    fail_under: float | None = None
    fail_on: tuple[str, ...] | None = None
    every: bool = False
    knowledge: KnowledgeChoice = field(default_factory=KnowledgeChoice)


class Problems:
    """Rows that could not be read: the first are told at once, the others counted."""

    def __init__(self, document: DocumentWriter | None) -> None:
        self.count = 0
        self._document = document

    def __call__(self, problem: Problem) -> None:
        self.count += 1
        if self._document:
            self._document.add_problem(problem)
        if self.count <= MOST_PROBLEMS:
            _say(str(problem))

    def close(self) -> None:
        """Says how many more there were."""
        if self.count > MOST_PROBLEMS:
            _say(f"... and {self.count - MOST_PROBLEMS:,} more rows that could not be read")


def run_check(inputs: Inputs, choice: JudgeChoice, peers: str, outputs: Outputs) -> int:
    """Checks everything and gives the exit code."""
    judge = load_judge(choice, (lambda: read_peers(peers)) if peers else None)
    knowledge = outputs.knowledge.open()
    if knowledge is not None:
        judge = _consulting(judge, knowledge)
    if outputs.fail_on == ("",):
        raise InputError("--fail-on needs labels, such as unfaithful; leave it out for no rule")
    if outputs.fail_under is not None and not find_entry(choice.detector.partition(":")[0]).scores:
        raise InputError(
            f"{judge.name} gives labels without scores, so that --fail-under could not tell: "
            "use --fail-on, as in --fail-on unfaithful"
        )
    gate = make_gate(outputs.fail_under, outputs.fail_on or (), judge.taxonomy)
    if outputs.page is not None:
        inputs.refuse_as_output(outputs.page)
    items, many = _peek(inputs.read())
    totals = Totals()
    interrupted = False
    with ExitStack() as stack:
        pages = _open_page(stack, outputs, judge)
        document, console = _open_document(stack, outputs, judge)
        views = [] if document else _open_view(stack, console, judge, many and not outputs.every)
        sinks: list[Sink] = [totals, gate, *pages, *views, *([document] if document else [])]
        problems = Problems(document)
        stack.callback(problems.close)
        progress = stack.enter_context(Progress(console, inputs.count(), shown=many))
        try:
            for checked in check_stream(items, judge, problems):
                for sink in sinks:
                    sink.add(checked)
                progress.advance(totals.failures.total())
        except KeyboardInterrupt:
            interrupted = True
        except ServiceError as error:
            if not totals.examples:
                raise
            left = f"only {totals.examples:,} examples were judged"
            problems(Problem("the service", f"{error}; {left}"))
        _say_usage(judge)
    return _exit_code(problems, gate, totals, interrupted=interrupted)


def discourse_detector(named: str, has_model: bool) -> str:
    """The detector that `--discourse` stands for."""
    if named != DEFAULT:
        raise InputError(f"--discourse is a detector of its own: leave out --detector {named}")
    return "discourse" if has_model or is_model_configured() else "discourse-offline"


def _consulting(judge: Detector, knowledge: KnowledgeSource) -> Detector:
    """The same detector, which looks things up; only this needs the packages for that."""
    from assay.detectors.consult import consult

    return consult(judge, knowledge)


def _say_usage(judge: Detector) -> None:
    """What a judge asked, and what that cost."""
    line = usage_line(meters_of(judge))
    if line:
        _say(line)


def _open_page(stack: ExitStack, outputs: Outputs, judge: Detector) -> list[Sink]:
    if outputs.page is None:
        return []
    if outputs.page == "-":
        raise InputError("--html writes a file; give its name")
    from assay.report.page import PageWriter  # the template engine is not needed otherwise

    return [stack.enter_context(PageWriter(outputs.page, judge.name, judge.taxonomy))]


def _open_document(
    stack: ExitStack, outputs: Outputs, judge: Detector
) -> tuple[DocumentWriter | None, Console]:
    """The JSON document, if wanted, and the console that is left to talk to people."""
    if not outputs.as_json:
        return None, _Console()
    document = DocumentWriter(sys.stdout, judge.name, judge.taxonomy.name, judge.unit_kind)
    stack.callback(document.close)
    return document, Console(stderr=True)


def _open_view(
    stack: ExitStack, console: Console, judge: Detector, only_flagged: bool
) -> list[Sink]:
    view = TerminalView(console, judge.taxonomy, only_flagged=only_flagged)
    stack.callback(view.close)
    return [view]


def _peek(
    items: Iterator[Example | Problem],
) -> tuple[Iterator[Example | Problem], bool]:
    """The items again, and whether there are several."""
    first = list(islice(items, 2))
    if not first:
        raise InputError("the input has no examples")
    return chain(first, items), len(first) > 1


def _exit_code(problems: Problems, gate: Gate, totals: Totals, *, interrupted: bool) -> int:
    if interrupted:
        _say(f"stopped after {totals.examples:,} examples; they are in the output")
        return 130
    if gate.failed or gate.unscored:
        _say(str(gate))
    if problems.count or gate.unscored:
        return 2
    if gate.failed:
        return 1
    return 3 if totals.failures else 0


def leave_closed_pipe() -> int:
    """The exit code when the reader of our output has gone, as a shell reports it."""
    # What is still in memory must not be written on the way out.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 128 + signal.SIGPIPE


def _say(message: str) -> None:
    sys.stderr.write(f"assay: {printable(message)}\n")
