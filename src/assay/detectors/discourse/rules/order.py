"""Events told in the other order than the source tells them."""

from assay.detectors.discourse.ground import Ground
from assay.detectors.discourse.rules.faults import Fault
from assay.detectors.discourse.rules.links import find_reversed
from assay.text.words import terms

LEAST_SHARE = 0.6  # of a claim's words that a passage must hold to state it
FEWEST = 2  # words of a claim
APART = 2  # sentences


def check_order(ground: Ground, earlier: str, later: str) -> Fault | None:
    """The fault of an order where the source tells the later event first, and nothing there says
    that it is not the order in which things happened.
    """
    a, b = frozenset(terms(earlier)), frozenset(terms(later))
    if min(len(a), len(b)) < FEWEST:
        return None
    if turned := find_reversed(ground, frozenset({"temporal"}), a, b):
        why = "the source has these events in the other order"
        return Fault("contradicting", "temporal-state", why, (turned,))
    places = ground.locate_both(a, b, LEAST_SHARE)
    if places is None or places[0] - places[1] < APART:
        return None
    if any("temporal" in ground.passages[place].relations for place in places):
        return None
    why = "the source tells these events in the other order, and no word there turns it round"
    return Fault("contradicting", "temporal-state", why, ground.spans(places[::-1]))
