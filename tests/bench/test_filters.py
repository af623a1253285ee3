"""Each rule by itself: what it drops, what it leaves, and the reason in words."""

from pathlib import Path
from typing import Any

import pytest

from assay.bench.filters import Bounds, Decisions, Rules, decide
from assay.bench.responses import Provenance
from assay.core.errors import InputError
from assay.core.examples import Annotated, Example
from assay.core.rendering import read_source
from assay.core.texts import Response, Source
from assay.datasets.selection import DataChoice

FERRY = (
    "The old ferry sank in May near the harbour of the northern town. Nobody was hurt, because "
    "the crew had left an hour before. It had sailed for ten years between the two towns."
)
SHORT = "The ferry sank in May, and nobody was hurt."
OFF: dict[str, Any] = {"ratio": 0, "refusals": False, "truncated": False, "duplicates": "off"}


def row(id: str, response: str = SHORT, source: str = FERRY, **more: Any) -> Annotated:
    origin = Source(source, id=more.pop("source_id", "s"))
    given = Response(response, more.pop("model", "m"))
    return Annotated(Example(id, origin, given, **more))


def why(*rows: Annotated, **rules: Any) -> list[tuple[str, str] | None]:
    found = decide(rows, Rules(**{**OFF, **rules}))
    return [(each.rule, each.detail) if each else None for each in found.dropped]


def test_nothing_is_dropped_without_rules() -> None:
    rows = [row("a"), row("b"), row("c", ""), row("d", FERRY * 2)]
    assert why(*rows) == [None] * 4


def test_a_source_shorter_than_twice_its_summary_leaves_little_to_summarize() -> None:
    # The source has 34 words: 17 are twice as few, 18 are not.
    rows = [row("a", "w " * 17), row("b", "w " * 18)]
    assert why(*rows, ratio=2.0) == [
        None,
        ("ratio", "34 words of source for 18 of the response, less than 2 times as many"),
    ]
    assert why(row("a", "w " * 18), ratio=1.5) == [None]


def test_answers_and_overviews_are_no_summaries() -> None:
    record = read_source({"name": "Blue Door", "stars": 4})
    overview = Annotated(Example("b", record, Response("w " * 50)))
    assert why(row("a", "w " * 99, question="Why?"), overview, ratio=2.0) == [None, None]


def test_refusals_are_dropped_with_what_they_say() -> None:
    declined = "I'm sorry, but I can't help with that request."
    rows = [row("a", ""), row("b", "It sank."), row("c", declined), row("d")]
    assert why(*rows, refusals=True) == [
        ("refusal", "the reply is empty"),
        ("refusal", "the reply has only 2 words"),
        ("refusal", f'the reply declines: "{declined}"'),
        None,
    ]


def test_a_reply_that_was_cut_off_is_dropped() -> None:
    made = Provenance("summarize", finish="length").write()
    (found,) = why(row("a", original=made), truncated=True)
    assert found == ("cut-off", "the reply was cut off at the longest length allowed")
    whole = Provenance("summarize", finish="stop").write()
    assert why(row("a", original=whole), truncated=True) == [None]


def test_the_same_response_twice_is_a_duplicate_by_model_or_by_any() -> None:
    rows = [row("a"), row("b", f" {SHORT}\n"), row("c", model="n"), row("d", source_id="t")]
    twice = ("duplicate", "the same response as 'a'")
    other = [None, twice, None, ("same-source", "its source is that of 's'")]
    assert why(*rows, duplicates="model") == other
    assert why(*rows, duplicates="any") == [None, twice, twice, other[-1]]


def test_one_text_with_two_questions_is_two_sources() -> None:
    rows = [row("a", question="When?"), row("b", question="Where?", source_id="t")]
    assert why(*rows, duplicates="any") == [None, None]


def test_near_duplicates_are_dropped_with_their_similarity() -> None:
    # 40 words have 38 shingles; another last word changes one: 37 / 39 = 0.95.
    text = " ".join(f"word{n}" for n in range(39))
    rows = [row("a", f"{text} x"), row("b", f"{text} y", model="n"), row("c")]
    assert why(*rows, near=0.9) == [
        None,
        ("near-duplicate", "nearly the same response as 'a' (similarity 0.95)"),
        None,
    ]


def test_near_sources_take_all_their_responses_along() -> None:
    near = f"{FERRY} Today."
    rows = [row("a"), row("b", source=near, source_id="t"), row("c", source=near, source_id="t")]
    found = why(*rows, near_sources=0.9)
    assert [each and each[0] for each in found] == [None, "near-source", "near-source"]


def test_a_repetition_of_what_is_dropped_is_none() -> None:
    long = "The old ferry sank in May near the harbour of the town in the north of the country."
    rows = [row("a", long + " Indeed so."), row("b", long)]
    assert [each and each[0] for each in why(*rows, ratio=1.8, near=0.5)] == ["ratio", None]


def test_other_languages_are_dropped_where_one_is_wanted() -> None:
    german = "Die alte Fähre ist im Mai gesunken, und dabei wurde zum Glück niemand verletzt."
    rows = [row("a"), row("b", german), row("c", language="de")]
    assert why(*rows, language="en") == [
        None,
        ("language", "it is in German"),
        ("language", "its language is 'de', not 'en'"),
    ]
    assert [each is None for each in why(*rows, language="de")] == [False, False, True]


def test_lengths_have_bounds() -> None:
    words = [row("a", "w " * 5), row("b", "w " * 6), row("c", "w " * 9)]
    found = why(*words, response_words=Bounds(6, 8))
    assert [each and each[1] for each in found] == [
        "the response has 5 words, fewer than 6",
        None,
        "the response has 9 words, more than 8",
    ]
    assert why(row("a"), source_words=Bounds(most=33)) == [
        ("length", "the source has 34 words, more than 33")
    ]


def test_listed_sources_and_whole_groups() -> None:
    rows = [row("a"), row("b", source_id="t", source="x"), row("c", "", source_id="t", source="x")]
    assert why(*rows, listed=frozenset({"s"}))[0] == (
        "listed",
        "its source is on the list of sources to drop",
    )
    found = why(*rows, refusals=True, whole_groups=True)
    assert [each and each[0] for each in found] == [None, "group", "refusal"]


def test_counts_add_up() -> None:
    rows = [row("a"), row("b", "", model="n"), row("c", source_id="t", source="x " * 99)]
    found: Decisions = decide(rows, Rules())
    assert found.models == {"m": {"kept": 2}, "n": {"refusal": 1}}
    assert (found.sources, found.kept_sources) == (2, 2)


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        ({"ratio": -1.0}, "a ratio must be 0 or more, not -1; 0 is no rule"),
        ({"duplicates": "some"}, "unknown kind of duplicates 'some'"),
        ({"near": 0.01}, "a similarity lies between"),
        ({"language": "1"}, "a language is given by its code"),
    ],
)
def test_rules_that_make_no_sense_are_refused(rules: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        Rules(**rules)


@pytest.mark.shared_data
def test_half_of_faithbench_is_shorter_than_twice_its_summary(shared_data: Path) -> None:
    choice = DataChoice("faithbench", str(shared_data))
    found = decide(choice.examples(), Rules(**{**OFF, "ratio": 2.0}))
    kept = sum(each is None for each in found.dropped)
    assert (len(found.dropped), kept) == (750, 373)
    assert (found.sources, found.kept_sources) == (75, 54)
