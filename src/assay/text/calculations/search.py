"""All that every operation needs: the sentence, the stated figure, the source, and what matters."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from assay.text.calculations.claims import ComputedClaim
from assay.text.calculations.figures import PlacedFigure, SourceFigures, stems
from assay.text.calculations.reckonings import Reckoning
from assay.text.calculations.relevance import WordRelevance

_OF = re.compile(r"\s{0,3}(?:percent|per cent|%)?\s{0,3}of\b")
_BY = re.compile(
    r"\b(?:by|up|down|rise of|growth of|increase of|fall of|drop of|decline of)\s(?:\w+\s){0,2}$"
)
_MORE = re.compile(
    r"\s{0,3}(?:percent|per cent|%)?\s{0,3}"
    r"(?:more|less|fewer|higher|lower|larger|smaller|cheaper)\b"
)
_THAN = re.compile(
    r"\b(?:(?P<more>more|higher|larger|bigger|greater|longer|taller|heavier|later|older|dearer)"
    r"|(?P<less>fewer|less|lower|smaller|shorter|lighter|earlier|younger|cheaper))\b[^.;,]{0,60}?\bthan\b"
    r"|(?<=\s)(?:after|(?P<before>before))\b"
)
_ONE = re.compile(r"\b(?:one|an?|single|per|each)\b", re.IGNORECASE)
_NUMBER = re.compile(r"(?<!\d)(?!(?:19|20)\d\d(?!\d))\d")
_NEAR = 60  # characters
_HINTS = {
    "total": re.compile(r"\b(?:plus|added|adds?|extra|additional|further|another|on top|more)\b"),
    "difference": re.compile(
        r"\b(?:(?:more|less|fewer|higher|lower) than|of (?:which|whom|them|these)|rest|remainder"
        r"|others?|off|discount|towards|minus|less|refund(?:ed)?|only|still)\b"
    ),
}
_OF_WHOLE = re.compile(r"\bof (?:the |its |our |these |those |all )?$", re.IGNORECASE)
_OF_LENGTH = 12
_BEFORE, _AFTER = 20, 40  # characters of the source around a figure
HINT = 1.0
CUE, SAME_SERIES, WHOLE, BESIDE, NOUN, OTHER_KIND = 2.0, 1.0, 1.0, 0.5, 1.0, -1.0
_FEW = 5
TIMED = ("duration", "clock", "clock12", "date", "day", "month")
_TIME = stems("second minute min hour day week month year time duration sec hrs")
APART = -1.0  # figures of different sentences, of which one has no word in common
PASSED_OVER = -1.0  # others of its series are named, and it is not
UNNAMED = -1.0  # what is compared, and by no word in common
UNEVEN = -6.0  # an amount each is seldom added to one of all
STEP = -0.5  # a result of two steps
MIXED = -1.5  # things of different names are seldom added
_MOST = 1.5  # that the words of one figure count


@dataclass(frozen=True, slots=True)
class FigureSearch:
    """The search for reckonings that lead to one stated figure."""

    claim: ComputedClaim
    stated: PlacedFigure
    source: SourceFigures
    relevance: WordRelevance
    pool: tuple[
        PlacedFigure, ...
    ]  # the source's figures that matter most, and the sentence's others

    def has_cue(self, operation: str) -> bool:
        """True if a word of the sentence speaks for an operation."""
        if operation in ("share", "growth"):
            return operation == self.relation
        return operation in self.claim.cues or operation == "rate"

    def text_of(self, figure: PlacedFigure) -> str:
        """The text in which a figure stands."""
        return self.claim.text if figure.is_own else self.source.view.text

    @property
    def relation(self) -> str:
        """Share or growth, for a percentage: `of` follows it, or `by` precedes it."""
        quantity, text = self.stated.quantity, self.claim.text
        if _OF.match(text, quantity.end):
            return "share"
        if _BY.search(text[: quantity.start]) or _MORE.match(text, quantity.end):
            return "growth"
        return "growth" if "growth" in self.claim.cues else "share"

    def fits(self, kind: str, operands: Sequence[PlacedFigure]) -> bool:
        """True if a result of a kind may be the stated figure.

        A plain number is an amount only where cells leave their units out, or the source has none.
        """
        stated = self.stated.kind
        if kind == stated or {kind, stated} <= {"clock", "clock12"}:
            return True
        if kind == "number" and stated in TIMED:
            return stated == "duration" and any(_TIME & (e.head | e.labels) for e in operands)
        if kind == "number" and stated not in ("percent", "factor"):
            if stated not in self.source.kinds:
                return True
            grids = {each.place[0] for each in operands if each.place}
            return bool(grids) and not any((n, stated) in self.source.grid_kinds for n in grids)
        return stated == "number" and kind.startswith("money") and not self.stated.quantity.noun

    def are_all(self, operands: Sequence[PlacedFigure]) -> bool:
        """True if these few are all figures of the kind, stand together and count one thing."""
        if len(operands) > _FEW or any(each.place or each.is_own for each in operands):
            return False
        kind, noun = self.stated.kind, self.stated.quantity.noun
        if len({each.sentence for each in operands}) != 1 or operands[0].kind != kind:
            return False
        nouns = {each.quantity.noun for each in operands}
        if kind == "number" and (not noun or noun not in nouns or nouns - {noun, ""}):
            return False
        same = [each for each in self.source.figures if each.kind == kind]
        return len(same) == len(operands)

    def _is_turned(self, operands: Sequence[PlacedFigure]) -> bool:
        """True if the sentence says of two things the opposite of what their figures say.

        Of a difference the larger operand comes first, of a span the later one second.
        """
        found = _THAN.search(self.claim.text)
        if found is None or len(operands) != 2:
            return False
        left = stems(self.claim.text[: found.start()], self.claim.language)
        right = stems(self.claim.text[found.end() :], self.claim.language)
        both = [
            (len(labels & (left - right)), len(labels & (right - left)))
            for labels in (each.labels | each.head | each.around for each in operands)
        ]
        more = found["less"] is None and found["before"] is None
        first, second = both if more else both[::-1]
        if operands[0].value < operands[1].value:
            first, second = second, first
        return first[0] < first[1] and second[1] < second[0]

    def _is_hinted(self, operation: str, operands: Sequence[PlacedFigure]) -> bool:
        """True if the source itself relates a figure to another: `£35 extra`, `1.1 more than`."""
        pattern = _HINTS.get(operation)
        if pattern is None or len(operands) != 2:
            return False
        text = self.source.view.text
        return any(
            pattern.search(text, max(0, each.quantity.start - _BEFORE), each.quantity.end + _AFTER)
            for each in operands
            if not (each.is_own or each.place or each.parts)
        )

    def _as_part(self, operation: str, operands: Sequence[PlacedFigure]) -> float:
        """A part is not added to its whole (`of the 48, 15`), but may be taken away."""
        if any(each.is_own or each.place or each.parts for each in operands):
            return 0.0
        whole, part = sorted(operands, key=lambda each: -each.value)
        if whole.sentence != part.sentence or not self.is_whole(whole):
            return 0.0
        return 2 * APART if operation == "total" else HINT

    def is_whole(self, figure: PlacedFigure) -> bool:
        """True of a figure of prose that follows `of the`."""
        start = figure.quantity.start
        before = self.source.view.text[max(0, start - _OF_LENGTH) : start]
        return figure.sentence >= 0 and bool(_OF_WHOLE.search(before))

    def _are_neighbours(self, operands: Sequence[PlacedFigure]) -> bool:
        """True of two amounts of prose with nothing but a year between them."""
        if len(operands) != 2 or any(each.place or each.is_own or each.parts for each in operands):
            return False
        first, last = sorted(operands, key=lambda each: each.quantity.start)
        if first.sentence != last.sentence or first.kind != last.kind:
            return False
        between = self.source.view.text[first.quantity.end : last.quantity.start]
        return len(between) < _NEAR and not _NUMBER.search(between)

    def _passed_over(self, operation: str, operands: Sequence[PlacedFigure]) -> int:
        """The number of operands passed over; the whole of a rest or a share may be."""
        number = sum(map(self.relevance.passes_over, operands))
        is_prose = not any(each.place for each in operands)
        if is_prose and operation == "difference":
            return max(0, number - 1)
        if operation == "share" and len(operands) == 2:
            return int(self.relevance.passes_over(operands[0]))
        return number

    def _is_uneven(self, operands: Sequence[PlacedFigure]) -> bool:
        """True if some operands are amounts each and others are not, and it is not about one."""
        is_each = {bool(each.per and each.per.kind == "number") for each in operands}
        return len(operands) == 2 and len(is_each) > 1 and not _ONE.search(self.claim.text)

    def reckoning(
        self,
        operation: str,
        value: Fraction,
        kind: str,
        operands: Sequence[PlacedFigure],
        said: str,
        bonus: float = 0.0,
    ) -> Iterator[Reckoning]:
        """A reckoning with its score by cue, words, nouns and places; none if it cannot fit."""
        if not self.fits(kind, operands) or not _can_meet(operands):
            return
        if operation in ("difference", "span") and self._is_turned(operands):
            return
        is_cells = all(each.place for each in operands)
        if operation == "share" and is_cells and not all(map(self.relevance.of, operands)):
            return
        weights = [min(self.relevance.of(each), _MOST) for each in operands]
        if min(weights) == 0 and len({each.sentence for each in operands if not each.is_own}) > 1:
            bonus += 2 * APART if operation == "product" else APART
        score = bonus + min(weights) + sum(weights) / len(weights)
        if self.has_cue(operation):
            score += CUE
        elif self._is_hinted(operation, operands):
            score += HINT
        is_one_thing = (
            operands[0].quantity.noun and operands[0].quantity.noun == operands[-1].quantity.noun
        )
        if operation in ("ratio", "growth") and weights[0] * weights[-1] == 0 and not is_one_thing:
            score += UNNAMED
        if operation in ("total", "difference") and len(operands) == 2:
            score += self._as_part(operation, operands)
        if self._are_neighbours(operands):
            score += BESIDE
        noun = self.stated.quantity.noun
        if noun and any(each.quantity.noun == noun or noun in each.head for each in operands):
            score += NOUN
        if kind != self.stated.kind:
            score += OTHER_KIND
        nouns = {each.quantity.noun for each in operands if each.kind == "number"} - {"", noun}
        if operation in ("total", "difference") and len(nouns) > 1:
            score += MIXED
        if operation in ("total", "difference") and self._is_uneven(operands):
            score += UNEVEN
        if len(operands) <= _FEW:
            times = 2 if all(each.place for each in operands) else 1
            score += PASSED_OVER * times * self._passed_over(operation, operands)
        score += STEP * sum(bool(each.parts) for each in operands)
        if len({each.sentence for each in operands}) == 1 and operands[0].sentence >= 0:
            score += BESIDE
        places = [each.place for each in operands]
        if all(places) and len({each[:2] for each in places if each}) == 1:
            score += BESIDE
        flat = tuple(part for each in operands for part in each.parts or (each,))
        is_stepped = any(each.parts for each in operands)
        yield Reckoning(operation, value, kind, flat, said, score, is_stepped=is_stepped)


def firmly(found: Iterable[Reckoning], is_firm: bool) -> Iterator[Reckoning]:
    """The reckonings, with operands that are bound beyond doubt or not."""
    return (replace(each, is_firm=is_firm) for each in found)


def _can_meet(operands: Sequence[PlacedFigure]) -> bool:
    """True unless cells of one table share neither row nor column."""
    places = [each.place for each in operands if each.place]
    if len(places) != len(operands) or len({place[0] for place in places}) > 1 or len(places) > 3:
        return True
    return len({place[1] for place in places}) == 1 or len({place[2] for place in places}) == 1
