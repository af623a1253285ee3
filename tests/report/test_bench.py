"""Every cell of the tables of `collect`, `filter`, `mine` and `batch` stands under its own head."""

from assay import Example, Response, Source
from assay.bench.batches import BatchRule, Placed, Plan
from assay.bench.collection import Collected, ModelLine
from assay.bench.filters import Filtered
from assay.bench.mining import Group, Mined, ModelCoverage, Panellist
from assay.report.bench import (
    collected_view,
    filtered_view,
    given_view,
    lacking_lines,
    mining_view,
    plan_view,
)
from tests.reading_tables import terminal_tables

MINED = Mined(
    hard_from=0.7,
    at_least=2,
    asked=None,
    responses=90,
    unscored=3,
    disagreed=31,
    hard=17,
    groups=3,
    groups_by_hard={7: 2, 4: 1},
    chosen=(Group(b"a", "s1", 11, 10, 7, 0.811, ("m3", "m4", "m5")),),
    detectors=(Panellist("d1", 80, 20, {"refused": 6, "parse": 4}, 1),),
    models=(
        ModelCoverage("m1", 50, 2, 10, 0.433, {"d1": 45}),
        ModelCoverage("m2", 40, 1, 10, None, {"d1": 24}),
    ),
    repeated=0,
    again=0,
)


def test_mining_tells_groups_detectors_and_models() -> None:
    by_hard, groups, detectors, models = terminal_tables(*mining_view("data", MINED, "", None, 10))
    assert by_hard == [
        {"hard responses": "7", "groups": "2", "chosen": "1"},
        {"hard responses": "4", "groups": "1", "chosen": "0"},
    ]
    assert groups == [
        {"source": "s1", "hard": "7 of 11", "mean entropy": "0.811", "models missing": "3"}
    ]
    assert detectors == [
        {
            "detector": "d1",
            "no vote": "refused 6, parse 4",
            "votes": "80 of 90",
            "unfaithful": "25.0%",  # 20 of 80
            "models": "1 of 2",
        }
    ]
    assert models == [
        {
            "model": "m2",
            "responses": "40",
            "sources": "1 of 3",
            "votes a response": "0.6 of 1",  # 24 of 40
            "hard": "25.0%",
            "mean entropy": "-",
        },
        {
            "model": "m1",
            "responses": "50",
            "sources": "2 of 3",
            "votes a response": "0.9 of 1",
            "hard": "20.0%",
            "mean entropy": "0.433",
        },
    ]


def test_json_of_mining_has_each_count_under_its_name() -> None:
    told = MINED.to_dict()
    names = ("responses", "unscored", "disagreed", "hard", "groups", "chosen_responses", "at_least")
    assert [told[name] for name in names] == [90, 3, 31, 17, 3, 11, 2]
    assert told["groups_by_hard"] == {"7": 2, "4": 1}
    (chosen,) = told["chosen"]
    assert chosen == {
        "key": b"a".hex(),
        "source": "s1",
        "responses": 11,
        "scored": 10,
        "hard": 7,
        "entropy": 0.811,
        "missing": ("m3", "m4", "m5"),
    }


def test_collecting_tells_each_kind_of_response() -> None:
    line = ModelLine("m", 40, is_asked=True, responses=21, refused=5, empty=4, truncated=3)
    line.lacking = [f"s{n}" for n in range(7)]
    line.problem = "no answer"
    found = Collected("r.jsonl", 40, (line,))
    [[row]] = terminal_tables(collected_view(found))
    assert row == {
        "model": "m",
        "responses": "21",
        "refused": "5",
        "empty": "4",
        "cut off": "3",
        "lacking": "7",
    }
    (lacking,) = lacking_lines(found)
    assert lacking == "m has no response to 7 of 40 sources: s0, s1, s2 and 4 more (no answer)"
    (told,) = found.to_dict()["models"]
    names = ("sources", "responses", "refused", "empty", "truncated")
    assert [told[name] for name in names] == [40, 21, 5, 4, 3]


def test_filtering_tells_what_each_rule_dropped() -> None:
    models = {"a": {"kept": 11, "refused": 2, "empty": 3}, "b": {"kept": 13, "refused": 9}}
    found = Filtered(38, 24, 7, 6, models)
    [rows] = terminal_tables(*filtered_view(found))
    assert rows == [
        {"model": "a", "kept": "11", "refused": "2", "empty": "3"},
        {"model": "b", "kept": "13", "refused": "9", "empty": "0"},
        {"model": "all", "kept": "24", "refused": "11", "empty": "3"},
    ]
    told = found.to_dict()
    names = ("responses", "kept", "sources", "kept_sources")
    assert [told[name] for name in names] == [38, 24, 7, 6]
    assert told["dropped"] == {"refused": 11, "empty": 3}


def test_batches_tell_items_sources_and_people() -> None:
    examples = tuple(
        Example(f"e{n}", Source(f"Source {n // 2}."), Response("It is.")) for n in range(5)
    )
    placed = (
        *(Placed(item, 8, (0, 1)) for item in range(3)),
        *(Placed(item, 9, (1, 2)) for item in range(3, 5)),
    )
    plan = Plan(examples, placed, ("ann", "bob", "cy"), BatchRule(3, 2))
    [rows] = terminal_tables(*plan_view(plan))
    assert rows[0] == {"annotators": "ann, bob", "batch": "8", "items": "3", "sources": "2"}
    given = [
        {
            "number": 4,
            "items": 12,
            "sources": 5,
            "annotators": [{"name": "ann", "submitted": 2, "given": 7}],
        }
    ]
    [[row]] = terminal_tables(*given_view("p", given))
    assert row == {"annotators": "ann 2/7", "batch": "4", "items": "12", "sources": "5"}
