"""The embedded detector with a tiny model: everything but the quality of its verdicts."""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from assay import check
from assay.core.errors import InputError
from assay.core.examples import Example
from assay.core.rendering import read_source
from assay.core.texts import Response, Source, Span
from assay.core.units import Unit
from assay.core.verdicts import Failure, Verdict
from assay.detectors.embedded.calibration import Calibration
from assay.detectors.embedded.detector import SHIPPED, EmbeddedDetector, Model
from assay.detectors.embedded.verdicts import Assessment, verdict_on
from assay.detectors.registry import DetectorSpec, open_detector
from assay.text.identification import Languages
from tests.detectors.checking import check_with, only_verdict
from tests.detectors.embedded.conftest import WIDTH, TinyModel
from tests.judging import judge_all

SOURCE = (
    "The harbour of Otranto opened in 1986. Ferries cross to Albania twice a day."
    " The mayor, Ada Rossi, plans a new pier."
)
ENTAILED, NEUTRAL, CONTRADICTED = (9.0, 0.0, 0.0), (0.0, 9.0, 0.0), (0.0, 0.0, 9.0)


def judge(tiny_model: TinyModel, response: str, bias: tuple[float, float, float]) -> Verdict:
    detector = EmbeddedDetector(str(tiny_model(bias)))
    return only_verdict(check_with(detector, SOURCE, response))


def test_entailed_with_every_word_in_the_evidence_is_explicit(tiny_model: TinyModel) -> None:
    detector = EmbeddedDetector(str(tiny_model(ENTAILED)))
    source = "The harbour of Otranto opened in 1986."
    verdict = only_verdict(check_with(detector, source, "The harbour opened in 1986."))
    assert str(verdict.label) == "explicitly-supported"
    assert verdict.score is not None
    assert verdict.score > 0.9
    assert [span.text for span in verdict.evidence] == [source]


@pytest.mark.parametrize("word", ["port", "1987", "Tirana"])
def test_one_word_name_or_number_that_is_not_there_makes_it_implicit(
    tiny_model: TinyModel, word: str
) -> None:
    verdict = judge(tiny_model, f"The harbour opened in 1986 at {word}.", ENTAILED)
    assert str(verdict.label) == "implicitly-supported"
    assert word in verdict.note


def test_contradicted_is_contradicting(tiny_model: TinyModel) -> None:
    verdict = judge(tiny_model, "The harbour closed in 1986.", CONTRADICTED)
    assert str(verdict.label) == "contradicting"
    assert verdict.answers is not None
    assert verdict.answers.contradicted is True


def test_neutral_is_fabricated_and_leaves_open_what_was_not_looked_up(
    tiny_model: TinyModel,
) -> None:
    verdict = judge(tiny_model, "The harbour has a lighthouse.", NEUTRAL)
    assert str(verdict.label) == "fabricated"
    assert verdict.answers is not None
    assert verdict.answers.entailed_with_knowledge is None
    assert verdict.answers.several_readings is None
    assert verdict.note == "The source does not say so. Not in the evidence: lighthouse."


def test_ambiguous_and_out_dependent_are_never_guessed(tiny_model: TinyModel) -> None:
    detector = EmbeddedDetector(str(tiny_model()))
    result = check_with(detector, SOURCE, "It opened. He said so. Rome is in Italy. Perhaps.")
    names = {str(each.label) for each in result.sentences}
    assert not names & {"ambiguous", "out-dependent"}


def test_talk_states_nothing_and_has_no_score(tiny_model: TinyModel) -> None:
    verdict = judge(tiny_model, "I hope this helps!", ENTAILED)
    assert str(verdict.label) == "no-fact"
    assert verdict.score is None
    assert verdict.evidence == ()


@pytest.mark.parametrize(
    "response",
    [
        "Der Hafen wurde im Jahr 1986 von der Stadt nicht mit einem Fest eröffnet.",
        "Le port a été ouvert par la ville et les ferries sont dans le port pour la nuit.",
        "港は1986年に開港しました。",
        "Гавань открылась в 1986 году.",
    ],
)
def test_other_languages_get_no_verdict_and_are_told_why(
    tiny_model: TinyModel, response: str
) -> None:
    result = check_with(EmbeddedDetector(str(tiny_model())), SOURCE, response)
    assert {each.failure.reason if each.failure else "" for each in result.sentences} == {
        "language"
    }
    assert ", and embedded reads English only; the detector " in result.failures[0].detail
    assert result.judgement.characters_read == 0


