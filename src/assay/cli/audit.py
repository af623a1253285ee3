"""`assay audit`: gold labels that detectors disagree with, decided, verified and revised."""

from dataclasses import asdict
from typing import Annotated, Any

from assay.app.audit.decisions import (
    Settling,
    VerifyRequest,
    adjudicate_files,
    estimate_votes,
    open_flags,
)
from assay.app.audit.decisions import verify as verify_revisions
from assay.app.audit.flag import FlagRequest, estimate_flags, require_key, write_key
from assay.app.audit.flag import flag as find_flags
from assay.app.audit.outcomes import (
    ApplyRequest,
    ProfileRequest,
    VersionsRequest,
    compare_versions,
    profile_files,
)
from assay.app.audit.outcomes import apply as apply_revisions
from assay.app.targets import write_examples
from assay.cli.commands import CommandGroup
from assay.cli.errors import code_of_figures, exit_code, say
from assay.cli.options import Database, Priced, Shown, TableFiles, require_lines, require_name
from assay.cli.studio import opened_studio
from assay.core.options import Argument, Option, Takes
from assay.core.results import count_of

STUDIO = "studio:"
SHOWN = 10  # refusals that are told

Out = Annotated[str, Option("Write the lines there (.jsonl).", "FILE")]


def flag(
    request: FlagRequest,
    shown: Priced,
    out: Out = "",
    key: Annotated[
        str,
        Option(
            "Write there which labels are controls (.json); keep it from those who decide.",
            "FILE",
        ),
    ] = "",
    number: Annotated[int, Option("How many flags to print.", "N", name="show", least=0)] = 10,
) -> int:
    """Flag gold labels that detectors disagree with, the most severe first.

    Exit code: 0 all compared, 2 bad usage or input, 3 some units have no verdict of a detector.
    """
    from assay.report.audit.views import flagging_view

    if shown.dry_run:
        return shown.estimated(estimate_flags(request))
    require_lines(out, "the flags", request.data.target)
    require_key(key, request.control, request.data.target, out)
    found = find_flags(request)
    if found.key:
        write_key(key, found.key)
    write_examples(out, found.lines)
    shown.show(lambda: {**found.to_dict(), "file": out}, lambda: flagging_view(found, out, number))
    return code_of_figures(found.is_complete)


def adjudicate(
    flags: Annotated[
        tuple[str, ...],
        Argument("Files of flags, filled in by people (.jsonl), or studio:PROJECT.", "FLAGS"),
    ],
    settling: Settling,
    shown: Shown,
    studio: Annotated[
        str,
        Option(
            "Hand the flags over to this project of the studio, which is made if need be.",
            "PROJECT",
        ),
    ] = "",
    out: Out = "",
    database: Database = None,
) -> int:
    """Check what people decided about flags, or have it decided in the studio.

    Everything that is wrong in a file is told with its line; nothing is changed there.

    Exit code: 0 all is in order, 2 for bad usage or anything wrong in a file, 3 conflicts.
    """
    from assay.report.audit.views import adjudication_view

    if studio:
        return _hand_over(flags, studio, database, shown)
    if out:
        require_name(out, "the decisions")
    projects = [each.removeprefix(STUDIO) for each in flags if each.startswith(STUDIO)]
    lines = []
    if projects:
        with opened_studio(database, must_exist=True) as (opened, who):
            from assay.annotation.audit.handover import decided_lines

            lines = [line for each in projects for line in decided_lines(opened, who, each)]
    files = [each for each in flags if not each.startswith(STUDIO)]
    found = adjudicate_files(files, settling, lines, out)
    if out:
        write_examples(out, found.lines)
    decided = found.adjudication
    shown.show(
        lambda: {**decided.to_dict(), "file": out or None}, lambda: adjudication_view(decided)
    )
    if decided.conflicts:
        say(
            f"{count_of(len(decided.conflicts), 'conflict')} between people; settle them in the "
            f"files, or with --prefer NAME{'' if settling.majority else ' or --majority'}"
        )
    return exit_code(no_verdict=bool(decided.conflicts))


