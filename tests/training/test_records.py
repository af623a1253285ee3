"""The made-up records: same seed same records, and labels that the source bears out."""

import json
import re
from collections import Counter
from typing import Any

import pytest

from training.record_hours import judge_hours, read_week
from training.record_stock import FRAGMENTS, PHRASES
from training.records import MadeRecord, make_records

pytestmark = pytest.mark.soak


@pytest.fixture(scope="module")
def records() -> list[MadeRecord]:
    return list(make_records(4000, seed=5))


def source_of(record: MadeRecord) -> Any:
    return record.source


def tellings(records: list[MadeRecord], pattern: str) -> list[tuple[Any, re.Match[str], str]]:
    """Source, match and label of each sentence that is the pattern and nothing else."""
    found: list[tuple[Any, re.Match[str], str]] = []
    for record in records:
        subject = r"(?:It|The \w+|" + re.escape(source_of(record)["name"]) + ")"
        for sentence in record.sentences:
            if match := re.fullmatch(pattern.replace("SUBJECT", subject), sentence.text):
                found.append((source_of(record), match, sentence.label))
    return found


def test_same_seed_gives_the_same_records() -> None:
    assert list(make_records(20, seed=3)) == list(make_records(20, seed=3))
    assert list(make_records(5, seed=3)) == list(make_records(20, seed=3))[:5]
    assert list(make_records(5, seed=3)) != list(make_records(5, seed=4))


def test_records_have_the_shape_of_the_real_ones(records: list[MadeRecord]) -> None:
    keys = ["name", "address", "city", "state", "categories", "hours", "attributes",
            "business_stars", "review_info"]  # fmt: skip
    listed = {"BusinessParking", "RestaurantsReservations", "OutdoorSeating", "WiFi",
              "RestaurantsTakeOut", "RestaurantsGoodForGroups", "Music", "Ambience"}  # fmt: skip
    for record in records:
        source = source_of(record)
        assert list(source) == keys
        assert listed <= set(source["attributes"])
        assert 2 <= len(source["review_info"]) <= 3
        assert json.loads(json.dumps(source)) == source


def test_descriptions_have_five_to_nine_clean_sentences(records: list[MadeRecord]) -> None:
    for record in records:
        assert 5 <= len(record.sentences) <= 9
        for sentence in record.sentences:
            assert not re.search(r"[{}]|  |\.\.|LIST|\ba [aeio]", sentence.text), sentence.text
            assert sentence.text[0].isupper()
            assert sentence.text.endswith(".")


def test_about_seven_sentences_of_ten_are_faithful(records: list[MadeRecord]) -> None:
    counts = Counter(sentence.label for record in records for sentence in record.sentences)
    shares = {label: count / counts.total() for label, count in counts.items()}
    assert 0.65 < shares["entailed"] < 0.75
    assert shares["neutral"] > 0.1
    assert shares["contradicted"] > 0.1


@pytest.mark.parametrize(
    ("pattern", "key", "told"),
    [
        ("SUBJECT offers outdoor seating.", "OutdoorSeating", True),
        ("SUBJECT does not offer outdoor seating.", "OutdoorSeating", False),
        ("SUBJECT takes reservations.", "RestaurantsReservations", True),
        ("SUBJECT does not take reservations.", "RestaurantsReservations", False),
        ("SUBJECT offers takeout.", "RestaurantsTakeOut", True),
        ("SUBJECT offers delivery.", "RestaurantsDelivery", True),
        ("SUBJECT is good for groups.", "RestaurantsGoodForGroups", True),
        ("SUBJECT accepts credit cards.", "BusinessAcceptsCreditCards", True),
        ("SUBJECT offers free WiFi.", "WiFi", "free"),
        ("SUBJECT does not offer WiFi.", "WiFi", "no"),
        ("SUBJECT has a full bar.", "Alcohol", "full_bar"),
        ("The noise level is average.", "NoiseLevel", "average"),
    ],
)
def test_attribute_labels_follow_from_the_record(
    records: list[MadeRecord], pattern: str, key: str, told: object
) -> None:
    found = tellings(records, pattern.replace(".", r"\."))
    assert found
    for source, _, label in found:
        value = source["attributes"].get(key)
        expected = "entailed" if value == told else "contradicted"
        assert label == ("neutral" if value is None else expected)


