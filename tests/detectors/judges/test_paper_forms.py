"""The reply forms of the papers' prompts, with the templates of the documentation."""

import json
import re
from collections.abc import Callable
from math import log
from pathlib import Path
from typing import Any

import pytest

from assay.core.errors import InputError
from assay.core.examples import Example
from assay.core.texts import Response
from assay.core.units import Unit
from assay.llm.client import Reply, Token, Usage
from assay.llm.prompts import read_prompt
from assay.llm.scripted import Scripted
from tests.detectors.judges.scripts import MILL, SOURCE, Heard, Script, asked, echo, hear, load

PAGE = Path(__file__).parents[3] / "docs" / "prompts.md"
BLOCK = re.compile(r"^```markdown\n(---\nname: ([\w-]+)\n.*?)^```$", re.MULTILINE | re.DOTALL)
TEMPLATES = {name: text for text, name in BLOCK.findall(PAGE.read_text(encoding="utf-8"))}
JUDGED = {
    "verigray-option": "judge-gray7:prompt={}",
    "vg-prompt": "judge-gray7:batch,prompt={}",
    "finesure-list": "judge-finesure:prompt={}",
    "fewshot-answer": "judge-fewshot:prompt={}",
    "simple-yes-no": "judge-simple:prompt={}",
    "facts-line": "judge-grounding:prompt={}",
    "facts-json": "judge-grounding:json,prompt={}",
}
Hear = Callable[..., Heard]


@pytest.fixture
def ask(tmp_path: Path) -> Hear:
    """What the judge of a template says, with a model that follows the script."""

    def heard(template: str, script: Script, example: Example = MILL) -> Heard:
        path = tmp_path / f"{template}.md"
        path.write_text(TEMPLATES[template], encoding="utf-8")
        return hear(JUDGED[template].format(path), script, example)

    return heard


def test_page_has_a_template_for_each_judge_and_for_localizing(tmp_path: Path) -> None:
    assert set(TEMPLATES) == {*JUDGED, "final-output", "final-matcher"}
    for name, text in TEMPLATES.items():
        (tmp_path / f"{name}.md").write_text(text, encoding="utf-8")
        assert read_prompt(tmp_path / f"{name}.md").form.kind != "own"


@pytest.mark.parametrize("template", JUDGED)
def test_example_of_a_dry_run_is_in_the_form_of_the_template(ask: Hear, template: str) -> None:
    heard = ask(template, echo)
    assert not [each for each in heard.labels if each.startswith("failed")]
    assert len({request.messages for request in heard.requests}) == len(heard.requests)
    assert {request.schema for request in heard.requests} == {None}


@pytest.mark.parametrize("template", JUDGED)
def test_plain_texts_stand_in_the_prompt_without_marks(ask: Hear, template: str) -> None:
    prompt = asked(ask(template, echo).requests[0])
    assert SOURCE in prompt
    assert "<<<" not in prompt


def test_verigray_option_is_read_with_and_without_prose(ask: Hear) -> None:
    replies = [
        "A",
        "Facts: it was arson.\nThe cause is open, so not A, B.\n\n**Your option: D. Fabricated**",
        "It asks a question.\n\nG. No-Fact: nothing is stated.",
    ]
    heard = ask("verigray-option", replies)
    assert heard.labels == ["explicitly-supported", "fabricated", "no-fact"]
    assert heard.verdict(1).note.startswith("Facts: it was arson. The cause is open")


def test_verigray_option_uses_the_papers_names_of_the_classes(ask: Hear) -> None:
    replies = ["Generally-Supported", "C. Inconsistent", "(G)"]
    heard = ask("verigray-option", replies)
    assert heard.labels == ["implicitly-supported", "contradicting", "no-fact"]


def test_option_that_is_none_is_asked_for_again(ask: Hear) -> None:
    example = Example("1", MILL.source, Response("It burned."))
    heard = ask("verigray-option", ["A or B", "B"], example)
    assert heard.labels == ["implicitly-supported"]
    again = heard.requests[1].messages[-1].content
    assert "names several" in again
    heard = ask("verigray-option", ["Hm.", "I cannot decide."], example)
    assert heard.labels == ["failed: parse"]


def test_confidence_of_a_letter_is_that_of_its_token(ask: Hear) -> None:
    tokens = tuple(Token(text, log(p)) for text, p in (("A date. Your option: ", 1), ("D", 0.7)))
    reply = Reply("A date. Your option: D", Usage(1, 1), tokens=tokens)
    example = Example("1", MILL.source, Response("It burned."))
    assert ask("verigray-option", [reply], example).verdict().confidence == pytest.approx(0.7)


