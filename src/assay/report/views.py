"""What a page shows of one example."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace

from assay.core.decision import QUESTIONS, Answers
from assay.core.examples import Example
from assay.core.judgements import Finding, Judgement
from assay.core.results import Result, is_flagged
from assay.core.taxonomies import GRAY7
from assay.core.texts import Source
from assay.core.totals import noun_of
from assay.core.units import Unit
from assay.core.verdicts import FAITHFUL_FROM, Failure, Verdict
from assay.report.looks import REASONS, Badge, label_badge, note_of, outcome_badge, stance_of
from assay.report.reading import Range, Reading
from assay.report.segments import (
    Gap,
    Piece,
    Segment,
    cut_response,
    cut_runs,
    cut_source,
    display,
    evidence_marks,
    is_quoted,
    marked_ranges,
)
from assay.text.differences import find_absent

LONGEST_QUOTE = 600
LONGEST_REPLY = 2_000
LONGEST_COMPARED = 20_000  # characters of a unit whose words are compared with the evidence

_ANSWERS = {True: "yes", False: "no", None: "not asked"}


@dataclass(frozen=True, slots=True)
class Quote:
    """A passage of evidence, perhaps shortened, and the named part of the source it is from."""

    text: str
    left_out: int
    passage: str
    in_source: bool = True


@dataclass(frozen=True, slots=True)
class ReadingView:
    """One interpretation of an ambiguous unit."""

    badge: Badge
    meaning: str


@dataclass(frozen=True, slots=True)
class ExternalView:
    """Evidence from outside; `link` is empty unless the address is one that is safe to open."""

    address: str
    link: str
    title: str
    quote: str


@dataclass(frozen=True, slots=True)
class VerdictView:
    """What a verdict says, and what it rests on."""

    stance: str
    score: float | None
    confidence: float | None
    note: str
    quotes: tuple[Quote, ...]
    questions: tuple[tuple[str, str], ...]
    readings: tuple[ReadingView, ...]
    external: tuple[ExternalView, ...]
    failed: bool = False


@dataclass(frozen=True, slots=True)
class FailureView:
    """Why there is no verdict."""

    reason: str
    words: str
    detail: str
    reply: str
    left_out: int
    failed: bool = True


@dataclass(frozen=True, slots=True)
class UnitView:
    """A unit with all that is said of it."""

    number: int
    kind: str
    text: str
    runs: tuple[str, ...]  # its text; every other run, from the second on, is underlined
    badge: Badge
    flagged: bool
    grounds: VerdictView | FailureView
    parts: tuple["UnitView", ...] = ()  # such as the claims and relations of a sentence
    words: tuple[str, ...] = ()  # of the response, that it is about and that are not underlined
    marked: bool = False  # what is underlined, the detector marked; otherwise the evidence lacks it


@dataclass(frozen=True, slots=True)
class ExampleView:
    """An example with both texts cut, and every unit, those first that stand in the response."""

    result: Result
    badge: Badge
    source: tuple[Segment | Gap, ...]
    response: tuple[Piece, ...]
    units: tuple[UnitView, ...]
    listed: tuple[UnitView, ...]
    tally: tuple[tuple[Badge, int], ...]
    judged: int  # how many of the units that count have a verdict
    noun: str
    worst: int  # the number of the unit to look at first; 0 where there is none
    seen: int  # characters of the source that a reader sees


def view_example(result: Result, threshold: float | None = FAITHFUL_FROM) -> ExampleView:
    """The view of an example."""
    example, families = result.example, families_of(result.judgement)
    findings = [each for family in families for each in family]
    reading = Reading(example)
    maker = _Units(example, reading, result.judgement.author.name, threshold)
    units = tuple(maker.views(families))
    response = cut_response(example.response.text, [_in_place(each.unit) for each in findings])
    placed = {piece.unit for piece in response if not piece.continued}
    return ExampleView(
        result=result,
        badge=outcome_badge(result.response.outcome),
        source=cut_source(example.source.text, evidence_marks(findings), reading.edits),
        response=response,
        units=units,
        listed=tuple(unit for unit in units if unit.number not in placed),
        tally=tuple(Counter(outcome_badge(each.outcome) for each in result.counted).items()),
        judged=sum(each.verdict is not None for each in result.counted),
        noun=noun_of(each.kind for each in result.counted),
        worst=_worst(findings),
        seen=reading.characters,
    )


def _worst(findings: list[Finding]) -> int:
    """The number of the least faithful unit; one without a verdict comes after unfaithful ones."""
    if not findings:
        return 0
    return 1 + min(range(len(findings)), key=lambda at: _rank(findings[at]))


def _rank(finding: Finding) -> tuple[int, float, float]:
    groups = ("unfaithful", None, "not-sure", "faithful", "no-fact")
    rank = finding.label.rank if finding.label else 0
    return groups.index(finding.coarse), rank, 1.0 if finding.score is None else finding.score


def families_of(judgement: Judgement) -> list[list[Finding]]:
    """Each finding that is no part of another unit judged, with what was said of its parts."""
    families: dict[str, list[Finding]] = {}
    for finding in judgement.findings:
        families.setdefault(_head(finding.unit, judgement), []).append(finding)
    # A part may be listed before what it is a part of.
    return [sorted(family, key=lambda each: each.id != head) for head, family in families.items()]


def _head(unit: Unit, judgement: Judgement) -> str:
    """The id of the outermost unit judged that a unit belongs to, or its own."""
    head, parent, seen = unit.id, unit.parent, {unit.id}
    while parent and parent not in seen:
        if judgement.finding(parent):
            head = parent
        seen.add(parent)
        owner = judgement.by_id.get(parent)
        parent = owner.parent if owner else ""
    return head


def _in_place(unit: Unit) -> Unit:
    """The unit with its places; a claim in other words than the response has none, so it is listed.

    Several claims may come from one sentence, which cannot have the colour of all of them. The
    words of an inconsistency are coloured, and it is listed all the same: it has words of its own.
    """
    if unit.kind not in ("claim", "relation") or is_quoted(unit):
        return unit
    return replace(unit, spans=())


@dataclass(frozen=True, slots=True)
class _Units:
    """Makes the views of the units of one example."""

    example: Example
    reading: Reading
    author: str
    threshold: float | None

    def views(self, families: list[list[Finding]]) -> Iterator[UnitView]:
        """The units family by family, the parts of a unit both with it and behind it."""
        start = 1
        for family in families:
            first, *parts = (self._view(at, each) for at, each in enumerate(family, start))
            yield replace(first, parts=tuple(parts))
            yield from parts
            start += len(family)

    def _view(self, number: int, finding: Finding) -> UnitView:
        outcome = finding.outcome
        return UnitView(
            number=number,
            kind=finding.kind,
            text=finding.text,
            runs=tuple(map(display, self._runs(finding))),
            badge=outcome_badge(outcome),
            flagged=is_flagged(finding),
            grounds=_failure(outcome) if isinstance(outcome, Failure) else self._verdict(outcome),
            words=_words(finding),
            marked=bool(finding.marks) and is_quoted(finding.unit),
        )

    def _verdict(self, verdict: Verdict) -> VerdictView:
        return VerdictView(
            stance=stance_of(verdict, self.author, self.threshold),
            score=verdict.score,
            confidence=verdict.confidence,
            note=full_note(verdict),
            quotes=tuple(_quotes(verdict, self.example.source, self.reading)),
            questions=answered_questions(verdict) if verdict.answers else (),
            readings=tuple(
                ReadingView(label_badge(each.label), each.meaning)
                for each in verdict.interpretations
            ),
            external=tuple(
                ExternalView(each.address, _link(each.address), each.title, each.quote)
                for each in verdict.external
            ),
        )

    def _runs(self, finding: Finding) -> Iterator[str]:
        """The text of a unit, cut around the words to look at.

        These are the marked ones, or else those that its evidence does not contain.
        """
        if finding.marks:
            return cut_runs(finding.text, marked_ranges(finding))
        return cut_runs(finding.text, self._absent(finding) if _is_compared(finding) else ())

    def _absent(self, finding: Finding) -> Iterator[Range]:
        """Where a unit has words that the evidence lacks, both read as a reader sees them.

        A contradiction is one of the best evidence, whatever weaker evidence there is.
        """
        spans = finding.unit.spans
        passages = [self.reading.passage(span) for span in finding.evidence]
        view, (first, last) = self.reading.sentence(finding.text, spans)
        offset = spans[0].start if view.original != finding.text else 0
        is_against = finding.label == GRAY7["contradicting"]
        known = passages[:1] if is_against else passages
        position = 0
        for absent in find_absent(view.text[first:last], known, self.example.language):
            start, end = (
                place - offset for place in view.to_original(*(first + at for at in absent))
            )
            start, end = max(start, position), min(end, len(finding.text))
            if start < end:
                yield start, end
                position = end


def _is_compared(finding: Finding) -> bool:
    is_stated = finding.kind in ("sentence", "claim") and finding.coarse != "no-fact"
    return bool(finding.evidence) and is_stated and len(finding.text) <= LONGEST_COMPARED


def _words(finding: Finding) -> tuple[str, ...]:
    """The words of the response that an inconsistency, or a unit of several places, is about."""
    unit = finding.unit
    marks = () if is_quoted(unit) else finding.marks
    spans = unit.spans if unit.kind == "inconsistency" else marks
    return tuple(span.text[:LONGEST_QUOTE] for span in spans)


def full_note(verdict: Verdict) -> str:
    """The note, after the kind of error, if there is one."""
    note = note_of(verdict)
    if verdict.error is None:
        return note
    return f"{verdict.error.name}: {verdict.error.meaning} {note}".strip()


def _failure(failure: Failure) -> FailureView:
    return FailureView(
        reason=failure.reason,
        words=REASONS[failure.reason],
        detail=failure.detail,
        reply=failure.raw[:LONGEST_REPLY],
        left_out=max(0, len(failure.raw) - LONGEST_REPLY),
    )


def _quotes(verdict: Verdict, source: Source, reading: Reading) -> Iterator[Quote]:
    for span in verdict.evidence:
        text = reading.quote(span)
        left_out = max(0, len(text) - LONGEST_QUOTE)
        in_source = span.side == "source" and span.start < span.end
        passage = _passage(source, span.start) if in_source else ""
        yield Quote(text[:LONGEST_QUOTE], left_out, passage, in_source)


def _passage(source: Source, start: int) -> str:
    if len(source.passages) < 2:
        return ""
    found = (each.name for each in source.passages if each.start <= start < each.end)
    return next(found, "")


def answered_questions(verdict: Verdict) -> tuple[tuple[str, str], ...]:
    """The questions of the tree with their answers, and which answer nobody looked up."""
    answers = {
        question: _ANSWERS[(verdict.answers or Answers())[question]] for question in QUESTIONS
    }
    known = answers["entailed_with_knowledge"]
    if known != "not asked" and not (verdict.external or verdict.attributes.consulted):
        answers["entailed_with_knowledge"] = f"{known}, from memory"
    return tuple((words, answers[question]) for question, words in QUESTIONS.items())


def _link(address: str) -> str:
    return address if address.lower().startswith(("http://", "https://")) else ""
