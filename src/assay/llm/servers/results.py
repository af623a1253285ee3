"""Everything that a bench of a server found, and the settings that follow from it."""

import math
from collections import Counter
from dataclasses import asdict, dataclass
from typing import Any

from assay.llm.servers.features import Features, PrefixCache
from assay.llm.servers.levels import PaceChoice, PaceLevel, best_choice, grows, whole_levels
from assay.llm.servers.timing import FigureSpread
from assay.llm.settings.options import Endpoint

_PATIENCE = 120  # seconds; the timeout that calls have by default


@dataclass(frozen=True, slots=True)
class ServerBench:
    """A server with a model, asked by a detector for replies of at most `longest` tokens.

    `ended` says why nothing more was measured. `lost` are calls that failed before the levels.
    """

    endpoint: Endpoint
    detector: str
    longest: int
    calls: int
    features: Features
    cache: PrefixCache
    levels: tuple[PaceLevel, ...]
    lost: tuple[str, ...]
    ended: str

    @property
    def failures(self) -> Counter[str]:
        """The number of failed calls, by the reason and what the server said."""
        return sum((each.failures for each in self.levels), Counter(self.lost))

    @property
    def choice(self) -> PaceChoice | None:
        """The concurrency that pays; None where calls failed, or under two levels are whole."""
        return None if self.failures else best_choice(self.levels)

    @property
    def is_growing(self) -> bool:
        """True if the last whole level was the fastest: a higher one may be faster still."""
        whole = whole_levels(self.levels)
        return len(whole) > 1 and grows(whole)

    @property
    def shortened(self) -> int:
        """The calls whose prompt the server seems to have cut without an error."""
        return sum(call.is_shortened for level in self.levels for call in level.calls)

    @property
    def settings(self) -> dict[str, str | int]:
        """The settings that fit, by the names of the options; none without a choice."""
        if self.choice is None:
            return {}
        slowest = max(call.seconds for level in self.levels for call in level.calls)
        patience = math.ceil(slowest * 4 / 30) * 30
        return {
            "model": self.endpoint.model,
            "base_url": self.endpoint.base_url,
            **({"key_env": self.endpoint.key_env} if self.endpoint.key else {}),
            "concurrency": self.choice.concurrency,
            **({"timeout": patience} if patience > _PATIENCE else {}),
        }

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain JSON values."""
        return {
            "base_url": self.endpoint.base_url,
            "model": self.endpoint.model,
            "detector": self.detector,
            "longest_reply": self.longest,
            "calls": self.calls,
            "ended": self.ended,
            "growing": self.is_growing,
            "failures": dict(self.failures),
            "shortened_prompts": self.shortened,
            "features": asdict(self.features),
            "prefix_cache": {
                "works": self.cache.works,
                "time_ratio": _plain(self.cache.ratio),
                "known_share_new": _plain(self.cache.known_new),
                "known_share_again": _plain(self.cache.known_again),
            },
            "levels": [_level(each) for each in self.levels],
            "choice": asdict(self.choice) if self.choice else None,
            "settings": self.settings,
        }


def _level(level: PaceLevel) -> dict[str, Any]:
    return {
        "concurrency": level.concurrency,
        "rounds": len(level.rounds),
        "calls": len(level.calls),
        "failures": dict(level.failures),
        "calls_per_second": _plain(level.calls_per_second),
        "prompt_tokens_per_second": _plain(level.prompt_rate),
        "reply_tokens_per_second": _plain(level.reply_rate),
        "latency": _plain(level.latency),
        "latency_p95": level.latency_p95,
        "cut_off": sum(each.cut_off for each in level.calls),
        "tokens_estimated": level.is_estimated,
        "known_share": _plain(level.known),
    }


def _plain(spread: FigureSpread | None) -> dict[str, Any] | None:
    return asdict(spread) if spread else None
