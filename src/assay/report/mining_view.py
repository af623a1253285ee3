"""What mining found, as tables in the terminal."""

from collections import Counter
from collections.abc import Iterator

from rich.console import RenderableType

from assay.bench.chance import Finding
from assay.bench.mined import Mined
from assay.core.totals import count_of
from assay.report.tables import counts, facts_view, table_view

MOST_ROWS = 20


def mining_view(
    dataset: str, mined: Mined, compared: str, finding: Finding | None, limit: int
) -> Iterator[RenderableType]:
    """The tables one after the other; at most `limit` groups are listed."""
    yield facts_view(_facts(dataset, mined))
    yield _by_hard(mined)
    if mined.chosen:
        yield _groups(mined, limit)
    yield _detectors(mined)
    yield _models(mined)
    if finding:
        yield facts_view(_compared(compared, finding))


def _facts(dataset: str, mined: Mined) -> Iterator[tuple[str, str]]:
    responses = count_of(mined.responses, "response")
    yield "data", f"{dataset}: {responses} to {count_of(len(mined.groups), 'source')}"
    some = count_of(mined.hard, "response")
    hard = f"{some} with an entropy of {mined.hard_from:g} bits or more"
    yield "hard", f"{hard}; detectors disagree on {mined.disagreed:,}"
    chosen = sum(each.responses for each in mined.chosen)
    wish = f"at least {count_of(mined.at_least, 'hard response')}"
    wish += f", the first {mined.asked:,}" if mined.asked else ""
    groups = count_of(len(mined.chosen), "group")
    yield "chosen", f"{groups} ({wish}) with {count_of(chosen, 'response')}"


def _by_hard(mined: Mined) -> RenderableType:
    chosen = Counter(group.hard for group in mined.chosen)
    counted = list(mined.by_hard().items())
    rows = [(f"{hard:,}", f"{count:,}", f"{chosen[hard]:,}") for hard, count in counted[:MOST_ROWS]]
    if rest := counted[MOST_ROWS:]:
        groups = sum(count for _, count in rest)
        rows.append(("fewer", f"{groups:,}", f"{sum(chosen[hard] for hard, _ in rest):,}"))
    headers = ("hard responses", "groups", "chosen")
    return table_view("groups by their number of hard responses", headers, rows, words=0)


def _groups(mined: Mined, limit: int) -> RenderableType:
    rows = [
        (
            each.source,
            f"{each.hard:,} of {each.responses:,}",
            _bits(each.entropy),
            f"{len(each.missing):,}" if each.missing else "",
        )
        for each in mined.chosen[:limit]
    ]
    if len(mined.chosen) > limit:
        rows.append((f"... and {len(mined.chosen) - limit:,} more", "", "", ""))
    headers = ("source", "hard", "mean entropy", "models missing")
    return table_view("groups, the hardest first", headers, rows)


def _detectors(mined: Mined) -> RenderableType:
    rows = (
        (
            each.detector,
            counts(each.failures),
            f"{each.votes:,} of {mined.responses:,}",
            _share(each.unfaithful, each.votes),
            f"{each.models:,} of {len(mined.models):,}",
        )
        for each in mined.detectors
    )
    headers = ("detector", "no vote", "votes", "unfaithful", "models")
    return table_view("coverage by detector", headers, rows, words=2)


def _models(mined: Mined) -> RenderableType:
    ordered = sorted(mined.models, key=lambda each: (-_rate(each.hard, each.responses), each.model))
    rows = [
        (
            each.model or "(no name)",
            f"{each.responses:,}",
            f"{each.sources:,} of {len(mined.groups):,}",
            f"{sum(each.votes.values()) / each.responses:.1f} of {len(mined.detectors):,}",
            _share(each.hard, each.responses),
            _bits(each.entropy),
        )
        for each in ordered[:MOST_ROWS]
    ]
    if len(ordered) > MOST_ROWS:
        rows.append((f"... and {len(ordered) - MOST_ROWS:,} more", "", "", "", "", ""))
    headers = ("model", "responses", "sources", "votes a response", "hard", "mean entropy")
    return table_view("coverage by model, the hardest first", headers, rows)


def _compared(name: str, finding: Finding) -> Iterator[tuple[str, str]]:
    other = f"{name}, which has {finding.others:,} different ones by their letters and digits"
    yield "compared", f"{finding.known:,} groups have a source of {other}"
    yield "found", f"{finding.found:,} of them among {finding.chosen:,} chosen: {finding.share}"
    share = finding.expected_share
    expected = f"{finding.expected:.1f} [{finding.low}, {finding.high}]"
    expected += f", a share of {share:.3f}" if share is not None else ""
    yield "by chance", f"{expected}; as many or more in {finding.at_least:.2g} of random draws"


def _bits(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


def _rate(count: int, n: int) -> float:
    return count / n if n else 0.0


def _share(count: int, n: int) -> str:
    return f"{count / n:.1%}" if n else "-"
