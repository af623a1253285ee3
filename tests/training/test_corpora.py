"""Items from released corpora: what is known of a sentence, and what is not."""

import json
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from assay import Annotated, Example, Verdict, taxonomy
from assay.core.judgements import GOLD, Judgement
from assay.core.units import Unit
from training import corpora
from training.items import CONTRADICTED, ENTAILED, NEUTRAL, NOT_ENTAILED, UNKNOWN, Item, Sentence

pytestmark = pytest.mark.soak

SOURCE = "The ferry left Bergen at noon. Forty people were aboard."
Judged = Callable[[str, str], Annotated]


@pytest.fixture
def judged(make_example: Callable[..., Example]) -> Judged:
    """An example whose response people called faithful or unfaithful."""
    labels = taxonomy("binary")

    def make(response: str, label: str) -> Annotated:
        unit = Unit.response(response)
        said = Judgement(response, GOLD, (unit,), (Verdict(unit.id, label=labels[label]),))
        return Annotated(make_example(SOURCE, response, id=response), (said,))

    return make


@pytest.mark.parametrize(
    ("spaced", "written"),
    [
        ("It rained , he said .", "It rained, he said."),
        ("the dog 's bowl ( red ) did n't fall", "the dog's bowl (red) didn't fall"),
        ("`` Yes , '' we 've $ 5 or 10 % !", '" Yes, " we\'ve $5 or 10%!'),
        ("Nothing to do.", "Nothing to do."),
        ("caf\ufffd bar", "caf  bar"),
    ],
)
def test_spaced_out_text_is_written_as_people_do(spaced: str, written: str) -> None:
    assert corpora.untokenized(spaced) == written


def test_claims_about_a_premise_that_is_left_out_are_neutral() -> None:
    rows = [
        {"premise": f"Premise {n}.", "hypothesis": f"Claim {n}.", "label": "entailment"}
        for n in range(400)
    ]
    items = list(corpora.pairs("fever", rows, Random(1)))
    left_out = 0
    for item in items:
        for sentence in item.sentences:
            known = sentence.text.replace("Claim", "Premise") in item.source
            assert sentence.target == (ENTAILED if known else NEUTRAL)
            left_out += not known
    assert left_out > 10
    assert sum(len(item.sentences) for item in items) == 400


def test_labels_of_pairs_become_targets() -> None:
    names = {"entailment": ENTAILED, "neutral": NEUTRAL, "contradiction": CONTRADICTED,
             "not_entailment": NOT_ENTAILED}  # fmt: skip
    for label, target in names.items():
        row = {"premise": "It rained.", "hypothesis": "It was wet.", "label": label}
        (item,) = corpora.pairs("snli", [row, row], Random(1))
        assert item == Item("snli", "It rained.", (Sentence("It was wet.", target),))


def test_pair_without_a_premise_is_no_item() -> None:
    row = {"premise": "", "hypothesis": "It was wet.", "label": "neutral"}
    assert list(corpora.pairs("vitaminc", [row], Random(1))) == []


def test_sentence_shared_with_a_faithful_summary_is_entailed(judged: Judged) -> None:
    right = judged("The ferry left at noon. Forty were aboard.", "faithful")
    wrong = judged("The ferry left at noon. Fifty were aboard.", "unfaithful")
    (item,) = corpora.edited("bump", [right, wrong], Random(1))
    assert {s.text: s.target for s in item.sentences} == {
        "The ferry left at noon.": ENTAILED,
        "Forty were aboard.": ENTAILED,
        "Fifty were aboard.": NOT_ENTAILED,
    }


def test_of_several_changed_sentences_it_is_not_known_which_is_false(judged: Judged) -> None:
    right = judged("The ferry left at noon. Forty were aboard.", "faithful")
    wrong = judged("The ferry left at noon. Fifty were aboard. It sank.", "unfaithful")
    first, second = corpora.edited("bump", [right, wrong], Random(1))
    assert [s.target for s in first.sentences] == [ENTAILED, UNKNOWN, UNKNOWN]
    assert {s.target for s in second.sentences} == {ENTAILED}


def test_unfaithful_summary_without_a_change_of_its_own_says_nothing(judged: Judged) -> None:
    right = judged("The ferry left at noon. Forty were aboard.", "faithful")
    wrong = judged("The ferry left at noon.", "unfaithful")
    (item,) = corpora.edited("bump", [right, wrong], Random(1))
    assert {s.target for s in item.sentences} == {ENTAILED}


def test_label_of_a_whole_response_is_that_of_its_only_sentence(judged: Judged) -> None:
    examples = [
        judged("It left.", "faithful"),
        judged("It stayed.", "unfaithful"),
        judged("It stayed. It sank.", "unfaithful"),
    ]
    longer, short = corpora.whole_responses("fib", examples, Random(1))
    assert [s.target for s in longer.sentences] == [UNKNOWN, UNKNOWN]
    targets = {s.text: s.target for s in short.sentences}
    assert targets == {"It left.": ENTAILED, "It stayed.": NOT_ENTAILED}


@pytest.mark.parametrize(
    ("intrinsic", "extrinsic", "target"),
    [(True, False, CONTRADICTED), (False, True, NEUTRAL), (True, True, NOT_ENTAILED),
     (False, False, NOT_ENTAILED)],
)  # fmt: skip
def test_errors_of_defacto_become_targets_and_corrections_are_entailed(
    tmp_path: Path, intrinsic: bool, extrinsic: bool, target: int
) -> None:
    row = {"article": SOURCE, "candidate": "It left Oslo.", "has_error": True,
           "intrinsic_error": intrinsic, "extrinsic_error": extrinsic,
           "feedback": {"summary": "It left Bergen."}}  # fmt: skip
    (tmp_path / "defacto").mkdir()
    (tmp_path / "defacto" / "train.jsonl").write_text(json.dumps(row))
    (item,) = corpora.defacto(tmp_path, Random(1))
    targets = {s.text: s.target for s in item.sentences}
    assert targets == {"It left Oslo.": target, "It left Bergen.": ENTAILED}


def test_claims_are_dealt_into_rows_of_six() -> None:
    claims = [Sentence(str(number), ENTAILED) for number in range(8)]
    items = list(corpora.in_rows("fib", SOURCE, claims, Random(1)))
    assert [len(item.sentences) for item in items] == [6, 2]
