"""Schemas: the written ones are well formed, and what is false differs from the source."""

import re
from collections import Counter
from random import Random

import pytest

from assay.datasets.overlaps import h80
from training.composed import composed, laid_out
from training.items import CONTRADICTED, ENTAILED, NEUTRAL, Item, Sentence
from training.measured import Measured, suite
from training.schemas import SIGNS, Filled, Schema, parse, pick, read_schemas
from training.splits import Kept
from training.values import KINDS

pytestmark = pytest.mark.soak

SCHEMAS = list(read_schemas())
LEASE = parse(
    """lease
slots: p,q=person m,n=money v=choice(may|must)
{p} lets the flat to {q} for {m}. Before that it was {n}. Tenants {v} paint it.

| Item | Cost |
| key | {m} |
+ {q} pays {m}.
= The rent was {n} before.
@v ~+ Tenants have to paint the flat.
~ {q} likes it.
- Nobody lives there.
? Who lets the flat? | {p}
?y Does {q} pay {m}?
?u Is there a garden?
! What about the rent? | {q} pays {m}. // * It is a flat. // = It was {n}."""
)


def names_in(text: str) -> set[str]:
    return set(re.findall(r"\{(\w+)\}", text))


def test_schema_is_read_line_by_line() -> None:
    assert LEASE.name == "lease"
    assert LEASE.slots["v"] == ("choice", ("may", "must"))
    assert LEASE.source[-1] == "| key | {m} |"
    assert [claim.signs for claim in LEASE.claims] == ["+", "=", "~+", "~", "-"]
    assert [asked.sign for asked in LEASE.asked] == ["?", "?y", "?u"]
    (told,) = LEASE.told
    assert told.question == "What about the rent?"
    assert [claim.signs for claim in told.claims] == ["+", "*", "="]


@pytest.mark.parametrize("schema", SCHEMAS, ids=lambda schema: schema.name)
def test_written_schema_is_well_formed(schema: Schema) -> None:
    known = set(schema.slots)
    texts = [claim.text for claim in schema.claims]
    texts += [text for asked in schema.asked for text in (asked.text, asked.answer)]
    texts += [told.question for told in schema.told]
    texts += [claim.text for told in schema.told for claim in told.claims]
    source = names_in(" ".join(schema.source))
    assert source <= known
    assert all(names_in(text) <= source for text in texts)
    assert {kind for kind, _ in schema.slots.values()} <= set(KINDS)
    assert any(claim.signs in "+=" and names_in(claim.text) for claim in schema.claims)
    assert len(schema.claims) >= 5
    assert schema.asked
    for claim in schema.claims:
        assert set(claim.signs) <= set(SIGNS)
        options = schema.slots[claim.choice][1] if claim.choice else ("",)
        assert len(claim.signs) == len(options), claim.text
    for asked in schema.asked:
        assert bool(asked.answer) == (asked.sign == "?"), asked.text
        assert asked.text.endswith("?")


def test_there_are_many_schemas_of_many_domains() -> None:
    assert len(SCHEMAS) >= 150
    assert len({schema.name for schema in SCHEMAS}) == len(SCHEMAS)
    assert len({schema.name.split("-")[0] for schema in SCHEMAS}) >= 10


def test_false_sentence_has_a_value_that_the_true_one_has_not() -> None:
    rng = Random(3)
    seen = 0
    for schema in SCHEMAS:
        filled = Filled(schema, rng)
        for claim in schema.claims:
            changed = filled.changed(claim.text, filled.sign_of(claim))
            if changed is None:
                assert filled.false(claim) is None
                continue
            names = names_in(claim.text)
            assert any(changed[name].key != filled.values[name].key for name in names)
            for name in names:
                one, two = changed[name], filled.values[name]
                assert one.key == two.key or not set(one.forms) & set(two.forms)
            seen += 1
    assert seen > 600


def test_swap_takes_a_value_of_the_source_and_only_where_the_sign_allows_it() -> None:
    swapped: Counter[str] = Counter()
    for seed in range(60):
        filled = Filled(LEASE, Random(seed))
        for sign in "+=":
            changed = filled.changed("{m}", sign)
            assert changed is not None
            swapped[sign] += changed["m"] == filled.values["n"]
    assert swapped["+"] > 20
    assert not swapped["="]


def test_choice_decides_what_a_sentence_is() -> None:
    targets = set()
    for seed in range(20):
        filled = Filled(LEASE, Random(seed))
        target = filled.true(LEASE.claims[2]).target
        assert target == (ENTAILED if filled.values["v"].key == "must" else NEUTRAL)
        targets.add(target)
    assert targets == {ENTAILED, NEUTRAL}


