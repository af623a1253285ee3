"""Long responses are taken apart in groups; relations across the border of two are found."""

import json
import re
from dataclasses import dataclass, field

from assay.core.judgements import Judgement
from assay.detectors.discourse.model import BORDER, FIRST_EARLIER, MOST_SENTENCES
from assay.llm.client import Line, Reply, Request, Scripted, Usage
from tests.detectors.discourse.scripts import (
    GOOD,
    entry,
    example,
    failure,
    of_kind,
    open_discourse,
    said_of,
    verdict,
)
from tests.judging import judge_one

COUNT = MOST_SENTENCES + 2
TEXT = " ".join(
    f"Therefore, ferry {n} closed." if n == MOST_SENTENCES + 1 else f"Ferry {n} closed."
    for n in range(1, COUNT + 1)
)
LAST = FIRST_EARLIER + BORDER - 1  # the number by which the last claim of the first group is known
_LINES = re.compile(r"^(\d+)\. (?:Therefore, f|F)erry (\d+) closed\.", re.MULTILINE)


@dataclass(frozen=True)
class Sailor:
    """Makes a claim of each sentence, and finds these relations in the second group."""

    links: list[tuple[int, int, str]]
    wrong_link: bool = True
    splits: list[str] = field(default_factory=list)

    def __call__(self, request: Request) -> Line:
        question = request.messages[1].content
        if "The claims to check" in question:
            return said_of("claims", [GOOD] * COUNT)
        if "The relations to check" in question:
            said = entry("fabricated", "fabricated-link") if self.wrong_link else GOOD
            return said_of("relations", [said] * len(self.links))
        self.splits.append(question)
        asked = question.split("The sentences to take apart")[1]
        claims = [
            {"number": n, "sentence": int(s), "claim": f"Ferry {f} closed.", "words": "closed"}
            for n, (s, f) in enumerate(_LINES.findall(asked), 1)
        ]
        links = [{"first": a, "second": b, "name": "cause", "cue": c} for a, b, c in self.links]
        relations = links if len(self.splits) > 1 else []
        return json.dumps({"claims": claims, "relations": relations, "nothing": []})


def judged(model: Sailor) -> Judgement:
    return judge_one(open_discourse(Scripted(model)), example("The ferries closed.", TEXT))


def test_group_is_shown_the_claims_at_the_end_of_the_group_before() -> None:
    model = Sailor([])
    judged(model)
    first, second = model.splits
    assert "already taken apart" not in first
    shown = second.split("already taken apart")[1].split("The sentences to take apart")[0]
    found = re.findall(r"^(\d+)\. Ferry (\d+) closed", shown, re.MULTILINE)
    assert [(int(n), int(f)) for n, f in found] == [
        (FIRST_EARLIER + n, MOST_SENTENCES - BORDER + 1 + n) for n in range(BORDER)
    ]


def test_relation_across_the_border_is_checked_and_counts_for_the_later_sentence() -> None:
    judgement = judged(Sailor([(LAST, 1, "Therefore")]))
    [relation] = of_kind(judgement, "relation")
    later = f"s{MOST_SENTENCES + 1}"
    assert relation.unit.link is not None
    assert (relation.unit.link.first, relation.unit.link.second) == (
        f"s{MOST_SENTENCES}.c1",
        f"{later}.c1",
    )
    assert relation.unit.parent == later
    bad = [each for each in of_kind(judgement, "sentence") if each.verdict and each.verdict.error]
    assert [(each.id, str(verdict(each).error)) for each in bad] == [(later, "fabricated-link")]
    assert f"the cause: Ferry {MOST_SENTENCES} closed" in verdict(bad[0]).note


def test_relation_between_two_earlier_claims_is_not_taken() -> None:
    judgement = judged(Sailor([(LAST, 1, "Therefore"), (LAST - 1, LAST, "")], wrong_link=False))
    good, refused = of_kind(judgement, "relation")
    assert good.verdict
    assert failure(refused).detail == "it links two claims of sentences before these"
    assert all(each.verdict for each in of_kind(judgement, "sentence"))


def test_relation_to_an_earlier_claim_that_was_not_shown_leaves_its_sentence_open() -> None:
    judgement = judged(Sailor([(LAST + 1, 1, "Therefore")], wrong_link=False))
    [refused] = of_kind(judgement, "relation")
    assert "there is no usable claim" in failure(refused).detail
    assert of_kind(judgement, "sentence")[MOST_SENTENCES].failure


def test_group_whose_reply_is_cut_off_is_taken_apart_in_halves() -> None:
    text = " ".join(f"Ferry {n} closed." for n in range(1, 5))
    sailor = Sailor([])

    def say(request: Request) -> Line:
        is_whole = "The sentences to take apart" in request.messages[1].content and not cut
        if is_whole:
            cut.append(request)
            return Reply('{"claims": [{"number": 1, "sent', Usage(10, 4_096), finish="length")
        return sailor(request)

    cut: list[Request] = []
    judgement = judge_one(open_discourse(Scripted(say)), example("The ferries closed.", text))
    groups = [
        _LINES.findall(each.split("The sentences to take apart")[1]) for each in sailor.splits
    ]
    assert groups == [[("1", "1"), ("2", "2")], [("3", "3"), ("4", "4")]]
    assert "\n1001. Ferry 1 closed." in sailor.splits[1]  # claims before the border are shown
    assert len(of_kind(judgement, "sentence")) == 4


def test_half_that_is_cut_off_fails() -> None:
    cut = Reply('{"claims": [{"number": 1, "sent', Usage(10, 4_096), finish="length")
    given = example("The ferries closed.", "Ferry 1 closed. Ferry 2 closed.")
    client = Scripted(lambda _: cut)
    judgement = judge_one(open_discourse(client), given)
    assert [failure(each).reason for each in judgement.findings] == ["truncated"] * 2
    assert len(client.requests) == 3
