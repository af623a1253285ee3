"""The five cases that the paper on long-form summaries shows, retold, each with a faithful one.

Each has a source, a response, its claims and relations as a model would give them, and what the
model says of the one that is at fault.
"""

from dataclasses import dataclass

from tests.detectors.discourse.scripts import Claim, Link


@dataclass(frozen=True)
class Case:
    """A response, how it is taken apart, and where it goes wrong, if it does."""

    name: str
    source: str
    response: str
    claims: tuple[Claim, ...]
    links: tuple[Link, ...] = ()
    fault: tuple[str, int] | None = None  # kind and number of the part at fault
    label: str = "fabricated"
    error: str = "none"
    quote: str = ""


NEVUS = (
    "A woman of 53 had a large birthmark of blood vessels and blue spots in the eye. These findings"
    " match the usual picture of the disease as Happle classified it. What led us to report the"
    " case is how rare the disease is, and how striking the skin looked."
)
MATCH = (1, "The case matches the usual picture of the disease.", "it matches the usual picture")
NOTABLE = (1, "The case is notable.", "The case is notable")

CASEY = (
    "Casey was confused when the woman wanted another name on the painting than hers. They argued,"
    " and she signed with her own name. The woman began to tear the painting up. Casey said that"
    " she was sorry and asked for her money. She took it and went away."
)
LEAVES = (1, "Casey leaves with the money.", "Casey leaves with the money")
CONFUSED = (1, "Casey is confused.", "is confused")

COURT = (
    "The judge held that she was a danger to herself and might not come to the hearing, and"
    " therefore ordered her into custody. As her body had not been changed and she took no"
    " medicine, she would have to go to a prison for men."
)
CUSTODY = (1, "The judge ordered her into custody.", "The judge ordered her into custody")
PRISON = (1, "She would go to a prison for men.", "she would go to a prison for men")
DANGER = (1, "She was a danger to herself.", "the danger to herself")

SENSOR = (
    "Until now the decay of the sensor has mostly been corrected by hand. We propose to learn it."
)
BY_HAND = "The decay of the sensor is corrected by hand."

GIFT = (
    "I first noticed some months ago that Mother's memory was going, and it saddened us all. Last"
    " week I spoke of the ring she had given me. She looked at me blankly and said she had given me"
    " none."
)
RING = (1, "The narrator speaks of the ring.", "The narrator speaks of the ring")
DENIES = (1, "She denies having given it.", "she denies having given it")
REALISE = (
    2,
    "The family realises that her memory is going.",
    "the family realises that her memory is going",
)

CASES = (
    Case(
        "the causal link to notability",
        NEVUS,
        "The case is notable because it matches the usual picture of the disease.",
        (NOTABLE, MATCH),
        ((2, 1, "cause", "because"),),
        ("relation", 1),
        error="fabricated-link",
        quote="What led us to report the case is how rare the disease is",
    ),
    Case(
        "notable for the reason that the source gives",
        NEVUS,
        "The case is notable because the disease is rare.",
        (NOTABLE, (1, "The disease is rare.", "the disease is rare")),
        ((2, 1, "cause", "because"),),
    ),
    Case(
        "but as a fabricated contrast",
        CASEY,
        "Casey leaves with the money but is confused.",
        (LEAVES, CONFUSED),
        ((1, 2, "contrast", "but"),),
        ("relation", 1),
        error="fabricated-link",
        quote="She took it and went away.",
    ),
    Case(
        "the same facts without a contrast",
        CASEY,
        "Casey is confused and, later, leaves with the money.",
        (
            (1, "Casey is confused.", "Casey is confused"),
            (1, "Casey leaves with the money.", "leaves with the money"),
        ),
        ((1, 2, "temporal", "later"),),
    ),
    Case(
        "the reason attached to the wrong decision",
        COURT,
        "The judge ordered her into custody and said she would go to a prison for men due to the"
        " danger to herself.",
        (CUSTODY, PRISON, DANGER),
        ((3, 2, "cause", "due to"),),
        ("relation", 1),
        label="contradicting",
        error="scope-attachment",
        quote="As her body had not been changed",
    ),
    Case(
        "each reason with its own decision",
        COURT,
        "The judge ordered her into custody due to the danger to herself.",
        (CUSTODY, DANGER),
        ((2, 1, "cause", "due to"),),
    ),
    Case(
        "mostly dropped",
        SENSOR,
        BY_HAND,
        ((1, BY_HAND, BY_HAND),),
        fault=("claim", 1),
        error="hedging-removal",
        quote="mostly been corrected by hand",
    ),
    Case(
        "mostly kept",
        SENSOR,
        "The decay of the sensor is mostly corrected by hand.",
        (
            (
                1,
                "The decay of the sensor is mostly corrected by hand.",
                "The decay of the sensor is mostly corrected by hand",
            ),
        ),
    ),
    Case(
        "the realization moved in time",
        GIFT,
        "The narrator speaks of the ring, and she denies having given it. Then the family realises"
        " that her memory is going.",
        (RING, DENIES, REALISE),
        ((1, 2, "temporal", ""), (2, 3, "temporal", "Then")),
        ("relation", 2),
        label="contradicting",
        error="temporal-state",
        quote="I first noticed some months ago",
    ),
    Case(
        "the realization where it belongs",
        GIFT,
        "The narrator speaks of the ring, and she denies having given it. Before that, the family"
        " realises that her memory is going.",
        (RING, DENIES, REALISE),
        ((1, 2, "temporal", ""), (3, 1, "temporal", "Before that")),
    ),
)
