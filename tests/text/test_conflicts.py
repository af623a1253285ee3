"""What a passage visibly says otherwise than a sentence."""

import pytest

from assay.text.conflicts import find_conflict


@pytest.mark.parametrize(
    ("sentence", "passage", "theirs", "ours"),
    [
        ("The clinic shuts on Friday.", "The clinic shuts on Sunday.", "Sunday", "Friday"),
        ("Rent is due in March.", "Rent is due in April of each year.", "April", "March"),
        ("The bag weighs 12 kilos.", "A bag weighs 21 kilos at most.", "21", "12"),
        ("Fees rose by 5% in total.", "Fees rose by 9% in total.", "9%", "5%"),
        ("It cost $300 to print.", "It cost $350 to print.", "$350", "$300"),
        ("The bus goes at 9:15 daily.", "The bus goes at 9:45 daily.", "9:45", "9:15"),
        ("She retired on 3 May 2020.", "She retired on 4 May 2020.", "4 May 2020", "3 May 2020"),
        (
            "It was sold to Nadia Kern.",
            "It was sold to Tomas Brandt.",
            "Tomas Brandt",
            "Nadia Kern",
        ),
        ("Output increased last year.", "Last year output decreased.", "decreased", "increased"),
    ],
)
def test_both_sides_are_named(sentence: str, passage: str, theirs: str, ours: str) -> None:
    found = find_conflict(sentence, [passage])
    assert str(found) == f"The source says {theirs} where the response says {ours}."


def test_negation_on_one_side_only_is_named() -> None:
    theirs = find_conflict("Dogs are allowed inside.", ["Dogs are not allowed inside."])
    assert str(theirs) == "The source has a negation here, “not”, that the response lacks."
    ours = find_conflict("Dogs are never allowed inside.", ["Dogs are allowed inside."])
    assert "The response has a negation here, “never”" in str(ours)


@pytest.mark.parametrize(
    ("sentence", "passage"),
    [
        ("The bag weighs 12 kilos.", "Flights leave at 21 past the hour."),  # another matter
        ("Sales were 4 million in 2021.", "Sales were 4 million in 2020, 5 million in 2021."),
        ("It may rain in Oslo today.", "It rained in Oslo in April, but not today."),
        ("Anna thanked the club.", "The club was thanked by Anna."),
        ("The choir sang well.", ""),
    ],
)
def test_nothing_is_claimed_that_cannot_be_seen(sentence: str, passage: str) -> None:
    assert find_conflict(sentence, [passage]) is None


def test_first_passage_that_shows_one_counts() -> None:
    passages = [
        "The clinic is small.",
        "The clinic shuts on Sunday.",
        "The clinic shuts on Monday.",
    ]
    assert "Sunday" in str(find_conflict("The clinic shuts on Friday.", passages))


def test_long_texts_are_quick() -> None:
    text = "1:2 " * 25_000
    find_conflict(f"The clinic has {text[:2000]}", [f"The clinic has {text}"])
