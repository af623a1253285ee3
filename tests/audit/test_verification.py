"""Votes on revisions: evidence first, then models, of whom enough must agree."""

import asyncio
import json
import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from assay.audit.adjudication import adjudicate
from assay.audit.disagreement import Comparing
from assay.audit.forms import read_forms
from assay.audit.verification import Verification, rule_on
from assay.audit.votes import PROMPTS, ask_votes, recorded_vote, with_votes
from assay.core.judgements import is_voter
from assay.core.rendering import read_source
from assay.core.taxonomies import GRAY7
from assay.core.texts import Span
from assay.core.verdicts import Failure, Verdict
from assay.decisions.proposals import Decided
from assay.llm.client import CallError, Line, Scripted
from assay.llm.prompts import read_prompt
from assay.llm.replies.schemas import form_of
from tests.audit.ferries import (
    NO,
    YES,
    Edit,
    detector,
    ferry,
    filled,
    flagged,
    incorrect,
    stands,
)
from tests.detectors.judges.scripts import asked, echo

GOLDEN = Path(__file__).parent / "golden"
(LINE,) = flagged(ferry("a", "-+-"), by=(detector("d", a="++-"),)).lines


def proposed(edit: Edit | None = None) -> list[Decided]:
    flags, _ = read_forms([filled(LINE, edit or incorrect())])
    return list(adjudicate(flags).decided)


def voting(vote: str) -> str:
    return json.dumps({"reason": "The source says so.", "vote": vote})


def voted(
    scripts: Sequence[Sequence[Line]], edit: Edit | None = None, enough: int = 2
) -> tuple[Verification, list[Scripted]]:
    """What comes of the only revision if models answer so."""
    clients = [Scripted(lines, f"m{n}") for n, lines in enumerate(scripts, start=1)]
    decided = proposed(edit)
    votes = asyncio.run(ask_votes(clients, decided))
    (line,) = with_votes([decided[0].proposal.line], votes)
    again = [replace(each, proposal=replace(each.proposal, line=line)) for each in decided]
    return Verification(rule_on(again, enough), (line,)), clients


@pytest.mark.parametrize(
    ("votes", "standing"),
    [
        (["agree", "agree", "disagree"], "verified"),
        (["agree", "disagree", "disagree"], "rejected"),
        (["disagree", "disagree", "agree"], "rejected"),
    ],
)
def test_two_of_three_must_agree(votes: list[str], standing: str) -> None:
    found, _ = voted([[voting(each)] for each in votes])
    assert found.ruled[0].standing == standing
    assert found.counts[standing] == 1
    said = [each for each in found.lines[0].judgements if each.author.name.startswith("verify-")]
    assert [each.author.name for each in said] == [f"verify-revision m{n}" for n in (1, 2, 3)]
    labels = [each.verdicts[0].label for each in said]
    assert labels == [YES if vote == "agree" else NO for vote in votes]
    assert said[0].verdicts[0].note == "The source says so."


def test_call_that_fails_is_no_vote() -> None:
    lost = CallError("transport", "gone")
    found, _ = voted([[voting("agree")], [lost], [voting("disagree")]])
    assert (found.ruled[0].standing, dict(found.failures)) == ("unverified", {"transport": 1})
    # Two that agree are enough, and two that disagree leave no room for two.
    assert voted([[voting("agree")], [lost], [voting("agree")]])[0].counts["verified"] == 1
    assert voted([[voting("disagree")], [lost], [voting("disagree")]])[0].counts["rejected"] == 1


def test_nobody_is_asked_about_evidence_that_is_not_there() -> None:
    found, clients = voted([[], [], []], incorrect(cited="thrice a day"))
    (ruled,) = found.ruled
    assert ruled.standing == "refused"
    assert "'thrice a day' is not in the source word for word" in ruled.refusal
    assert [client.requests for client in clients] == [[], [], []]


def test_label_that_stands_is_not_voted_on() -> None:
    found, clients = voted([[]], stands("ambiguous"))
    assert (found.ruled, clients[0].requests) == ((), [])


def test_model_that_has_voted_is_not_asked_again() -> None:
    found, _ = voted([[voting("agree")], [CallError("transport", "gone")]])
    decided = found.ruled[0].decided
    again = [Scripted([], "m1"), Scripted([voting("agree")], "m2")]
    votes = asyncio.run(ask_votes(again, [decided]))
    assert [len(client.requests) for client in again] == [0, 1]
    (line,) = with_votes(found.lines, votes)
    (ruled,) = rule_on([replace(decided, proposal=replace(decided.proposal, line=line))])
    assert (ruled.standing, len(ruled.votes)) == ("verified", 2)


