"""Errors in the words of the command line: the option to blame, what to do, the exit code."""

import io
import os
import re
import sys
import traceback
from collections.abc import Sequence
from typing import TYPE_CHECKING, NoReturn

from assay.core.errors import AssayError
from assay.core.options import Declared

if TYPE_CHECKING:
    from assay.core.results import Totals

# What the exit code of every command means; 0 is that all was judged and no rule was broken.
BROKEN_RULE = 1
UNUSABLE = 2  # input, usage, a service or a budget
NO_VERDICT = 3  # for some of the units
FAULT = 70  # in Assay or a plugin; what sysexits.h calls an internal software error
INTERRUPTED = 130  # as shells report signals: Ctrl-C,
CLOSED_PIPE = 141  # a reader that left,
TERMINATED = 143  # and SIGTERM

# By what ended a session: its exit code, before rules and failures are looked at.
ENDINGS = {
    "complete": 0,
    "budget": UNUSABLE,
    "stopped": UNUSABLE,
    "interrupted": INTERRUPTED,
    "terminated": TERMINATED,
}

# By the code of an error: what a user of the command line can do about it. Of several hints, a
# command gives the first that names only its own options, or else the last.
HINTS: dict[str, str | tuple[str, ...]] = {
    "no-key": ("--key-env names another variable", ""),
    "bad-key": ("--key-env names another variable", ""),
    "no-model": "choose one with --model PROVIDER/MODEL",
    "unknown-provider": "give it with --base-url https://HOST/v1",
    "no-address": "or give it with --base-url",
    "no-price": "give it with --prices FILE, a TOML file with a line like "
    '"MODEL" = { input = 2.5, output = 10 } (US dollars per million tokens), '
    "or use --budget-tokens",
    "folder-not-trusted": "--trust-folder trusts it this once",
    "no-budget": "--budget-usd, --budget-tokens or --budget-calls sets one, and --dry-run says "
    "what it may take",
    "budget": "raise the budget, and the same command goes on",
    "run-exists": "go on with --resume, begin another with --name NAME, or remove it with: "
    "assay runs delete NAME",
    "run-complete": "begin another with --name NAME, or remove it with: assay runs delete NAME",
    "no-such-run": "begin it without --resume",
    "run-changed": ("name it with --name NAME", "remove it with: assay runs delete NAME"),
    "run-failing": ("go on with --retry-failures", "the same command goes on"),
    "disk-full": ("go on with --resume", "the same command goes on"),
    "run-stopped": ("go on with --resume", "the same command goes on"),
    "run-locked": "wait for its end",
    "store-gone": "once it can be reached, the same command goes on",
    "service-down": (
        "when it is back, --resume goes on and --retry-failures asks again",
        "when it is back, the same command goes on",
    ),
    "conflicts": "--prefer NAME or --majority says whose decision counts",
    "tied-decisions": "--prefer NAME says whose decision counts",
    "no-runs": "name another place with --runs DIR",
    "corpus-missing": "give its place with --data DIR or ASSAY_DATA, or fetch it with: "
    "assay data download NAME",
    "corpus-not-served": "it cannot be downloaded as it is read here: 'assay data show NAME' says "
    "where it comes from; give its place with --data DIR or ASSAY_DATA",
    "no-data": "give its folder with --data DIR or ASSAY_DATA; 'assay reproduce --list' says what "
    "each table needs",
    "no-studio": "'assay studio account NAME' makes one, and so does 'assay studio --data FILE'; "
    "--database says where",
    "no-administrator": "make an administrator's first, with: assay studio account NAME, and then "
    "one for each annotator with --role annotator",
    "no-account": "make one with: assay studio account NAME --role annotator",
    "no-project": "'assay studio --data FILE' makes one",
    "not-found": "'assay studio list' names the projects",
    "no-dataset": (
        "name one with --dataset ('assay data list' names the corpora)",
        "'assay data list' names the corpora",
    ),
    "folder": "for a corpus, give its name, and the folder with --data DIR",
    "no-baseline": "--update-baseline writes it",
    "bad-baseline": "restore it, or remove it and write it anew with --update-baseline",
    "duplicate-responses": "--duplicates first takes the first of each",
    "runs-nothing": ("--cut says from where on a prediction counts as faithful", ""),
    "whole-responses": "--unit response measures whole responses",
    "no-detectors": "'assay detectors list' names the detectors",
    "no-peers": "name annotated responses with --peers NAME|FILE; peers=0 judges without any",
    "nothing-to-check": "as in: assay check FILE, or --source FILE --response FILE",
    "not-judgements": "write it again with assay check --json, or assay runs export",
    "no-corpus": "'assay knowledge index' makes one",
    "no-snapshots": "--keep FILE.sqlite saves snapshots of what is found",
    "no-knowledge-source": "name one with --knowledge",
    "private-address": "--allow-private allows it",
    "fetched-in-part": "the same command goes on",
    "not-fetched": "--mirror URL names another server, and --from FILE takes a file that is here",
    "worse-calibration": "--force writes it all the same",
    "model-differs": "remove it with: assay models remove NAME",
    "no-decisions": "decide in the forms of the file or in the studio, then see how far it is "
    "with: assay audit adjudicate FLAGS",
    "no-revisions": "--unverified counts them all the same, or have them voted on with: "
    "assay audit verify FLAGS",
    "no-localizer": "'assay detectors list' names those that begin with localize-",
}

