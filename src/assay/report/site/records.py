"""What the page reads of one row: the response and all that judges say of it, as plain JSON.

Texts are as they were given; places in them are counted as a browser does.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from assay.core.examples import Example
from assay.core.folding import fold_judgement
from assay.core.judgements import GOLD, Finding, Judgement
from assay.core.labels import Label
from assay.core.results import is_unsure
from assay.core.taxonomies import BINARY
from assay.core.units import RESPONSE, Unit
from assay.core.verdicts import NO_ATTRIBUTES, Failure, Outcome, Verdict
from assay.report.looks import label_badge, outcome_badge
from assay.report.reading import Edit, snapped
from assay.report.records import Json, Numbers
from assay.report.site.people import Opinion, opinions
from assay.report.site.pieces import Places
from assay.report.views import LONGEST_QUOTE, LONGEST_REPLY, answered_questions, full_note

# FaithBench's labels are four degrees, which their coarse reading does not tell apart.
_TONES = {
    "faithbench": {
        "questionable": "ambiguous",
        "benign": "implicitly-supported",
        "consistent": "explicitly-supported",
        "unwanted.extrinsic": "fabricated",
    }
}


def tone_of(label: Label) -> str:
    """The tone that pages show a label in."""
    return _TONES.get(label.taxonomy, {}).get(label.name) or label_badge(label).tone


class Recorder:
    """Makes the records of rows; `badges` are all that it met, by number."""

    def __init__(self) -> None:
        self.badges = Numbers()
        self._known: dict[Label, int] = {}

    def badge(self, outcome: Outcome) -> int:
        """The number of an outcome's badge."""
        if outcome.label is not None:
            return self.badge_of(outcome.label)
        badge = outcome_badge(outcome)
        return self.badges[badge.name, badge.tone, badge.symbol, badge.meaning]

    def badge_of(self, label: Label) -> int:
        """The number of a label's badge: its name, its tone, its sign and its meaning."""
        if label not in self._known:
            badge = label_badge(label)
            found = self.badges[badge.name, tone_of(label), badge.symbol, badge.meaning]
            self._known[label] = found
        return self._known[label]

    def label(self, judgement: Judgement | None) -> int:
        """The number of the badge of a whole response, from 1; 0 where nothing is said.

        A lone score is read, as counts read it.
        """
        if judgement is None:
            return 0
        outcome = fold_judgement(judgement)
        if isinstance(outcome, Verdict) and outcome.label is None and not is_unsure(outcome):
            return 1 + self.badge_of(BINARY[outcome.coarse])
        return 1 + self.badge(outcome)

    def row(
        self,
        example: Example,
        said: Sequence[Judgement | None],
        people: Sequence[Judgement],
        source: tuple[int, int],
        edits: Sequence[Edit],
    ) -> Json:
        """The record of a row; `source` is where its source stands, `said` goes by judge.

        What people say together is shown with what each of the `people` says.
        """
        places = _Sides(example, edits)
        return _filled(
            id=example.id,
            text=example.response.text,
            source=list(source),
            question=example.question,
            said=[each and self._judgement(each, people, places) for each in said],
        )

    def _judgement(
        self, judgement: Judgement, people: Sequence[Judgement], places: "_Sides"
    ) -> Json:
        if judgement.author == GOLD:
            return {"units": [self._opinion(each, places) for each in opinions(judgement, people)]}
        record: Json = {"units": [self._unit(each, places) for each in judgement.findings]}
        if judgement.finding(RESPONSE) is None:
            record["whole"] = _outcome(fold_judgement(judgement), self.badge)
        return record

    def _opinion(self, opinion: Opinion, places: "_Sides") -> Json:
        note = opinion.finding.note
        others = [
            _filled(
                who=who, badge=self.badge(each.outcome), note="" if each.note == note else each.note
            )
            for who, each in opinion.others
        ]
        record = self._unit(opinion.finding, places)
        return _filled(**record, who=opinion.who, people=others)

    def _unit(self, finding: Finding, places: "_Sides") -> Json:
        unit, outcome = finding.unit, finding.outcome
        whole = unit.id == RESPONSE
        return _filled(
            id=unit.id,
            kind=unit.kind,
            spans=[] if whole else places.in_response(unit),
            text="" if whole or _is_quoted(unit) else unit.text,
            parent=unit.parent,
            **_outcome(outcome, self.badge),
            **(_grounds(outcome, places) if isinstance(outcome, Verdict) else {}),
        )


class _Sides:
    """Places in both texts of an example, as a browser counts them."""

    def __init__(self, example: Example, edits: Sequence[Edit]) -> None:
        self._response = Places(example.response.text)
        self._source = Places(example.source.text)
        self._edits = edits

    def in_response(self, unit: Unit) -> list[list[int]]:
        at = self._response
        return [[at(each.start), at(each.end)] for each in unit.spans if each.side == "response"]

    def marks(self, verdict: Verdict) -> Iterator[list[int]]:
        at = self._response
        return ([at(each.start), at(each.end)] for each in verdict.marks)

    def evidence(self, verdict: Verdict) -> Iterator[list[int]]:
        for span in verdict.evidence:
            if span.side == "source" and span.start < span.end:
                start, end = snapped((span.start, span.end), self._edits)
                yield [self._source(start), self._source(end)]


def _is_quoted(unit: Unit) -> bool:
    """Whether the words of a unit are those of the response at its only place."""
    return len(unit.spans) == 1 and unit.spans[0].text == unit.text


def _outcome(outcome: Outcome, badge: Callable[[Outcome], int]) -> Json:
    if isinstance(outcome, Failure):
        return _filled(
            badge=badge(outcome),
            failure=outcome.reason,
            note=outcome.detail,
            reply=outcome.raw[:LONGEST_REPLY],
        )
    return _filled(
        badge=badge(outcome),
        score=_short(outcome.score),
        confidence=_short(outcome.confidence),
        note=full_note(outcome),
    )


def _grounds(verdict: Verdict, places: _Sides) -> Json:
    said = verdict.attributes
    rests_on = verdict.evidence or verdict.answers or verdict.interpretations or verdict.external
    if not (rests_on or verdict.marks) and said is NO_ATTRIBUTES:
        return {}  # nearly always, where a detector only decides
    return _filled(
        evidence=list(places.evidence(verdict)),
        marks=list(places.marks(verdict)),
        cited=said.cited[:LONGEST_QUOTE],
        explanation=said.explanation if said.explanation not in verdict.note else "",
        correction=said.correction,
        answers=[
            [words, answer]
            for words, answer in (answered_questions(verdict) if verdict.answers else ())
            if answer != "not asked"
        ],
        readings=[[label_badge(e.label).name, e.meaning] for e in verdict.interpretations],
        external=[
            _filled(address=each.address, title=each.title, quote=each.quote)
            for each in verdict.external
        ],
    )


def _short(share: float | None) -> float | None:
    return None if share is None else round(share, 4)


def _filled(**values: Any) -> Json:
    """The values that say something."""
    return {
        name: each for name, each in values.items() if each is not None and each not in ("", [])
    }


def badge_records(badges: Numbers) -> list[Json]:
    """The badges in the order of their numbers."""
    return [
        {"name": name, "tone": tone, "sign": symbol, "meaning": meaning}
        for name, tone, symbol, meaning in badges
    ]
