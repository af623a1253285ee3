"""The reply forms of the papers' prompts, with the templates of the documentation."""

import json
import re
from collections.abc import Callable
from math import log
from pathlib import Path
from typing import Any

import pytest

from assay.core.examples import Example
from assay.core.taxonomies import FAITHBENCH
from assay.core.texts import Response
from assay.core.units import Unit
from assay.llm.client import Line, Reply, Request, Token, Usage
from assay.llm.prompts import read_prompt
from tests.detectors.judges.scripts import (
    MILL,
    SOURCE,
    Heard,
    Script,
    annotate,
    asked,
    echo,
    hear,
    mark,
    whole,
)

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
    "sentence-claims": "judge-claims:split={}",
    "claims-line": "judge-claims:fold=any,prompt={}",
    "minicheck-yes-no": "judge-fewshot:prompt={}",
    "lynx-score": "judge-fewshot:prompt={}",
    "faithjudge-line": "faithjudge:prompt={}",
}
NOT_ALL = ("sentence-claims", "claims-line")  # of two calls, one has the form of the template
Hear = Callable[..., Heard]
OTHER = Example("other", MILL.source, Response("A fire in 1987 destroyed the mill in Vejby."))
ARSON = mark(OTHER.response.text, 0, 6, FAITHBENCH["benign"], note="no fire is named")
PEERS = [annotate(OTHER, ida=[ARSON], ole=[whole(OTHER.response.text, FAITHBENCH["consistent"])])]


@pytest.fixture
def ask(tmp_path: Path) -> Hear:
    """What the judge of a template says, with a model that follows the script."""

    def heard(template: str, script: Script, example: Example = MILL) -> Heard:
        path = tmp_path / f"{template}.md"
        path.write_text(TEMPLATES[template], encoding="utf-8")
        name = JUDGED[template].format(path)
        return hear(name, script, example, PEERS if name.startswith("faithjudge") else None)

    return heard


def test_page_has_a_template_for_each_judge_and_for_localizing(tmp_path: Path) -> None:
    assert set(TEMPLATES) == {*JUDGED, "final-output", "final-matcher", "final-p-true"}
    for name, text in TEMPLATES.items():
        (tmp_path / f"{name}.md").write_text(text, encoding="utf-8")
        form = read_prompt(tmp_path / f"{name}.md").form
        assert form.texts == "plain"
        assert form.kind != "own" or name == "final-p-true"  # one letter, as ours


@pytest.mark.parametrize("template", JUDGED)
def test_example_of_a_dry_run_is_in_the_form_of_the_template(ask: Hear, template: str) -> None:
    heard = ask(template, echo)
    assert not [each for each in heard.labels if each.startswith("failed")]
    assert len({request.messages for request in heard.requests}) == len(heard.requests)
    asked_so = [request for request in heard.requests if request.schema is None]
    assert len(asked_so) == len(heard.requests) or (template in NOT_ALL and asked_so)


@pytest.mark.parametrize("template", JUDGED)
def test_plain_texts_stand_in_the_prompt_without_marks(ask: Hear, template: str) -> None:
    shown = [asked(each) for each in ask(template, echo).requests if each.schema is None]
    assert (SOURCE if "$source" in TEMPLATES[template] else "It was arson.") in "".join(shown)
    assert "<<<" not in "".join(shown)


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


def test_bullets_of_each_sentence_are_its_claims(ask: Hear) -> None:
    bullets = {
        "The mill burned down in 1987.": "- The mill burned down.\n- It burned in 1987.",
        "It was arson.": "Here are the statements:\n\n1. The fire was arson.",
        "Would you like to know more?": "None",
    }

    def answer(request: Request) -> Line:
        if request.schema is not None:
            return request.example
        sentence = asked(request).rpartition("Sentence: ")[2].partition("\n")[0]
        return bullets[sentence]

    heard = ask("sentence-claims", answer)
    assert [(each.id, each.text) for each in heard.findings] == [
        ("s1.c1", "The mill burned down."),
        ("s1.c2", "It burned in 1987."),
        ("s2.c1", "The fire was arson."),
    ]
    assert len(heard.requests) == 4


def test_claims_of_a_sentence_that_cannot_be_read_fail_the_response(ask: Hear) -> None:
    heard = ask("sentence-claims", lambda _: "Well.")
    assert heard.labels == ["failed: parse"]


