"""Made-up businesses: the facts of a record, before anything is told about them."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from random import Random

from training.record_stock import FRAGMENTS, KINDS, Fragment, Kind

DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
DINING = ("food", "cafe", "bar")
PARKING = ("garage", "street", "validated", "lot", "valet")
MOODS = (
    "romantic", "intimate", "touristy", "hipster", "divey", "classy", "trendy", "upscale", "casual",
)  # fmt: skip
STATES = {
    "CA": "California", "OR": "Oregon", "TX": "Texas", "PA": "Pennsylvania", "FL": "Florida",
    "AZ": "Arizona", "TN": "Tennessee", "MO": "Missouri", "NV": "Nevada", "LA": "Louisiana",
}  # fmt: skip
CITIES = (
    ("Salem", "OR"), ("Hershey", "PA"), ("Scranton", "PA"), ("Mesa", "AZ"), ("Sedona", "AZ"),
    ("Memphis", "TN"), ("Chattanooga", "TN"), ("Springfield", "MO"), ("Joplin", "MO"),
    ("Sparks", "NV"), ("Elko", "NV"), ("Shreveport", "LA"), ("Baton Rouge", "LA"),
    ("Ventura", "CA"), ("San Luis Obispo", "CA"), ("Monterey", "CA"), ("Ojai", "CA"),
    ("Eugene", "OR"), ("Bend", "OR"), ("Ashland", "OR"), ("Austin", "TX"), ("Waco", "TX"),
    ("Galveston", "TX"), ("Lancaster", "PA"), ("Erie", "PA"), ("Tampa", "FL"), ("Ocala", "FL"),
    ("Sarasota", "FL"), ("Tucson", "AZ"), ("Flagstaff", "AZ"), ("Nashville", "TN"),
    ("Knoxville", "TN"), ("Columbia", "MO"), ("Reno", "NV"), ("Carson City", "NV"),
    ("Lafayette", "LA"), ("Metairie", "LA"),
)  # fmt: skip
STREETS = (
    "Alder St", "Bayview Ave", "Canal St", "Chapala Rd", "Depot St", "E Main St", "Fulton Ave",
    "Garden St", "Harbor Blvd", "Juniper Ln", "Kingsley Dr", "Laurel Ave", "Market St",
    "N 4th St", "Orchard Rd", "Palmetto Ave", "Quarry Rd", "Ridge Pike", "S Broad St",
    "Sycamore St", "Union Ave", "Vine St", "W Olive Ave", "Willow Creek Rd",
)  # fmt: skip
PEOPLE = (
    "Marisol", "Devon", "Priya", "Keiko", "Anders", "Tanya", "Luis", "Bridget", "Omar", "Corinne",
    "Wes", "Naomi", "Hector", "Jolene", "Samir", "Greta", "Dante", "Paula", "Nico", "Yvonne",
)  # fmt: skip
_OWNERS = (
    "Rosalba", "Finnegan", "Kimura", "Delgado", "Abbott", "Castellano", "Whitfield", "Nguyen",
    "Marlowe", "Petrov", "Hargrove", "Lindqvist", "Amara", "Tully", "Beckett", "Solano",
)  # fmt: skip
_ADJECTIVES = (
    "Copper", "Blue", "Crooked", "Golden", "Silver", "Little", "Old Mill", "Painted", "Lucky",
    "Hidden", "Red", "Salty", "Sunny", "Iron", "Velvet", "Wild",
)  # fmt: skip
_THINGS = (
    "Heron", "Lantern", "Kettle", "Anchor", "Fox", "Sparrow", "Barrel", "Orchard", "Compass",
    "Magnolia", "Pelican", "Saddle", "Thistle", "Harbor", "Acorn", "Mesa",
)  # fmt: skip
_SUFFIXES = {
    "food": ("Kitchen", "Grill", "Eatery", "Table", "House"),
    "cafe": ("Cafe", "Coffee House", "Bakery", "Roasters"),
    "bar": ("Tavern", "Taproom", "Lounge", "Bar"),
    "hotel": ("Inn", "Hotel", "Lodge", "Suites"),
    "shop": ("Mercantile", "Trading Post", "Outpost", "Goods"),
    "salon": ("Salon", "Studio", "Beauty Bar", "Spa"),
    "gym": ("Fitness", "Athletic Club", "Training", "Strength"),
    "repair": ("Garage", "Repair", "Works", "Service Center"),
}
_REVIEWS_SAY: tuple[tuple[str, str, str | bool], ...] = (
    ("takeout", "RestaurantsTakeOut", True),
    ("patio", "OutdoorSeating", True),
    ("do not take cards", "BusinessAcceptsCreditCards", False),
    ("Ordered delivery", "RestaurantsDelivery", True),
    ("do not take cash", "BusinessAcceptsCreditCards", True),
    ("The band", "Music", "live"),
    ("music is soft", "Music", True),
    ("without shouting", "NoiseLevel", "quiet"),
    ("Too loud, not the music", "NoiseLevel", "loud"),
    ("Music so loud", "Music", True),
    ("so loud", "NoiseLevel", "loud"),
    ("party of twelve", "RestaurantsGoodForGroups", True),
    ("My kids loved", "GoodForKids", True),
    ("Great spot to work", "WiFi", "free"),
    ("mixed me a", "Alcohol", "full_bar"),
    ("watered down", "Alcohol", "full_bar"),
    ("half price", "Alcohol", "full_bar"),
)
_OPENING_HOURS = {
    "food": (7, 17), "cafe": (5, 9), "bar": (11, 18), "hotel": (6, 9),
    "shop": (8, 11), "salon": (8, 11), "gym": (5, 8), "repair": (7, 9),
}  # fmt: skip
_OPENERS = {
    True: ("Love this place!", "So glad we stopped in.", "What a find.", "Really happy.", ""),
    False: ("Not impressed.", "Disappointed.", "Sigh.", "I wanted to like it.", ""),
}
_CLOSERS = {
    True: ("Highly recommend.", "Will be back!", "Thank you all.", "Go!", ""),
    False: ("Would not go again.", "Save your money.", "Do better.", "Never mind then.", ""),
}

_LIVE_MUSIC = {
    "dj": False, "live": True, "jukebox": False, "video": False, "background_music": False,
    "karaoke": False, "no_music": False,
}  # fmt: skip

Flags = Mapping[str, bool | None]


@dataclass(frozen=True, slots=True)
class PlacedFragment:
    """A fragment with its slots filled, and the review it stands in."""

    fragment: Fragment
    slots: Mapping[str, str]
    review: int


@dataclass(frozen=True, slots=True)
class Review:
    stars: float
    date: str
    text: str


@dataclass(frozen=True, slots=True)
class Business:
    """One made-up business; `plain` holds the attributes that are not nested."""

    name: str
    address: str
    city: str
    state: str
    kind: Kind
    categories: tuple[str, ...]
    hours: Mapping[str, str] | None
    plain: Mapping[str, str | bool | None]
    parking: Flags | None
    ambience: Flags | None
    stars: float
    reviews: tuple[Review, ...]
    placed: tuple[PlacedFragment, ...]

    def to_source(self) -> dict[str, object]:
        """The record in the shape of RAGTruth's business objects."""
        attributes: dict[str, object] = {
            "BusinessParking": None if self.parking is None else dict(self.parking),
            **self.plain,
            "Music": _LIVE_MUSIC if self.plain["Music"] == "live" else self.plain["Music"],
            "Ambience": None if self.ambience is None else dict(self.ambience),
        }
        return {
            "name": self.name,
            "address": self.address,
            "city": self.city,
            "state": self.state,
            "categories": ", ".join(self.categories),
            "hours": None if self.hours is None else dict(self.hours),
            "attributes": attributes,
            "business_stars": self.stars,
            "review_info": [
                {"review_stars": r.stars, "review_date": r.date, "review_text": r.text}
                for r in self.reviews
            ],
        }


