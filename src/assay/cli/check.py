"""`assay check`: from files to verdicts."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import chain, islice

from assay.app.check import Check, CheckRequest, Inputs, Row, estimate_check, start_check
from assay.cli.check_outputs import Opening, Outputs
from assay.cli.check_rules import CheckRules, OpenRules
from assay.cli.check_writers import ResultWriter
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
from assay.cli.problems import InOrder, Problems
from assay.core.errors import AssayError, BudgetError, InputError
from assay.core.results import Totals, count_of
from assay.core.system.signals import Terminated
from assay.core.wire import EndState

Progress = Callable[[Totals], None]


def check(
    inputs: Inputs,
    request: CheckRequest,
    outputs: Outputs,
    rules: CheckRules,
) -> int:
    """Judge every sentence of a response by its source.

    If a check that asks a model is interrupted, the same command resumes it.

    Exit code: 0 all judged, 1 a rule broken (--fail, --max), whatever else applies, 2 bad input or
    usage, a model that cannot be asked or a budget used up, 3 verdicts missing, 70 a fault in Assay
    or in a plugin, 130 interrupted, 141 the reader of the output has gone, 143 ended by SIGTERM.
    """
    if outputs.dry_run:
        estimate = estimate_check(inputs.read(), request)
        return outputs.estimated({request.detector.name: estimate})
    try:
        return _check(inputs, request, outputs, rules)
    except BrokenPipeError:
        return leave_closed_pipe()


def _check(inputs: Inputs, request: CheckRequest, outputs: Outputs, rules: CheckRules) -> int:
    """Checks everything and gives the exit code."""
    opened = rules.opened(request, inputs)
    outputs.require(inputs, rules.baseline, rules.accept)
    ordered = InOrder(inputs.read())
    rows, many = _peek(iter(ordered))
    checking = start_check(rows, request, watching(quiet=outputs.quiet or not many))
    totals, author = Totals(), checking.manifest.author
    opened.begin(author)
    with ExitStack() as stack:
        opening = Opening(stack, outputs, checking, inputs, opened, totals, many)
        writers = list(opening.writers())
        ordered.keepers = writers
        problems = Problems()
        stack.callback(problems.close)
        is_shown = many and not (request.detector.capabilities.asks_model or outputs.quiet)
        progress = _progress(stack, inputs, outputs) if is_shown else _show_nothing
        course = _Course(checking, opened, writers, ordered, problems, totals, progress)
        course.run()
        outputs.say(checking.usage)
        if checking.stages:
            from assay.report.terminal import stages_in_words

            outputs.say(f"stages: {stages_in_words(checking.stages)}")
        advise(totals)
    is_read = is_interactive() and not (outputs.quiet or outputs.is_printed)
    if is_read and course.state == "complete" and totals.unjudged < totals.units:
        _introduce_large(request)
    code = _exit_code(problems, opened, totals, course.state)
    is_whole = course.state == "complete" and not problems.count
    opened.tell(opened.gate.end(course.state), author, is_whole=is_whole)
    if course.fault:
        raise course.fault
    return code


@dataclass(slots=True)
class _Course:
    """The judging itself: every result goes to the rules and to all outputs, to whatever end."""

    checking: Check
    rules: OpenRules
    writers: Sequence[ResultWriter]
    ordered: InOrder
    problems: Problems
    totals: Totals
    progress: Progress
    state: EndState = "complete"
    fault: BaseException | None = None

    def run(self) -> None:
        """Judges all there is; what ends it before the first result is raised."""
        try:
            for result in self.checking.results(self.problems):
                self.ordered.next_result()
                self.totals.add(result)
                complaints = self.rules.add(result)
                for writer in self.writers:
                    writer.add(result, complaints)
                self.progress(self.totals)
        except KeyboardInterrupt as error:
            self._end("terminated" if isinstance(error, Terminated) else "interrupted")
        except AssayError as error:
            state: EndState = "budget" if isinstance(error, BudgetError) else "stopped"
            self._end_early(state, told(error), error)
        except OSError:  # of an output, which is not the place to write more to
            raise
        except BaseException as error:
            if not self.totals.examples:
                raise
            self.fault = error
            self._end_early("stopped", f"a fault: {type(error).__name__}", error)
        else:
            self._end("complete")

    def _end_early(self, state: EndState, message: str, error: BaseException) -> None:
        self._end(state, message)
        if not self.totals.examples:
            raise error
        judged = _judged(self.totals)
        say(judged if self.fault else f"{message}; {judged}")

    def _end(self, state: EndState, message: str = "") -> None:
        self.state = state
        self.ordered.end()
        end = self.rules.gate.end(state, message)
        for writer in self.writers:
            writer.end(end)


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


def _progress(stack: ExitStack, inputs: Inputs, outputs: Outputs) -> Progress:
    """A bar on the console that is left to talk to people."""
    from assay.cli.output import make_console
    from assay.cli.progress import CheckBar

    console = make_console(stderr=outputs.is_printed, width=None)
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


def _exit_code(problems: Problems, rules: OpenRules, totals: Totals, state: EndState) -> int:
    """The exit code; all that applies is said, whichever of it the code stands for."""
    ended, gate = ENDINGS[state], rules.gate
    if ended in (INTERRUPTED, TERMINATED):
        done = f"after {totals.examples:,} examples; they are in the output"
        say(f"stopped {done if totals.examples else 'before anything was judged'}")
    if said := str(gate):
        say(said)
    if ended in (INTERRUPTED, TERMINATED):
        return ended
    return exit_code(
        broken=gate.failed,
        unusable=bool(ended or problems.count or gate.unscored),
        no_verdict=bool(totals.failures) or gate.has_no_share,
    )
