"""Reasons of errors: categories, as a model proposes them and as people decide."""

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

from assay.core.judgements import Author
from assay.core.labels import Label
from assay.core.taxonomies import FINAL4, RECHECK3
from assay.core.texts import Span
from assay.core.verdicts import Failure, Outcome, Verdict
from assay.detectors.judges.judging import PromptTexts, failed, one_line
from assay.detectors.judges.opinions import Fields
from assay.detectors.judges.options import load_prompt
from assay.detectors.localize.findings import join_spans
from assay.detectors.protocol import Progress, ask_each, no_progress
from assay.error_analysis.error_items import CATEGORIES, MENUS, SIDES, ErrorItem, Side
from assay.llm.client import CallError, ModelClient
from assay.llm.prompts import Prompt
from assay.metrics import Estimate, proportion

PROMPTS = Path(__file__).parent / "prompts"
ADDITIONS = (FINAL4["extrinsic-correct"], FINAL4["extrinsic-wrong"])
# What each prompt is shown: the error, and what the other side says of the response.
_SHOWN: dict[Side, tuple[str, str]] = {
    "missed": ("error", "reported"),
    "invented": ("complaint", "known"),
}


@dataclass(frozen=True, slots=True)
class Statement:
    """A verdict or failure on an error or a claim, by whom and when."""

    author: Author
    outcome: Outcome
    at: str = ""


@dataclass(frozen=True, slots=True)
class Question:
    """A question from the source whose answer is what the response added, and who wrote it."""

    text: str
    answer: str
    author: Author


@dataclass(frozen=True, slots=True)
class FalseWords:
    """False words for each place of a true addition, and the person who chose them."""

    words: tuple[str, ...]
    author: Author


@dataclass(frozen=True, slots=True)
class Explained:
    """An error with all that was said about it; people come before the gold and the models.

    `answer` is by a person and `proposal` by a model, which is asked even where the gold has a
    category: whether it is an error of the detector at all is for somebody to look at.

    `question` asks for what the response added, and `belief` is how likely the judged model finds
    the answer. `false_words` are to replace what was added in the counterfactual test.
    """

    item: ErrorItem
    answer: Statement | None = None
    proposal: Statement | None = None
    question: Question | None = None
    belief: Statement | None = None
    false_words: FalseWords | None = None

    @property
    def category(self) -> Label | None:
        """The answer that counts: a category, or that it is no error; None while there is none."""
        if self.answer:
            return self.answer.outcome.label
        proposed = self.proposal.outcome.label if self.proposal else None
        return proposed if proposed in RECHECK3.labels else self.item.given or proposed

    @property
    def is_missed_addition(self) -> bool:
        """True if the detector let pass what the source does not have: P(True) asks about it."""
        return self.item.side == "missed" and self.category in ADDITIONS

    @property
    def is_true_addition(self) -> bool:
        """True if it is one of those that the counterfactual test turns into a false one."""
        return self.item.side == "missed" and self.category == ADDITIONS[0]

    @property
    def question_id(self) -> str:
        """The id of the unit that is the question."""
        return f"{self.item.unit.id}.question"

    @property
    def answer_id(self) -> str:
        """The id of the unit that is the answer to it."""
        return f"{self.item.unit.id}.answer"

    @property
    def places(self) -> tuple[Span, ...]:
        """The places of the error in the response; those that overlap are one."""
        return join_spans(self.item.unit.spans, self.item.example.response.text)

    @property
    def words_ids(self) -> tuple[str, ...]:
        """The ids of the units that are false words, one for each place of the error."""
        numbers = range(1, len(self.places) + 1)
        return tuple(f"{self.item.unit.id}.words{number}" for number in numbers)

    @property
    def decided_by(self) -> str:
        """`people`, `gold`, `model`, or empty."""
        if self.category is None:
            return ""
        if self.answer:
            return "people"
        return "gold" if self.category == self.item.given else "model"

    @property
    def failure(self) -> Failure | None:
        """The model's failure to answer; None where it answered, or people did."""
        said = None if self.answer else self.proposal
        return said.outcome if said and isinstance(said.outcome, Failure) else None


def today() -> str:
    """The date, as it is written down with what a model or the program does."""
    return datetime.now(UTC).date().isoformat()


