"""What the script of a page reads of each unit: words, evidence, reasons and failures."""

import json
from dataclasses import replace

import pytest

from assay.core.decision import NOT_CONSULTED, Answers, Sense
from assay.core.judgements import Author, Manifest
from assay.core.labels import Label, Taxonomy
from assay.core.rendering import read_source
from assay.core.results import Result
from assay.core.taxonomies import BINARY, ERROR5, FAITHBENCH, GRAY7, TAXONOMIES
from assay.core.texts import Span
from assay.core.units import Unit
from assay.core.verdicts import Attributes, ExternalEvidence, Failure, Verdict
from assay.report.pages.badges import NO_VERDICT, REASONS
from assay.report.pages.page import html_of
from tests.report.pages.page_data import (
    MANIFEST,
    OPEN,
    Data,
    Reader,
    Write,
    judged,
    quoting,
    squeeze,
)


def test_evidence_is_where_a_browser_counts_it_and_the_best_comes_first(
    sample: Result, write: Write
) -> None:
    data = Data(write(sample))
    for number, sentence in enumerate(sample.sentences, start=1):
        for rank, span in enumerate(sentence.evidence):
            assert data.evidence(number, rank) == span.text
    assert len(data.unit(4)["quotes"]) == 2


def test_flagged_sentences_are_the_unfaithful_the_unsure_and_the_failed(
    sample: Result, write: Write
) -> None:
    data = Data(write(sample))
    assert [at for at in range(1, 9) if "flagged" in data.unit(at)] == [4, 5, 6, 7, 8]
    assert data.responses[0]["worst"] == 4


def test_words_that_the_evidence_lacks_are_cut_out(sample: Result, write: Write) -> None:
    data = Data(write(sample))
    assert data.runs(4) == ["Her notes are of ", "1853", "."]
    assert "runs" not in data.unit(2)


def test_record_tells_question_coverage_and_what_was_read(sample: Result, write: Write) -> None:
    part = Result(sample.example, replace(sample.judgement, characters_read=1200))
    record = Data(write(part)).responses[0]
    assert record["question"] == "Who was Ada?"
    assert (record["judged"], record["counted"], record["noun"]) == (7, 8, "sentence")
    assert (record["read"], record["characters"]) == (1200, len(part.example.source.text))


def test_unit_tells_reason_score_and_confidence(sample: Result, write: Write) -> None:
    data = Data(write(sample))
    unit = data.unit(4)
    assert data.badge(unit["badge"]) == "contradicting"
    assert (unit["note"], unit["score"], unit["confidence"]) == ("Why contradicting.", 0.5, 0.75)


@pytest.mark.parametrize(
    ("name", "meaning"),
    [
        ("embedded", "probability of being faithful"),
        ("overlap", "from counted words alone"),
        ("vote(overlap, embedded)", "higher is more faithful"),
    ],
)
def test_score_is_called_a_probability_only_where_it_is_one(
    sample: Result, name: str, meaning: str
) -> None:
    page = html_of([sample], Manifest(Author(name), taxonomy="gray7"))
    assert Data(page).about["score"] == meaning


def test_score_of_0_is_a_score(write: Write) -> None:
    data = Data(write(judged("A.", "B.", Verdict("s1", GRAY7["fabricated"], 0.0, 0.0))))
    assert (data.unit(1)["score"], data.unit(1)["confidence"], data.index[0]["score"]) == (0, 0, 0)


@pytest.mark.parametrize(
    ("label", "score", "stance"),
    [
        (
            GRAY7["contradicting"],
            0.46,
            "d takes this for a contradiction of the source, but its score of 0.46 is close to "
            "the threshold of 0.50.",
        ),
        (
            GRAY7["contradicting"],
            0.02,
            "d takes this for a contradiction of the source (score 0.02).",
        ),
        (GRAY7["no-fact"], 0.5, "d finds nothing in this that could be checked."),
        (BINARY["unfaithful"], None, "d labels this unfaithful."),
        (None, 0.2, "d gives this a score of 0.20 and no label."),
    ],
)
def test_who_says_so_and_how_surely_is_told(
    label: Label | None, score: float | None, stance: str, write: Write
) -> None:
    unit = Data(write(judged("A.", "B.", Verdict("s1", label, score)))).unit(1)
    assert unit["stance"] == stance


def test_threshold_of_the_manifest_is_the_one_that_is_told() -> None:
    manifest = replace(MANIFEST, parameters={"threshold": 0.7})
    html = html_of([judged("A.", "B.", Verdict("s1", GRAY7["fabricated"], 0.66))], manifest)
    assert "close to the threshold of 0.70" in Data(html).unit(1)["stance"]
    assert "Threshold 0.70" in squeeze(Reader.of(html).by_class("facts")[0].text)