# By the reason of a failure: what a user of the command line can do about many of them.
FAILURE_HINTS = {
    "truncated": "replies were cut off; --max-tokens allows longer ones",
    "transport": "calls brought no reply that could be used, for the reasons given; where the "
    "server is slow or busy, --timeout and --attempts help",
}

_PRINTING = re.compile(r"rich\.|click\.|assay\.cli($|\.output$)")  # modules that write to a stream
_OPTION = re.compile(r"--[a-z-]+")


def told(error: AssayError, options: Sequence[Declared] = ()) -> str:
    """The message with the option that it is about and what can be done."""
    option = ", ".join(map(_shown, _blamed(error.field, options)))
    hint = _hint(error.code, options)
    if error.subject:
        hint = hint.replace("NAME", error.subject)
    message = f"{error}; {hint}" if hint else str(error)
    is_named = option in message or _OPTION.search(hint)
    return f"{message} ({option})" if option and not is_named else message


def say(message: str) -> None:
    """A line on standard error, with nothing in it that could control a terminal.

    GitHub would take `##[` for the beginning of a command, wherever in a line.
    """
    from assay.report.words import printable

    sys.stderr.write(f"assay: {printable(message)}\n".replace("##[", "## ["))


def is_interactive() -> bool:
    """True if a person sees what is written, and no program reads any of it."""
    return sys.stdout.isatty() and sys.stderr.isatty() and not os.environ.get("CI")


def advise(totals: "Totals") -> None:
    """Says how many units have no verdict, and what can be done about it where something can."""
    if not totals.failures:
        return
    from assay.core.results import count_of, noun_of
    from assay.report.words import counts

    lost, kinds = totals.failures.total(), {*totals.kinds, *totals.parts}
    say(f"no verdict for {count_of(lost, noun_of(kinds))} ({counts(totals.failures)})")
    for reason, hint in FAILURE_HINTS.items():
        if totals.failures[reason]:
            say(f"{totals.failures[reason]:,} {hint}")


def stop(message: str) -> NoReturn:
    """Ends the program with a message; where it has more lines, these are indented."""
    from assay.report.words import spelled_out

    first, *more = spelled_out(message).split("\n")
    lines = (line if line.startswith("  ") else f"  {line}" for line in more)
    sys.stderr.write("\n".join((f"assay: {first}", *lines)) + "\n")
    sys.exit(UNUSABLE)


def exit_code(*, broken: bool = False, unusable: bool = False, no_verdict: bool = False) -> int:
    """The exit code where several things may apply: none of them hides a broken rule."""
    if broken:
        return BROKEN_RULE
    if unusable:
        return UNUSABLE
    return NO_VERDICT if no_verdict else 0


def code_of_figures(is_complete: bool, *, unusable: bool = False) -> int:
    """The exit code of a command that measures; where something is missing, it says so."""
    if not is_complete:
        say("some of it could not be judged or matched; the figures leave that out and count it")
    return exit_code(unusable=unusable, no_verdict=not is_complete)


def leave_closed_pipe() -> int:
    """The exit code when the reader of our output has gone, as a shell reports it."""
    _drop_output()
    return CLOSED_PIPE


def stop_at_system_error(error: OSError) -> NoReturn:
    """Ends the program at what the system refuses, with the file or the stream that it is about."""
    where = str(error.filename or "")
    *_, (frame, _) = traceback.walk_tb(error.__traceback__)
    if not where and _PRINTING.match(str(frame.f_globals.get("__name__"))):
        where = "cannot write to standard output"
        _drop_output()
    stop(": ".join(filter(None, (where, error.strerror or str(error)))))


def _drop_output() -> None:
    """Has what is still in memory not written on the way out."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def prepare_streams() -> None:
    """Characters that a stream cannot show become question marks; a closed stream is empty."""
    if sys.stdin is None:
        sys.stdin = open(os.devnull, encoding="utf-8")  # noqa: SIM115 - until the end
    if sys.stdout is None:
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


def _shown(each: Declared) -> str:
    return each.option.metavar if each.option.is_argument else f"--{each.words}"


def _blamed(field: str, options: Sequence[Declared]) -> list[Declared]:
    """The option of that name; else those that set the field, or the group, of that name."""
    named = [each for each in options if each.name == field]
    return named or [each for each in options if field and field in each.fields]


def _hint(code: str, options: Sequence[Declared]) -> str:
    hints = HINTS.get(code, "")
    if isinstance(hints, str):
        return hints
    flags = {f"--{each.words}" for each in options}
    own = (hint for hint in hints if flags.issuperset(_OPTION.findall(hint)))
    return next(own, hints[-1])