async def explain(
    client: ModelClient, explained: Sequence[Explained], progress: Progress = no_progress
) -> list[Explained]:
    """The errors with a proposal for each that no person decided: the model is asked once."""

    async def propose(each: Explained) -> Explained:
        return replace(each, proposal=await explain_one(client, each.item))

    asked = [each for each in explained if not each.answer and (not each.proposal or each.failure)]
    told = await ask_each(asked, propose, client.concurrency, progress)
    found = {each.item.key: each for each in told}
    return [found.get(each.item.key, each) for each in explained]


async def explain_one(client: ModelClient, item: ErrorItem) -> Statement:
    """The category of one error with a reason, or why there is none."""
    beside = "\n".join(f"- {one_line(each)}" for each in item.beside) or "(nothing)"
    shown = zip(_SHOWN[item.side], (item.in_words, beside), strict=True)
    texts = PromptTexts(item.example, **dict(shown))
    prompt, reply = prompts()[item.side], Fields(item.menu).reply_format
    try:
        opinion = (await texts.ask(client, prompt, reply)).value
    except CallError as error:
        return Statement(explainer(client), failed(item.unit, error), today())
    verdict = Verdict(item.unit.id, opinion.label, note=opinion.reason)
    return Statement(explainer(client), verdict, today())


def explainer(client: ModelClient) -> Author:
    """A model that explains errors, with a digest of its prompts."""
    digests = "".join(prompts()[side].digest for side in SIDES)
    return Author(client.model, version=hashlib.sha256(digests.encode()).hexdigest()[:16])


@cache
def prompts() -> Mapping[Side, Prompt]:
    """The prompts that ask about an error, by side."""
    return {
        side: load_prompt(f"explain-{side}", needs=_SHOWN[side], labels=MENUS[side], folder=PROMPTS)
        for side in SIDES
    }


@dataclass(frozen=True, slots=True)
class Share:
    """One category: how many errors have it, their share, and how many of them people decided."""

    category: Label
    count: int
    share: Estimate
    by_people: int

    def to_dict(self) -> dict[str, Any]:
        """Everything but the name as plain JSON values."""
        return {
            "count": self.count,
            "share": asdict(self.share),
            "by_people": self.by_people,
        }


@dataclass(frozen=True, slots=True)
class ErrorShares:
    """The errors of one side by category; those without one are `open`, or the model failed.

    `failures` also counts errors with a category of the gold that the model failed to look at.

    `excluded` turned out to be no errors, or nobody can tell: they have no part in the shares of
    the categories, and their own are shares of all that was looked at.
    """

    side: Side
    errors: int
    shares: tuple[Share, ...]
    excluded: tuple[Share, ...]
    decided_by: Counter[str]
    failures: Counter[str]
    open: int  # wait for an answer

    @property
    def decided(self) -> int:
        """The number of errors with a category."""
        return self.decided_by.total()

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain JSON values."""
        return {
            "errors": self.errors,
            "decided": self.decided,
            "decided_by": dict(self.decided_by),
            "open": self.open,
            "failures": dict(self.failures),
            "categories": {each.category.name: each.to_dict() for each in self.shares},
            "excluded": {each.category.name: each.to_dict() for each in self.excluded},
        }


def distributions(explained: Sequence[Explained]) -> tuple[ErrorShares, ...]:
    """One for each side; the interval of a share is Wilson's."""
    return tuple(
        _distribution(side, [e for e in explained if e.item.side == side]) for side in SIDES
    )


def _distribution(side: Side, explained: Sequence[Explained]) -> ErrorShares:
    told = [each for each in explained if each.category]
    decided = [each for each in told if each.category not in RECHECK3.labels]
    return ErrorShares(
        side,
        len(explained),
        _shares(CATEGORIES[side], decided),
        _shares(RECHECK3, told),
        Counter(each.decided_by for each in decided),
        Counter(each.failure.reason for each in explained if each.failure),
        sum(not each.category and not each.failure for each in explained),
    )


def _shares(menu: Iterable[Label], explained: Sequence[Explained]) -> tuple[Share, ...]:
    """Each label of the menu as a share of the given errors."""
    shares = []
    for label in menu:
        own = [each for each in explained if each.category == label]
        by_people = sum(each.decided_by == "people" for each in own)
        shares.append(Share(label, len(own), proportion(len(own), len(explained)), by_people))
    return tuple(shares)