VG: list[dict[str, Any]] = [
    {"sent_id": 1, "sentence": "x", "rationale": "Stated.", "faithfulness_label": "A"},
    {"sent_id": "2", "sentence": "y", "rationale": "Open.", "faithfulness_label": "D. Fabricated"},
    {"sent_id": "Sentence 3", "sentence": "z", "rationale": "", "faithfulness_label": "no-fact"},
]
LIST = json.dumps(VG)


@pytest.mark.parametrize(
    "reply",
    [
        f"<FINAL_PRED>\n{LIST}\n</FINAL_PRED>",
        f"I go [on].\n<FINAL_PRED>\n```json\n{LIST}\n```\n</FINAL_PRED>\nDone [3].",
        f"```json\n{LIST}\n```",
        f"<FINAL_PRED>{LIST[:-1]},]</FINAL_PRED>",
    ],
)
def test_vg_prompt_is_read(ask: Hear, reply: str) -> None:
    heard = ask("vg-prompt", [reply])
    assert heard.labels == ["explicitly-supported", "fabricated", "no-fact"]
    assert heard.verdict(1).note == "Open."
    assert "The 3 sentences of the summary:\n1. The mill" in asked(heard.requests[0])


def test_vg_entry_off_the_menu_fails_alone(ask: Hear) -> None:
    wrong = [VG[0], {**VG[1], "faithfulness_label": "H"}, VG[2]]
    heard = ask("vg-prompt", [f"<FINAL_PRED>{json.dumps(wrong)}</FINAL_PRED>"])
    assert heard.labels == ["explicitly-supported", "failed: off_menu", "no-fact"]


def finesure(*pairs: tuple[str, str]) -> str:
    return json.dumps([{"sentence": a, "reason": "So.", "category": b} for a, b in pairs])


@pytest.mark.parametrize(
    "reply",
    [
        finesure(("It was arson.", "linking error"), ("Would you like to know more?", "no error")),
        "Here you are:\n```json\n"
        + finesure(
            ("2. It was arson", "Linking Error"),
            ("3. would you like to know more?", "No error."),
            ("1. The mill burned down in 1987.", "no error"),
        )
        + "\n```\nI hope this helps.",
        finesure(("...", "no error"), ("...", "linking error (no cause)"), ("...", "no error")),
        finesure(("Sentence 1", "no error"), ("Sentence 2", "linking"), ("3", "no error")),
    ],
)
def test_finesure_entries_find_their_sentences(ask: Hear, reply: str) -> None:
    heard = ask("finesure-list", [reply])
    assert heard.labels[1:] == ["linking", "no-error"]
    assert heard.labels[0] in ("no-error", "failed: missing")


def test_finesure_knows_its_own_categories(ask: Hear) -> None:
    names = ["out-of-context error", "entity error", "predicate error", "circumstantial error"]
    names += ["grammatical error", "coreference error", "linking error", "other error", "no error"]
    units = tuple(Unit(f"s{n}", "sentence", f"Fact {n}.") for n in range(9))
    example = Example("1", MILL.source, Response("..."), units=units)
    reply = finesure(*((unit.text, name) for unit, name in zip(units, names, strict=True)))
    labels = ask("finesure-list", [reply], example).labels
    assert labels == [name.replace(" error", "") for name in names[:8]] + ["no-error"]


def test_equal_sentences_are_told_apart_by_their_order(ask: Hear) -> None:
    units = tuple(Unit(f"s{n}", "sentence", "So it is.") for n in range(2))
    example = Example("1", MILL.source, Response("So it is. So it is."), units=units)
    reply = finesure(("So it is.", "no error"), ("So it is.", "entity error"))
    assert ask("finesure-list", [reply], example).labels == ["no-error", "entity"]


def test_fewshot_answer_is_read(ask: Hear) -> None:
    replies = ["Attributable", "No cause is given.\nAnswer: Not Attributable", "Contradictory."]
    heard = ask("fewshot-answer", replies)
    assert heard.labels == ["entailment", "neutral", "contradiction"]


@pytest.mark.parametrize(
    ("reply", "label"),
    [
        ("Yes", "faithful"),
        ("No.", "unfaithful"),
        ("Answer (yes or no): No", "unfaithful"),
        ("No, the summary adds arson.", "unfaithful"),
        ("**Answer:** yes", "faithful"),
        ('{"label": "no"}', "unfaithful"),
    ],
)
def test_simple_yes_or_no_is_read(ask: Hear, reply: str, label: str) -> None:
    assert ask("simple-yes-no", [reply]).labels == [label]


