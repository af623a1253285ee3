"""`assay check`: from files to verdicts."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from assay import __version__
from assay.app.check import (
    Check,
    CheckRequest,
    Gate,
    Inputs,
    Row,
    estimate_check,
    make_gate,
    share_of,
    start_check,
)
from assay.cli.commands import watching
from assay.cli.errors import (
    ENDINGS,
    INTERRUPTED,
    TERMINATED,
    advise,
    exit_code,
    is_interactive,
    leave_closed_pipe,
    say,
    told,
)
from assay.cli.options import Priced
from assay.cli.problems import Problems
from assay.core.errors import AssayError, BudgetError, InputError
from assay.core.options import Option, split
from assay.core.results import Result, Totals, count_of
from assay.core.system.signals import Terminated
from assay.core.wire import EndState

if TYPE_CHECKING:
    from assay.core.codec import DocumentWriter
    from assay.core.labels import Taxonomy
    from assay.report.junit import JUnitWriter
    from assay.report.pages.page import PageWriter

Sink = Callable[[Result], None]


@dataclass(frozen=True, slots=True)
class Outputs(Priced):
    """The outputs of a check, and the rules by which it fails."""

    html: Annotated[str | None, Option("Also write an HTML page.", "FILE")] = None
    fail_under: Annotated[
        float | None,
        Option("Exit with 1 if a response scores less than this.", "X", least=0, most=1),
    ] = None
    fail_on: Annotated[
        str | None,
        Option(
            "Exit with 1 if a sentence has one of these labels (or: unfaithful, not-sure, no-fact, "
            "faithful).",
            "LABEL,...",
        ),
    ] = None
    max_unfaithful: Annotated[
        str | None,
        Option("Exit with 1 if a larger share of responses is unfaithful, as in 5%.", "SHARE"),
    ] = None
    junit: Annotated[
        str | None, Option("Also write JUnit XML: a test case for each response.", "FILE")
    ] = None
    every: Annotated[
        bool, Option("Of many responses, also show the faithful sentences.", name="all")
    ] = False


def check(
    inputs: Inputs,
    request: CheckRequest,
    outputs: Outputs,
) -> int:
    """Judge every sentence of a response by its source.

    If a check that asks a model is interrupted, the same command resumes it.

    Exit code: 0 all judged, 1 a --fail rule broken, whatever else applies, 2 bad input or usage, a
    model that cannot be asked or a budget used up, 3 verdicts missing, 70 a fault in Assay or in a
    plugin, 130 interrupted, 141 the reader of the output has gone, 143 ended by SIGTERM.
    """
    if outputs.dry_run:
        estimate = estimate_check(inputs.read(), request)
        return outputs.estimated({request.detector.name: estimate})
    try:
        return _check(inputs, request, outputs)
    except BrokenPipeError:
        return leave_closed_pipe()


def _check(inputs: Inputs, request: CheckRequest, outputs: Outputs) -> int:
    """Checks everything and gives the exit code."""
    _require_rules(request, outputs)
    can = request.detector.capabilities
    gate = make_gate(outputs.fail_under, split(outputs.fail_on or ""), can.taxonomy)
    if outputs.max_unfaithful is not None:
        gate.max_unfaithful = share_of(outputs.max_unfaithful)
    for path in filter(None, (outputs.html, outputs.junit)):
        inputs.refuse_as_output(path)
    rows, many = _peek(inputs.read())
    checking = start_check(rows, request, watching(quiet=outputs.quiet or not many))
    totals = Totals()
    state: EndState = "complete"
    fault: BaseException | None = None
    with ExitStack() as stack:
        document = _open_document(stack, checking) if outputs.json else None
        pages = _open_page(stack, outputs, checking, inputs)
        tests = _open_junit(stack, outputs, checking, gate, can.taxonomy)
        files: list[PageWriter | JUnitWriter] = [*pages, *tests]
        sinks: list[Sink] = [totals.add, gate.add, *(each.add for each in files)]
        if document:
            sinks.append(lambda result: document.add(result.to_json()))
        elif not outputs.quiet:
            sinks.append(_open_view(stack, checking, totals, many, outputs))
        problems = Problems(*([document] if document else []), *files)
        stack.callback(problems.close)
        is_shown = many and not can.asks_model and not outputs.quiet
        progress = _progress(stack, inputs, outputs) if is_shown else _show_nothing
        try:
            for result in checking.results(problems):
                for sink in sinks:
                    sink(result)
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
        if state != "complete":
            for each in tests:
                each.add_problem("the whole check", f"it did not go on to its end: {state}")
        if document:
            document.add_stages(checking.stages)
        outputs.say(checking.usage)
        if checking.stages:
            from assay.report.terminal import stages_in_words

            outputs.say(f"stages: {stages_in_words(checking.stages)}")
        advise(totals)
    is_read = is_interactive() and not (outputs.quiet or outputs.json)
    if is_read and state == "complete" and totals.unjudged < totals.units:
        _introduce_large(request)
    code = _exit_code(problems, gate, totals, state)
    if fault:
        raise fault
    return code


def _introduce_large(request: CheckRequest) -> None:
    """Says once what the default is good for without the large model, and how to get that."""
    from assay.app.detectors import amount, missed_model

    if model := missed_model(request.detector):
        say(
            f"this was {request.detector.name} alone, a first look at English text. "
            f"'assay models pull {model.name}' ({amount(model.size)}, once) adds {model.used_by}, "
            "which reads far better and judges again what it is not sure of"
        )


def _judged(totals: Totals) -> str:
    if totals.unjudged == totals.units:
        return "no example was judged"
    were = "was" if totals.examples == 1 else "were"
    return f"only {count_of(totals.examples, 'example')} {were} judged"


def _end(document: "DocumentWriter | None", state: EndState, message: str = "") -> None:
    if document:
        document.end(state, message)


def _require_rules(request: CheckRequest, outputs: Outputs) -> None:
    if outputs.fail_on is not None and not split(outputs.fail_on):
        raise InputError("--fail-on needs labels, such as unfaithful; leave it out for no rule")
    if outputs.fail_under is not None and not request.detector.capabilities.scores:
        raise InputError(
            f"{request.detector.name} gives labels without scores, so --fail-under has nothing to "
            "compare: use --fail-on, as in --fail-on unfaithful"
        )


def _open_document(stack: ExitStack, checking: Check) -> "DocumentWriter":
    """The JSON document on standard output."""
    from assay.cli.output import json_output
    from assay.core.codec import DocumentWriter

    writer = DocumentWriter(json_output(), checking.manifest, __version__)
    stack.callback(writer.close)
    return writer


def _open_page(
    stack: ExitStack, outputs: Outputs, checking: Check, inputs: Inputs
) -> "list[PageWriter]":
    if outputs.html is None:
        return []
    if outputs.html == "-":
        raise InputError("--html writes a file; give its name")
    from assay.report.pages.page import PageWriter  # the template engine is not needed otherwise

    files = (inputs.file, inputs.response, inputs.source)
    names = [Path(each).name if each != "-" else "standard input" for each in files if each]
    return [stack.enter_context(PageWriter(outputs.html, checking.manifest, ", ".join(names)))]


def _open_junit(
    stack: ExitStack, outputs: Outputs, checking: Check, gate: Gate, taxonomy: "Taxonomy"
) -> "list[JUnitWriter]":
    """Test cases fail by the rules that are given; without any, where something is unfaithful."""
    if outputs.junit is None:
        return []
    if outputs.junit == "-":
        raise InputError("--junit writes a file; give its name")
    from assay.report.junit import junit_file

    has_rule = outputs.fail_on is not None or outputs.fail_under is not None
    rules = gate if has_rule else make_gate(None, ["unfaithful"], taxonomy)
    name = f"assay.{checking.manifest.author.name}"
    return [stack.enter_context(junit_file(outputs.junit, name, rules.breaking))]


def _open_view(
    stack: ExitStack, checking: Check, totals: Totals, many: bool, outputs: Outputs
) -> Sink:
    from assay.cli.output import make_console
    from assay.core.taxonomies import taxonomy
    from assay.report.terminal import TerminalView

    menu = taxonomy(checking.manifest.taxonomy)
    view = TerminalView(
        make_console(width=None), menu, totals, many=many, only_flagged=many and not outputs.every
    )
    stack.callback(view.close)
    return view.add


def _progress(stack: ExitStack, inputs: Inputs, outputs: Outputs) -> Callable[[Totals], None]:
    """A bar on the console that is left to talk to people."""
    from assay.cli.output import make_console
    from assay.cli.progress import CheckBar

    console = make_console(stderr=outputs.json, width=None)
    bar = stack.enter_context(CheckBar(console, inputs.count(), shown=True))
    return lambda totals: bar.advance(totals.failures.total())


def _show_nothing(totals: Totals) -> None:
    """No progress is shown."""


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
    if gate.failed or gate.unscored or gate.spared or gate.share:
        say(str(gate))
    if ended in (INTERRUPTED, TERMINATED):
        return ended
    unusable = bool(ended or problems.count or gate.unscored)
    return exit_code(broken=gate.failed, unusable=unusable, no_verdict=bool(totals.failures))
