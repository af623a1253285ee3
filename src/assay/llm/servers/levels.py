"""The pace at several concurrencies, and the one that pays."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from assay.llm.servers.timing import FigureSpread, TimedCall, TimedRound, known_share, percentile

ROUNDS = 3
ENOUGH = 0.05  # more calls a second by less than this share are no growth


@dataclass(frozen=True, slots=True)
class PaceLevel:
    """The rounds with so many calls at the same time."""

    concurrency: int
    rounds: tuple[TimedRound, ...]

    @property
    def calls(self) -> tuple[TimedCall, ...]:
        """All that were answered."""
        return tuple(call for each in self.rounds for call in each.calls)

    @property
    def failures(self) -> Counter[str]:
        """The number of failed calls, by the reason and what the server said."""
        return Counter(
            f"{error.reason}: {error.detail}" for each in self.rounds for error in each.failures
        )

    @property
    def calls_per_second(self) -> FigureSpread | None:
        """Over the rounds."""
        return FigureSpread.of(each.calls_per_second for each in self.rounds)

    @property
    def prompt_rate(self) -> FigureSpread | None:
        """Prompt tokens a second over the rounds."""
        return FigureSpread.of(each.prompt_tokens_per_second for each in self.rounds)

    @property
    def reply_rate(self) -> FigureSpread | None:
        """Reply tokens a second over the rounds."""
        return FigureSpread.of(each.reply_tokens_per_second for each in self.rounds)

    @property
    def latency(self) -> FigureSpread | None:
        """Seconds a call, over the calls."""
        return FigureSpread.of(each.seconds for each in self.calls)

    @property
    def latency_p95(self) -> float | None:
        """Seconds that 95 % of the calls do not exceed."""
        return percentile((each.seconds for each in self.calls), 0.95) if self.calls else None

    @property
    def known(self) -> FigureSpread | None:
        """The share of each prompt that the server had already, if it says so."""
        return known_share(self.calls)

    @property
    def is_estimated(self) -> bool:
        """True if the server did not report the tokens of some call."""
        return any(each.usage.estimated for each in self.calls)


@dataclass(frozen=True, slots=True)
class PaceChoice:
    """The concurrency that pays, and the one that each round by itself would choose."""

    concurrency: int
    by_round: tuple[int, ...]


def best_choice(levels: Sequence[PaceLevel]) -> PaceChoice | None:
    """The least concurrency that is within 5 % of the best pace, of those with all their rounds.

    None if there is nothing to choose from, or any call failed: pace is then no evidence.
    """
    whole = whole_levels(levels)
    if len(whole) < 2 or any(each.failures for each in levels):
        return None
    paces = [
        [(each.concurrency, each.rounds[n].calls_per_second) for each in whole]
        for n in range(ROUNDS)
    ]
    medians = [(each.concurrency, pace.median) for each in whole if (pace := each.calls_per_second)]
    return PaceChoice(_least_of_best(medians), tuple(map(_least_of_best, paces)))


def whole_levels(levels: Sequence[PaceLevel]) -> list[PaceLevel]:
    """Those that were not ended in the middle."""
    return [each for each in levels if len(each.rounds) == ROUNDS]


def grows(levels: Sequence[PaceLevel]) -> bool:
    """True if the last level is faster than all before it by more than 5 %."""
    *before, last = (pace.median for each in levels if (pace := each.calls_per_second))
    return not before or last > (1 + ENOUGH) * max(before)


def _least_of_best(paces: Iterable[tuple[int, float]]) -> int:
    found = list(paces)
    wanted = (1 - ENOUGH) * max(pace for _, pace in found)
    return min(concurrency for concurrency, pace in found if pace >= wanted)