def test_no_threshold_is_told_where_a_model_chooses_the_label() -> None:
    said = [judged("A.", "B.", Verdict("s1", GRAY7["fabricated"], 0.46))]
    html = html_of(said, replace(MANIFEST, model="m"))
    assert Data(html).unit(1)["stance"].endswith("supports or denies this (score 0.46).")
    assert "Threshold" not in Reader.of(html).by_class("facts")[0].text
    facts = Reader.of(html_of(said, replace(MANIFEST, model=""))).by_class("facts")[0].text
    assert "Threshold 0.50" in squeeze(facts)


@pytest.mark.parametrize("label", list(GRAY7))
def test_what_is_said_of_a_unit_takes_no_definition_for_a_finding(
    label: Label, write: Write
) -> None:
    """Newcomer 18: the meaning of a label was shown as if it had been established."""
    verdict = Verdict("s1", label, 0.4, note="So.", answers=OPEN)
    unit = json.dumps(Data(write(judged("A.", "B.", verdict))).unit(1))
    assert label.meaning not in unit
    assert "outside knowledge" not in unit


def test_invented_link_is_no_statement_that_nothing_supports(write: Write) -> None:
    verdict = Verdict("s1", GRAY7["fabricated"], error=ERROR5["fabricated-link"])
    unit = Data(write(judged("A.", "B.", verdict))).unit(1)
    assert "but not the link between them" in unit["stance"]
    assert "nothing in the source" not in unit["stance"]
    assert "facts are right" not in unit["note"]


@pytest.mark.parametrize(
    ("source", "response"),
    [
        ("<p>It has caf&eacute;s.</p>", "It has cafés.[2][3]"),
        ("It has **cafés**.", "It has cafés.【3†source】"),
        ("<p>It has cafés.</p>", "It has caf&eacute;s."),
    ],
)
def test_words_are_compared_as_they_are_seen(source: str, response: str, write: Write) -> None:
    result = quoting(source, response, "explicitly-supported", source)
    assert Data(write(result)).runs(1) == [response]


def test_places_of_absent_words_are_those_in_the_response_as_written(write: Write) -> None:
    source, response = "<p>It has 2 caf&eacute;s.</p>", "It **has** 3 caf&eacute;s.[1]"
    data = Data(write(quoting(source, response, "fabricated", source)))
    assert data.runs(1) == ["It **has** ", "3", " caf&eacute;s.[1]"]


def test_contradiction_is_compared_with_the_best_evidence(write: Write) -> None:
    source = "The lamp is red. The door is blue."
    passages = ("The lamp is red.", "The door is blue.")
    against = quoting(source, "The lamp is blue.", "contradicting", *passages)
    assert Data(write(against)).runs(1) == ["The lamp is ", "blue", "."]
    support = quoting(source, "The lamp is blue.", "implicitly-supported", *passages)
    assert Data(write(support)).runs(1) == ["The lamp is blue."]


def test_source_in_html_is_stored_with_what_is_seen_of_it(write: Write) -> None:
    source = "<html><style>p {}</style><p>Tea &amp; <b>cake</b>.</p><p>Jam.</p></html>"
    result = quoting(source, "Cake.", "explicitly-supported", "Tea &amp; <b>cake</b>.")
    data = Data(write(result))
    assert data.sources == [source]
    start, end = data.unit(1)["quotes"][0]["at"]
    assert source[start:end] == "Tea &amp; <b>cake</b>."
    seen, lit, position = "", "", 0
    for edit in (*data.shown[0]["edits"], {"at": [len(source)] * 2}):
        first, last = edit["at"]
        inside = [each for each in range(position, first) if start <= each < end]
        is_lit = start <= first and last <= end
        seen += source[position:first] + edit.get("seen", "")
        lit += "".join(source[each] for each in inside) + (edit.get("seen", "") if is_lit else "")
        position = last
    assert (seen, lit) == ("Tea & cake.\n\nJam.", "Tea & cake.")
    assert data.responses[0]["seen"] == len(seen)


def test_open_answers_are_not_asked(sample: Result, write: Write) -> None:
    data = Data(write(sample))
    assert data.unit(3)["answers"] == "y-yn--"
    assert data.about["questions"][2] == "Does the source entail it?"