def test_rating_labels_follow_from_the_record(records: list[MadeRecord]) -> None:
    found = tellings(records, r"SUBJECT has a rating of (\d\.\d) stars\.")
    for source, match, label in found:
        right = float(match[1]) == source["business_stars"]
        assert label == ("entailed" if right else "contradicted")
    assert {label for _, _, label in found} == {"entailed", "contradicted"}


def test_closed_days_follow_from_the_record(records: list[MadeRecord]) -> None:
    found = tellings(records, r"SUBJECT is closed on (\w+day)s\.")
    assert {label for _, _, label in found} >= {"entailed", "contradicted"}
    for source, match, label in found:
        hours = source["hours"]
        closed = hours is not None and hours.get(match[1], "0:0-0:0") == "0:0-0:0"
        expected = "entailed" if closed else "contradicted"
        assert label == ("neutral" if hours is None else expected)


def test_ambience_labels_follow_from_the_record(records: list[MadeRecord]) -> None:
    found = tellings(records, r"The ambience is (\w+)\.")
    assert {label for _, _, label in found} == {"entailed", "neutral", "contradicted"}
    for source, match, label in found:
        flag = (source["attributes"]["Ambience"] or {}).get(match[1])
        assert label == {None: "neutral", True: "entailed", False: "contradicted"}[flag]


def test_faithful_sentences_never_state_another_address(records: list[MadeRecord]) -> None:
    for record in records:
        source = source_of(record)
        for sentence in record.sentences:
            if " at " + source["address"].split()[0] + " " in sentence.text:
                continue
            assert sentence.label != "entailed" or not re.search(
                r"\bat \d+ [A-Z].* (St|Ave|Rd|Blvd|Dr|Ln|Pike)\b", sentence.text
            )


def test_every_way_of_telling_comes_true_and_false(records: list[MadeRecord]) -> None:
    for words in ("free W", "outdoor", "takeout", "reservations", "groups", "parking", "stars",
                  "ambience", "atmosphere", "open", "closed", "Overall,", "located", "One ",
                  "not ", "music", "delivery", "credit cards", "alcohol"):  # fmt: skip
        counts = Counter(s.label for r in records for s in r.sentences if words in s.text)
        unfaithful = counts["neutral"] + counts["contradicted"]
        assert counts["entailed"] > 5, words
        assert unfaithful > 5, words


def test_common_attributes_have_twelve_phrasings() -> None:
    for key in ("OutdoorSeating", "RestaurantsReservations", "RestaurantsTakeOut",
                "RestaurantsDelivery", "RestaurantsGoodForGroups", "Music", "Ambience",
                "BusinessParking",
                "BusinessAcceptsCreditCards"):  # fmt: skip
        for value in ("yes", "no"):
            assert len(set(PHRASES[key, value, "told"])) >= 12
    for section in ("hours", "rating", "location", "categories", "opening", "closing"):
        assert len(set(PHRASES[section, "told"])) >= 12


def test_review_stock_is_large_and_whole() -> None:
    assert len({fragment.root for fragment in FRAGMENTS}) >= 150
    for fragment in FRAGMENTS:
        assert fragment.faithful
        if fragment.text == fragment.root:
            assert len(fragment.faithful) == len(fragment.unfaithful) == 2


def test_faithful_retellings_repeat_the_numbers_of_a_review() -> None:
    for fragment in FRAGMENTS:
        slots = set(re.findall(r"\{\w+\}", fragment.text))
        for clause in fragment.faithful:
            assert set(re.findall(r"\{\w+\}", clause.text)) <= slots, clause.text


def test_midnight_and_missing_days_are_read_as_in_the_real_data() -> None:
    week = read_week({"Monday": "0:0-0:0", "Friday": "17:0-1:30"})
    assert week["Monday"] is None
    assert week["Sunday"] is None
    assert week["Friday"] == (17 * 60, 24 * 60 + 90)
    assert judge_hours(week, [(("Friday",), (17 * 60, 24 * 60 + 90))]) == "entailed"
    assert judge_hours(week, [(("Thursday", "Friday"), (1020, 1530))]) == "contradicted"
    assert judge_hours(None, [(("Friday",), (1020, 1530))]) == "neutral"