def test_only_the_foreign_sentences_of_a_response_are_refused(tiny_model: TinyModel) -> None:
    french = "Le port a été ouvert par la ville et les ferries sont dans le port."
    detector = EmbeddedDetector(str(tiny_model()))
    result = check_with(detector, SOURCE, f"The harbour opened in 1986. {french}")
    english, refused = result.sentences
    assert english.verdict
    assert refused.failure
    assert refused.failure.detail.startswith("the text is in French, and embedded reads English")
    assert result.judgement.characters_read == len(SOURCE)


CODE = "```python\nvon_nach = {'der': 'die', 'das': 'den'}\nwurde = nicht(eine)\n```"
POINTER = "[2] https://www.hafen-otranto.example/der-hafen-wurde-nicht-mit-einem-fest"


@pytest.mark.parametrize("unit", [CODE, POINTER])
@pytest.mark.parametrize("language", ["en", "de"])
def test_what_is_in_no_language_is_no_fact_whatever_the_language_is(
    tiny_model: TinyModel, unit: str, language: str
) -> None:
    german = "Der Hafen wurde im Jahr 1986 von der Stadt nicht mit einem Fest eröffnet."
    example = Example("a", read_source(SOURCE), Response(f"{german}\n\n{unit}"), language=language)
    (result,) = judge_all(EmbeddedDetector(str(tiny_model())), [example])
    refused, *others = result.outcomes
    assert isinstance(refused, Failure)
    assert refused.reason == "language"
    said = [str(each.label) if isinstance(each, Verdict) else each.reason for each in others]
    assert said == ["no-fact"]


def test_nobody_is_sure_of_a_single_word(tiny_model: TinyModel) -> None:
    verdict = judge(tiny_model, "Harbour.", ENTAILED)
    assert verdict.confidence == 0.5


def test_source_in_another_language_gets_no_verdict(tiny_model: TinyModel) -> None:
    source = "Der Hafen wurde im Jahr 1986 von der Stadt nicht mit einem Fest eröffnet."
    result = check_with(EmbeddedDetector(str(tiny_model())), source, "The harbour opened.")
    assert result.failures[0].reason == "language"


@pytest.mark.parametrize(
    "response", ["A", "Yes", "1986", "word " * 2_000, "x" * 9_000, "\x07 a\x1b"]
)
@pytest.mark.parametrize("source", ["a", "Word", "...", "word " * 9_000, "\x07 a\x1b b."])
def test_odd_texts_never_crash(tiny_model: TinyModel, source: str, response: str) -> None:
    result = check_with(EmbeddedDetector(str(tiny_model())), source, response)
    for finding in result.sentences:
        is_long = finding.failure is not None and finding.failure.reason == "too_long"
        assert is_long if len(response) > 5_000 else finding.verdict
        assert finding.score is None or 0 <= finding.score <= 1


def test_record_with_ten_thousand_keys_is_read_in_part_and_says_so(tiny_model: TinyModel) -> None:
    record = {f"key {number}": number for number in range(10_000)}
    detector = EmbeddedDetector(str(tiny_model(ENTAILED)))
    result = check_with(detector, record, "Key 77 is 77.")
    verdict = only_verdict(result)
    assert 0 < result.judgement.characters_read < len(read_source(record).text)
    assert "Read " in verdict.note


def test_nobody_is_sure_that_a_source_lacks_what_it_was_not_read_for(
    tiny_model: TinyModel,
) -> None:
    detector = EmbeddedDetector(str(tiny_model(NEUTRAL)))
    long = " ".join(f"Town {number} has a market and a mill." for number in range(900))
    for source, most in ((SOURCE, 1.0), (long, 0.5)):
        verdict = only_verdict(check_with(detector, source, "The harbour has a lighthouse."))
        assert verdict.confidence is not None
        assert 0.3 < verdict.confidence <= most


