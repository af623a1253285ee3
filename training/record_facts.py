"""Single facts of a made-up business told rightly or wrongly, as clauses with their labels."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from random import Random
from typing import Protocol

from training.record_business import (
    CITIES,
    MOODS,
    PARKING,
    STATES,
    STREETS,
    Business,
    Flags,
    fix_articles,
)
from training.record_hours import join_words
from training.record_stock import KINDS, PHRASES, Clause, Label, worst

TOLD: Mapping[str, tuple[str, ...]] = {
    "OutdoorSeating": ("yes", "no"),
    "RestaurantsReservations": ("yes", "no"),
    "RestaurantsTakeOut": ("yes", "no"),
    "RestaurantsGoodForGroups": ("yes", "no"),
    "WiFi": ("free", "some", "paid", "no"),
    "Music": ("yes", "no", "live"),
    "RestaurantsDelivery": ("yes", "no"),
    "BusinessAcceptsCreditCards": ("yes", "no"),
    "Alcohol": ("full_bar", "beer_and_wine", "none", "some"),
    "NoiseLevel": ("quiet", "average", "loud"),
    "GoodForKids": ("yes", "no"),
}
TOPICS: Mapping[str, str] = {
    "OutdoorSeating": "outdoor seating",
    "RestaurantsReservations": "reservations",
    "RestaurantsTakeOut": "takeout",
    "RestaurantsGoodForGroups": "suitability for groups",
    "WiFi": "WiFi",
    "Music": "music",
    "RestaurantsDelivery": "delivery",
    "BusinessAcceptsCreditCards": "credit cards",
    "Alcohol": "alcohol",
    "NoiseLevel": "the noise level",
    "GoodForKids": "suitability for children",
}
PARKING_NAMES: Mapping[str, tuple[str, ...]] = {
    "garage": ("garage parking", "a parking garage"),
    "street": ("street parking",),
    "validated": ("validated parking",),
    "lot": ("a parking lot", "parking in a lot"),
    "valet": ("valet parking",),
}
_GUESTS = ("customers", "guests", "visitors", "patrons")


@dataclass(slots=True)
class Draft:
    """A description in the making: the business, the chance, and what has been told already."""

    rng: Random
    business: Business
    used: set[str] = field(default_factory=set)

    def fill(self, template: str, **slots: str) -> str:
        """Puts in the slots, and names for the business and its guests."""
        rng, business = self.rng, self.business
        the = rng.choice(
            (f"the {business.kind.short}", f"the {business.kind.short}", "the business")
        )
        guests = rng.choice(_GUESTS)
        # "It" would be unclear where the sentence goes on to name the business in another way.
        plain = "{name}" not in template and "{the}" not in template
        subjects = [the.capitalize(), business.name, *(["It"] if plain else [])]
        names = {
            "name": business.name,
            "the": the,
            "The": rng.choice(subjects) if "{name}" not in template else the.capitalize(),
            "guests": guests,
            "Guests": guests.capitalize(),
        }
        return fix_articles(template.format(**names, **slots))


class Fact(Protocol):
    """Tells one fact of the draft's business; None where it cannot be told that way."""

    def __call__(self, draft: Draft, *, faithful: bool) -> Clause | None: ...


def value_of(business: Business, key: str) -> str | None:
    """The value of an attribute in words; a missing key is as good as null."""
    value = business.plain.get(key)
    if isinstance(value, bool):
        return "yes" if value else "no"
    return value


def judge_value(value: str | None, told: str) -> Label:
    """
    >>> judge_value(None, "no"), judge_value("paid", "some"), judge_value("paid", "free")
    ('neutral', 'entailed', 'contradicted')
    """
    if told == "unknown":
        return "entailed" if value is None else "contradicted"
    if value is None:
        return "neutral"
    if told == "some":
        return "contradicted" if value in ("no", "none") else "entailed"
    if told == "live" and value == "yes":
        return "neutral"
    if told == "yes" and value == "live":
        return "entailed"
    return "entailed" if told == value else "contradicted"


def judge_flag(flags: Flags | None, name: str, *, told: bool) -> Label:
    value = None if flags is None else flags.get(name)
    if value is None:
        return "neutral"
    return "entailed" if value == told else "contradicted"


