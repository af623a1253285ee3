"""The kinds of error in the revised labels of several data sets, side by side."""

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

from assay.app.audit.adjudicate import settled
from assay.app.audit.detectors import AGREE, UNVERIFIED
from assay.audit.profiles import Profile, profile_of
from assay.audit.revisions import Application
from assay.audit.verification import ENOUGH, rule_on
from assay.core.errors import InputError
from assay.core.options import Argument
from assay.decisions.proposals import Settling


@dataclass(frozen=True, slots=True)
class ProfileRequest:
    """Files of decided flags, one for each data set, and which revisions count in them."""

    flags: Annotated[
        tuple[str, ...],
        Argument("A file of verified flags for each data set (.jsonl).", "FLAGS"),
    ]
    enough: Annotated[int, AGREE] = ENOUGH
    unverified: Annotated[bool, UNVERIFIED] = False
    settling: Settling = field(default_factory=Settling)

    def __post_init__(self) -> None:
        if self.enough < 1:
            raise InputError(f"agree must be 1 or more, not {self.enough}", field="agree")


def profile_files(request: ProfileRequest) -> tuple[Profile, ...]:
    """A profile of each file, the same that applying it has; raises where no revision counts."""
    stems = Counter(Path(path).stem for path in request.flags)
    found = []
    is_decided = False
    for path in dict.fromkeys(request.flags):
        _, decided = settled((path,), request.settling)
        ruled = {
            each.decided.proposal.key: each for each in rule_on(decided.decided, request.enough)
        }
        is_decided = is_decided or any(each.decision for each in decided.decided)
        application = Application(decided.decided, ruled, request.unverified)
        stem = Path(path).stem
        found.append(profile_of(stem if stems[stem] == 1 else path, application.applied))
    if not any(each.known + each.without for each in found):
        if not is_decided:
            message = "no revision counts, since nobody has decided about these flags yet"
            raise InputError(message, code="no-decisions")
        raise InputError("no revision counts: too few votes agree", code="no-revisions")
    return tuple(found)