@pytest.mark.parametrize(("consulted", "answers"), [("", "y-n-nN"), ("wiki", "y-n-nn")])
def test_answer_about_the_world_that_nobody_looked_up_is_from_memory(
    consulted: str, answers: str, write: Write
) -> None:
    said = replace(OPEN, entailed_with_knowledge=False)
    looked = Attributes(consulted=consulted)
    verdict = Verdict("s1", GRAY7["fabricated"], answers=said, attributes=looked)
    assert Data(write(judged("A.", "B.", verdict))).unit(1)["answers"] == answers


def test_ambiguous_sentence_has_its_readings(sample: Result, write: Write) -> None:
    data = Data(write(sample))
    found = [(data.badge(e["badge"]), e["meaning"]) for e in data.unit(7)["interpretations"]]
    assert found == [
        ("explicitly-supported", "it is the work"),
        ("fabricated", "it is the engine"),
    ]


def test_only_addresses_of_the_web_are_links(sample: Result, write: Write) -> None:
    first, second = Data(write(sample)).unit(6)["external"]
    assert first["link"] == "https://example.org/hucknall"
    assert second == {"address": "javascript:alert(1)"}


def test_failure_is_no_verdict_with_its_reason(sample: Result, write: Write) -> None:
    data = Data(write(sample))
    unit = data.unit(8)
    assert data.tone(unit["badge"]) == "no-verdict"
    assert unit["note"] == "not an object"
    assert unit["failure"] == {
        "reason": "parse",
        "words": REASONS["parse"],
        "reply": "I <b>think</b> so",
    }


def test_a_long_reply_is_cut_and_the_rest_counted(sample: Result, write: Write) -> None:
    failures = tuple(Failure(each.id, "parse", raw="x" * 2_345) for each in sample.sentences)
    failed = Result(sample.example, replace(sample.judgement, outcomes=failures))
    failure = Data(write(failed)).unit(1)["failure"]
    assert (failure["reply"], failure["cut"]) == ("x" * 2_000, 345)


def test_response_without_any_verdict_has_no_label(sample: Result, write: Write) -> None:
    failures = tuple(Failure(each.id, "refused") for each in sample.sentences)
    failed = Result(sample.example, replace(sample.judgement, outcomes=failures))
    data = Data(write(failed))
    assert data.badge(data.index[0]["badge"]) == NO_VERDICT.name
    assert data.about["coarse"][data.index[0]["coarse"]] == NO_VERDICT.name
    assert data.responses[0]["judged"] == 0


@pytest.mark.parametrize("taxonomy", [each for each in TAXONOMIES.values() if each != GRAY7])
def test_other_taxonomies_are_coloured_by_coarse_reading(taxonomy: Taxonomy, write: Write) -> None:
    tones = {
        "faithful": "explicitly-supported",
        "not-sure": "ambiguous",
        "no-fact": "no-fact",
        "unfaithful": "contradicting",
    }
    for label in taxonomy:
        result = judged("A.", "B.", Verdict("s1", label))
        data = Data(write(result, taxonomy=taxonomy))
        badge = data.unit(1)["badge"]
        assert (data.tone(badge), data.badge(badge)) == (tones[label.coarse], label.name)


def test_score_without_a_label_is_neither_class(write: Write) -> None:
    result = judged("A.", "B.", Verdict("s1", score=0.2))
    data = Data(write(result, taxonomy=BINARY))
    assert data.tone(data.unit(1)["badge"]) == "score-only"
    assert data.unit(1)["flagged"] == 1


def test_line_ends_of_two_characters_are_one_line_end(write: Write) -> None:
    source = "One.\r\nTwo.\r\n\r\nThree."
    cut = Span.cut(source, 0, 5, "source")  # ends between the two characters of a line end
    result = judged(source, "B.", Verdict("s1", GRAY7["fabricated"], evidence=(cut,)))
    assert Data(write(result)).evidence(1, 0) == "One."


def test_named_passage_of_a_quote_is_told(write: Write) -> None:
    source = read_source(["Cats sleep.", "Dogs bark loudly."])
    start = source.text.index("Dogs")
    evidence = Span.cut(source.text, start, start + 17, "source")
    verdict = Verdict("s1", GRAY7["explicitly-supported"], evidence=(evidence,))
    result = judged(source.text, "Dogs bark loudly.", verdict)
    data = Data(write(Result(replace(result.example, source=source), result.judgement)))
    assert [each["passage"] for each in data.unit(1)["quotes"]] == ["passage 2"]
    assert data.evidence(1, 0) == "Dogs bark loudly."


def test_evidence_outside_the_source_is_quoted_in_words(write: Write) -> None:
    evidence = Span.cut("B.", 0, 2, "response")
    verdict = Verdict("s1", GRAY7["fabricated"], evidence=(evidence,))
    assert Data(write(judged("A.", "B.", verdict))).unit(1)["quotes"] == [{"text": "B."}]


