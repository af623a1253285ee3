"""`assay agree`: how far annotators agree."""

from typing import Annotated

import typer

from assay import Columns, DataChoice
from assay.app import agree as use_case
from assay.app.agree import STUDIO, Convention
from assay.app.targets import require_targets
from assay.cli import options as o
from assay.cli.output import busy, print_json, show, to_standard_output, write_text
from assay.cli.studio import Database, opened_studio
from assay.report.agreement_view import agreement_csv, agreement_view


@o.reads_labels
def agree(
    data_: Annotated[
        str,
        typer.Argument(
            metavar="DATA",
            help="studio:PROJECT, a corpus ('assay data list'), a file or folder of annotations, "
            "or a table with a row for each label of an annotator.",
        ),
    ],
    convention: Annotated[
        Convention,
        typer.Option(
            help="Alpha over all units, or as FaithBench's authors take it: classes as numbers, "
            "averaged over batches.",
        ),
    ] = "standard",
    csv: Annotated[
        str | None, typer.Option(metavar="FILE", help="Also write CSV; - prints it instead.")
    ] = None,
    database: Database = None,
    data: o.Data = None,
    split: o.Split = "",
    task: o.Task = "",
    json: o.AsJson = False,
    quiet: o.Quiet = False,
    *,
    columns: Columns,
) -> None:
    """Measure how far annotators agree, in each reading of their labels.

    Krippendorff's alpha, Fleiss' and Cohen's kappa and raw agreement, with intervals over sources,
    the units behind each and their coverage.
    """
    printed = to_standard_output(csv, json=json)
    require_targets({"csv": csv}, data_)
    if data_.startswith(STUDIO):
        with opened_studio(database, must_exist=True) as (opened, who), busy(f"reading {data_}"):
            found = use_case.agree_in_studio(opened, who, data_.removeprefix(STUDIO), convention)
    else:
        choice = DataChoice(data_, data, columns, split=split, task=task)
        with busy(f"reading {data_}"):
            found = use_case.agree(choice, convention)
    write_text(csv, agreement_csv(found.figures))
    if json:
        print_json(found.to_dict())
    elif not (printed or quiet):
        show(agreement_view(found))
