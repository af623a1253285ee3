"""`assay check`: from files to verdicts."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Protocol

import typer
from rich.console import Console

from assay import Columns, DetectorSpec, KnowledgeChoice, LocalOptions, Options, __version__
from assay.app.check import (
    Check,
    CheckRequest,
    discourse_detector,
    estimate_check,
    start_check,
)
from assay.app.gate import Gate, make_gate
from assay.app.inputs import Inputs
from assay.app.state import Row
from assay.cli import options as o
from assay.cli.errors import (
    ENDINGS,
    INTERRUPTED,
    TERMINATED,
    advise,
    exit_code,
    leave_closed_pipe,
    say,
    told,
)
from assay.cli.output import json_output, make_console, show_estimates
from assay.cli.problems import Problems
from assay.cli.progress import Bar, watch
from assay.core.codec import DocumentWriter
from assay.core.errors import AssayError, BudgetError, InputError
from assay.core.results import Result
from assay.core.signals import Terminated
from assay.core.taxonomies import taxonomy
from assay.core.totals import Totals, count_of
from assay.core.wire import EndState
from assay.report.terminal import TerminalView

if TYPE_CHECKING:
    from assay.report.page import PageWriter

FileArgument = Annotated[
    str | None,
    typer.Argument(
        metavar="FILE",
        help="Examples: .json, .jsonl, .csv, .tsv, .parquet (also .gz); '-' reads standard input.",
        show_default=False,
    ),
]


@o.asks_model
@o.runs_here
@o.consults
@o.reads_fields
def check(
    file: FileArgument = None,
    source: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="The source: text, or .json for a structured one."),
    ] = None,
    response: Annotated[
        str | None, typer.Option(metavar="FILE", help="The response to check, as text.")
    ] = None,
    question: Annotated[str, typer.Option(help="The question that the response answers.")] = "",
    detector: o.Detector = "embedded",
    json: o.AsJson = False,
    html: Annotated[
        str | None, typer.Option(metavar="FILE", help="Also write an HTML page.")
    ] = None,
    fail_under: Annotated[
        float | None,
        typer.Option(min=0, max=1, help="Exit with 1 if a response scores less than this."),
    ] = None,
    fail_on: Annotated[
        str | None,
        typer.Option(
            metavar="LABEL,...",
            help="Exit with 1 if a sentence has one of these labels "
            "(or: unfaithful, not-sure, no-fact, faithful).",
        ),
    ] = None,
    language: Annotated[
        str | None,
        typer.Option(help="Language of the texts, as in 'de'; told from the text if left out."),
    ] = None,
    every: Annotated[
        bool, typer.Option("--all", help="Of many responses, also show the faithful sentences.")
    ] = False,
    discourse: Annotated[
        bool,
        typer.Option(
            "--discourse",
            help="Check claims and the relations between them, by a model if one is configured.",
        ),
    ] = False,
    dry_run: o.DryRun = False,
    quiet: o.Quiet = False,
    model: o.Model = None,
    votes: o.Votes = 1,
    peers: o.Peers = "",
    *,
    options: Options,
    local: LocalOptions,
    outside: KnowledgeChoice,
    columns: Columns,
) -> None:
    """Judge every sentence of a response by its source.

    If a check that asks a model is cut off, the same command goes on where it stopped.

    Exit code: 0 all judged, 1 a --fail rule broken, whatever else applies, 2 bad input or usage, a
    model that cannot be asked or a budget used up, 3 verdicts missing, 70 a fault in Assay or in a
    plugin, 130 interrupted, 141 the reader of the output has gone, 143 ended by SIGTERM.
    """
    if discourse:
        detector = discourse_detector(detector, bool(model), options)
    spec = DetectorSpec(detector, tuple(model or ()), votes, options, local)
    request = CheckRequest(spec, peers, outside)
    inputs = Inputs(file, source, response, question, columns, language)
    if dry_run:
        show_estimates({detector: estimate_check(inputs.read(), request)}, as_json=json)
        return
    rules = None if fail_on is None else tuple(map(str.strip, fail_on.split(",")))
    outputs = Outputs(json, html, fail_under, rules, every, quiet)
    try:
        code = _check(inputs, request, outputs)
    except BrokenPipeError:
        code = leave_closed_pipe()
    raise typer.Exit(code)


@dataclass(frozen=True, slots=True)
class Outputs:
    """Where results go, and when they count as failed."""

    as_json: bool = False
    page: str | None = None
    fail_under: float | None = None
    fail_on: tuple[str, ...] | None = None
    every: bool = False
    quiet: bool = False


class Sink(Protocol):
    """Something that results are written to."""

    def add(self, result: Result) -> None:
        """Takes one more result."""
        ...


def _check(inputs: Inputs, request: CheckRequest, outputs: Outputs) -> int:
    """Checks everything and gives the exit code."""
    _require_rules(request, outputs)
    can = request.detector.capabilities
    gate = make_gate(outputs.fail_under, outputs.fail_on or (), can.taxonomy)
    if outputs.page is not None:
        inputs.refuse_as_output(outputs.page)
    rows, many = _peek(inputs.read())
    checking = start_check(rows, request, watch(quiet=outputs.quiet or not many))
    totals = Totals()
    state: EndState = "complete"
    fault: BaseException | None = None
    with ExitStack() as stack:
        document, console = _open_document(stack, outputs, checking)
        pages = _open_page(stack, outputs, checking, inputs)
        sinks: list[Sink] = [totals, gate, *pages]
        sinks += [document] if document else _open_view(stack, console, checking, many, outputs)
        problems = Problems(*([document.writer] if document else []), *pages)
        stack.callback(problems.close)
        progress = _progress(stack, console, inputs, many and not can.asks_model, outputs)
        try:
            for result in checking.results(problems):
                for sink in sinks:
                    sink.add(result)
                progress(totals)
            _end(document, state)
        except KeyboardInterrupt as error:
            state = "terminated" if isinstance(error, Terminated) else "interrupted"
            _end(document, state)
        except AssayError as error:
            state = "budget" if isinstance(error, BudgetError) else "stopped"
            _end(document, state, told(error))
            if not totals.examples:
                raise
            say(f"{told(error)}; {_judged(totals)}")
        except OSError:  # of an output, which is not the place to write more to
            raise
        except BaseException as error:
            if not totals.examples:
                raise
            state, fault = "stopped", error
            _end(document, state, f"a fault: {type(error).__name__}")
            say(_judged(totals))
        if checking.usage and not outputs.quiet:
            say(checking.usage)
        advise(totals)
    code = _exit_code(problems, gate, totals, state)
    if fault:
        raise fault
    return code


def _judged(totals: Totals) -> str:
    """How far it came."""
    if totals.unjudged == totals.units:
        return "no example was judged"
    were = "was" if totals.examples == 1 else "were"
    return f"only {count_of(totals.examples, 'example')} {were} judged"


def _end(document: "_Document | None", state: EndState, message: str = "") -> None:
    if document:
        document.writer.end(state, message)


def _require_rules(request: CheckRequest, outputs: Outputs) -> None:
    if outputs.fail_on == ("",):
        raise InputError("--fail-on needs labels, such as unfaithful; leave it out for no rule")
    if outputs.fail_under is not None and not request.detector.capabilities.scores:
        raise InputError(
            f"{request.detector.name} gives labels without scores, so --fail-under has nothing to "
            "compare: use --fail-on, as in --fail-on unfaithful"
        )


@dataclass(slots=True)
class _Document:
    """The JSON document on standard output."""

    writer: DocumentWriter

    def add(self, result: Result) -> None:
        self.writer.add(result.to_json())


def _open_document(
    stack: ExitStack, outputs: Outputs, checking: Check
) -> tuple[_Document | None, Console]:
    """The JSON document, if wanted, and the console that is left to talk to people."""
    if not outputs.as_json:
        return None, make_console(width=None)
    writer = DocumentWriter(json_output(), checking.manifest, __version__)
    stack.callback(writer.close)
    return _Document(writer), make_console(stderr=True, width=None)


def _open_page(
    stack: ExitStack, outputs: Outputs, checking: Check, inputs: Inputs
) -> "list[PageWriter]":
    if outputs.page is None:
        return []
    if outputs.page == "-":
        raise InputError("--html writes a file; give its name")
    from assay.report.page import PageWriter  # the template engine is not needed otherwise

    files = (inputs.file, inputs.response, inputs.source)
    names = [Path(each).name if each != "-" else "standard input" for each in files if each]
    return [stack.enter_context(PageWriter(outputs.page, checking.manifest, ", ".join(names)))]


def _open_view(
    stack: ExitStack, console: Console, checking: Check, many: bool, outputs: Outputs
) -> list[Sink]:
    if outputs.quiet:
        return []
    menu = taxonomy(checking.manifest.taxonomy)
    view = TerminalView(console, menu, many=many, only_flagged=many and not outputs.every)
    stack.callback(view.close)
    return [view]


def _progress(
    stack: ExitStack, console: Console, inputs: Inputs, shown: bool, outputs: Outputs
) -> Callable[[Totals], None]:
    bar = stack.enter_context(Bar(console, inputs.count(), shown=shown and not outputs.quiet))
    return lambda totals: bar.advance(totals.failures.total())


def _peek(rows: Iterator[Row]) -> tuple[Iterator[Row], bool]:
    """The rows again, and whether there are several."""
    first = list(islice(rows, 2))
    if not first:
        raise InputError("the input has no examples")
    return chain(first, rows), len(first) > 1


def _exit_code(problems: Problems, gate: Gate, totals: Totals, state: EndState) -> int:
    """The exit code; all that applies is said, whichever of it the code stands for."""
    ended = ENDINGS[state]
    if ended in (INTERRUPTED, TERMINATED):
        done = f"after {totals.examples:,} examples; they are in the output"
        say(f"stopped {done if totals.examples else 'before anything was judged'}")
    if gate.failed or gate.unscored or gate.spared:
        say(str(gate))
    if ended in (INTERRUPTED, TERMINATED):
        return ended
    unusable = bool(ended or problems.count or gate.unscored)
    return exit_code(broken=gate.failed, unusable=unusable, no_verdict=bool(totals.failures))