def fix_articles(text: str) -> str:
    """Puts "an" before vowels.

    >>> fix_articles("a upscale place with a 8-dollar one")
    'an upscale place with an 8-dollar one'
    """
    return re.sub(r"\b([Aa]) (?=(?!one|uni|use)[aeiouAEIOU]|8|11\b|18\b)", r"\1n ", text)


def make_address(rng: Random) -> str:
    return f"{rng.randint(12, 7900)} {rng.choice(STREETS)}"


def make_name(rng: Random, group: str) -> str:
    suffix = rng.choice(_SUFFIXES[group])
    pattern = rng.choice(
        ("{o}'s", "{o}'s {s}", "The {a} {t}", "{a} {t} {s}", "{t} & {o}", "{a} {s}")
    )
    return pattern.format(
        o=rng.choice(_OWNERS), a=rng.choice(_ADJECTIVES), t=rng.choice(_THINGS), s=suffix
    )


def make_hours(rng: Random, group: str = "food") -> dict[str, str]:
    """Hours by day; closed days are left out or written 0:0-0:0, as in the real data."""
    first, last = _OPENING_HOURS[group]
    opens = rng.randint(first, last) * 60 + rng.choice((0, 0, 0, 30))
    closes = opens + rng.choice((300, 360, 420, 480, 540, 600, 660, 720))
    week = dict.fromkeys(DAYS, (opens, closes))
    pattern = rng.choice(("same", "same", "weekend", "late", "short", "mixed"))
    if pattern == "weekend":
        shifted = (opens + rng.choice((60, 120)), closes - rng.choice((0, 60)))
        week |= dict.fromkeys(DAYS[5:], shifted)
    elif pattern == "late":
        week |= dict.fromkeys(DAYS[4:6], (opens, closes + rng.choice((30, 60, 120, 180))))
    elif pattern == "short":
        week["Sunday"] = (opens + rng.choice((0, 60)), closes - rng.choice((60, 120)))
    elif pattern == "mixed":
        for day in rng.sample(DAYS, 3):
            week[day] = (opens + rng.choice((-60, 30, 60)), closes + rng.choice((-90, -60, 60)))
    days = rng.choices((*DAYS, "Monday", "Sunday"), k=2)
    closed = days[: rng.choice((0, 0, 1, 1, 2))]
    written = {day: _write_span(*span) for day, span in week.items() if day not in closed}
    if rng.random() < 0.5:
        written |= dict.fromkeys(closed, "0:0-0:0")
    return {day: written[day] for day in DAYS if day in written}


