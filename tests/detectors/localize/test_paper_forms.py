"""Prompts in the forms of the paper (FINAL), as files of the user, fed with replies in its form.

The wording is ours. Such a prompt needs no JSON, and its replies need no change.
"""

from pathlib import Path

import pytest

from assay.core.errors import InputError
from assay.core.examples import Example
from assay.core.texts import Response, Source
from tests.detectors.judges.scripts import Heard, asked
from tests.detectors.localize.scripts import AGE, DAY, RESPONSE, SOURCE, hear

DESCRIPTIONS = [AGE["description"], DAY["description"]]


def write(folder: Path, name: str, inputs: str, header: str, question: str) -> str:
    """A prompt file, whose texts are shown without marks."""
    path = folder / f"{name}.md"
    head = f"---\nname: {name}\nversion: 1\ninputs: {inputs}\ntexts: plain\n{header}\n---\n"
    path.write_text(f"{head}# user\n{question}\n", encoding="utf-8")
    return str(path)


@pytest.fixture
def listing(tmp_path: Path) -> str:
    """A zero-shot prompt that wants letters or None."""
    return write(
        tmp_path,
        "zero",
        "source, response",
        "reply: letters",
        "Which facts of the summary can the text not confirm? Give each a letter, or say None.\n"
        "Text: $source\nSummary: $response",
    )


@pytest.fixture
def reasoning(tmp_path: Path) -> str:
    """A prompt that wants steps in prose, and the letters at the end."""
    return write(
        tmp_path,
        "cot",
        "source, response",
        "reply: letters\nmarker: Final Output",
        "Go through the summary step by step.\nText: $source\nSummary: $response\n"
        "Close with Final Output: and the lettered mistakes, or None.",
    )


def errors_of(heard: Heard) -> list[str]:
    return [each.text for each in heard.findings[1:]]


def test_texts_are_shown_as_they_are_and_no_schema_is_sent(listing: str) -> None:
    heard = hear(f"localize-zero:prompt={listing}", ["None"])
    assert f"Text: {SOURCE}\nSummary: {RESPONSE}" in asked(heard.requests[0])
    assert heard.requests[0].schema is None


@pytest.mark.parametrize(
    "reply",
    [
        "A. {}\nB. {}",
        "A. {}\n\nB. {}\n",
        "**A.** {}\n**B.** {}",
        "A) {}\nB) {}",
        "A.\nDescription: {}\n\nB.\nDescription: {}",
        "Inconsistencies:\nA.\nDescription: {}\nB.\nDescription: {}",
    ],
)
def test_lettered_list_is_read(listing: str, reply: str) -> None:
    heard = hear(f"localize-few:prompt={listing}", [reply.format(*DESCRIPTIONS)])
    assert errors_of(heard) == DESCRIPTIONS
    assert heard.verdict(1).error is None
    assert heard.findings[1].note == "It names no words of the response."


@pytest.mark.parametrize("reply", ["None", "None.", "**None**", "No inconsistencies."])
def test_none_is_a_faithful_response(listing: str, reply: str) -> None:
    heard = hear(f"localize-zero:prompt={listing}", [reply])
    assert (heard.labels, len(heard.requests)) == (["faithful"], 1)


def test_fact_of_an_entry_is_looked_up_in_the_response(listing: str) -> None:
    reply = (
        f"A.\nFact: both 39\nDescription: {DESCRIPTIONS[0]}\n\n"
        f"B.\nFact: On 16 July\nDescription: {DESCRIPTIONS[1]}"
    )
    heard = hear(f"localize-recall:prompt={listing}", [reply])
    assert errors_of(heard) == DESCRIPTIONS
    spans = [each.unit.spans[0].text for each in heard.findings[1:]]
    assert spans == ["both 39", "On 16 July"]


@pytest.mark.parametrize("style", ["localize-cot", "localize-cot-hint"])
def test_final_output_counts_and_not_the_steps_before_it(reasoning: str, style: str) -> None:
    steps = "A. They left on 16 July: confirmed.\nB. They are named: confirmed.\n\n"
    heard = hear(
        f"{style}:prompt={reasoning}",
        [f"{steps}**Final Output:**\nA. {DESCRIPTIONS[0]}\nB. {DESCRIPTIONS[1]}"],
    )
    assert errors_of(heard) == DESCRIPTIONS
    assert heard.verdict(0).note == (
        "2 inconsistencies found. A. They left on 16 July: confirmed. B. They are named: confirmed."
    )
    assert hear(f"{style}:prompt={reasoning}", [f"{steps}Final Output: None"]).labels == [
        "faithful"
    ]


def test_steps_without_a_final_output_are_asked_for_again(reasoning: str) -> None:
    steps = "1. They left on 16 July: confirmed.\n2. They are named: confirmed.\n\nAll is well."
    heard = hear(f"localize-cot:prompt={reasoning}", [steps, "Final Output: None"])
    assert (heard.labels, len(heard.requests)) == (["faithful"], 2)
    inline = f"Final Output: A. {DESCRIPTIONS[0]} B. {DESCRIPTIONS[1]}"
    assert errors_of(hear(f"localize-cot:prompt={reasoning}", [inline])) == DESCRIPTIONS


