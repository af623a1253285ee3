"""Sentences about the reviews: what they say, who says it, and how many stars they give."""

from training.record_business import PlacedFragment, fix_articles, fragments_for
from training.record_facts import Draft
from training.record_stock import Clause, worst

_LEADS = (
    "According to customer reviews", "In the reviews", "As the reviews show",
    "Among the customer feedback", "Judging by the reviews",
)  # fmt: skip
_MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December",
)  # fmt: skip


def _retell(draft: Draft, *, faithful: bool) -> tuple[Clause, PlacedFragment] | None:
    """A retelling of a fragment that was not retold before."""
    fresh = [p for p in draft.business.placed if p.fragment.root not in draft.used]
    if not fresh:
        return None
    rng, placed = draft.rng, draft.rng.choice(fresh)
    draft.used.add(placed.fragment.root)
    if faithful:
        clause = rng.choice(placed.fragment.faithful)
    elif not placed.fragment.unfaithful or rng.random() < 0.45:
        clause = _borrow(draft)
    else:
        # Neutral ones are fewer in the stock, so they come oftener.
        unfaithful = placed.fragment.unfaithful
        clause = rng.choices(unfaithful, [1 + 2 * (c.label == "neutral") for c in unfaithful])[0]
    return Clause(fix_articles(clause.text.format(**placed.slots)), clause.label), placed


def _borrow(draft: Draft) -> Clause:
    """A retelling of what no review of this business says."""
    present = {placed.fragment.root for placed in draft.business.placed} | draft.used
    absent = [f for f in fragments_for(draft.business.kind) if f.root not in present]
    chosen = draft.rng.choice(absent)
    draft.used.add(chosen.root)
    told = draft.rng.choice((*chosen.faithful, *chosen.faithful, *chosen.unfaithful))
    return Clause(told.text, "neutral")


def lower_first(text: str) -> str:
    return text[0].lower() + text[1:]


def tell_review(draft: Draft, *, faithful: bool) -> Clause | None:
    """What one review says, at times with its stars or its date."""
    framed = draft.rng.random() < 0.3
    spoil_frame = framed and not faithful and draft.rng.random() < 0.4
    retold = _retell(draft, faithful=faithful or spoil_frame)
    if retold is None:
        return None
    clause, placed = retold
    singular = clause.text.startswith(("One ", "A "))
    if framed and singular:
        frame = _frame(draft, placed, faithful=not spoil_frame)
        label = "contradicted" if spoil_frame else clause.label
        return Clause(f"{frame}, {lower_first(clause.text)}", label)
    if spoil_frame:
        return None
    others = [p for p in draft.business.placed if p.fragment.root in draft.used and p is not placed]
    apart = others and all(p.review != placed.review for p in others)
    text = clause.text
    if apart and singular and draft.rng.random() < 0.5:
        text = "Another " + text.split(" ", 1)[1]
    return Clause(text, clause.label)


def _frame(draft: Draft, placed: PlacedFragment, *, faithful: bool) -> str:
    rng, review = draft.rng, draft.business.reviews[placed.review]
    if faithful and rng.random() < 0.4:
        return rng.choice(_LEADS)
    if rng.random() < 0.6:
        stars = int(review.stars)
        if not faithful:
            stars = rng.choice([s for s in range(1, 6) if s != stars])
        return f"In a {stars}-star review"
    year, month = int(review.date[:4]), int(review.date[5:7])
    if not faithful:
        year, month = rng.choice(((year - 1, month), (year, month % 12 + 1), (year + 1, month)))
    return f"In a review from {_MONTHS[month - 1]} {year}"


def tell_two_reviews(draft: Draft, *, faithful: bool) -> Clause | None:
    """Two retellings in one sentence, of which at most one is wrong."""
    wrong = -1 if faithful else draft.rng.randrange(2)
    pair = [_retell(draft, faithful=i != wrong) for i in range(2)]
    (first, one), (second, two) = pair[0] or (None, None), pair[1] or (None, None)
    if first is None or second is None or one is None or two is None or one.review == two.review:
        return None
    if not all(clause.text.startswith(("One ", "A ")) for clause in (first, second)):
        return None
    rest = "another " + second.text.split(" ", 1)[1]
    head = first.text.rstrip(".")
    shape = draft.rng.choice(("{}, while {}", "{}, and {}", "While {}, {}", "{}; {}"))
    text = shape.format(lower_first(head) if shape.startswith("While") else head, rest)
    return Clause(text, worst([first.label, second.label]))


def tell_review_stars(draft: Draft, *, faithful: bool) -> Clause | None:
    """How many stars single reviews gave."""
    rng, given = draft.rng, [int(review.stars) for review in draft.business.reviews]
    stars = (
        rng.choice(given) if faithful else rng.choice([s for s in range(1, 6) if s not in given])
    )
    text = rng.choice((
        f"One of the reviews gives {{the}} {stars} out of 5 stars.",
        f"At least one reviewer left a {stars}-star rating.",
        f"Among the reviews is one with {stars} stars.",
    )) if rng.random() < 0.6 else None  # fmt: skip
    if text is None:
        low, high = (min(given), max(given)) if faithful else _other_range(draft, given)
        text = f"Individual reviews range from {low} to {high} stars."
        if low == high:
            text = f"All of the reviews give {{the}} {low} stars."
    return Clause(draft.fill(text), "entailed" if faithful else "contradicted")


def _other_range(draft: Draft, given: list[int]) -> tuple[int, int]:
    ranges = [(low, high) for low in range(1, 6) for high in range(low, 6)]
    return draft.rng.choice([r for r in ranges if r != (min(given), max(given))])
