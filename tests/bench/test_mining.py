"""Hard responses: entropy by hand, groups in order, and what makes them hard to compare."""

from math import comb, log2
from pathlib import Path

import numpy as np
import pytest

from assay import DataChoice, Example, Response, Source
from assay.app.judging import Asking
from assay.app.mine import MineRequest, mine
from assay.bench.chance import compare_with_chance
from assay.bench.mining import Group, Mined, MiningRule, entropy
from assay.bench.panel_votes import PanelVotes
from assay.core.errors import InputError
from assay.core.system.spills import Buckets

VOTES: dict[str, bool | str] = {"f": True, "u": False, "-": "parse"}


def response(number: int, source: str, model: str = "m", text: str = "") -> Example:
    return Example(str(number), Source(source), Response(text or f"Text {number}.", model))


def cast(*rows: tuple[str, str], model: str = "m") -> PanelVotes:
    """Sources with the votes of detectors a, b, c, ... as letters; `.` says nothing at all."""
    ballots = PanelVotes()
    for number, (source, letters) in enumerate(rows):
        votes = {"abcdefgh"[n]: VOTES[x] for n, x in enumerate(letters) if x != "."}
        ballots.add(response(number, source, model), votes)
    return ballots


def mined(*rows: tuple[str, str], rule: MiningRule | None = None, model: str = "m") -> Mined:
    return cast(*rows, model=model).mined(rule or MiningRule())


def groups(ballots: PanelVotes) -> dict[str, Group]:
    return {each.source: each for each in ballots.groups(MiningRule())}


@pytest.mark.parametrize("faithful", range(6))
def test_entropy_of_five_votes(faithful: int) -> None:
    shares = [each / 5 for each in (faithful, 5 - faithful) if each]
    expected = -sum(share * log2(share) for share in shares)
    found = entropy(np.array([faithful]), np.array([5 - faithful]))
    assert found[0] == pytest.approx(expected)


def test_failures_do_not_vote_and_one_vote_is_no_score() -> None:
    ballots = cast(("s", "fu-"), ("s", "f--"), ("t", "---"))
    found, first, second = ballots.mined(MiningRule()), groups(ballots)["0"], groups(ballots)["2"]
    assert (first.scored, first.hard, first.entropy) == (1, 1, 1.0)  # of the two votes f and u
    assert (second.scored, second.hard, second.entropy) == (0, 0, None)
    assert found.unscored == 2
    assert {each.detector: each.failures for each in found.detectors} == {
        "a": {"parse": 1},
        "b": {"parse": 2},
        "c": {"parse": 3},
    }


def test_groups_come_by_hard_responses_then_by_entropy_then_as_they_are() -> None:
    rows = [("even", "fu"), ("calm", "ff"), ("two", "fu"), ("two", "fu"), ("late", "fu")]
    found = mined(*rows, ("even", "ff"), rule=MiningRule(at_least=1))
    assert found.groups == 4
    assert [each.source for each in found.chosen] == ["2", "4", "0"]  # two, late, even
    assert found.by_hard() == {2: 1, 1: 2, 0: 1}
    assert (found.hard, found.disagreed) == (4, 4)


def test_rule_says_how_many_hard_responses_a_group_needs_and_how_many_groups_are_kept() -> None:
    rows = [("two", "fu"), ("two", "fu"), ("one", "fu"), ("one", "ff"), ("none", "ff")]
    assert len(mined(*rows, rule=MiningRule(at_least=2)).chosen) == 1
    assert len(mined(*rows, rule=MiningRule(groups=1)).chosen) == 1
    assert len(mined(*rows).chosen) == 2


def test_four_against_one_is_hard_unless_the_threshold_is_higher() -> None:
    assert mined(("s", "ffffu")).hard == 1  # 0.722 bits
    assert mined(("s", "ffffu"), rule=MiningRule(hard=0.9)).hard == 0
    assert mined(("s", "fffuu"), rule=MiningRule(hard=0.9)).hard == 1  # 0.971 bits


def test_detector_that_comes_late_has_no_votes_before() -> None:
    found = mined(("s", "fu."), ("s", "fuu"))
    late = found.detectors[2]
    assert (late.votes, late.unfaithful, late.failures) == (1, 1, {"missing": 1})
    assert next(found.cautions()) == "c: votes on 1 of 2 responses only"


def test_uneven_coverage_of_models_is_told() -> None:
    ballots = PanelVotes()
    ballots.add(response(1, "s", "m1"), {"a": True, "b": False})
    ballots.add(response(2, "t", "m1"), {"a": True, "b": False})
    ballots.add(response(3, "s", "m2"), {"a": True})
    found = ballots.mined(MiningRule())
    assert groups(ballots)["2"].missing == ("m2",)
    assert [each.votes for each in found.models] == [{"a": 2, "b": 2}, {"a": 1, "b": 0}]
    assert list(found.cautions()) == [
        "b: votes on 2 of 3 responses only, by 1 of 2 models; the scores of the others rest on "
        "fewer votes",
        "1 of 2 models have no response to some sources (m2 has 1 of 2): groups with fewer "
        "responses have fewer that can be hard",
        "1 response has fewer than two votes, and no score",
    ]