def test_long_source_is_shown_around_its_evidence(write: Write) -> None:
    source = "x" * 150_000 + "Dogs bark." + "y" * 100_000
    evidence = Span.cut(source, 150_000, 150_010, "source")
    result = judged(source, "B.", Verdict("s1", GRAY7["fabricated"], evidence=(evidence,)))
    data = Data(write(result))
    # 400 characters are kept on each side.
    assert data.sources == ["x" * 400 + "Dogs bark." + "y" * 400]
    assert data.shown[0]["gaps"] == [
        {"at": 0, "characters": 149_600},
        {"at": 810, "characters": 99_600},
    ]
    assert data.evidence(1, 0) == "Dogs bark."


def test_unit_without_a_place_is_listed(write: Write) -> None:
    said = Verdict("s1", FAITHBENCH["consistent"]), Verdict("s1.c1", FAITHBENCH["benign"])
    claim = Unit("s1.c1", "claim", "B is so.", parent="s1")
    page = write(judged("A.", "B.", *said, units=[claim]), taxonomy=FAITHBENCH)
    data = Data(page)
    assert [each.get("text") for each in data.responses[0]["units"]] == [None, "B is so."]
    assert "places" not in data.unit(2)
    assert data.unit(1)["parts"] == [2]
    assert Reader(page).by_id("summary").text == "1 sentence in 1 response"


@pytest.mark.parametrize(
    ("label", "answers", "attributes", "said"),
    [
        ("fabricated", OPEN, Attributes(), True),
        ("out-dependent", OPEN, Attributes(), True),
        ("contradicting", replace(OPEN, contradicted=True), Attributes(), False),
        ("fabricated", replace(OPEN, entailed_with_knowledge=False), Attributes(), True),
        ("out-dependent", replace(OPEN, entailed_with_knowledge=True), Attributes(), True),
        ("fabricated", OPEN, Attributes(consulted="wikipedia"), False),
        ("fabricated", None, Attributes(), False),
    ],
)
def test_page_says_that_nobody_looked_outside_where_the_label_depends_on_it(
    label: str, answers: Answers | None, attributes: Attributes, said: bool, write: Write
) -> None:
    verdict = Verdict("s1", GRAY7[label], note="So.", answers=answers, attributes=attributes)
    note = Data(write(judged("A.", "B.", verdict))).unit(1)["note"]
    assert note == (f"So. {NOT_CONSULTED}" if said else "So.")


def test_outside_evidence_shows_that_somebody_looked(write: Write) -> None:
    outside = (ExternalEvidence("https://example.org", "It is so."),)
    verdict = Verdict("s1", GRAY7["fabricated"], note="So.", external=outside, answers=OPEN)
    assert Data(write(judged("A.", "B.", verdict))).unit(1)["note"] == "So."


def test_interpretations_that_nobody_looked_up_are_open_too(write: Write) -> None:
    senses = (Sense("one", OPEN), Sense("two", replace(OPEN, entailed_with_knowledge=False)))
    answers = Answers(states_fact=True, several_readings=True, senses=senses)
    result = judged("A.", "B.", Verdict("s1", GRAY7["fabricated"], answers=answers))
    assert Data(write(result)).unit(1)["note"] == NOT_CONSULTED


def test_parts_are_grouped_by_their_parents_in_any_order(write: Write) -> None:
    units = (
        Unit("s2", "sentence", "C."),
        Unit("s2.c1", "claim", "Of C.", parent="s2"),
        Unit("s1.c1", "claim", "Of B.", parent="s1"),
        Unit("s2.r1", "relation", "Of C, too.", parent="s2"),
    )
    ids = ("s1", *(unit.id for unit in units))
    said = (Verdict(id, BINARY["faithful"]) for id in ids)
    data = Data(write(judged("A.", "B.", *said, units=units), taxonomy=BINARY))
    parts = [
        [data.unit(part)["text"] for part in unit["parts"]]
        for unit in data.responses[0]["units"]
        if "parts" in unit
    ]
    assert parts == [["Of B."], ["Of C.", "Of C, too."]]


def test_units_that_are_parts_of_each_other_are_shown(write: Write) -> None:
    units = (
        Unit("c1", "claim", "One.", parent="c2"),
        Unit("c2", "claim", "Two.", parent="c1"),
    )
    said = (Verdict(id, BINARY["faithful"]) for id in ("c1", "c2"))
    data = Data(write(judged("A.", "B.", *said, units=units), taxonomy=BINARY))
    assert len(data.responses[0]["units"]) == 2
