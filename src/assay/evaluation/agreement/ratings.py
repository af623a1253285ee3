"""Ratings of annotators on the units of a data set, first and last, for agreement."""

from collections.abc import Hashable, Mapping
from dataclasses import replace
from hashlib import blake2b

from assay.core.examples import Annotated
from assay.core.judgements import GOLD, Judgement
from assay.core.labels import Label
from assay.evaluation.agreement.agreement import AgreementFigures, Kind, Ratings, Round
from assay.evaluation.gold import annotator_votes

_KINDS: tuple[Kind, ...] = ("response", "sentence")


class AgreementCounter:
    """Gathers what annotators say of responses and sentences, as they said it first and last."""

    def __init__(self) -> None:
        self.annotators: set[str] = set()
        self.batches: set[str] = set()
        self.is_revised = False
        self._is_dated = True
        self._first: dict[tuple[Kind, str], Ratings] = {}
        self._last: dict[tuple[Kind, str], Ratings] = {}

    def add(self, annotated: Annotated) -> None:
        """Takes in the votes of an example; the label that a corpus settled on is nobody's."""
        text = annotated.example.source.text
        source = blake2b(text.encode(errors="surrogatepass"), digest_size=16).digest()
        settled = {each.supersedes for each in annotated.judgements if each.author == GOLD}
        people = [
            each
            for each in annotated.judgements
            if each.author.kind == "person" and each.author != GOLD and each.key not in settled
        ]
        self._is_dated = self._is_dated and all(each.at for each in people)
        first = _in_first_round(people)
        if len(first) == len(people):
            self._count(annotated, source, self._first, self._last)
            return
        self.is_revised = True
        self._count(replace(annotated, judgements=first), source, self._first)
        self._count(replace(annotated, judgements=_latest(people, first)), source, self._last)

    def add_votes(
        self, kind: Kind, menu: str, votes: Mapping[str, Label], source: Hashable, batch: str = ""
    ) -> None:
        """Takes in the votes on one unit in a taxonomy; a unit may have none yet."""
        self.annotators |= votes.keys()
        self.batches.add(batch)
        self._is_dated = False
        for table in (self._first, self._last):
            table.setdefault((kind, menu), Ratings(kind, menu)).add(votes, source, batch)

    def _count(
        self, annotated: Annotated, source: bytes, *tables: dict[tuple[Kind, str], Ratings]
    ) -> None:
        batch = annotated.example.split
        self.batches.add(batch)
        for kind in _KINDS:
            for votes in annotator_votes(annotated, kind):
                self.annotators |= {who.name for who in votes}
                for menu in dict.fromkeys(label.taxonomy for label in votes.values()):
                    own = {w.name: each for w, each in votes.items() if each.taxonomy == menu}
                    for table in tables:
                        ratings = table.setdefault((kind, menu), Ratings(kind, menu))
                        ratings.add(own, source, batch)

    @property
    def first_round(self) -> Round:
        """The name of the first round: unknown where nothing tells it from a later one.

        Judgements with a time are the record of a studio, which keeps rounds apart.
        """
        return "first" if self.is_revised or self._is_dated else "unknown"

    def rounds(self) -> dict[Round, list[Ratings]]:
        """The ratings by two annotators or more, as first given, and as revised where they were."""
        found = {self.first_round: _shared(self._first)}
        return {**found, "revised": _shared(self._last)} if self.is_revised else found

    def agreements(self) -> tuple[AgreementFigures, ...]:
        """The agreement on all classes, as annotators say now, of each kind and taxonomy."""
        now = "revised" if self.is_revised else self.first_round
        return tuple(each.figures(each.readings()[0], now) for each in self.rounds().get(now, ()))


def _shared(table: dict[tuple[Kind, str], Ratings]) -> list[Ratings]:
    return [ratings for _, ratings in sorted(table.items()) if ratings.shared]


def _in_first_round(people: list[Judgement]) -> tuple[Judgement, ...]:
    """The judgements that annotators made by themselves: none that supersedes an earlier one."""
    return tuple(each for each in people if not each.supersedes)


def _latest(people: list[Judgement], first: tuple[Judgement, ...]) -> tuple[Judgement, ...]:
    """The last word of each who spoke in the first round; others have seen what was said."""
    last = {each.author: each for each in first}
    for each in people:
        if each.author in last and each.round >= last[each.author].round:
            last[each.author] = replace(each, supersedes="")
    return tuple(last.values())
