"""What a passage visibly says otherwise than a sentence."""

import pytest

from assay.text import conflicts
from assay.text.conflicts import find_conflict
from assay.text.words import terms


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
        (
            "The tram has crossed the river since 1968.",
            "The tram has crossed the river to Vass since 1986.",
            "1986",
            "1968",
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


@pytest.mark.parametrize(
    ("sentence", "passage"),
    [
        ("The gate is closed.", "The gate is not open."),
        ("Smoking is forbidden in the hall.", "Smoking is not allowed in the hall."),
        ("The motion failed.", "The motion was not passed."),
        ("All of the tenants agreed.", "None of the tenants disagreed."),
        ("The red boat won the cup.", "The boat that won the cup was not blue."),
        ("The choir meets on Thursday.", "The choir meets on Thursdays; it never meets on Friday."),
        ("The choir meets on Mondays, not Tuesday.", "The choir meets on Monday."),
        ("Profit is unlikely to rise.", "Profit is unlikely to fall."),
    ],
)
def test_what_is_denied_is_not_said(sentence: str, passage: str) -> None:
    assert find_conflict(sentence, [passage]) is None


@pytest.mark.parametrize(
    ("sentence", "passage"),
    [
        ("The choir meets on Wednesday.", "The choir meets on Wed, with Monday as a reserve."),
        ("The choir meets on Mondays.", "The choir meets on Monday."),
        ("The kiosk closes at 5.", "The kiosk closes at 17:00."),
        ("The kiosk closes at 5 each day.", "The kiosk closes at 17 each day."),
        ("Prices rose by 5% overall.", "Prices rose by 0.05 overall."),
        ("It is a hall in 1990s style.", "It is a hall in 1995 style."),
        ("ESA built the probe.", "The European Space Agency built the probe."),
        ("The U.S. built the probe.", "The United States built the probe."),
        ("It was built by Norden Corp.", "It was built by the Norden Corporation."),
    ],
)
def test_the_same_in_another_form_is_no_conflict(sentence: str, passage: str) -> None:
    assert find_conflict(sentence, [passage]) is None


@pytest.mark.parametrize(
    ("sentence", "passage"),
    [
        (
            "The kiosk opens on Monday and is closed on Sunday in winter.",
            "The kiosk opens on Monday. In summer the kiosk also opens on Saturday.",
        ),
        (
            "The ride takes 90 minutes by bus.",
            "The ride takes 30 minutes by car and an hour and a half by bus.",
        ),
        ("He left the firm with 3 friends.", "He left the firm without notice, with 3 friends."),
        ("Before the merger sales increased.", "Sales increased. After the merger they decreased."),
        ("Sales in Poland were 5 million.", "Sales in Spain were 4 million, in Poland flat."),
        ("Rents rose by 5 euros.", "Rents rose to 9 euros."),
        ("Berg met Olsen in Paris.", "Olsen met Berg in Rome and in Paris."),
        ("The first tram leaves before noon.", "The last tram leaves after noon."),
    ],
)
def test_words_on_both_sides_must_fit(sentence: str, passage: str) -> None:
    assert find_conflict(sentence, [passage]) is None


@pytest.mark.parametrize("limit", ["not only", "not until"])
def test_negation_that_denies_nothing_is_none(limit: str) -> None:
    passage = f"The kiosk is {limit} open on holidays."
    assert find_conflict("The kiosk is open on holidays.", [passage]) is None


def test_what_another_passage_bears_out_is_no_conflict() -> None:
    passages = ["The kiosk opens on Monday.", "In May the kiosk opens on Friday."]
    assert find_conflict("The kiosk opens on Friday.", passages) is None


def test_words_that_are_compared_grow_with_the_text(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[int] = []

    def counted(text: str, language: str = "en") -> list[str]:
        read.append(len(text))
        return terms(text, language)

    def compared(figures: int) -> int:
        read.clear()
        own, theirs = (
            "The rates are " + ", ".join(f"{first + n} euros" for n in range(figures)) + "."
            for first in (1000, 5000)
        )
        assert find_conflict(own, [theirs]) is None
        return sum(read)

    monkeypatch.setattr(conflicts, "terms", counted)
    assert compared(800) < 12 * compared(100)


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
