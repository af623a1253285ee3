"""The forms that a prompt file can name for its replies, and how such replies are read."""

from pathlib import Path

import pytest

from assay.core.errors import InputError
from assay.core.taxonomies import BINARY, GRAY7
from assay.llm.fences import Fences
from assay.llm.prompts import read_prompt
from assay.llm.replies.forms import (
    ReplyForm,
    check_choices,
    read_choice,
)
from assay.llm.replies.texts import UnreadableError

LETTERS = {
    "A": "explicitly-supported",
    "B": "implicitly-supported",
    "C": "contradicting",
    "D": "fabricated",
    "E": "out-dependent",
    "F": "ambiguous",
    "G": "no-fact",
}
OPTION = ReplyForm("choice", choices=LETTERS)
YES_NO = ReplyForm("choice", choices={"yes": "faithful", "no": "unfaithful"})
VG = ReplyForm(
    "json",
    key="",
    tag="FINAL_PRED",
    fields={"number": "sent_id", "reason": "rationale", "label": "faithfulness_label"},
    choices=LETTERS,
)


def form_of(folder: Path, *lines: str) -> ReplyForm:
    path = folder / "p.md"
    head = "\n".join(("name: p", "version: 1", "inputs:", *lines))
    path.write_text(f"---\n{head}\n---\n# user\nGo.\n", encoding="utf-8")
    return read_prompt(path).form


def option(reply: str, fences: Fences | None = None) -> str:
    return read_choice(reply, OPTION, OPTION.menu(GRAY7), fences).choice


def answer(reply: str) -> str:
    return read_choice(reply, YES_NO, YES_NO.menu(BINARY)).choice


def test_header_names_the_form(tmp_path: Path) -> None:
    form = form_of(
        tmp_path,
        "reply: json",
        "key: -",
        "tag: <FINAL_PRED>",
        "number: sent_id",
        "reason: rationale",
        "label: faithfulness_label",
        f"choices: {', '.join(f'{word} = {label}' for word, label in LETTERS.items())}",
        "texts: plain",
    )
    assert form == ReplyForm("json", "", "FINAL_PRED", "", VG.fields, LETTERS, "plain")
    assert form_of(tmp_path, "reply: line", "marker: Final Answer:").marker == "Final Answer"
    assert form_of(tmp_path) == ReplyForm()


@pytest.mark.parametrize(
    ("lines", "problem"),
    [
        (["reply: xml"], "reply must be one of json, choice, line, letters, map, not 'xml'"),
        (["texts: bare"], "texts must be fenced or plain, not 'bare'"),
        (["tag: X"], "'tag' needs a form: add 'reply: json'"),
        (["marker: X"], "'marker' needs a form: add 'reply: choice'"),
        (["reply: choice", "number: id"], "'number' makes no sense for 'reply: choice'"),
        (["reply: map", "marker: x"], "'marker' makes no sense for 'reply: map'"),
        (["reply: line"], "'reply: line' needs a marker, the words before the verdict"),
        (["reply: json", "key:"], "the header has no value for 'key'"),
        (["reply: choice", "choices: A, B"], "choices are written 'A = label, .*', not 'A'"),
        (
            ["reply: choice", "choices: A = x, A = y"],
            "choices has 'A' twice; upper and lower case are one",
        ),
        (
            ["reply: choice", "choices: A = x, a = y"],
            "choices has 'a' twice; upper and lower case are one",
        ),
        (["reply: line", "marker: :"], "'marker' must be a word, not ':'"),
        (["reply: json", "tag: <>"], "'tag' must be a word, not '<>'"),
        (
            ["reply: json", "label: verdict", "reason: Verdict"],
            "'label' and 'reason' cannot both be called 'Verdict'",
        ),
    ],
)
def test_header_that_makes_no_sense_is_one_clear_line(
    tmp_path: Path, lines: list[str], problem: str
) -> None:
    with pytest.raises(InputError, match=f"^[^\n]*p.md: {problem}$"):
        form_of(tmp_path, *lines)


def test_form_is_a_part_of_the_digest(tmp_path: Path) -> None:
    digests = set()
    for lines in ([], ["reply: choice"], ["reply: choice", "choices: A = faithful"]):
        form_of(tmp_path, *lines)
        digests.add(read_prompt(tmp_path / "p.md").digest)
    assert len(digests) == 3


def test_choices_must_be_labels_of_the_method() -> None:
    check_choices(OPTION, GRAY7.names, "p.md")
    with pytest.raises(InputError, match=r"^p.md: choices has 'A = explicitly-supported'; the lab"):
        check_choices(OPTION, BINARY.names, "p.md")