def test_repeated_response_counts_once_and_another_by_the_same_model_does_not() -> None:
    ballots = PanelVotes()
    votes: dict[str, bool | str] = {"a": True, "b": False}
    ballots.add(response(1, "s", text="Same."), votes)
    ballots.add(response(2, "s", text="Same."), votes)
    ballots.add(response(3, "s", text="Other."), votes)
    ballots.add(response(4, "s", "m2", text="Same."), votes)
    found = ballots.mined(MiningRule())
    assert ballots.repeated.tolist() == [1]
    assert (found.responses, found.repeated, found.again) == (3, 1, 1)
    assert [line.partition(":")[0] for line in found.cautions()] == [
        "1 response is repeated word for word",
        "1 response is by a model that wrote about the same source before",
    ]


def test_one_detector_cannot_disagree() -> None:
    with pytest.raises(InputError, match=r"two detectors or more, and here is 1: a$") as error:
        mined(("s", "f"))
    assert error.value.code == "one-detector"


@pytest.mark.parametrize(
    ("given", "field"),
    [({"hard": 0}, "hard"), ({"hard": 1.1}, "hard"), ({"at_least": 0}, "at_least")],
)
def test_rule_has_limits(given: dict[str, float], field: str) -> None:
    with pytest.raises(InputError) as error:
        MiningRule(**given)  # type: ignore[arg-type]
    assert error.value.field == field


def test_chance_is_hypergeometric() -> None:
    found = compare_with_chance(others=4, known=3, sources=8, chosen=4, found=3)
    # of 70 draws of 4 among 8, 5 have 0 of the 3 known ones, 30 have 1, 30 have 2 and 5 have 3
    assert found.expected == 1.5
    assert found.at_least == pytest.approx(comb(3, 3) * comb(5, 1) / comb(8, 4)) == 5 / 70
    assert (found.low, found.high) == (0, 3)
    assert (found.share.value, found.expected_share) == (1.0, 0.5)


@pytest.mark.soak
@pytest.mark.shared_data
def test_faithbench_sources_are_found_far_more_often_than_by_chance(shared_data: Path) -> None:
    if not (shared_data / "leaderboard_summaries").is_dir():
        pytest.skip(f"the leaderboard is not at {shared_data}")
    eight = (
        "Anthropic/claude-3-5-sonnet-20240620",
        "cohere/command-r-08-2024",
        "google/gemini-1.5-flash-001",
        "meta-llama/Meta-Llama-3.1-70B-Instruct",
        "meta-llama/Meta-Llama-3.1-8B-Instruct",
        "microsoft/Phi-3-mini-4k-instruct",
        "openai/GPT-3.5-Turbo",
        "openai/gpt-4o",
    )
    request = MineRequest(
        DataChoice("leaderboard", str(shared_data)),
        Asking(),
        ("true-nli", "trueteacher", "hhem-2.1", "gpt-4o", "gpt-3.5-turbo"),
        eight,
        rule=MiningRule(groups=115),
        compare="faithbench",
    )
    found = mine(request).finding
    assert found is not None
    assert (found.others, found.known, found.sources, found.chosen) == (72, 77, 1006, 115)
    assert found.found == 47
    assert (round(found.expected, 1), found.low, found.high) == (8.8, 4, 14)


LETTERS = ("ffu", "fuu", "f-u", "fff", "uu.", "f..", "--f", "fu.")


def many(count: int) -> list[tuple[Example, dict[str, bool | str]]]:
    """Responses of three models to seven sources, some of them repeated."""
    rows = []
    for number in range(count):
        letters = LETTERS[number * number % len(LETTERS)]
        votes = {"abc"[n]: VOTES[x] for n, x in enumerate(letters) if x != "."}
        text = "Same." if number % 11 == 0 else ""
        rows.append((response(number, f"s{number % 7}", f"m{number % 3}", text), votes))
    return rows


@pytest.mark.parametrize("groups", [None, 3])
def test_votes_set_aside_on_disk_are_counted_like_those_in_memory(
    groups: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = []
    for held in (2**20, 100):
        monkeypatch.setattr(Buckets.__init__, "__defaults__", (held,))
        ballots = PanelVotes(with_letters=True)
        for example, votes in many(500):
            ballots.add(example, votes)
        mined = ballots.mined(MiningRule(groups=groups))
        found.append((mined, ballots.repeated.tolist(), sorted(ballots.letters())))
        ballots.close()
    assert found[0] == found[1]
    assert found[0][0].repeated == len(found[0][1]) > 0


def test_figures_are_those_of_counting_by_hand() -> None:
    ballots, rows = PanelVotes(), many(500)
    for example, votes in rows:
        ballots.add(example, votes)
    mined = ballots.mined(MiningRule())
    texts = {(e.source.text, e.response.model, e.response.text): (e, v) for e, v in reversed(rows)}
    kept = list(texts.values())
    voted = [[vote for vote in votes.values() if isinstance(vote, bool)] for _, votes in kept]
    split = [each for each in voted if 0 < sum(each) < len(each)]
    assert (mined.responses, mined.groups, mined.repeated) == (len(kept), 7, 500 - len(kept))
    assert mined.unscored == sum(len(each) < 2 for each in voted)
    assert mined.disagreed == mined.hard == len(split)  # 2 against 1 are 0.918 bits
    for each in mined.models:
        own = [v for (e, _), v in zip(kept, voted, strict=True) if e.response.model == each.model]
        bits = [entropy(np.array([sum(v)]), np.array([len(v) - sum(v)]))[0] for v in own]
        assert each.responses == len(own)
        assert each.entropy == pytest.approx(np.nanmean(bits))
    parse = sum(votes.get("b") == "parse" for _, votes in kept)
    assert {each.detector: each.failures.get("parse", 0) for each in mined.detectors}["b"] == parse