SPLIT = json.dumps({"claims": [{"sentence": 1, "claim": "It burned."}]})


@pytest.mark.parametrize(
    ("said", "label"), [("Consistent", "faithful"), ("Inconsistent", "unfaithful")]
)
def test_verdict_on_all_claims_is_that_of_the_response(ask: Hear, said: str, label: str) -> None:
    reply = f"1. It did.\n2. No word of it.\n\nFinal classification: {said}"
    heard = ask("claims-line", [SPLIT, reply])
    assert heard.labels == [label]
    assert heard.findings[0].kind == "response"
    assert heard.verdict().note == "2 claims, judged together. 1. It did. 2. No word of it."
    assert "\n1. It burned.\n2. It was arson." in asked(heard.requests[1])


def test_verdict_on_all_claims_that_cannot_be_read_is_a_failure_of_the_response(ask: Hear) -> None:
    heard = ask("claims-line", [SPLIT, "Hm.", "Well."])
    assert heard.labels == ["failed: parse"]
    assert heard.failure().unit == "response"


@pytest.mark.parametrize(
    ("template", "reply", "labels", "note"),
    [
        ("minicheck-yes-no", "Yes", "entailment", ""),
        ("minicheck-yes-no", "no", "neutral", ""),
        (
            "lynx-score",
            '{"REASONING": ["One.", "Two."], "SCORE": "PASS"}',
            "entailment",
            "One. Two.",
        ),
        ("lynx-score", '```json\n{"REASONING": "No.", "SCORE": "FAIL"}\n```', "neutral", "No."),
    ],
)
def test_trained_checkers_are_asked_as_few_shot_judges(
    ask: Hear, template: str, reply: str, labels: str, note: str
) -> None:
    heard = ask(template, lambda _: reply)
    assert heard.labels == [labels] * 3
    assert heard.verdict().note == note
    assert len(heard.requests) == 3


@pytest.mark.parametrize(
    ("said", "label"),
    [("Consistent", "faithful"), ("Inconsistent", "unfaithful"), ("Invalid", "failed: invalid")],
)
def test_faithjudge_is_asked_in_other_words(ask: Hear, said: str, label: str) -> None:
    heard = ask("faithjudge-line", [f"Waves.\n\nFinal classification: {said}"])
    assert heard.labels == [label]


def test_peers_in_plain_text_have_titles_and_no_marks(ask: Hear) -> None:
    shown = asked(ask("faithjudge-line", echo).requests[0])
    assert "<<<" not in shown
    assert (
        "Peer 1:\nA fire in 1987 destroyed the mill in Vejby.\nPeer 1 annotations:\nAnnotator 1:\n"
        "- passage: A fire\n  label: benign\n  note: no fire is named\n"
        "Annotator 2: no hallucination was marked\n"
    ) in shown


@pytest.mark.parametrize(
    ("options", "choices", "reply", "label"),
    [
        ("", "Yes = faithful, No = unfaithful, Bad = invalid", "Verdict: No", "unfaithful"),
        ("", "Yes = faithful, No = unfaithful, Bad = invalid", "Verdict: bad", "failed: invalid"),
        ("ternary,", "A = consistent, B = benign, C = unwanted", "So.\nVerdict: B", "benign"),
        ("peers=0,", "Yes = faithful, No = unfaithful", "Verdict: Yes", "faithful"),
    ],
)
def test_marker_and_words_of_a_header_are_read_by_faithjudge(
    tmp_path: Path, options: str, choices: str, reply: str, label: str
) -> None:
    peers = "" if options == "peers=0," else ", peers"
    head = f"name: p\nversion: 1\ninputs: source, response{peers}\nreply: line\nmarker: Verdict"
    text = f"---\n{head}\nchoices: {choices}\n---\n# user\nMine: $source $response"
    (tmp_path / "p.md").write_text(text + peers.replace(", ", " $"), encoding="utf-8")
    annotations = PEERS if peers else None
    name = f"faithjudge:{options}prompt={tmp_path / 'p.md'}"
    heard = hear(name, [reply], MILL, annotations)
    assert asked(heard.requests[0]).startswith("# user\nMine: ")
    assert heard.labels == [label]
    assert hear(name, echo, MILL, annotations).labels in (["faithful"], ["consistent"])