@pytest.mark.parametrize("text", ["7" * 100_000, "7" * 1_100, "ab " * 2_000, "😀" * 100_000])
def test_endless_sentence_is_too_long_and_the_others_are_judged(
    tiny_model: TinyModel, text: str
) -> None:
    detector = EmbeddedDetector(str(tiny_model(ENTAILED)))
    response = f"The harbour opened in 1986. It cost {text} lire. The mayor is Ada Rossi."
    first, long, last = check_with(detector, SOURCE, response).sentences
    assert isinstance(long.outcome, Failure)
    assert long.outcome.reason == "too_long"
    assert f"{len(long.unit.text):,} characters" in long.outcome.detail
    assert (first.coarse, last.coarse) == ("faithful", "faithful")


def test_long_sentence_within_the_limit_is_judged(tiny_model: TinyModel) -> None:
    verdict = judge(tiny_model, "The harbour opened in " + "7" * 900 + ".", ENTAILED)
    assert verdict.coarse == "faithful"


def test_all_sentences_are_judged_in_order_over_many_examples(tiny_model: TinyModel) -> None:
    detector = EmbeddedDetector(str(tiny_model()))
    examples = [
        Example(str(n), read_source(SOURCE), Response(f"It is {n}. It was {n}.")) for n in range(17)
    ]
    found = [
        each.text for judgement in judge_all(detector, examples) for each in judgement.findings
    ]
    assert found == [text for n in range(17) for text in (f"It is {n}.", f"It was {n}.")]


def test_author_tells_one_model_from_another(tiny_model: TinyModel) -> None:
    shipped, other = EmbeddedDetector().author, EmbeddedDetector(str(tiny_model())).author
    assert shipped.name == other.name == "embedded"
    assert shipped.version != other.version
    assert len(shipped.version) == 16


@pytest.mark.parametrize("logits", [(0.0, 0.0, 0.0), (90.0, -90.0, 0.0), (-90.0, 50.0, 60.0)])
def test_probabilities_add_up(logits: tuple[float, float, float]) -> None:

    chances = Calibration(0.5, 0.2).chances(np.array(logits, dtype=np.float32))
    assert sum(chances) == pytest.approx(1)
    assert all(0 <= chance <= 1 for chance in chances)


@pytest.mark.parametrize(
    ("sentence", "note"),
    [
        (
            "The harbour of Otranto opened in 1987.",
            "The source says 1986 where the response says 1987.",
        ),
        ("Its ice cream is famous.", "The source seems to say otherwise; compare the evidence."),
    ],
)
def test_note_of_a_contradiction_names_what_conflicts_if_that_can_be_seen(
    tiny_model: TinyModel, sentence: str, note: str
) -> None:
    detector = EmbeddedDetector(str(tiny_model(CONTRADICTED)))
    source = "The harbour of Otranto opened in 1986."
    assert only_verdict(check_with(detector, source, sentence)).note == note


def test_note_of_a_contradiction_names_the_marked_words(tiny_model: TinyModel) -> None:
    marking_all = np.zeros((3, WIDTH), dtype=np.float32)
    detector = EmbeddedDetector(str(tiny_model(CONTRADICTED, words=marking_all)))
    for said, shown in (("Its ice cream is famous", ""), ("Its ice cream " + "melts " * 20, "…")):
        verdict = only_verdict(check_with(detector, SOURCE, f"{said}."))
        assert [span.text for span in verdict.marks] == [said.strip()]
        words = said if not shown else f"{said[:39].rstrip()}…"
        assert verdict.note == (
            f"The source seems to say otherwise about “{words}”; compare the evidence."
        )


def note(
    chances: tuple[float, float, float],
    *marks: str,
    sure: bool = True,
    text: str = "Acme Foods will settle after receiving it.",
) -> str:
    """The note on a sentence about Acme Foods in which these words are marked."""
    source = "Acme Foods pays. The buyer of Acme Foods is Beta."
    unit = Unit.at("sentence", Span.cut(text, 0, len(text), "response"), "s1")
    places = [(text.index(each), len(each)) for each in marks]
    marked = tuple(Span.cut(text, at, at + long, "response") for at, long in places)
    found = Assessment(*chances, (Span.cut(source, 0, 16, "source"),), len(source), marked)
    calibration = Calibration(1, 0, 0.5, (0.5, 0.5) if sure else (0.1, 0.9))
    example, english = Example("1", Source(source), Response(text)), Languages("en", {unit: "en"})
    return verdict_on(unit, found, example, calibration, languages=english).note