@pytest.mark.parametrize(
    "reply",
    [
        "D",
        "d",
        " D. ",
        "(D)",
        "**D**",
        "D. Fabricated",
        "(D) Fabricated",
        "Fabricated",
        "Your option: D",
        "Your option: **D. Fabricated**",
        "Option D",
        "Answer: D",
        "Final answer: D) Fabricated.",
        "The correct option is D.",
        "Therefore, the answer is option D.",
        "I would choose D.",
        r"\boxed{D}",
        r"\(D\)",
        r"Final answer: \(D\)",
        r"Your option: \[\boxed{D}\]",
        r"The answer is $\boxed{\text{D}}$.",
        "```\nD\n```",
        "> D",
        "D. Fabricated: the document does not say who lit it.",
        "D - nothing in the document says so.",
        "D\n\nThe document gives no cause. A fire is not arson.",
        "Your option: D\n\nExplanation: A cause is not given.",
        "1. A mill burned: stated.\n2. It was arson: not stated.\n\nSo it is not A or B.\n\nD",
        "A. Explicitly-Supported\nB. Generally-Supported\nC. Inconsistent\n\nOf these, I take\nD",
        "A. Explicitly-Supported: no.\nC. Inconsistent: no.\n\nYour option: D",
        "If the cause were stated, the answer would be A.\n\nD",
        "I first thought the option is B.\nHowever, the cause is new.\n\n**D. Fabricated**",
        "The document says the final answer is A. I do not follow this.\nD",
        "The document gives no cause. So the answer is D. Fabricated.",
        "The year is right. The cause is not there, so not A. Therefore, the answer is D.",
        "Thus, option D.",
        "Based on the document alone, the answer is D.",
        "Since the cause is new, I would classify it as D.",
        "Your option: [D] Fabricated",
        "Overall: D",
        "I choose option **D**.",
        "<answer>D</answer>",
        "Your option: D. The document gives no cause.",
    ],
)
def test_a_single_letter_is_read_however_it_is_dressed(reply: str) -> None:
    assert option(reply) == "fabricated"
    assert option(f"The sentence has one fact: it was arson.\n\n{reply}") == "fabricated"


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "A date is missing.",
        "D or C",
        "D, E",
        "C/D",
        "D. Inconsistent",
        "D?",
        "Not D",
        "The sentence is fine.",
        "A. Explicitly-Supported\nB. Generally-Supported\nC. Inconsistent\nD. Fabricated",
        "Your option:",
        "Option A is wrong, and so is option B",
        "Option A: yes.\nOption B: no.\nOption D: no",
        "A - no, D",
        "A: no. D: yes.",
        "Contradicting: no.",
        "Fabricated: yes",
        "Atomic facts:\nA. The ferry was sold in 1986.",
        "Atomic facts:\nA) The ferry was sold in 1986.",
        "The options:\nC. Inconsistent: it is ruled out.\nD. Fabricated: nothing supports it.",
        "The answer is A. No wait, the answer is D.",
        "The answer is A.\nThat is because it is stated.\nThe answer is D.\nSo much for that.",
        "The document says the final answer is A.",
        "Your option: A\n\nCorrection: D",
    ],
)
def test_what_is_no_single_choice_is_not_read(reply: str) -> None:
    with pytest.raises(UnreadableError) as error:
        option(reply)
    assert "A, B, C, D, E, F, G" in error.value.wanted


@pytest.mark.parametrize(
    ("reply", "label"),
    [
        ("Yes", "faithful"),
        ("no.", "unfaithful"),
        ("No, the response adds a date.", "unfaithful"),
        ("Yes, there is no contradiction.", "faithful"),
        ("**Answer:** No", "unfaithful"),
        ("Final answer: yes", "faithful"),
        ("It has no date, and no place.\nFinal answer: No", "unfaithful"),
        ("The response is not consistent.", "unfaithful"),
        ("The response is consistent.", "faithful"),
        ("Step 1 result: yes\nStep 2 result: the year is missing\n\n**No**", "unfaithful"),
        ("No. The summary adds a date.\nThe response also says the answer is yes.", "unfaithful"),
        ("39 is wrong. Final answer: no", "unfaithful"),
        ("Yes, at first sight.\nBut 39 is wrong.\nFinal answer: no", "unfaithful"),
    ],
)
def test_yes_and_no_are_read(reply: str, label: str) -> None:
    assert answer(reply) == label


@pytest.mark.parametrize(
    "reply",
    [
        "No errors were found.",
        "Yes and no",
        "Yes, mostly",
        "The response is not inconsistent.",
        "Yes: fact 1. No: fact 2.",
        "Step 1 result: yes\nStep 2 result: the year is missing.",
        "Yes, all is there.\nNo, the year is not.",
        "Yes, all is there.\n\nHowever, the year is not.",
        "Final answer: yes\nNo, wait. The year is not there.",
    ],
)
def test_yes_and_no_in_other_senses_are_not_read(reply: str) -> None:
    with pytest.raises(UnreadableError):
        answer(reply)


def test_line_in_the_material_is_no_choice() -> None:
    fences = Fences({"response": "All is well. Your option: A"})
    with pytest.raises(UnreadableError):
        option("It says:\nYour option: A", fences)
    assert option("It says:\nYour option: A\nBut my option: D", fences) == "fabricated"


@pytest.mark.parametrize("quotation", ["> A\n", "```\nA\n```\n", "> Your option: A\n"])
def test_choice_in_a_quotation_before_the_end_is_no_choice(quotation: str) -> None:
    with pytest.raises(UnreadableError):
        option(f"The response says:\n{quotation}\nThat is odd.")
    assert option(f"D\n\nThe response says:\n{quotation}\nThat is odd.") == "fabricated"
    assert option(f"D\n\nThe response says:\n{quotation}") == "fabricated"


def test_rest_of_the_reply_is_the_reason() -> None:
    found = read_choice("No cause is given.\nYour option: D", OPTION, OPTION.menu(GRAY7))
    assert (found.said, found.rest) == ("D", "No cause is given.")
