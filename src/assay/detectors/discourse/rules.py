"""Rules of thumb about links: facts that the source does not link, or gives in another order.

They look at words alone.
"""

from collections.abc import Iterator

from assay.core.texts import Span
from assay.detectors.discourse.ground import Fault, Ground, GroundPassage, share
from assay.text.words import terms

LEAST_SHARE = 0.6  # of a claim's words that a passage must have to state it
APART = 2  # sentences, between which a reader sees no link unless it is stated
FEWEST = 2  # words of a claim
# The relations whose connectives may express a relation in the source; any one is enough.
FAMILIES = {
    "cause": frozenset({"cause", "purpose"}),
    "purpose": frozenset({"cause", "purpose"}),
    "condition": frozenset({"condition"}),
    "contrast": frozenset({"contrast", "concession"}),
    "concession": frozenset({"contrast", "concession"}),
}
_ONE_SIDED = ("cause", "purpose", "condition")

Words = frozenset[str]


def check_link(ground: Ground, name: str, first: str, second: str) -> Fault | None:
    """The fault of a relation whose claims the source states without this link."""
    a, b = frozenset(terms(first)), frozenset(terms(second))
    if name not in FAMILIES or min(len(a), len(b)) < FEWEST:
        return None
    if name in _ONE_SIDED and (turned := find_reversed(ground, FAMILIES[name], a, b)):
        why = f"the source states this {name} the other way round"
        return Fault("contradicting", "fabricated-link", why, (turned,))
    places = ground.locate_both(a, b, LEAST_SHARE)
    if places is None or places[0] == places[1]:
        return None
    other = _other_link(ground, name, a, b) if name in _ONE_SIDED else None
    if other:
        why = "the source links one of the two with something else"
        evidence = (other, *ground.spans(places))
        return Fault("contradicting", "scope-attachment", why, tuple(dict.fromkeys(evidence)))
    distance = abs(places[0] - places[1])
    if distance < APART or _is_shown(ground, name, *places):
        return None
    why = f"the source states both, {distance} sentences apart, and nothing links them"
    return Fault("fabricated", "fabricated-link", why, ground.spans(places))


def check_order(ground: Ground, earlier: str, later: str) -> Fault | None:
    """The fault of an order that the source gives the other way round.

    It mentions the later event first, and nothing there says that things happened otherwise.
    """
    a, b = frozenset(terms(earlier)), frozenset(terms(later))
    if min(len(a), len(b)) < FEWEST:
        return None
    if turned := find_reversed(ground, frozenset({"temporal"}), a, b):
        why = "the source states the opposite order of these events"
        return Fault("contradicting", "temporal-state", why, (turned,))
    places = ground.locate_both(a, b, LEAST_SHARE)
    if places is None or places[0] - places[1] < APART:
        return None
    if any("temporal" in ground.passages[place].relations for place in places):
        return None
    why = "the source mentions these events in the opposite order, and nothing there reverses it"
    return Fault("contradicting", "temporal-state", why, ground.spans(places[::-1]))


def find_reversed(ground: Ground, family: frozenset[str], a: Words, b: Words) -> Span | None:
    """The passage that links the two claims the other way round; None if any other agrees."""
    found: Span | None = None
    for passage, first, second in _joints(ground, family):
        if _same(a, first) and _same(b, second):
            return None
        if _same(a, second) and _same(b, first):
            found = found or passage.span
    return found


def _is_shown(ground: Ground, name: str, *places: int) -> bool:
    """True if a connective of the family is in either passage, or between near ones."""
    low, high = sorted(places)
    between = range(low, high + 1) if high - low <= APART else places
    return any(FAMILIES[name] & ground.passages[place].relations for place in between)


def _other_link(ground: Ground, name: str, a: Words, b: Words) -> Span | None:
    """The passage that links one of the two claims, in its own role, with something else."""
    joints = list(_joints(ground, FAMILIES[name]))
    if any(_same(a, first) and _same(b, second) for _, first, second in joints):
        return None
    for passage, first, second in joints:
        holds_both = share(a, passage.terms) >= LEAST_SHARE <= share(b, passage.terms)
        one_other = _same(a, first) and _differs(b, second)
        other_one = _same(b, second) and _differs(a, first)
        if (one_other or other_one) and not holds_both:
            return passage.span
    return None


def _joints(ground: Ground, family: frozenset[str]) -> Iterator[tuple[GroundPassage, Words, Words]]:
    """The links of a family in the source, with the words of their two parts."""
    for passage in ground.passages:
        if family & passage.relations:
            for joint in passage.cut.joints:
                if joint.use.relation in family and joint.use.is_firm:
                    yield passage, passage.pieces[joint.first], passage.pieces[joint.second]


def _same(claim: Words, clause: Words) -> bool:
    return share(claim, clause) >= LEAST_SHARE


def _differs(claim: Words, clause: Words) -> bool:
    """True if a clause is about something else: it shares no word with the claim."""
    return len(clause) >= FEWEST and claim.isdisjoint(clause)
