"""The counterfactual test: is a detail found once it is false, although it was missed while true?

The paper's reading: a model that finds far more of the false details than of the true ones lets the
true ones pass because it knows them, not because it cannot see them.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache
from typing import Any

from assay.core.examples import Example
from assay.core.taxonomies import FINAL4
from assay.core.texts import Response, Span
from assay.core.units import Unit
from assay.core.verdicts import Failure
from assay.detectors.judges.judging import PromptTexts, ReplyFormat, failed, one_line
from assay.detectors.judges.options import load_prompt
from assay.detectors.judges.quoting import plain_text
from assay.detectors.localize.findings import join_spans
from assay.detectors.protocol import Detector, Progress, ask_each, no_progress
from assay.error_analysis.explanations import PROMPTS
from assay.error_analysis.targets import Finder, Target
from assay.evaluation.localization.inconsistencies import Inconsistency, made_unit
from assay.llm.client import CallError, ModelClient
from assay.llm.fences import Fences
from assay.llm.prompts import Prompt
from assay.llm.replies.schemas import array_of, object_of, object_with, read_json, text
from assay.llm.replies.texts import UnreadableError
from assay.metrics import Estimate, proportion

_SCHEMA = object_of(reason=text(), alternatives=array_of(text()))
_LEAST = object_with(alternatives=array_of({}))


@dataclass(frozen=True, slots=True)
class Alternative:
    """The words for each place, why they are false according to the model, and who chose them."""

    words: tuple[str, ...]
    reason: str = ""
    by: str = "model"


@dataclass(frozen=True, slots=True)
class Trial:
    """A target with false words in its place, and whether the detector notices them.

    `error` is the false detail, and `others` are the other errors at their new places; those in
    the words that changed are gone.
    """

    target: Target
    alternative: Alternative
    changed: Example
    error: Inconsistency
    others: tuple[Inconsistency, ...]
    found: bool | None = None

    def to_dict(self) -> dict[str, Any]:
        """The change and its result, as plain JSON values."""
        target = self.target
        return {
            "example": target.example.id,
            "description": target.error.description,
            "words": [span.text for span in target.error.unit.spans],
            "alternatives": list(self.alternative.words),
            "reason": self.alternative.reason,
            "words_by": self.alternative.by,
            "response": self.changed.response.text,
            "found_before": target.found,
            "found_after": self.found,
        }


@dataclass(frozen=True, slots=True)
class Counterfactual:
    """The details found while they are true and once they are false.

    All three count only what was judged both times; `after_missed` only what was missed before.
    """

    targets: int
    unplaced: int
    before: Estimate
    after: Estimate
    after_missed: Estimate
    trials: tuple[Trial, ...]
    failed: tuple[tuple[Target, Failure], ...]  # no words were proposed
    unjudged: int

    @property
    def proposal_failures(self) -> Counter[str]:
        """The number of targets without new words, by reason."""
        return Counter(failure.reason for _, failure in self.failed)

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain JSON values."""
        return {
            "targets": self.targets,
            "unplaced": self.unplaced,
            "before": asdict(self.before),
            "after": asdict(self.after),
            "after_missed": asdict(self.after_missed),
            "proposal_failures": dict(self.proposal_failures),
            "unjudged": self.unjudged,
            "trials": [trial.to_dict() for trial in self.trials],
            "without_words": [
                {"example": target.example.id, **asdict(failure)} for target, failure in self.failed
            ],
        }


async def try_counterfactuals(
    targets: Sequence[Target],
    client: ModelClient,
    detector: Detector,
    finder: Finder,
    progress: Progress = no_progress,
) -> Counterfactual:
    """Asks for false words, puts them in, and lets the same detector look again."""

    async def propose(target: Target) -> Alternative | Failure:
        if target.words:
            return Alternative(fitted(target.error.unit.spans, target.words), by="people")
        return await propose_words(client, target.example, target.error)

    placed = [_merged(target) for target in targets if target.error.unit.spans]
    proposed = await ask_each(placed, propose, client.concurrency)
    pairs = list(zip(placed, proposed, strict=True))
    trials = [make_trial(target, new) for target, new in pairs if isinstance(new, Alternative)]
    failed = tuple((target, new) for target, new in pairs if isinstance(new, Failure))
    told = await _judge(trials, detector, finder, progress)
    both = [t for t in told if t.found is not None and t.target.found is not None]
    missed = [trial for trial in both if not trial.target.found]
    return Counterfactual(
        len(targets),
        len(targets) - len(placed),
        proportion(sum(bool(trial.target.found) for trial in both), len(both)),
        proportion(sum(bool(trial.found) for trial in both), len(both)),
        proportion(sum(bool(trial.found) for trial in missed), len(missed)),
        tuple(told),
        failed,
        len(told) - len(both),
    )


async def _judge(
    trials: Sequence[Trial], detector: Detector, finder: Finder, progress: Progress
) -> list[Trial]:
    """The trials with what the detector notices; several may have the same changed response."""
    examples = {trial.changed.id: trial.changed for trial in trials}
    said = {}
    async for judgement in detector.judge(examples.values()):
        said[judgement.example] = judgement
        progress()

    async def find(trial: Trial) -> Trial:
        judgement = said[trial.changed.id]
        found = await finder.find(trial.changed, judgement, trial.error, trial.others)
        return replace(trial, found=found)

    return await ask_each(trials, find, finder.matcher.concurrency)