def choose_told(draft: Draft, key: str, *, faithful: bool) -> str | None:
    value = value_of(draft.business, key)
    fits = [t for t in TOLD[key] if (judge_value(value, t) == "entailed") == faithful]
    if not fits:
        return None
    # Errors lean to the pleasing side in the real data, so the first value comes oftener.
    return fits[0] if draft.rng.random() < 0.4 else draft.rng.choice(fits)


def choose_key(draft: Draft, *, faithful: bool) -> str:
    """An attribute not told yet, if there is one; most errors are about unknown ones."""
    known = [k for k in TOLD if value_of(draft.business, k) is not None]
    unknown = [k for k in TOLD if k in draft.business.plain and k not in known]
    pool = known
    if not faithful and draft.rng.random() < 0.65:
        pool = unknown if draft.rng.random() < 0.7 else [k for k in TOLD if k not in known]
    fresh = [k for k in pool if k not in draft.used]
    return draft.rng.choice(fresh or pool or list(TOLD))


def attribute_vp(draft: Draft, *, faithful: bool) -> Clause | None:
    """A verb phrase about one attribute, such as "does not take reservations"."""
    key = choose_key(draft, faithful=faithful)
    told = choose_told(draft, key, faithful=faithful)
    if told is None or key in draft.used:
        return None
    draft.used.add(key)
    text = draft.rng.choice(PHRASES[key, told, "vp"])
    return Clause(text, judge_value(value_of(draft.business, key), told))


def _choose_flags(
    draft: Draft, flags: Flags | None, names: tuple[str, ...], *, faithful: bool
) -> tuple[list[str], bool]:
    """Names of flags to tell, and whether to tell them as present."""
    told = draft.rng.random() < 0.75
    right = [n for n in names if judge_flag(flags, n, told=told) == "entailed"]
    wrong = [n for n in names if n not in right]
    count = draft.rng.choice((0, 0, 1))
    if faithful:
        return draft.rng.sample(right, min(len(right), count + 1)), told
    if not wrong:
        return [], told
    extra = draft.rng.sample(right, min(len(right), count))
    unclear = [n for n in wrong if judge_flag(flags, n, told=told) == "neutral"]
    pool = unclear if unclear and draft.rng.random() < 0.5 else wrong
    chosen = [draft.rng.choice(pool), *extra]
    draft.rng.shuffle(chosen)
    return chosen, told


def tell_parking(draft: Draft, *, faithful: bool) -> Clause | None:
    """Parking as a pair of noun phrase and label; the text starts with + or - for its polarity."""
    flags = draft.business.parking
    chosen, told = _choose_flags(draft, flags, PARKING, faithful=faithful)
    if not chosen or "BusinessParking" in draft.used:
        return None
    draft.used.add("BusinessParking")
    label = worst([judge_flag(flags, name, told=told) for name in chosen])
    words = [draft.rng.choice(PARKING_NAMES[name]) for name in chosen]
    return Clause(("+" if told else "-") + join_words(words, "and" if told else "or"), label)


def tell_mood(draft: Draft, *, faithful: bool) -> Clause | None:
    """Ambience in adjectives; the text starts with + or - for its polarity."""
    flags = draft.business.ambience
    chosen, told = _choose_flags(draft, flags, MOODS, faithful=faithful)
    if not chosen or "Ambience" in draft.used:
        return None
    draft.used.add("Ambience")
    label = worst([judge_flag(flags, name, told=told) for name in chosen])
    return Clause(("+" if told else "-") + join_words(chosen, "and" if told else "or"), label)


def tell_vp(draft: Draft, *, faithful: bool) -> Clause | None:
    """A verb phrase about any attribute, nested ones too."""
    kind = draft.rng.random()
    if kind < 0.7:
        return attribute_vp(draft, faithful=faithful)
    clause = (tell_parking if kind < 0.85 else tell_mood)(draft, faithful=faithful)
    if clause is None:
        return None
    if kind < 0.85:
        verb = {"+": ("offers", "has"), "-": ("does not offer", "does not have")}[clause.text[0]]
        return Clause(f"{draft.rng.choice(verb)} {clause.text[1:]}", clause.label)
    shape = {
        "+": ("has a {} ambience", "offers a {} atmosphere", "is {}"),
        "-": ("does not have a {} ambience", "is not {}"),
    }
    return Clause(draft.rng.choice(shape[clause.text[0]]).format(clause.text[1:]), clause.label)


