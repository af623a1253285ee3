"""`assay agree`: how far annotators agree."""

from typing import Annotated

from assay import DataChoice
from assay.app import agree as use_case
from assay.app.agree import STUDIO, Convention
from assay.app.targets import require_targets
from assay.cli.options import Database, Shown, TableFiles
from assay.cli.studio import opened_studio
from assay.core.options import Argument, Option, Takes


def agree(
    data: Annotated[
        DataChoice,
        Takes(
            "language sample seed",
            dataset=Argument(
                "studio:PROJECT, a corpus ('assay data list' names them), a file or folder of "
                "annotations, or a table with a row for each label of an annotator.",
                "DATA",
            ),
        ),
    ],
    tables: Annotated[TableFiles, Takes("markdown html")],
    shown: Shown,
    convention: Annotated[
        Convention,
        Option(
            "Alpha over all units, or as FaithBench's authors take it: classes as numbers, "
            "averaged over batches."
        ),
    ] = "standard",
    database: Database = None,
) -> None:
    """Measure how far annotators agree, in each reading of their labels.

    Krippendorff's alpha, Fleiss' and Cohen's kappa and raw agreement, with intervals over sources,
    the units behind each and their coverage.
    """
    from assay.cli.output import busy
    from assay.report.evaluation.agreement import agreement_csv, agreement_view

    tables.require(json=shown.json)
    target = data.target
    require_targets({"csv": tables.csv}, target)
    if target.startswith(STUDIO):
        with opened_studio(database, must_exist=True) as (opened, who), busy(f"reading {target}"):
            found = use_case.agree_in_studio(opened, who, target.removeprefix(STUDIO), convention)
    else:
        with busy(f"reading {target}"):
            found = use_case.agree(data, convention)
    tables.write(csv=lambda: agreement_csv(found.figures))
    if not tables.is_printed:
        shown.show(found.to_dict, lambda: agreement_view(found))
