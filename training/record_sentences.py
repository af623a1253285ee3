"""Whole sentences of a description, each made to be faithful or not as asked."""

import re
from collections.abc import Mapping

from training.record_facts import (
    FACTS,
    TOLD,
    TOPICS,
    Draft,
    Fact,
    choose_key,
    choose_told,
    judge_value,
    review_tone,
    tell_mood,
    tell_parking,
    tell_tone_sentence,
    tell_vp,
    value_of,
)
from training.record_hours import join_words, tell_days, tell_pattern, tell_week
from training.record_reviews import lower_first, tell_review, tell_review_stars, tell_two_reviews
from training.record_stock import PHRASES, Clause, Label, worst

_SLOT = re.compile(r"\{(" + "|".join(FACTS) + r")\}")
_WRONG_WEIGHTS = {"vp": 3.0, "state": 0.2, "state_name": 0.2}
# What a review may say as well: then it is not invented.
_REVIEW_TOPICS = ("award", "renovat", "wheelchair", "loyalty", "gift card", "languages", "second")


def _tell_template(draft: Draft, template: str, *, faithful: bool) -> Clause | None:
    """Fills the facts of a template; of an unfaithful sentence exactly one fact is wrong."""
    slots = _SLOT.findall(template)
    # Attributes go wrong oftener than names of places, as in the real data.
    weights = [_WRONG_WEIGHTS.get(slot, 1.0) for slot in slots]
    wrong = -1 if faithful else draft.rng.choices(range(len(slots)), weights)[0]
    clauses = [FACTS[slot](draft, faithful=i != wrong) for i, slot in enumerate(slots)]
    told = [clause for clause in clauses if clause is not None]
    if len(told) < len(clauses):
        return None
    texts = iter(told)
    text = _SLOT.sub(lambda _: next(texts).text, template)
    return Clause(draft.fill(text), worst([clause.label for clause in told]))


def _from_section(section: str) -> Fact:
    def tell(draft: Draft, *, faithful: bool) -> Clause | None:
        template = draft.rng.choice(PHRASES[section, "told"])
        return _tell_template(draft, template, faithful=faithful)

    return tell


def tell_attribute(draft: Draft, *, faithful: bool) -> Clause | None:
    """One attribute in one sentence, or the statement that it is not known."""
    missing = [k for k in TOLD if value_of(draft.business, k) is None and k in draft.business.plain]
    if draft.rng.random() < (0.12 if faithful else 0.05):
        pool = missing if faithful else [k for k in TOLD if k not in missing]
        key = draft.rng.choice(pool or list(TOLD))
        told: str | None = "unknown"
    else:
        key = choose_key(draft, faithful=faithful)
        told = choose_told(draft, key, faithful=faithful)
    label = judge_value(value_of(draft.business, key), told) if told else "neutral"
    if told is None or key in draft.used or (label == "entailed") != faithful:
        return None
    draft.used.add(key)
    section = ("unknown", "told") if told == "unknown" else (key, told, "told")
    return Clause(draft.fill(draft.rng.choice(PHRASES[section]), topic=TOPICS[key]), label)


def _tell_flags(draft: Draft, *, faithful: bool, parking: bool) -> Clause | None:
    clause = (tell_parking if parking else tell_mood)(draft, faithful=faithful)
    if clause is None:
        return None
    words = clause.text[1:]
    field = "BusinessParking" if parking else "Ambience"
    template = draft.rng.choice(PHRASES[field, "yes" if clause.text[0] == "+" else "no", "told"])
    slots = {"parking": words, "Parking": words[0].upper() + words[1:], "mood": words}
    text = draft.fill(template, **slots)
    if parking and " and " in words:
        text = text.replace(f"{slots['Parking']} is ", f"{slots['Parking']} are ")
    return Clause(text, clause.label)


def tell_parking_sentence(draft: Draft, *, faithful: bool) -> Clause | None:
    """Kinds of parking, or whether there is any parking at all."""
    flags = draft.business.parking
    if draft.rng.random() < 0.8:
        return _tell_flags(draft, faithful=faithful, parking=True)
    if flags is None:
        text = "unknown" if faithful else draft.rng.choice(("yes", "no"))
    elif None in flags.values() and not any(flags.values()):
        return None
    else:
        text = "yes" if any(flags.values()) == faithful else "no"
    templates = {
        "yes": ("Parking is available at {name}.", "{The} offers some form of parking.",
                "{Guests} arriving by car will find parking."),
        "no": ("Parking is not available at {name}.", "{The} does not offer any form of parking.",
               "{Guests} arriving by car will not find any parking options."),
        "unknown": PHRASES["unknown", "told"],
    }  # fmt: skip
    if "BusinessParking" in draft.used:
        return None
    draft.used.add("BusinessParking")
    unfaithful: Label = "neutral" if flags is None else "contradicted"
    filled = draft.fill(draft.rng.choice(templates[text]), topic="parking")
    return Clause(filled, "entailed" if faithful else unfaithful)