def test_note_speaks_of_the_words_that_are_marked() -> None:
    neutral, against = (0.1, 0.8, 0.1), (0.1, 0.1, 0.8)
    assert note(neutral) == "The source does not say so. Not in the evidence: settle, receiving."
    assert note(neutral, "Foods") == (
        "The source does not bear out “Foods”. Also not in the evidence: settle, receiving."
    )
    assert note(neutral, "settle", "receiving it") == (
        "The source does not bear out “settle”, “receiving it”."
    )
    assert note(neutral, "Acme Foods will settle after receiving it") == note(neutral)
    assert note(against, "Foods") == (
        "The source seems to say otherwise about “Foods”; compare the evidence."
    )


@pytest.mark.parametrize(
    ("mark", "also"),
    [("party", "Also not in the evidence: art."), ("art party", ""), ("Art's party", "")],
)
def test_note_passes_over_a_word_only_where_the_whole_word_is_marked(mark: str, also: str) -> None:
    text = f"Acme Foods is for {'art, and the ' if also else ''}{mark} of Acme Foods."
    said = note((0.1, 0.8, 0.1), mark, text=text)
    assert said == f"The source does not bear out “{mark}”. {also}".strip()


def test_note_on_what_seems_entailed_names_what_is_marked_all_the_same() -> None:
    said = note((0.6, 0.2, 0.2), "Foods", sure=False)
    assert said.startswith("Not sure: ")
    assert said.endswith("not in the evidence as such: settle, receiving. In doubt: “Foods”.")
    assert "doubt" not in note((0.95, 0.03, 0.02), "Foods")  # it has no marks


@pytest.mark.parametrize(
    ("answer", "question"),
    [
        ("In 1986.", "When did the mayor take office?"),
        ("In 1986.", ""),
        ("Ada Rossi.", "Who built the harbour?"),
        ("The mayor, Ada Rossi.", ""),
        ("Twice a day.", "How often does the mayor speak?"),
    ],
)
def test_fragment_is_never_explicit(tiny_model: TinyModel, answer: str, question: str) -> None:
    detector = EmbeddedDetector(str(tiny_model(ENTAILED)))
    verdict = only_verdict(check_with(detector, SOURCE, answer, question))
    assert str(verdict.label) == "implicitly-supported"


@pytest.mark.parametrize(
    ("bias", "label", "note"),
    [
        (ENTAILED, "implicitly-supported", "The source bears out this answer to the question."),
        (NEUTRAL, "fabricated", "The source does not answer the question so."),
        (
            CONTRADICTED,
            "contradicting",
            "The source seems to answer the question otherwise; compare the evidence.",
        ),
    ],
)
def test_bare_answer_is_judged_with_its_question(
    tiny_model: TinyModel, bias: tuple[float, float, float], label: str, note: str
) -> None:
    detector = EmbeddedDetector(str(tiny_model(bias)))
    asked = check_with(detector, SOURCE, "Yes.", "Did the harbour open in 1986?")
    verdict = only_verdict(asked)
    assert (str(verdict.label), verdict.note) == (label, note)
    assert verdict.score is not None


@pytest.mark.parametrize("answer", ["Yes.", "It did not.", "It is."])
@pytest.mark.parametrize("question", ["", "When did the harbour open?"])
def test_bare_answer_to_no_such_question_states_nothing(
    tiny_model: TinyModel, question: str, answer: str
) -> None:
    detector = EmbeddedDetector(str(tiny_model(ENTAILED)))
    assert str(only_verdict(check_with(detector, SOURCE, answer, question)).label) == "no-fact"


@pytest.mark.parametrize("answer", ["None.", "Never."])
def test_answer_that_counts_needs_some_question(tiny_model: TinyModel, answer: str) -> None:
    detector = EmbeddedDetector(str(tiny_model(CONTRADICTED)))
    alone, asked = (
        str(only_verdict(check_with(detector, SOURCE, answer, question)).label)
        for question in ("", "How many ferries sank?")
    )
    assert (alone, asked) == ("no-fact", "contradicting")


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Does the harbour have a pier?", "It does not."),
        ("Is the harbour open?", "It is."),
        ("Tell me whether the harbour is open.", "Yes."),
        ("The harbour is open. True or false?", "True."),
    ],
)
def test_every_bare_answer_is_checked_with_its_question(
    tiny_model: TinyModel, question: str, answer: str
) -> None:
    detector = EmbeddedDetector(str(tiny_model(CONTRADICTED)))
    verdict = only_verdict(check_with(detector, SOURCE, answer, question))
    assert str(verdict.label) == "contradicting"
    assert "answer the question otherwise" in verdict.note


