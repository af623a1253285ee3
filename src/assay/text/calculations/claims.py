"""The statement of a sentence: its figures, the words that name their operands, and its cues."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache

from assay.text.calculations.cues import find_cues
from assay.text.calculations.figures import PlacedFigure, SourceFigures, Stems, stems
from assay.text.calculations.rates import rate_after, rate_before
from assay.text.quantities import Quantity, find_quantities, same_value

_MOST = 12  # figures of a sentence that states something computed
_WRITTEN = re.compile(r"\d+(?:[.,]\d+)*")
_TIMES = re.compile(r"(?: times|-?fold)(?: (?:as|more|the|higher|larger|bigger)|$|[.,])")
_PART = re.compile(
    r"\s*(?:$|[.,;]|(?:of|more|less|fewer|higher|lower|larger|smaller|in|on|from)\b)"
)
_APART = re.compile(r" (?:after|later|before|earlier|apart)\b")
_AS_MUCH = re.compile(
    r"(?:[- ]?fold)?(?:$|[.,]|"
    r" (?:as|the|more|higher|larger|bigger|greater|longer|what|that|its|their|his|her)\b)"
)
_PARTS = {"half": 2, "third": 3, "quarter": 4, "fifth": 5}
_BARE_PART = re.compile(
    r"\b(?:an?|one) (?P<part>half|third|quarter|fifth)"
    r"(?= (?:is|are|was|were|has|have|had|came|went|live|lived|goes|go)\b)",
    re.IGNORECASE,
)
_TWO = re.compile(r"\b(?:couple|pair|both)\b", re.IGNORECASE)
_LEAD = 20  # characters before a figure
_BOUND = re.compile(
    r"\b(?:(?P<over>more than|over|well over)|nearly|almost|about|around|roughly|close to|some) $",
    re.IGNORECASE,
)
_VERB_OVER = re.compile(
    r"\b(?:turn|hand|carri|left|leav|tak|took|giv|gav|roll)\w{0,4} over(?: by)? $", re.IGNORECASE
)
_NOT_STATED = ("ordinal",)
SHARES = ("percent",)


@dataclass(frozen=True, slots=True)
class ComputedClaim:
    """A sentence with its figures; those that the source lacks are `stated`."""

    text: str
    stems: Stems
    asked: Stems  # the stems of the question
    cues: frozenset[str]
    figures: tuple[PlacedFigure, ...]
    stated: tuple[PlacedFigure, ...]
    language: str = "en"
    question: str = ""
    known: tuple[PlacedFigure, ...] = ()  # figures that the source has as well

    def names(self, labels: Stems) -> Stems:
        return self.stems & labels


def read_claim(
    sentence: str, source: SourceFigures, question: str = "", language: str = "en"
) -> ComputedClaim | None:
    """A sentence with its figures; None if it has too many of them."""
    quantities = find_quantities(sentence, language)
    quantities = tuple(_as_share(_as_factor(each, sentence), sentence) for each in quantities)
    quantities = (*quantities, *_bare_parts(sentence, quantities))
    if len(quantities) > _MOST:
        return None
    figures = tuple(
        PlacedFigure(
            each,
            sentence[each.start : each.end],
            is_own=True,
            per=rate_after(sentence, each.end) or rate_before(sentence, each.start),
        )
        for each in quantities
    )
    if match := _TWO.search(sentence):
        two = Quantity(match.start(), match.end(), "number", Fraction(2))
        figures = (*figures, PlacedFigure(two, match[0], is_own=True))
    known = [each.quantity for each in source.figures]
    cells = {each.value for each in source.figures if each.place and each.kind == "number"}
    cells |= {Fraction(len(grid.rows)) for grid in source.grids}
    stated = tuple(
        each
        for each in figures
        if each.kind not in _NOT_STATED
        and not _TWO.fullmatch(each.text)
        and not _is_repeat(each, sentence)
        and (not _is_article(each) or _APART.match(sentence, each.quantity.end))
        and written_value(each) not in cells
        and not (each.kind == "number" and each.value in cells)
        and not is_known(each.quantity, known)
    )
    return ComputedClaim(
        sentence,
        stems(_without(sentence, quantities), language),
        stems(question, language),
        find_cues(sentence, language),
        figures,
        stated,
        language,
        question,
        tuple(
            each
            for each in figures
            if each not in stated and each.kind not in _NOT_STATED and not _is_article(each)
        ),
    )


def is_known(quantity: Quantity, known: list[Quantity]) -> bool:
    """True if the source has the value, in whatever form."""
    return any(same_value(quantity, each) is not False and _same(quantity, each) for each in known)


def _same(one: Quantity, other: Quantity) -> bool:
    if same_value(one, other) or {one.kind, other.kind} == {"clock", "clock12"}:
        return True
    amounts = ("number", "money")
    loose = one.kind.startswith(amounts) and other.kind.startswith(amounts)
    return loose and one.value == other.value


def _without(sentence: str, quantities: tuple[Quantity, ...]) -> str:
    """A sentence without its figures, but with years, which may name a row."""
    kept, at = [], 0
    for each in sorted(quantities, key=lambda found: found.start):
        if each.kind not in ("year", "ordinal", "month", "day", "date") and each.start >= at:
            kept.append(sentence[at : each.start])
            at = each.end
    return " ".join((*kept, sentence[at:]))


def _as_factor(quantity: Quantity, sentence: str) -> Quantity:
    """A number before `times as many` is a factor, with the bound that precedes it."""
    before = sentence[max(0, quantity.start - _LEAD) : quantity.start]
    is_factor = _TIMES.match(sentence, quantity.end) or before.endswith("factor of ")
    if quantity.kind == "number" and is_factor:
        quantity = replace(quantity, kind="factor", unit="times", noun="")
    if quantity.kind == "factor" and not quantity.bound and (match := _BOUND.search(before)):
        return replace(quantity, bound="over" if match["over"] else "about")
    return replace(quantity, bound="") if _VERB_OVER.search(before) else quantity


def _as_share(quantity: Quantity, sentence: str) -> Quantity:
    """An ordinal after `a` that no noun follows is a part: `cut by a fifth`."""
    if quantity.kind != "ordinal" or quantity.value < 3 or quantity.value > 20:
        return quantity
    before = sentence[: quantity.start].rstrip().rpartition(" ")[2].lower()
    if before not in ("a", "one") or not _PART.match(sentence, quantity.end):
        return quantity
    return replace(quantity, kind="percent", value=100 / quantity.value, step=Fraction(0))


def _bare_parts(sentence: str, found: tuple[Quantity, ...]) -> Iterator[Quantity]:
    """Parts with no `of`: `a quarter are children`."""
    for match in _BARE_PART.finditer(sentence):
        if not any(each.start < match.end() and match.start() < each.end for each in found):
            share = Fraction(100, _PARTS[match["part"].casefold()])
            yield Quantity(*match.span(), "percent", share, "fraction", Fraction(0))


def _is_repeat(figure: PlacedFigure, sentence: str) -> bool:
    """True of `twice` where it says how often, not how many times as much."""
    rest = sentence[figure.quantity.end :]
    is_fold = figure.text.casefold().startswith(("doubl", "tripl", "quadrupl"))
    by_factor = sentence[: figure.quantity.start].endswith("factor of ")
    return figure.kind == "factor" and not (is_fold or by_factor or _AS_MUCH.match(rest))


def _is_article(figure: PlacedFigure) -> bool:
    """True of `one` and of `a day`, which count nothing."""
    first = figure.text.lower().partition(" ")[0].partition("-")[0]
    return (
        first in ("a", "an", "one")
        and figure.kind in ("number", "duration")
        and figure.text.count(" ") < 2
        and not figure.text.casefold().endswith(("hundred", "thousand", "million", "dozen"))
    )


def written_value(figure: PlacedFigure) -> Fraction | None:
    """The number as it is written, whatever its unit."""
    return _written(figure.text)


@lru_cache(maxsize=1_000)
def _written(text: str) -> Fraction | None:
    match = _WRITTEN.search(text)
    if not match:
        return None
    parsed = find_quantities(match[0])
    return parsed[0].value if parsed else None