def _write_span(opens: int, closes: int) -> str:
    closes %= 1440
    return f"{opens // 60}:{opens % 60}-{closes // 60}:{closes % 60}"


def _make_flags(rng: Random, names: tuple[str, ...], weights: tuple[float, ...]) -> Flags | None:
    if rng.random() < 0.2:
        return None
    order = list(names)
    if rng.random() < 0.5:
        rng.shuffle(order)
    chance = dict(zip(names, weights, strict=True))
    flags: dict[str, bool | None] = {name: rng.random() < chance[name] for name in order}
    if rng.random() < 0.2:
        flags[rng.choice(order)] = None
    return flags


def _make_plain(rng: Random, group: str) -> dict[str, str | bool | None]:
    dining = group in DINING
    null = 0.22 if dining else 0.85

    def flag(chance: float, missing: float = null) -> bool | None:
        return None if rng.random() < missing else rng.random() < chance

    def word(choices: tuple[str, ...], missing: float = null) -> str | None:
        return None if rng.random() < missing else rng.choice(choices)

    plain: dict[str, str | bool | None] = {
        "RestaurantsReservations": flag(0.5),
        "OutdoorSeating": flag(0.65),
        "WiFi": word(("free", "free", "free", "no", "no", "no", "paid"), 0.2),
        "RestaurantsTakeOut": flag(0.75),
        "RestaurantsGoodForGroups": flag(0.7),
        "Music": rng.choice((None, None, None, None, None, True, False, False, "live", "live")),
    }
    extra: dict[str, str | bool | None] = {
        "RestaurantsDelivery": flag(0.5, 0.1),
        "BusinessAcceptsCreditCards": flag(0.7, 0.1),
        "Alcohol": word(("full_bar", "beer_and_wine", "none"), 0.1),
        "NoiseLevel": word(("quiet", "average", "average", "loud"), 0.1),
        "GoodForKids": flag(0.6, 0.1),
    }
    if rng.random() < 0.4:
        names = rng.sample(sorted(extra), rng.randint(1, len(extra)))
        plain |= {name: extra[name] for name in names}
    return plain


class _Slots:
    """Hands out slot values so that no two fragments of one record share a dish or a name."""

    def __init__(self, rng: Random, kind: Kind) -> None:
        self._rng = rng
        self._items = rng.sample(kind.items, len(kind.items))
        self._people = rng.sample(PEOPLE, len(PEOPLE))

    def draw(self) -> dict[str, str]:
        rng = self._rng
        n, m = rng.sample((10, 15, 20, 25, 30, 35, 40, 45, 50), 2)
        price, cost = rng.sample((6, 7, 9, 12, 14, 16, 17, 19, 22, 24, 28, 32), 2)
        item, other = self._take(self._items), self._take(self._items)
        person, someone = self._take(self._people), self._take(self._people)
        return {
            "n": str(n), "m": str(m), "price": str(price), "cost": str(cost),
            "item": item, "other": other, "person": person, "someone": someone,
        }  # fmt: skip

    def _take(self, pool: list[str]) -> str:
        value = pool.pop(0)
        pool.append(value)
        return value