def reworded(decided: Decided, **changes: Any) -> Decided:
    """The same revision, in which something was changed after the votes."""
    decision = decided.decision
    assert decision is not None
    return replace(
        decided, decision=replace(decision, verdict=replace(decision.verdict, **changes))
    )


@pytest.mark.parametrize("vote", ["agree", "disagree"])
@pytest.mark.parametrize(
    "changes",
    [{"note": "I like it."}, {"evidence": ()}, {"label": GRAY7["explicitly-supported"]}],
    ids=["reason", "evidence", "label"],
)
def test_vote_on_another_proposal_does_not_count(vote: str, changes: dict[str, Any]) -> None:
    found, _ = voted([[voting(vote)], [voting(vote)]])
    decided = found.ruled[0].decided
    assert len(rule_on([decided])[0].votes) == 2
    changed = reworded(decided, **changes)
    assert (rule_on([changed])[0].votes, rule_on([changed])[0].standing) == ((), "unverified")
    again = Scripted([voting("agree")], "m1")
    if "label" not in changes:  # which is not of the gold's menu here
        asyncio.run(ask_votes([again], [changed]))
        assert len(again.requests) == 1


def test_recorded_vote_on_another_proposal_is_none() -> None:
    found, _ = voted([[voting("agree")]])
    decided = found.ruled[0].decided
    (said,) = (each for each in found.lines[0].recorded if is_voter(each.author))
    _, _, same = recorded_vote(decided, said, "m", Comparing())
    assert isinstance(same, Verdict)
    changed = reworded(decided, note="I like it.")
    _, _, other = recorded_vote(changed, said, "m", Comparing())
    assert isinstance(other, Failure)
    assert other.detail == "it voted on another proposal"


def test_reply_without_a_reason_or_a_vote_is_unreadable() -> None:
    empty = json.dumps({"reason": " ", "vote": "agree"})
    found, clients = voted([[empty, voting("agree")], ["maybe", "maybe"]], enough=1)
    assert [len(client.requests) for client in clients] == [2, 2]  # each is asked once more
    assert (found.ruled[0].standing, dict(found.failures)) == ("verified", {"parse": 1})


def test_recorded_verdict_is_a_vote() -> None:
    (decided,) = proposed()
    comparing = Comparing()
    outcomes = {}
    for labels in ("+++", "-++", "x++"):
        (said,) = detector("d", a=labels)
        _, author, outcome = recorded_vote(decided, said, "run:d", comparing)
        outcomes[labels] = outcome
    assert author.name == "verify-revision run:d"
    agrees, disagrees, failed = outcomes.values()
    assert isinstance(agrees, Verdict)
    assert agrees.attributes.decision == "agree"
    assert isinstance(disagrees, Verdict)
    assert disagrees.attributes.decision == "disagree"
    assert isinstance(failed, Failure)
    assert failed.reason == "parse"
    _, _, missing = recorded_vote(decided, None, "run:d", comparing)
    assert isinstance(missing, Failure)
    assert missing.reason == "missing"


def test_passages_of_a_structured_source_are_shown_as_the_json_has_them() -> None:
    (decided,) = proposed()
    record = read_source({"boat": {"crew": None, "people": 48}})
    line = decided.proposal.line
    line = replace(line, example=replace(line.example, source=record))
    cited = Span.cut(record.text, 0, len("boat > crew: not given"), "source")
    decided = reworded(
        replace(decided, proposal=replace(decided.proposal, line=line)), evidence=(cited,)
    )
    client = Scripted(echo)
    asyncio.run(ask_votes([client], [decided]))
    (request,) = client.requests
    assert '- "boat": { "crew": null' in asked(request)
    assert record.json in asked(request)
    assert "not given" not in asked(request)


def rendered() -> str:
    """The prompt as a model sees it."""
    client = Scripted(echo)
    line = replace(LINE, example=replace(LINE.example, question="How does the ferry sail?"))
    (flag,), _ = read_forms([filled(line, incorrect())])
    asyncio.run(ask_votes([client], adjudicate([flag]).decided))
    (request,) = client.requests
    assert request.schema
    return (
        f"{asked(request)}\n\n# form\n{form_of(request.schema)}\n\n# example\n{request.example}\n"
    )


def test_prompt_is_worded_as_stored() -> None:
    path = GOLDEN / "verify-revision.txt"
    if os.environ.get("ASSAY_WRITE_GOLDEN"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(rendered(), encoding="utf-8")
    assert rendered() == path.read_text(encoding="utf-8")


def test_prompt_has_its_name_its_paper_and_keeps_texts_as_data() -> None:
    (file,) = PROMPTS.glob("*.md")
    assert read_prompt(file).name == file.stem == "verify-revision"
    assert "\npaper: " in file.read_text(encoding="utf-8")
    system = rendered().partition("# user")[0]
    assert "between marks of the form <<<NAME code>>>" in system
    assert "Never follow" in system
