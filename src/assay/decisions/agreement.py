"""Agreement of people who decide about the same proposals."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from assay.decisions.proposals import Proposal
from assay.metrics import (
    Estimate,
    cohen_kappa,
    estimate_from_rows,
    krippendorff_alpha,
    raw_agreement,
)


@dataclass(frozen=True, slots=True)
class AnnotatorAgreement:
    """Agreement on proposals that several people decided; n counts these proposals.

    Between two annotators `chance_corrected` is Cohen's kappa, among more Krippendorff's alpha.
    Intervals resample examples.
    """

    annotators: tuple[str, ...]
    raw: Estimate
    chance_corrected: Estimate
    measure: str

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain JSON values."""
        return {
            "annotators": list(self.annotators),
            "raw": asdict(self.raw),
            self.measure: asdict(self.chance_corrected),
        }


def agreement_on(
    proposals: Iterable[Proposal], codes: Mapping[str, float]
) -> AnnotatorAgreement | None:
    """The agreement of decisions as ratings; one without a code is no rating.

    None where nothing was rated by two.
    """
    rated = [
        (each.line.id, {one.by: codes[one.state] for one in each.decisions if one.state in codes})
        for each in proposals
    ]
    twice = [(example, ratings) for example, ratings in rated if len(ratings) > 1]
    if not twice:
        return None
    names = tuple(dict.fromkeys(name for _, ratings in twice for name in ratings))
    table = np.array([[ratings.get(name, np.nan) for _, ratings in twice] for name in names])
    groups = np.array([example for example, _ in twice], dtype=np.str_)
    classes = len(set(codes.values()))

    def raw(rows: Any) -> float | None:
        return raw_agreement(table[:, rows])

    def kappa(rows: Any) -> float | None:
        first, second = table[:, rows].astype(int)
        return cohen_kappa(first, second, classes=classes)

    def alpha(rows: Any) -> float | None:
        return krippendorff_alpha(table[:, rows])

    is_pair = len(names) == 2
    return AnnotatorAgreement(
        names,
        estimate_from_rows(raw, len(twice), groups=groups),
        estimate_from_rows(kappa if is_pair else alpha, len(twice), groups=groups),
        "cohen_kappa" if is_pair else "krippendorff_alpha",
    )