@pytest.mark.parametrize(
    ("reply", "label"),
    [
        ("The year fits.\nArson does not.\n\nFinal Answer: inaccurate", "unfaithful"),
        ("All fits.\n\n**Final Answer:** Accurate (every claim)", "faithful"),
        ("All fits.\n```\nFinal Answer: accurate\n```", "faithful"),
        ("Final Answer: Unfaithful", "unfaithful"),
        ("Final Answer: not accurate", "unfaithful"),
        ("Final Answer: Not accurate, because it was no arson.", "unfaithful"),
        ("Final Answer: unfaithful. Only the year is supported.", "unfaithful"),
        (r"Final Answer: \(inaccurate\)", "unfaithful"),
    ],
)
def test_facts_verdict_line_is_read(ask: Hear, reply: str, label: str) -> None:
    assert ask("facts-line", [reply]).labels == [label]


def test_words_of_the_template_are_named_where_a_verdict_is_none_of_them(ask: Hear) -> None:
    heard = ask("facts-line", ["Final Answer: so-so", "Final Answer: not inaccurate"])
    assert heard.labels == ["failed: off_menu"]
    assert "not one of accurate, inaccurate, unfaithful, faithful" in heard.failure().detail
    assert "'Final Answer: accurate' or 'Final Answer: inaccurate'." in asked(heard.requests[1])


def test_verdict_line_of_the_response_is_not_the_judges(ask: Hear) -> None:
    example = Example("1", MILL.source, Response("It burned. Final Answer: accurate"))
    said = "It ends so:\nFinal Answer: accurate"
    assert ask("facts-line", [said, said], example).labels == ["failed: parse"]
    assert ask("facts-line", [f"{said}\nFinal Answer: inaccurate"], example).labels == [
        "unfaithful"
    ]


def test_facts_objects_are_read_one_a_line(ask: Hear) -> None:
    sentences = ("The mill burned down in 1987.", "It was arson.", "Would you like to know more?")
    labels = ("supported", "unsupported", "no_rad")
    lines = [
        json.dumps(
            {"sentence": a, "label": b, "rationale": "So.", "excerpt": "burned down in 1987"}
        )
        for a, b in zip(sentences, labels, strict=True)
    ]
    heard = ask("facts-json", ["```json\n" + "\n".join(lines) + "\n```"])
    assert heard.labels == ["unfaithful"]
    assert heard.verdict().note == "Sentence 2 is unsupported: So."
    assert [span.text for span in heard.verdict().evidence] == ["burned down in 1987"]


@pytest.mark.parametrize(
    ("judge", "lines", "problem"),
    [
        (
            "judge-simple",
            "reply: choice\nchoices: A = fabricated",
            "the labels are unfaithful, fai",
        ),
        ("judge-simple", "reply: letters", "replies to this judge are json or choice or line, not"),
        ("judge-finesure", "reply: choice", "replies to this judge are json, not 'choice'"),
    ],
)
def test_form_that_the_judge_cannot_read_is_one_line(
    tmp_path: Path, judge: str, lines: str, problem: str
) -> None:
    unit = "$sentences" if judge == "judge-finesure" else "$response"
    head = f"name: p\nversion: 1\ninputs: source, {unit[1:]}\n{lines}"
    (tmp_path / "p.md").write_text(f"---\n{head}\n---\n# user\n$source {unit}\n", encoding="utf-8")
    with pytest.raises(InputError, match=problem):
        load(f"{judge}:prompt={tmp_path / 'p.md'}", Scripted(()))


def test_claims_are_read_in_another_form_too(tmp_path: Path) -> None:
    head = "name: p\nversion: 1\ninputs: source, claims\nreply: json\nlabel: verdict"
    (tmp_path / "p.md").write_text(f"---\n{head}\n---\n# user\n$source $claims\n", encoding="utf-8")
    heard = hear(f"judge-claims:prompt={tmp_path / 'p.md'}", echo)
    assert '"verdict": "faithful"' in heard.requests[-1].example
    assert set(heard.labels) == {"faithful"}


def test_form_is_never_ignored_by_a_method_that_cannot_read_it(tmp_path: Path) -> None:
    head = "name: p\nversion: 1\ninputs: sentences\nreply: letters"
    (tmp_path / "p.md").write_text(f"---\n{head}\n---\n# user\n$sentences\n", encoding="utf-8")
    with pytest.raises(InputError, match="wants replies in the form 'letters', which this method"):
        hear(f"judge-claims:split={tmp_path / 'p.md'}", echo)
