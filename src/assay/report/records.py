"""What the script of a page reads of each response: plain JSON, cut and counted here.

The script does no arithmetic with places in texts, which Python counts in code points and a browser
in UTF-16 units: texts come in runs, and the source with the lengths of its segments.
"""

import json
from collections.abc import Iterator
from typing import Any

from assay.report.looks import Badge
from assay.report.segments import Gap, Piece, Segment
from assay.report.tables import spelled_out
from assay.report.views import ExampleView, FailureView, Quote, UnitView, VerdictView

Json = dict[str, Any]

_ANSWERS = {
    "yes": "y",
    "no": "n",
    "not asked": "-",
    "yes, from memory": "Y",
    "no, from memory": "N",
}


class Numbers:
    """A number, from 0, for each thing, in the order in which they come."""

    def __init__(self) -> None:
        self._known: dict[Any, int] = {}

    def __getitem__(self, thing: Any) -> int:
        return self._known.setdefault(thing, len(self._known))

    def __iter__(self) -> Iterator[Any]:
        return iter(self._known)


def write_json(value: Any) -> str:
    """JSON on one line that may stand in a script element of a page."""
    text = json.dumps(_spelled(value), ensure_ascii=False, separators=(",", ":"))
    return text.replace("<", r"\u003c")  # nothing ends the element, or begins a comment in it


def _spelled(value: Any) -> Any:
    """The value with all its texts spelled out."""
    if isinstance(value, str):
        return spelled_out(value)
    if isinstance(value, dict):
        return {name: _spelled(each) for name, each in value.items()}
    return [_spelled(each) for each in value] if isinstance(value, list | tuple) else value


def source_text(example: ExampleView) -> str:
    """All that is shown of a source."""
    return "".join(part.text for part in example.source if isinstance(part, Segment))


def example_record(example: ExampleView, source: int, badges: Numbers) -> Json:
    """The record of a response; `source` is the number of its source."""
    texts, judgement = example.result.example, example.result.judgement
    in_place = {piece.unit for piece in example.response if not piece.continued}
    return {
        "source": source,
        "cuts": [_cut(part) for part in example.source],
        "pieces": [_piece(piece, example) for piece in example.response],
        "units": [_unit(each, each.number in in_place, badges) for each in example.units],
        "tally": [[badges[badge], count] for badge, count in example.tally],
        "worst": example.worst,
        "counted": len(example.result.counted),
        "judged": example.judged,
        "noun": example.noun,
        "characters": len(texts.source.text),
        "read": judgement.characters_read,
        "seen": example.seen,
        **_filled(
            listed=[each.number for each in example.listed],
            question=texts.question,
            language=texts.language,
        ),
    }


def _cut(part: Segment | Gap) -> int | list[Any]:
    """The length of a segment with what it is evidence for, or what is left out, as a negative.

    Of a segment that is not seen as written, what is seen comes first.
    """
    if isinstance(part, Gap):
        return -part.characters
    held = [number for mark in part.marks for number in mark]
    if part.seen is not None:
        return [part.seen, _length(part.text), *held]
    return [_length(part.text), *held] if held else _length(part.text)


def _length(text: str) -> int:
    """How long a browser finds a text."""
    if text.isascii():
        return len(text)
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def _piece(piece: Piece, example: ExampleView) -> list[Any]:
    if piece.unit is None:
        return [piece.text]
    runs = example.units[piece.unit - 1].runs
    text = runs if "".join(runs) == piece.text else (piece.text,)
    return [_text(text), piece.unit, 1] if piece.continued else [_text(text), piece.unit]


def _text(runs: tuple[str, ...]) -> str | list[str]:
    return runs[0] if len(runs) == 1 else list(runs)


def _unit(unit: UnitView, in_place: bool, badges: Numbers) -> Json:
    grounds = unit.grounds
    said = _failure(grounds) if isinstance(grounds, FailureView) else _verdict(grounds, badges)
    return _filled(
        kind=unit.kind,
        badge=badges[unit.badge],
        flagged=1 if unit.flagged else None,
        marked=1 if unit.marked else None,
        text=None if in_place else _text(unit.runs),
        words=list(unit.words),
        parts=[part.number for part in unit.parts],
        **said,
    )


def _verdict(grounds: VerdictView, badges: Numbers) -> Json:
    return {
        "stance": grounds.stance,
        "score": grounds.score,
        "confidence": grounds.confidence,
        "note": grounds.note,
        "quotes": [_quote(quote) for quote in grounds.quotes],
        "answers": "".join(_ANSWERS[answer] for _, answer in grounds.questions),
        "readings": [[badges[each.badge], each.meaning] for each in grounds.readings],
        "external": [
            _filled(address=each.address, link=each.link, title=each.title, quote=each.quote)
            for each in grounds.external
        ],
    }


def _quote(quote: Quote) -> Json:
    """Which passage it is from; its words, too, where they do not stand in the source."""
    return _filled(passage=quote.passage, text="" if quote.in_source else quote.text)


def _failure(grounds: FailureView) -> Json:
    return {
        "reason": grounds.reason,
        "stance": grounds.words,
        "note": grounds.detail,
        "reply": grounds.reply,
        "more": grounds.left_out or None,
    }


def _filled(**values: Any) -> Json:
    """The values that say something."""
    return {
        name: each for name, each in values.items() if each is not None and each not in ("", [])
    }


def badge_record(badge: Badge) -> Json:
    """A badge as the script shows it; the sign after a symbol keeps it from being an emoji."""
    return {
        "name": badge.name,
        "tone": badge.tone,
        "sign": f"{badge.symbol}\ufe0e",
        "meaning": badge.meaning,
    }