def test_reply_without_a_list_is_asked_for_again_in_its_own_form(reasoning: str) -> None:
    heard = hear(f"localize-cot:prompt={reasoning}", ["All is well, I think."] * 2)
    assert heard.labels == ["failed: parse"]
    assert "JSON" not in heard.requests[1].messages[-1].content


def test_json_with_other_names_is_read(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        "json",
        "source, response",
        "reply: json\nkey: mistakes\ndescription: what\nquotes: words",
        "List mistakes of $response against $source.",
    )
    reply = '{"mistakes": [{"words": ["both 39"], "what": "One was 38."}]}'
    heard = hear(f"localize-zero:prompt={path}", [reply])
    assert errors_of(heard) == ["One was 38."]
    assert heard.findings[1].unit.spans[0].text == "both 39"
    assert hear(f"localize-zero:prompt={path}", ['{"mistakes": []}']).labels == ["faithful"]


def pipeline(folder: Path) -> str:
    """FactScore's three steps: bullets, yes or no with bullets, and a list that repeats."""
    split = write(
        folder, "split", "sentences", "reply: letters", "Into facts, one a line: $sentences"
    )
    check = write(
        folder,
        "check",
        "source, facts",
        "reply: letters\nchoices: yes = faithful, no = unfaithful",
        "$source\nIs this fact in the text, yes or no? If no, what is wrong?\n$facts",
    )
    merge = write(
        folder,
        "merge",
        "response, descriptions",
        "reply: letters",
        "$response\nOnce each:\n$descriptions",
    )
    return f"localize-pipeline:facts={split},prompt={check},merge={merge}"


def test_pipeline_works_with_the_replies_of_its_paper(tmp_path: Path) -> None:
    first, second = DESCRIPTIONS
    other = "Dahl and Berg were not both 39; Dahl was 38."
    heard = hear(
        pipeline(tmp_path),
        [
            "- Runa Dahl and Otto Berg landed on 16 July.\n- Both were 39.\n- Dahl was 39.",
            "- Dahl went ashore first.",
            f"No\n- {second}",
            f"no.\n\n- {first}",
            f"no\n- {other}",
            "Yes",
            f"A. {second}\nB. {first}",
        ],
    )
    assert errors_of(heard) == [second, first]
    assert "1 description is merged with others." in heard.verdict(0).note
    shown = [asked(each) for each in heard.requests]
    assert shown[0].endswith("both 39, reached the island.")  # a sentence a call
    assert shown[3].endswith("\nBoth were 39.")  # a fact a call, without a number


def test_description_that_the_merge_rewrites_is_asked_for_again_and_then_all_are_kept(
    tmp_path: Path,
) -> None:
    first, second = DESCRIPTIONS
    example = Example("1", Source(SOURCE), Response("Both were 39 on 16 July."))
    facts = "- Both were 39.\n- It was 16 July."
    rewritten = "A. There is a mistake somewhere in the ages and days of this summary."
    heard = hear(
        pipeline(tmp_path),
        [facts, f"no\n- {first}", f"no\n- {second}", rewritten, rewritten],
        example,
    )
    assert errors_of(heard) == [first, second]
    assert "Duplicates were not merged (parse)" in heard.verdict(0).note


def test_fact_that_is_not_answered_with_yes_or_a_list_is_not_checked(tmp_path: Path) -> None:
    example = Example("1", Source("It rains."), Response("It rains."))
    heard = hear(pipeline(tmp_path), ["- It rains.", "No.", "No."], example)
    assert heard.labels == ["failed: parse", "failed: parse"]


def test_facts_share_no_call_where_the_reply_is_about_one(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="leave out group="):
        hear(f"{pipeline(tmp_path)},group=5", [])


def test_first_step_ends_in_yes_or_no(tmp_path: Path, listing: str) -> None:
    path = write(
        tmp_path,
        "self",
        "source, response",
        "reply: choice\nchoices: yes = faithful, no = unfaithful",
        "Does $source bear out $response? Reason, then: final answer: yes or no only",
    )
    name = f"localize-zero:prompt={listing},two-step=self,self={path}"
    yes = hear(name, ["Every detail is there.\n\nFinal answer: yes"])
    assert (yes.labels, len(yes.requests)) == (["faithful"], 1)
    no = hear(
        name, ["The ages differ, yes they do.\nfinal answer: **no**.", f"A. {DESCRIPTIONS[0]}"]
    )
    assert no.labels == ["unfaithful", "unfaithful"]
    assert hear(name, ["Hm."] * 2).labels == ["failed: parse"]


def test_prompt_of_another_form_is_refused_before_anything_is_asked(tmp_path: Path) -> None:
    path = write(tmp_path, "map", "source, response", "reply: map", "$source $response")
    with pytest.raises(InputError, match="form"):
        hear(f"localize-zero:prompt={path}", [])
    with pytest.raises(InputError, match="choice"):
        hear(f"localize-zero:two-step=self,self={path}", [])