def test_yes_and_no_are_right_for_the_question_that_is_asked() -> None:
    for seed in range(40):
        filled = Filled(LEASE, Random(seed))
        question, answers = filled.asked(LEASE.asked[1])
        tenant, rent = filled.values["q"], filled.values["m"]
        as_it_is = any(form in question for form in tenant.forms) and any(
            re.search(rf"{re.escape(form)}\?", question) for form in rent.forms
        )
        assert answers[0].target == (ENTAILED if as_it_is else CONTRADICTED)
        assert answers[1].target == (CONTRADICTED if as_it_is else ENTAILED)
    _, answers = filled.asked(LEASE.asked[2])
    assert [answer.target for answer in answers] == [NEUTRAL, NEUTRAL, ENTAILED]


def test_whole_answer_is_faithful_or_has_one_false_sentence() -> None:
    seen = set()
    for seed in range(40):
        filled = Filled(LEASE, Random(seed))
        for is_faithful in (True, False):
            _, sentences = filled.told(LEASE.told[0], is_faithful)
            targets = [sentence.target for sentence in sentences]
            assert targets.count(CONTRADICTED) == (0 if is_faithful else 1)
            seen.add(tuple(targets))
    assert len(seen) == 4


def test_open_question_without_an_answer_is_never_answered_by_yes() -> None:
    schema = parse("open\nslots: p=person\n{p} sings.\n?u Who pays for it?\n?u What does it cost?")
    for seed in range(20):
        filled = Filled(schema, Random(seed))
        _, who = filled.asked(schema.asked[0])
        _, what = filled.asked(schema.asked[1])
        assert [each.target for each in who] == [NEUTRAL, ENTAILED]
        assert [each.target for each in what] == [ENTAILED]
        assert not any(each.text.startswith(("Yes", "No")) for each in (*who, *what))


def test_schemas_with_two_of_everything_and_hard_truths_have_whole_answers() -> None:
    for family in ("two", "fair"):
        own = [schema for schema in SCHEMAS if schema.place[0] == family]
        assert len(own) >= 60
        assert all(schema.told for schema in own)


def test_dates_and_times_come_in_order() -> None:
    schema = parse("order\nslots: a,b,c=time\n{a} {b} {c}")
    for seed in range(20):
        values = Filled(schema, Random(seed)).values
        assert values["a"].key < values["b"].key < values["c"].key


def test_picked_claims_are_true_or_changed() -> None:
    filled = Filled(LEASE, Random(1))
    sentences = pick(LEASE.claims, filled, Random(2), 3)
    assert len(sentences) == 3
    assert all(isinstance(sentence, Sentence) for sentence in sentences)


def test_table_is_laid_out_in_several_ways_that_have_all_cells() -> None:
    lines = ["Prices", "", "| Item | Cost |", "| key | £5 |", "• first", "• second"]
    shown = {laid_out(lines, Random(seed)) for seed in range(60)}
    assert any("| key | £5 |" in text and "|---|---|" in text for text in shown)
    assert any("Item: key, Cost: £5" in text for text in shown)
    assert any("1. first\n2. second" in text for text in shown)
    assert all("key" in text and "£5" in text and "second" in text for text in shown)


@pytest.fixture(scope="module")
def items() -> list[Item]:
    return list(composed(2, 5))


def test_composed_items_are_whole_and_balanced(items: list[Item]) -> None:
    assert all(item.source.strip() and item.sentences for item in items)
    texts = [text for item in items for text in (item.source, item.question)]
    texts += [sentence.text for item in items for sentence in item.sentences]
    assert not any("{p}" in text or "{a}" in text for text in texts)
    targets = Counter(sentence.target for item in items for sentence in item.sentences)
    assert targets[ENTAILED] > 0.35 * targets.total()
    assert targets[CONTRADICTED] > 0.3 * targets.total()
    assert targets[NEUTRAL] > 0.1 * targets.total()
    assert sum(bool(item.question) for item in items) > len(items) / 3


def test_the_same_seed_gives_the_same_items(items: list[Item]) -> None:
    assert list(composed(2, 5)) == items
    assert list(composed(1, 6)) != items[: len(items) // 2]


def test_no_sentence_has_two_targets_for_one_source(items: list[Item]) -> None:
    for item in items:
        known: dict[str, int] = {}
        for sentence in item.sentences:
            assert known.setdefault(sentence.text, sentence.target) == sentence.target


def test_nothing_of_the_suite_is_composed(items: list[Item]) -> None:
    cases: list[Measured] = list(suite())
    kept = Kept()
    kept.keep(case.source.text for case in cases)
    tested = {case.sentences[0] for case in cases}
    prints = {h80(case.source.text) for case in cases}
    for item in items:
        assert not kept.has(item.source)
        assert h80(item.origin or item.source) not in prints - {None}
        assert not tested & {sentence.text for sentence in item.sentences}
