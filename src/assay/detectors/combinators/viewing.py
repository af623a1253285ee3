"""Any detector, shown what a reader sees of both texts; its findings point into the originals.

HTML, Markdown and wrapped lines are read here, once for all detectors. Examples without any of
that are passed on as they are.
"""

from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from assay.core.examples import Annotated, Example
from assay.core.judgements import Judgement
from assay.core.texts import Passage, Source, Span
from assay.core.units import RESPONSE, Unit
from assay.core.verdicts import Outcome, Verdict
from assay.detectors.combinators.combining import Wrapping
from assay.detectors.protocol import Detector, closing, stages_of
from assay.text.markup import visible
from assay.text.sentences import find_sentences
from assay.text.views import View, ViewBuilder


@dataclass(frozen=True, slots=True)
class Viewing(Wrapping):
    """A detector that judges what a reader sees."""

    @property
    def stages(self) -> tuple[Detector, ...]:
        """Those of the detector, which are shown the same."""
        stages = stages_of(self.detector)
        return (self,) if len(stages) == 1 else tuple(map(Viewing, stages))

    async def judge(self, examples: Iterable[Example]) -> AsyncIterator[Judgement]:
        """Judges the views of some examples."""
        waiting: dict[str, list[ExampleView]] = {}
        kind = self.capabilities.unit_kind

        def shown() -> Iterator[Example]:
            for example in examples:
                view = ExampleView.of(example, names_sentences=kind == "sentence")
                waiting.setdefault(example.id, []).append(view)
                yield view.shown

        # What is all there stays so: a detector then need not begin with small batches.
        given = list(shown()) if isinstance(examples, Sequence) else shown()
        async with closing(self.detector.judge(given)) as judgements:
            async for judgement in judgements:
                views = waiting[judgement.example]
                view = views.pop(0)
                if not views:
                    del waiting[judgement.example]
                yield view.back(judgement)


@dataclass(frozen=True, slots=True)
class ExampleView:
    """An example and what is shown of it; a text without a view is shown as it is."""

    example: Example
    shown: Example
    source: View | None = None
    response: View | None = None
    units: Mapping[Unit, Unit] = field(default_factory=dict)  # as they are, by what is shown

    @classmethod
    def of(cls, example: Example, *, names_sentences: bool = False) -> "ExampleView":
        """The view of an example; with its sentences named where the response looks different."""
        source, response = view_source(example.source), visible(example.response.text)
        if source.view is None and response.is_original:
            return cls(example, example)
        if response.is_original:
            shown = replace(example, source=source.shown)
            return cls(example, shown, source.view)
        units = example.units
        if names_sentences and not units:
            units = find_sentences(example.response.text, example.language)
        shown_units = {_shown(unit, response): unit for unit in units}
        shown = replace(
            example,
            source=source.shown,
            response=replace(example.response, text=response.text),
            units=tuple(shown_units),
        )
        return cls(example, shown, source.view, response, shown_units)

    def back(self, judgement: Judgement) -> Judgement:
        """A judgement of the shown texts, as a judgement of the example itself.

        What nobody sees counts as read, unless nothing was.
        """
        if self.shown is self.example:
            return judgement
        read, total = judgement.characters_read, len(self.example.source.text)
        return replace(
            judgement,
            units=tuple(self.units.get(unit) or self._unit(unit) for unit in judgement.units),
            outcomes=tuple(map(self._outcome, judgement.outcomes)),
            source_characters=total,
            characters_read=read and total - (judgement.source_characters - read),
        )

    def _outcome(self, outcome: Outcome) -> Outcome:
        if not isinstance(outcome, Verdict) or not (outcome.evidence or outcome.marks):
            return outcome
        return replace(
            outcome,
            evidence=tuple(map(self._span, outcome.evidence)),
            marks=tuple(span for span in map(self._span, outcome.marks) if span.text),
        )

    def _unit(self, unit: Unit) -> Unit:
        """A unit with its places in the response itself; one that quotes a place quotes it."""
        if unit.id == RESPONSE:
            return Unit.response(self.example.response.text)
        spans = tuple(map(self._span, unit.spans))
        text = spans[0].text if _quotes(unit) else unit.text
        link = unit.link
        if link and link.cue:
            link = replace(link, cue=self._span(link.cue))
        return replace(unit, spans=spans, text=text, link=link)

    def _span(self, span: Span) -> Span:
        view = self.source if span.side == "source" else self.response
        if view is None:
            return span
        return Span.cut(view.original, *view.to_original(span.start, span.end), span.side)


@dataclass(frozen=True, slots=True)
class SourceView:
    """A source as shown, and its view unless it is shown as it is."""

    shown: Source
    view: View | None = None


def view_source(source: Source) -> SourceView:
    """A source as a reader sees it, passage by passage; looked-up passages stay as they are."""
    own = len(source.own_text) if source.outside else len(source.text)
    parts = [(each.start, each.end) for each in source.passages] or [(0, own)]
    if any(start < end for (_, end), (start, _) in pairwise(parts)):
        parts = [(0, own)]  # passages that overlap are not shown one by one
    views = [visible(source.text[start:end]) for start, end in parts]
    if all(view.is_original for view in views):
        return SourceView(source)
    out, position = ViewBuilder(source.text), 0
    for (start, end), view in zip(parts, views, strict=True):
        out.copy(position, start)
        out.add(view, start)
        position = end
    out.copy(position, len(source.text))
    whole = out.build()

    def moved(passage: Passage) -> Passage:
        start, end = whole.from_original(passage.start, passage.end)
        return Passage(passage.name, start, end)

    passages, outside = tuple(map(moved, source.passages)), tuple(map(moved, source.outside))
    shown = replace(source, text=whole.text, passages=passages, outside=outside)
    return SourceView(shown, whole)


def show_peers(annotated: Iterable[Annotated]) -> Iterator[Annotated]:
    """Annotated examples as they are shown to a detector, so that it recognises the same texts."""
    return (replace(each, example=ExampleView.of(each.example).shown) for each in annotated)


def _quotes(unit: Unit) -> bool:
    return len(unit.spans) == 1 and unit.text == unit.spans[0].text


def _shown(unit: Unit, response: View) -> Unit:
    """A unit as it is shown; where a reader sees nothing of it, its text stays."""
    spans = tuple(_shown_span(span, response) for span in unit.spans)
    text = spans[0].text or unit.text if _quotes(unit) else unit.text
    return replace(unit, spans=spans, text=text)


def _shown_span(span: Span, response: View) -> Span:
    """The shown part of a place, without the space around it."""
    start, end = response.from_original(span.start, span.end)
    piece = response.text[start:end]
    end -= len(piece) - len(piece.rstrip())
    start = min(end, start + len(piece) - len(piece.lstrip()))
    return Span.cut(response.text, start, end, span.side)