def make_trial(target: Target, alternative: Alternative) -> Trial:
    """The example with the new words, and what is wrong with it now."""
    example, spans, words = target.example, target.error.unit.spans, alternative.words
    text, places = replace_words(example.response.text, spans, words)
    digest = hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()[:10]
    changed = replace(
        example,
        id=f"{example.id}:changed-{digest}",
        response=Response(text, example.response.model),
        units=(),
    )
    unit = made_unit(Unit(target.error.unit.id, "span", " ... ".join(words), places))
    error = Inconsistency(unit, FINAL4["extrinsic-wrong"], is_made=True)
    others = []
    for other in target.others:
        new = [moved(span, spans, words, text) for span in other.unit.spans]
        kept = tuple(span for span in new if span is not None)
        if len(kept) == len(new):
            others.append(replace(other, unit=replace(other.unit, spans=kept), also=()))
    return Trial(target, alternative, changed, error, tuple(others))


def _merged(target: Target) -> Target:
    """The target with its places in their order, and those that overlap as one."""
    unit = target.error.unit
    spans = join_spans(unit.spans, target.example.response.text)
    return replace(target, error=replace(target.error, unit=replace(unit, spans=spans)))


async def propose_words(
    client: ModelClient, example: Example, error: Inconsistency
) -> Alternative | Failure:
    """False words for each place of an error; a second unusable proposal is a failure."""
    spans = error.unit.spans
    words = "\n".join(f"{n}. {one_line(span.text)}" for n, span in enumerate(spans, 1))
    texts = PromptTexts(example, error=error.description, words=words)
    try:
        return (await texts.ask(client, prompt(), _alternative_format(spans))).value
    except CallError as problem:
        return failed(error.unit, problem)


@cache
def prompt() -> Prompt:
    """The prompt that asks for false words."""
    return load_prompt("propose-alternative", needs=("words",), folder=PROMPTS)


def replace_words(
    response: str, spans: Sequence[Span], words: Sequence[str]
) -> tuple[str, tuple[Span, ...]]:
    """The response with new words at some places, and where these are; the rest is unchanged.

    >>> spans = [Span.cut("In Rome in May.", 3, 7, "response")]
    >>> text, places = replace_words("In Rome in May.", spans, ["Pisa"])
    >>> text, places[0].text
    ('In Pisa in May.', 'Pisa')
    """
    pieces: list[str] = []
    places: list[tuple[int, int]] = []
    at = length = 0
    for span, new in sorted(zip(spans, words, strict=True), key=lambda pair: pair[0]):
        span.verify(response)
        kept = response[at : span.start]
        places.append((length + len(kept), length + len(kept) + len(new)))
        pieces += [kept, new]
        length, at = places[-1][1], span.end
    text = "".join((*pieces, response[at:]))
    return text, tuple(Span.cut(text, start, end, "response") for start, end in places)


def moved(span: Span, spans: Sequence[Span], words: Sequence[str], text: str) -> Span | None:
    """The place of a span after words were replaced; None if they lie in it."""
    if any(span.overlaps(each) for each in spans):
        return None
    pairs = zip(spans, words, strict=True)
    shift = sum(len(new) - len(old.text) for old, new in pairs if old.end <= span.start)
    return Span.cut(text, span.start + shift, span.end + shift, "response")


def fitted(spans: Sequence[Span], words: Sequence[str]) -> tuple[str, ...]:
    """New words between the blanks of the old ones, so that none grow together."""
    found = []
    for span, new in zip(spans, words, strict=True):
        before, old, after = span.text.partition(span.text.strip())
        found.append(f"{before}{new}{after}" if old else new)
    return tuple(found)


def _alternative_format(spans: Sequence[Span]) -> ReplyFormat[Alternative]:
    """New words for each place, other than those that stand there."""

    def read(reply: str, fences: Fences) -> Alternative:
        value: dict[str, Any] = read_json(reply, _LEAST, fences)
        words = [_words(each) for each in value["alternatives"]]
        if len(spans) == 1:  # further ones are other proposals for the same place
            words = [each for each in words if _is_new(each, spans[0])][:1] or words[:1]
        _require_new(words, spans)
        return Alternative(fitted(spans, words), one_line(value.get("reason")))

    words = [f"other than {one_line(span.text)}" for span in spans]
    reply = {"reason": "The world is not like this.", "alternatives": words}
    return ReplyFormat(read, json.dumps(reply), _SCHEMA)


def _words(entry: object) -> str:
    """The words of an entry; one with the number of its piece, `{"1": "..."}`, is read too."""
    if isinstance(entry, dict) and len(entry) == 1:
        (entry,) = entry.values()
    return one_line(entry)


def _require_new(words: Sequence[str], spans: Sequence[Span]) -> None:
    if len(words) != len(spans):
        raise UnreadableError(f"{len(words)} alternatives are given for {len(spans)} pieces")
    for span, new in zip(spans, words, strict=True):
        if not new:
            raise UnreadableError(f"there are no words to replace '{one_line(span.text)}'")
        if not _is_new(new, span):
            raise UnreadableError(f"'{new}' is what stands there already")


def _is_new(words: str, span: Span) -> bool:
    return bool(words) and plain_text(words)[0].strip() != plain_text(span.text)[0].strip()