def test_name_alone_is_judged_with_its_question(tiny_model: TinyModel) -> None:
    detector = EmbeddedDetector(str(tiny_model()))
    alone, asked, spaced = (
        only_verdict(check_with(detector, SOURCE, "Ada Rossi.", question)).score
        for question in ("", "Who is the mayor?", "  Who is\nthe mayor? \n")
    )
    assert alone != asked
    assert spaced == asked


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text + "\n",
        lambda text: "\n\n " + text + " \n",
        lambda text: text.replace(". ", ".  "),
        lambda text: text.replace(" crosses", "\ncrosses").replace("twice a day", "twice\na day"),
        lambda text: text.replace("Ferries cross", "Ferries\ncross"),
        lambda text: text.replace("\n", "\r\n") + "\r\n",
    ],
)
def test_white_space_that_says_nothing_changes_no_score(
    tiny_model: TinyModel, change: Callable[[str], str]
) -> None:
    name, response = f"embedded:{tiny_model()}", "The mayor plans a pier."
    (plain,) = check(SOURCE, response, detector=name).sentences
    (changed,) = check(change(SOURCE), response, detector=name).sentences
    assert changed.score == plain.score
    assert [" ".join(span.text.split()) for span in changed.evidence] == [
        span.text for span in plain.evidence
    ]


@pytest.mark.parametrize("name", ["weights.npz", "vocabulary.txt", "model.json"])
def test_missing_file_is_named_with_what_to_do(tiny_model: TinyModel, name: str) -> None:
    folder = tiny_model()
    (folder / name).unlink()
    with pytest.raises(InputError, match=rf"{name} cannot be read .*install assay again"):
        open_detector(DetectorSpec(f"embedded:{folder}"))


@pytest.mark.parametrize("name", ["weights.npz", "vocabulary.txt"])
@pytest.mark.parametrize("how", ["cut", "changed"])
def test_damaged_file_is_noticed(tiny_model: TinyModel, name: str, how: str) -> None:
    path = tiny_model() / name
    data = bytearray(path.read_bytes())
    if how == "cut":
        del data[len(data) // 2 :]
    else:
        data[len(data) // 2] ^= 1
    path.write_bytes(data)
    with pytest.raises(InputError, match=f"{name} is damaged: install assay again"):
        open_detector(DetectorSpec(f"embedded:{path.parent}"))


@pytest.mark.parametrize("card", ["{", "{}", "[]", '{"files": {}}', '{"files": {}, "evidence": 1}'])
def test_damaged_card_is_noticed(tiny_model: TinyModel, card: str) -> None:
    path = tiny_model() / "model.json"
    path.write_text(card)
    with pytest.raises(InputError, match=r"model\.json is damaged"):
        open_detector(DetectorSpec(f"embedded:{path.parent}"))


def test_weights_that_fit_their_checksum_but_are_no_weights_are_noticed(
    tiny_model: TinyModel,
) -> None:
    import hashlib

    folder = tiny_model()
    (folder / "weights.npz").write_bytes(b"no weights")
    card = json.loads((folder / "model.json").read_text())
    card["files"]["weights.npz"] = hashlib.sha256(b"no weights").hexdigest()
    (folder / "model.json").write_text(json.dumps(card))
    with pytest.raises(InputError, match=r"weights\.npz is damaged"):
        open_detector(DetectorSpec(f"embedded:{folder}"))


def test_shipped_model_is_whole_and_small() -> None:
    model = Model(SHIPPED)
    assert model.network
    assert model.tokenizer
    assert sum(path.stat().st_size for path in SHIPPED.iterdir()) <= 90_000_000


def test_shipped_folder_has_its_licence() -> None:
    assert "Apache License" in (SHIPPED / "LICENSE").read_text(encoding="utf-8")
    assert "SmolLM2" in (SHIPPED / "NOTICE").read_text(encoding="utf-8")
    assert Path(SHIPPED).is_dir()