def tell_mood_sentence(draft: Draft, *, faithful: bool) -> Clause | None:
    """The ambience, or that none is marked, or that none is given."""
    flags = draft.business.ambience
    if draft.rng.random() < 0.9:
        return _tell_flags(draft, faithful=faithful, parking=False)
    if "Ambience" in draft.used:
        return None
    draft.used.add("Ambience")
    none_marked = flags is not None and not any(flags.values()) and None not in flags.values()
    if flags is None:
        text = draft.rng.choice(PHRASES["unknown", "told"])
    else:
        text = draft.rng.choice(
            (
                "The ambience does not fall into any of the listed types.",
                "None of the listed kinds of ambience applies to {name}.",
                "{The} is not marked as having any particular ambience.",
            )
        )
    if (none_marked or flags is None) != faithful:
        return None
    filled = draft.fill(text, topic="the ambience")
    return Clause(filled, "entailed" if faithful else "contradicted")


def tell_combination(draft: Draft, *, faithful: bool) -> Clause | None:
    """Two to four attributes in one sentence, of which at most one is wrong."""
    count = draft.rng.choice((2, 3, 3, 4))
    wrong = -1 if faithful else draft.rng.randrange(count)
    clauses = [tell_vp(draft, faithful=i != wrong) for i in range(count)]
    told = [clause for clause in clauses if clause is not None]
    if len(told) < count:
        return None
    label = worst([clause.label for clause in told])
    return Clause(draft.fill("{The} " + _join_vps(draft, [c.text for c in told]) + "."), label)


def _join_vps(draft: Draft, texts: list[str]) -> str:
    negative = re.compile(r"(does not|is not|has no|lacks|serves no)\b")
    bad = [text for text in texts if negative.match(text)]
    good = [text for text in texts if not negative.match(text)]
    if not good or not bad:
        return join_words(texts)
    link = draft.rng.choice((", but it ", ", although it ", ", but ", "; however, it "))
    return join_words(good) + link + join_words(bad)


def tell_amenities(draft: Draft, *, faithful: bool) -> Clause | None:
    """A list of things offered, or of things not offered."""
    offered = draft.rng.random() < 0.7
    keys = [k for k in TOLD if k not in draft.used and ((k, "yes", "np") in PHRASES or k == "WiFi")]
    told = {k: ("free" if k == "WiFi" else "yes") if offered else "no" for k in keys}
    right = [k for k in keys if judge_value(value_of(draft.business, k), told[k]) == "entailed"]
    wrong = [k for k in keys if k not in right and k in draft.business.plain]
    count = draft.rng.choice((2, 3, 3, 4)) - (not faithful)
    if len(right) < count or not (faithful or wrong):
        return None
    chosen = draft.rng.sample(right, count) + ([] if faithful else [draft.rng.choice(wrong)])
    draft.rng.shuffle(chosen)
    draft.used.update(chosen)
    label = worst([judge_value(value_of(draft.business, k), told[k]) for k in chosen])
    shown = {k: "free" if k == "WiFi" and offered else "yes" for k in chosen}
    words = [
        draft.rng.choice(PHRASES["WiFi", "some", "np"])
        if k == "WiFi" and not offered
        else draft.rng.choice(PHRASES[k, shown[k], "np"])
        for k in chosen
    ]
    templates = (
        ("{The} offers LIST.", "Amenities include LIST.", "Among the features are LIST.",
         "{Guests} can take advantage of LIST.", "{name} provides LIST.",
         "The attributes of {the} include LIST.")
        if offered
        else ("{The} does not offer LIST.", "{name} does not provide LIST.",
              "{Guests} will not find LIST at {name}.")
    )  # fmt: skip
    text = draft.rng.choice(templates).replace(
        "LIST", join_words(words, "and" if offered else "or")
    )
    return Clause(draft.fill(text), label)


def _tell_hours(draft: Draft, *, faithful: bool) -> Clause | None:
    if "hours" in draft.used:
        return None
    draft.used.add("hours")
    ways = (tell_week, tell_week, tell_week, tell_days)
    clause = draft.rng.choice(ways)(draft.rng, draft.business.hours, faithful=faithful)
    return clause and Clause(draft.fill(clause.text), clause.label)


