"""What one person sees of an item: its texts, their own work, and what they may know of others."""

from dataclasses import dataclass
from typing import Literal

from assay.app.annotation.annotating.checks import Problems
from assay.app.annotation.settings import Mode
from assay.app.annotation.team.discussion import Comment
from assay.core.texts import Passage
from assay.core.wire import UnitRecord

NextCode = Literal["", "quiz", "nothing-left", "part-done"]


@dataclass(frozen=True, slots=True)
class ProjectView:
    """What an item's page needs to know of its project."""

    slug: str
    name: str
    mode: Mode
    k: int
    show_detectors: bool
    show_model: bool
    needs_quiz: bool


@dataclass(frozen=True, slots=True)
class SourceView:
    """The text that the response must be faithful to, and its named parts."""

    text: str
    passages: tuple[Passage, ...]


@dataclass(frozen=True, slots=True)
class ResponseView:
    """The text that is judged; who wrote it only where the project shows that."""

    text: str
    model: str | None


@dataclass(frozen=True, slots=True)
class ExampleView:
    """The two texts of an item."""

    id: str
    source: SourceView
    response: ResponseView
    question: str
    task: str


@dataclass(frozen=True, slots=True)
class WorkView:
    """The person's own work on an item, with the draft and what it lacks."""

    id: int
    stage: str
    state: str
    version: int
    seconds: int
    units: list[UnitRecord]
    problems: Problems


@dataclass(frozen=True, slots=True)
class OtherView:
    """What somebody else said of an item, or a detector."""

    author: str
    kind: Literal["person", "detector"]
    stage: str
    at: str
    units: list[UnitRecord]


@dataclass(frozen=True, slots=True)
class DetectorView:
    """What a detector said of an item."""

    name: str
    units: list[UnitRecord]


@dataclass(frozen=True, slots=True)
class May:
    """What the person may do with their work now."""

    edit: bool = False
    submit: bool = False
    reopen: bool = False
    hold: bool = False


@dataclass(frozen=True, slots=True)
class ItemView:
    """An item as one person may see it; `others` and `comments` are empty while that is blind."""

    project: ProjectView
    position: int
    count: int
    purpose: str
    state: str
    stage: str
    example: ExampleView
    work: WorkView | None
    others: tuple[OtherView, ...]
    comments: tuple[Comment, ...]
    previous: int | None
    next: int | None
    may: May


@dataclass(frozen=True, slots=True)
class NextItem:
    """The item that somebody should turn to; without one, why there is none, in words and a code.

    The code is `quiz` where something has to be done first, `nothing-left` where all is done, and
    `part-done` at the end of training or quiz.
    """

    position: int | None
    stage: str = ""
    reason: str = ""
    code: NextCode = ""


@dataclass(frozen=True, slots=True)
class Finished:
    """Work that was submitted, the state of its item, and the item to go on with."""

    state: str
    round: int
    at: str
    next: int | None
    stage: str  # of the next one
    reason: str  # why there is no next one
    code: NextCode  # the same for a page, as of `NextItem`