def verify(request: VerifyRequest, shown: Priced) -> int:
    """Have models vote on each proposed revision whose evidence is in the source.

    What they answer is kept among the runs: after a stop, the same command goes on.

    Exit code: 0 all voted, 2 bad usage or input, 3 votes are missing, or a revision was refused.
    """
    from assay.cli.progress import counting
    from assay.report.audit.views import independence_note, verification_view

    if shown.dry_run:
        return shown.estimated(estimate_votes(request))
    out = request.out
    require_name(out, "the votes")
    found, usage = verify_revisions(request, lambda: counting("verifying", shown=not shown.quiet))
    write_examples(out, found.lines)
    shown.say(usage)
    shown.show(lambda: {**found.to_dict(), "file": out}, lambda: verification_view(found, out))
    refused = [each for each in found.ruled if each.refusal]
    if refused:
        say(f"{count_of(len(refused), 'revision')} refused before anybody was asked:")
        for each in refused[:SHOWN]:
            example, unit = each.key
            say(f"example '{example}', unit {unit}: {each.refusal}")
        if len(refused) > SHOWN:
            say(f"and {len(refused) - SHOWN:,} more; assay audit adjudicate names them all")
    if found.involved:
        say(independence_note(found))
    if found.failures:
        say(f"{count_of(found.failures.total(), 'vote')} missing; the same command asks again")
    return exit_code(no_verdict=bool(found.failures or refused))


def apply(request: ApplyRequest, tables: TableFiles, shown: Shown, out: Out = "") -> int:
    """Write a new version of the data with the verified revisions, and say what came of it.

    Exit code: 0 written, 2 bad usage or input, 3 written, but flags are open or votes missing.
    """
    from assay.report.audit.tables import csv_report, markdown_report
    from assay.report.audit.views import report_view

    inputs = (request.data.target, *request.flags)
    require_lines(out, "the data", *inputs)
    tables.require(*inputs, out, json=shown.json)
    report, after = apply_revisions(request)
    texts = tables.texts(
        csv=lambda: csv_report(report),
        markdown=lambda: markdown_report(report),
        html=lambda: _page(report),
    )
    write_examples(out, after)
    tables.write_all(texts)
    if not tables.is_printed:
        shown.show(lambda: {**report.to_dict(), "file": out}, lambda: report_view(report, out))
    if report.unverified:
        say(f"{count_of(report.unverified, 'revision')} applied although too few votes agree")
    if report.open:
        say(f"{count_of(report.open, 'flag')} still open: labels stay as they were")
    if report.waiting:
        say(f"{count_of(report.waiting, 'revision')} waiting for votes: labels stay as they were")
    return exit_code(no_verdict=not report.is_complete)


def profile(request: ProfileRequest, tables: TableFiles, shown: Shown) -> None:
    """Compare the kinds of error that the labels of several data sets had overlooked."""
    from assay.report.audit.profiles import csv_profiles, markdown_profiles, profile_view

    tables.require(*request.flags, json=shown.json)
    found = profile_files(request)
    tables.write(
        csv=lambda: csv_profiles(found),
        markdown=lambda: markdown_profiles(found),
        html=lambda: _profile_page(found),
    )
    if not tables.is_printed:
        shown.show(
            lambda: {"profiles": [each.to_dict() for each in found]}, lambda: profile_view(found)
        )


def compare(
    request: VersionsRequest, tables: Annotated[TableFiles, Takes("html")], shown: Shown
) -> None:
    """Compare two versions of labels: what changed, and how detectors rank on each."""
    from assay.report.audit.tables import csv_versions, markdown_versions
    from assay.report.audit.views import versions_view

    tables.require(request.old, request.new, json=shown.json)
    found = compare_versions(request)
    tables.write(csv=lambda: csv_versions(found), markdown=lambda: markdown_versions(found))
    if not tables.is_printed:
        shown.show(found.to_dict, lambda: versions_view(found))


def _page(report: Any) -> str:
    from assay.report.audit.page import audit_html

    return audit_html(report)


def _profile_page(found: Any) -> str:
    from assay.report.audit.page import profile_html

    return profile_html(found)


def _hand_over(flags: tuple[str, ...], project: str, database: str | None, shown: Shown) -> int:
    """Puts the flags of some files up for audit in the studio."""
    found = open_flags(flags)
    with opened_studio(database) as (opened, who):
        from assay.annotation.audit.handover import hand_over

        done = hand_over(opened, who, project, found.lines, found.flags)
    told = (
        f"{done.project}: {count_of(done.added, 'flag')} put up for audit, {done.known:,} were "
        f"there before; {count_of(done.items.added, 'item')} new"
    )
    shown.show(lambda: asdict(done), lambda: [told])
    for each in done.items.problems:
        say(f"{each.where}: {each.message}")
    return exit_code(unusable=done.refused > 0)


app = CommandGroup(
    "Audits of gold labels: detectors flag them, people decide, models verify, and a new "
    "version of the data has the revised ones.",
    flag,
    adjudicate,
    verify,
    apply,
    profile,
    compare,
)
