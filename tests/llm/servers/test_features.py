"""What replies and times say about a server."""

import pytest

from assay.llm.client import Reply, Usage
from assay.llm.servers.features import PrefixCache, keeps_to_schema
from assay.llm.servers.timing import FigureSpread, TimedCall

USAGE = Usage(100, 1)


def pairs(*seconds: tuple[float, float], known: tuple[int, int] | None = None) -> PrefixCache:
    """Pairs of calls that took so long, of whose prompts the server had so many tokens."""
    new, again = known or (None, None)
    return PrefixCache(
        tuple((TimedCall(a, USAGE, new), TimedCall(b, USAGE, again)) for a, b in seconds)
    )


@pytest.mark.parametrize(
    ("cache", "expected"),
    [
        (pairs((1, 0.5), (1, 0.6)), "yes"),
        (pairs((1, 0.5), (1, 1.2), (1, 0.6)), "unclear"),
        (pairs((1, 0.85), (1, 0.85)), "unclear"),
        (pairs((1, 1.0), (1, 0.95)), "no"),
        (pairs((1, 1.0), known=(20, 80)), "yes"),
        (pairs((1, 0.5), known=(80, 80)), "unclear"),
        (pairs((1, 1.0), known=(0, 0)), "no"),
        (pairs(), "unclear"),
    ],
)
def test_counts_of_the_server_come_before_times(cache: PrefixCache, expected: str) -> None:
    assert cache.works == expected


def test_shares_and_ratios_are_of_pairs() -> None:
    cache = pairs((2, 1), (2, 0.5), known=(20, 80))
    assert cache.ratio == FigureSpread(0.375, 0.25, 0.5, 2)
    assert cache.known_new == FigureSpread(0.2, 0.2, 0.2, 2)
    assert cache.known_again == FigureSpread(0.8, 0.8, 0.8, 2)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"colour": "red", "sure": "no"}', True),
        ('{"colour": "green", "sure": "no"}', False),
        ('{"colour": "red"}', False),
        ('{"colour": "red", "sure": "no", "why": ""}', False),
        ("The sea is red.", False),
        ("[]", False),
    ],
)
def test_a_reply_keeps_to_the_schema_or_not(text: str, expected: bool) -> None:
    assert keeps_to_schema(Reply(text, USAGE)) is expected
