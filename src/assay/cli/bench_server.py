"""`assay bench-server`: how fast a model's server answers, and the settings that fit it."""

import json
import shlex

from rich.text import Text

from assay.app.bench_server import FigureSpread, PaceLevel, ServerBench, ServerRequest
from assay.app.bench_server import bench_server as measure
from assay.app.bench_server import estimate as estimate_bench
from assay.cli.errors import exit_code, say
from assay.cli.options import Priced
from assay.core.results import count_of
from assay.report.tables import COUNT, TEXT, Column, Table, facts_view, table_view


def bench_server(request: ServerRequest, shown: Priced) -> int:
    """Measure a model's server, and recommend settings for it.

    It is asked what a judge asks, about made-up texts: first one call at a time, then twice as
    many at the same time until that is no faster by more than 5 %, in three rounds each. Also
    measured are its cache of prompts that begin alike, and whether it keeps to JSON schemas and
    gives probabilities. If a call fails, nothing is recommended. A server that is not on this
    machine may charge for the calls, and is only asked with a budget.

    Exit code: 0 measured; 2 the server cannot be asked, or answers too little; 3 calls failed.
    """
    if shown.dry_run:
        return shown.estimated(estimate_bench(request), "questions of")
    found = measure(request)
    shown.show(
        found.to_dict,
        lambda: [facts_view(_facts(found)), table_view(_table(found)), Text(_advice(found))],
    )
    for failure, number in found.failures.items():
        say(f"{count_of(number, 'call')} failed ({failure}); nothing is recommended")
    if found.shortened:
        say(
            f"the server counts under half of the tokens that {count_of(found.shortened, 'prompt')}"
            " should have: it may cut prompts that are too long for it; give it a larger context"
        )
    return exit_code(no_verdict=bool(found.failures))


def _facts(found: ServerBench) -> list[tuple[str, str]]:
    kept, asked = found.features.schemas_kept, found.features.schemas_answered
    return [
        ("server", found.endpoint.base_url),
        ("model", found.endpoint.model),
        ("asked", f"{found.detector}, replies of at most {found.longest} tokens"),
        ("calls", f"{found.calls:,}; ended: {found.ended}"),
        ("prefix cache", _cache(found)),
        ("JSON schema", f"{kept} of {count_of(asked, 'reply')} kept to it"),
        ("probabilities", _probabilities(found)),
        *(("server says", each) for each in found.features.adaptations),
    ]


def _cache(found: ServerBench) -> str:
    cache = found.cache
    if cache.ratio is None:
        return "not measured"
    again = f"{_spread(cache.ratio)} x the time of a new one, n={cache.ratio.n}"
    told = ""
    if cache.known_new and cache.known_again:
        before, after = cache.known_new, cache.known_again
        told = f"; of the prompt it had {after.median:.0%}, and {before.median:.0%} of a new one's"
    return f"{cache.works}: a source that was just read takes {again}{told}"


def _probabilities(found: ServerBench) -> str:
    match found.features.probabilities:
        case None:
            return "not measured"
        case False:
            return "not given"
    return f"given, with {found.features.alternatives} alternatives of 5 (n=1)"


def _spread(spread: FigureSpread | None) -> str:
    """The median with the range."""
    if spread is None:
        return "-"
    digits = 0 if spread.low >= 100 else 1 if spread.low >= 10 else 2
    return f"{spread.median:,.{digits}f} ({spread.low:,.{digits}f}-{spread.high:,.{digits}f})"


def _table(found: ServerBench) -> Table[PaceLevel]:
    counted = any(each.is_estimated for each in found.levels)
    who = "estimated here, since the server does not report them" if counted else "as it reports"
    return Table(
        "Pace by the number of calls at the same time",
        f"Medians with the range over the rounds; seconds over the calls. Tokens {who}.",
        _COLUMNS,
        found.levels,
    )


def _advice(found: ServerBench) -> str:
    """The settings as lines to copy, and what they rest on."""
    choice = found.choice
    if choice is None:
        problem = "calls failed" if found.failures else "fewer than two levels were measured"
        return f"No settings are recommended: {problem}."
    rounds = ", ".join(map(str, choice.by_round))
    least = "at least " if found.is_growing else ""
    options = " ".join(
        f"--{name.replace('_', '-')} {shlex.quote(str(value))}"
        for name, value in found.settings.items()
    )
    lines = (f"{name} = {json.dumps(value)}" for name, value in found.settings.items())
    return "\n".join(
        (
            f"Recommended: {least}{choice.concurrency} at the same time, the fewest within 5 % of"
            f" the best pace; round by round it would be {rounds}.",
            "",
            f"assay run DATA --detector {found.detector} {options}",
            "",
            "or in ~/.config/assay/config.toml:",
            "[llm]",
            *lines,
        )
    )


_COLUMNS: tuple[Column[PaceLevel], ...] = (
    Column("at once", lambda level: level.concurrency, COUNT),
    Column("rounds", lambda level: len(level.rounds), COUNT),
    Column("calls", lambda level: len(level.calls), COUNT),
    Column("failed", lambda level: level.failures.total(), COUNT),
    Column("calls/s", lambda level: _spread(level.calls_per_second), TEXT),
    Column("prompt tokens/s", lambda level: _spread(level.prompt_rate), TEXT),
    Column("reply tokens/s", lambda level: _spread(level.reply_rate), TEXT),
    Column("seconds a call", lambda level: _spread(level.latency), TEXT),
    Column("95 %", lambda level: f"{level.latency_p95:.2f}" if level.latency_p95 else "-", TEXT),
    Column("had of prompt", lambda level: f"{level.known.median:.0%}" if level.known else "-"),
)