def fragments_for(kind: Kind) -> list[Fragment]:
    """Fragments that suit a kind: those of its group, its family, its noun, or of any business."""
    groups = (kind.group, kind.family, kind.noun.replace(" ", "_"), "any")
    return [fragment for fragment in FRAGMENTS if fragment.group in groups]


def _make_reviews(rng: Random, kind: Kind) -> tuple[tuple[Review, ...], tuple[PlacedFragment, ...]]:
    pool = fragments_for(kind)
    rng.shuffle(pool)
    pool.sort(key=lambda f: f.group == "any" and rng.random() < 0.6)
    pool = list({fragment.root: fragment for fragment in pool}.values())
    slots = _Slots(rng, kind)
    reviews: list[Review] = []
    placed: list[PlacedFragment] = []
    share = rng.choice((0.95, 0.6, 0.5, 0.1))
    for index in range(rng.choice((2, 3, 3, 3))):
        positive = rng.random() < share
        chosen = [f for f in pool if f.positive == positive][: rng.choice((1, 1, 2, 2, 3))]
        pool = [f for f in pool if f not in chosen]
        new = [PlacedFragment(f, slots.draw(), index) for f in chosen]
        placed += new
        reviews.append(_write_review(rng, new, positive=positive))
    return tuple(reviews), tuple(placed)


def _write_review(rng: Random, placed: list[PlacedFragment], *, positive: bool) -> Review:
    body = [fix_articles(p.fragment.text.format(**p.slots)) for p in placed]
    parts = [rng.choice(_OPENERS[positive]), *body, rng.choice(_CLOSERS[positive])]
    stars = rng.choice((4.0, 4.0, 5.0, 5.0, 5.0) if positive else (1.0, 1.0, 2.0, 2.0))
    if rng.random() < 0.08:
        stars = 3.0
    date = (
        f"{rng.randint(2014, 2022)}-{rng.randint(1, 12):02}-{rng.randint(1, 28):02} "
        f"{rng.randint(0, 23):02}:{rng.randint(0, 59):02}:{rng.randint(0, 59):02}"
    )
    return Review(stars, date, rng.choice((" ", " ", "\n\n")).join(filter(None, parts)))


def _agree(
    plain: Mapping[str, str | bool | None], placed: tuple[PlacedFragment, ...]
) -> dict[str, str | bool | None]:
    """The attributes, with those that a review speaks of set to what it says."""
    texts = " ".join(p.fragment.text for p in placed)
    said = {key: value for words, key, value in _REVIEWS_SAY if words in texts}
    return {**plain, **said}


def _agree_parking(flags: Flags | None, placed: tuple[PlacedFragment, ...]) -> Flags | None:
    """Where a review speaks of parking, the record knows of some."""
    if not any("arking" in p.fragment.text for p in placed):
        return flags
    return {**(flags or dict.fromkeys(PARKING, False)), "lot": True}


def make_business(rng: Random) -> Business:
    # Most of the real records are of places to eat.
    kind = rng.choices(KINDS, [3 if k.group in DINING else 1 for k in KINDS])[0]
    city, state = rng.choice(CITIES)
    reviews, placed = _make_reviews(rng, kind)
    dining = kind.group in DINING
    categories = rng.sample(kind.categories, rng.randint(2, len(kind.categories)))
    if kind.categories[0] not in categories:
        categories.insert(0, kind.categories[0])
    if kind.group == "food" and kind.categories[1] not in categories:
        categories.append(kind.categories[1])
    moods = (0.18, 0.18, 0.12, 0.15, 0.12, 0.25, 0.25, 0.2, 0.5)
    return Business(
        name=make_name(rng, kind.group),
        address=make_address(rng),
        city=city,
        state=state,
        kind=kind,
        categories=tuple(categories),
        hours=make_hours(rng, kind.group) if rng.random() < 0.9 else None,
        plain=_agree(_make_plain(rng, kind.group), placed),
        parking=_agree_parking(_make_flags(rng, PARKING, (0.28, 0.4, 0.22, 0.45, 0.25)), placed),
        ambience=_make_flags(rng, MOODS, moods) if dining or rng.random() < 0.15 else None,
        stars=rng.choice((2.5, 3.0, 3.5, 3.5, 4.0, 4.0, 4.0, 4.5, 4.5, 5.0)),
        reviews=reviews,
        placed=placed,
    )