def _tell_hours_pattern(draft: Draft, *, faithful: bool) -> Clause | None:
    clause = tell_pattern(draft.rng, draft.business.hours, faithful=faithful)
    return clause and Clause(draft.fill(clause.text), clause.label)


def _tell_with_invention(draft: Draft, section: str) -> Clause | None:
    template = draft.rng.choice(PHRASES[section, "told"])
    clause = _tell_template(draft, template, faithful=True)
    return clause and Clause(clause.text, "neutral")


def _tell_opening(draft: Draft, *, faithful: bool) -> Clause | None:
    if not faithful and draft.rng.random() < 0.2:
        return _tell_with_invention(draft, "opening_invented")
    return _from_section("opening")(draft, faithful=faithful)


def _tell_rating(draft: Draft, *, faithful: bool) -> Clause | None:
    if "rating" in draft.used:
        return None
    draft.used.add("rating")
    if faithful or draft.rng.random() < 0.9:
        return _from_section("rating")(draft, faithful=faithful)
    return _tell_with_invention(draft, "source")


def _tell_invented(draft: Draft, *, faithful: bool) -> Clause | None:
    if faithful:
        return None
    rng = draft.rng
    slots = {
        "year": str(rng.randint(1948, 2019)),
        "n": str(rng.randint(3, 16) * 10),
        "price": str(rng.randint(6, 15)),
        "cost": str(rng.randint(18, 45)),
        "city": draft.business.city,
    }
    template = rng.choice(PHRASES["invented", "told"])
    said = " ".join(placed.fragment.text for placed in draft.business.placed)
    if any(word in template and word in said for word in _REVIEW_TOPICS):
        return None
    return Clause(draft.fill(template, **slots), "neutral")


def _tell_tone(draft: Draft, *, faithful: bool) -> Clause | None:
    if draft.rng.random() < 0.5:
        return tell_tone_sentence(draft, faithful=faithful)
    return _from_section("tone")(draft, faithful=faithful)


def tell_closing(draft: Draft, *, faithful: bool) -> Clause | None:
    """A summing-up; at times of two reviews rather than of facts."""
    if draft.rng.random() < 0.2 and review_tone(draft.business) == "mixed":
        clause = tell_two_reviews(draft, faithful=faithful)
        return clause and Clause("Overall, " + lower_first(clause.text), clause.label)
    if draft.rng.random() < 0.2:
        clause = tell_tone_sentence(draft, faithful=faithful)
        keeps = clause and clause.text.startswith(draft.business.name)
        return clause and Clause(
            "Overall, " + (clause.text if keeps else lower_first(clause.text)), clause.label
        )
    return _from_section("closing")(draft, faithful=faithful)


_PARTS: tuple[Fact, ...] = (
    _tell_rating, _tell_hours, _tell_hours_pattern, tell_attribute, tell_parking_sentence,
    tell_mood_sentence, tell_tone_sentence, tell_review,
)  # fmt: skip


def tell_compound(draft: Draft, *, faithful: bool) -> Clause | None:
    """Two sentences about different things made into one, of which at most one is wrong."""
    wrong = -1 if faithful else draft.rng.randrange(2)
    parts = draft.rng.sample(_PARTS, 2)
    if _tell_hours in parts and _tell_hours_pattern in parts:
        return None
    clauses = [tell(draft, faithful=i != wrong) for i, tell in enumerate(parts)]
    first, second = clauses
    if first is None or second is None or ", and " in first.text + second.text:
        return None
    keeps = second.text.startswith((draft.business.name, "WiFi", "Wi-Fi", "Monday"))
    rest = second.text if keeps else lower_first(second.text)
    if rest.startswith("it "):
        rest = f"the {draft.business.kind.short}{rest[2:]}"
    link = draft.rng.choice((", and ", ", and ", "; "))
    return Clause(first.text.rstrip(".") + link + rest, worst([first.label, second.label]))


MAKERS: Mapping[str, Fact] = {
    "compound": tell_compound,
    "opening": _tell_opening,
    "location": _from_section("location"),
    "categories": _from_section("categories"),
    "rating": _tell_rating,
    "hours": _tell_hours,
    "hours_pattern": _tell_hours_pattern,
    "attribute": tell_attribute,
    "parking": tell_parking_sentence,
    "ambience": tell_mood_sentence,
    "combination": tell_combination,
    "amenities": tell_amenities,
    "invented": _tell_invented,
    "tone": _tell_tone,
    "review": tell_review,
    "two_reviews": tell_two_reviews,
    "review_stars": tell_review_stars,
    "closing": tell_closing,
}