def tell_stars(draft: Draft, *, faithful: bool) -> Clause:
    stars = draft.business.stars
    if faithful:
        return Clause(str(stars), "entailed")
    changes = (-1.5, -1.0, -0.5, -0.5, 0.5, 0.5, 1.0)
    near = [round(stars + change, 1) for change in changes]
    return Clause(str(draft.rng.choice([s for s in near if 1 <= s <= 5])), "contradicted")


def tell_noun(draft: Draft, *, faithful: bool) -> Clause:
    kind = draft.business.kind
    if faithful:
        return Clause(kind.noun, "entailed")
    near = [k for k in KINDS if k.family != kind.family and k.short == kind.short]
    far = [k for k in KINDS if k.family != kind.family]
    return Clause(draft.rng.choice(near or far).noun, "contradicted")


def tell_address(draft: Draft, *, faithful: bool) -> Clause:
    address = draft.business.address
    if faithful:
        return Clause(address, "entailed")
    number, street = address.split(" ", 1)
    if draft.rng.random() < 0.5:
        street = draft.rng.choice([s for s in STREETS if s != street])
    else:
        number = str(int(number) + draft.rng.choice((-10, -2, 1, 9, 100)))
    return Clause(f"{number} {street}", "contradicted")


def tell_city(draft: Draft, *, faithful: bool) -> Clause:
    city = draft.business.city
    if faithful:
        return Clause(city, "entailed")
    # Within the state, so that the mistake does not show without the record.
    near = [c for c, state in CITIES if c != city and state == draft.business.state]
    return Clause(draft.rng.choice(near), "contradicted")


def _tell_state(draft: Draft, *, faithful: bool) -> Clause:
    state = draft.business.state
    if faithful:
        return Clause(state, "entailed")
    return Clause(draft.rng.choice([s for s in STATES if s != state]), "contradicted")


def _tell_state_name(draft: Draft, *, faithful: bool) -> Clause:
    told = _tell_state(draft, faithful=faithful)
    return Clause(STATES[told.text], told.label)


def review_tone(business: Business) -> str | None:
    """The tone of the reviews by their stars; None where a three-star one leaves it open."""
    stars = [review.stars for review in business.reviews]
    high, low = [s >= 4 for s in stars], [s <= 2 for s in stars]
    if any(high) and any(low):
        return "mixed"
    if all(high):
        return "positive"
    return "negative" if all(low) else None


def tell_tone(draft: Draft, *, faithful: bool) -> Clause | None:
    tone = review_tone(draft.business)
    words = {
        "positive": ("positive", "favorable", "consistently positive"),
        "mixed": ("mixed", "mixed"),
        "negative": ("negative", "unfavorable", "largely negative"),
    }
    if tone is None:
        return None
    told = tone if faithful else draft.rng.choice([t for t in words if t != tone])
    return Clause(draft.rng.choice(words[told]), "entailed" if faithful else "contradicted")


def tell_tone_sentence(draft: Draft, *, faithful: bool) -> Clause | None:
    """The tone of the reviews in a sentence of its own."""
    tone = review_tone(draft.business)
    if tone is None:
        return None
    told = tone
    if not faithful:
        told = draft.rng.choice([t for t in ("positive", "mixed", "negative") if t != tone])
    text = draft.fill(draft.rng.choice(PHRASES["tone", told, "told"]))
    return Clause(text, "entailed" if faithful else "contradicted")


def tell_categories(draft: Draft, *, faithful: bool) -> Clause:
    rng, categories = draft.rng, draft.business.categories
    chosen = rng.sample(categories, rng.randint(min(2, len(categories)), min(4, len(categories))))
    if not faithful:
        # A category of another family, so that it is no broader word for a listed one.
        kind = draft.business.kind
        others = {c for k in KINDS if k.family != kind.family for c in k.categories}
        chosen[rng.randrange(len(chosen))] = rng.choice(sorted(others - set(kind.categories)))
    return Clause(join_words(chosen), "entailed" if faithful else "contradicted")


FACTS: Mapping[str, Fact] = {
    "stars": tell_stars,
    "noun": tell_noun,
    "address": tell_address,
    "city": tell_city,
    "state": _tell_state,
    "state_name": _tell_state_name,
    "vp": tell_vp,
    "tone": tell_tone,
    "cats": tell_categories,
}
