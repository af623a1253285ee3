"""What stands on the page around its responses, read without a browser."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from assay.core.examples import Example
from assay.core.judgements import Author, utc_now
from assay.core.results import Result
from assay.core.taxonomies import GRAY7
from assay.core.texts import Passage, Response, Source, Span
from assay.core.units import Unit
from assay.core.verdicts import Attributes, ExternalEvidence, Failure, Verdict
from assay.report.pages.badges import NO_VERDICT, REASONS, label_badge, told_badge
from assay.report.pages.page import PageWriter, html_fragment, html_of
from assay.report.words import spelled_out
from tests.report.pages.page_data import (
    MANIFEST,
    NASTY,
    OPEN,
    Data,
    Reader,
    Write,
    judged,
    squeeze,
)


def test_page_asks_for_nothing_from_elsewhere(sample: Result, write: Write) -> None:
    page = Reader(write(sample))
    assert [link["href"] for link in page.by_tag("link")] == ["data:,"]
    assert not [each for each in page.elements if "src" in each.attributes]
    assert "url(" not in page.by_tag("style")[0].text
    assert "@import" not in page.by_tag("style")[0].text


def test_policy_forbids_all_but_inline_style_and_script(sample: Result, write: Write) -> None:
    metas = Reader(write(sample)).by_tag("meta")
    policy = next(each["content"] for each in metas if "http-equiv" in each.attributes)
    wanted = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'"
    assert policy.startswith(f"{wanted}; img-src data:;")


def test_texts_are_whole_with_their_white_space(sample: Result, write: Write) -> None:
    data = Data(write(sample))
    assert data.text() == sample.example.response.text
    assert data.sources == [sample.example.source.text]


def test_index_has_what_is_listed_sorted_and_filtered(sample: Result, write: Write) -> None:
    plain = judged("A.", "B.", Verdict("s1", GRAY7["explicitly-supported"], 0.9))
    data = Data(write(sample, plain))
    first, second = data.index
    assert (first["id"], data.badge(first["badge"]), first["score"]) == (
        "ada",
        "contradicting",
        0.5,
    )
    assert data.about["coarse"][first["coarse"]] == "unfaithful"
    present = {data.badge(at) for at in range(31) if first["labels"] >> at & 1}
    assert present == {*GRAY7.names, NO_VERDICT.name}
    assert first["flagged"] == 5
    assert data.about["models"][first["model"]] == "model-x"
    assert data.about["detectors"][first["detector"]] == "some-detector"
    assert data.badge(second["badge"]) == "explicitly-supported"
    assert (second["score"], second["flagged"]) == (0.9, 0)
    assert data.about["models"][second["model"]] == ""


def test_legend_says_what_fabricated_means_where_nobody_looked(write: Write) -> None:
    known = "outside knowledge does not support it either"
    verdict = Verdict("s1", GRAY7["fabricated"], answers=OPEN)
    page = write(judged("A.", "B.", verdict))
    said = squeeze(Reader(page).by_id("help").text)
    assert "nor denies the sentence. No outside source was consulted." in said
    assert not any(known in text for text in (said, json.dumps(Data(page).about)))
    looked = replace(verdict, attributes=Attributes(consulted="wiki"))
    said = squeeze(Reader(write(judged("A.", "B.", looked))).by_id("help").text)
    assert known in said
    assert "No outside source was consulted" not in said


def test_legend_has_every_meaning_and_the_counts(sample: Result, write: Write) -> None:
    help = write(sample, sample).read_text(encoding="utf-8").partition("<noscript>")[0]
    cells = [cell.text for cell in Reader.of(help).by_tag("td")]
    # Two of each sentence; both responses are as bad as their worst sentence, a contradicting one.
    assert cells == [
        cell
        for label in GRAY7
        for cell in (
            told_badge(label_badge(label), True).meaning,
            "2",
            "2" if label.name == "contradicting" else "0",
        )
    ] + [NO_VERDICT.meaning, "2", "0"]


def test_labels_are_buttons_with_their_counts(sample: Result, write: Write) -> None:
    page = write(sample, sample)
    buttons = [each for each in Reader(page).by_tag("button") if "data-label" in each.attributes]
    data = Data(page)
    assert [squeeze(each.text)[3:] for each in buttons] == [
        f"{data.badge(int(each['data-label']))} 2" for each in buttons
    ]
    assert len(buttons) == 8


def test_sums_tell_coverage_and_failures(sample: Result, write: Write) -> None:
    page = Reader(write(sample, sample, sample))
    assert page.by_id("summary").text == "24 sentences in 3 responses"
    # 21 of 24 is 87.5%, rounded down.
    facts = squeeze(page.by_class("facts")[0].text)
    assert "Coverage 87% Without a verdict 3: parse 3" in facts


def test_page_without_examples_says_so(write: Write) -> None:
    page = write()
    assert Reader(page).by_id("summary").text == "0 sentences in 0 responses"
    assert Data(page).index == []


def test_markup_in_any_field_is_text(write: Write) -> None:
    evidence = Span.cut(NASTY, 0, len(NASTY), "source")
    outside = ExternalEvidence(NASTY, NASTY, NASTY)
    outcomes = (
        Verdict("s1", GRAY7["ambiguous"], 0.5, 0.5, NASTY, (evidence,), (outside,)),
        Failure("c1", "parse", NASTY, NASTY),
    )
    passages = (Passage(NASTY, 0, 1), Passage("b", 1, 2))
    example = Example(
        NASTY, Source(NASTY, passages), Response(NASTY, NASTY), NASTY, language='"><script>'
    )
    claim = Unit("c1", "claim", NASTY)
    judgement = judged(NASTY, NASTY, *outcomes, units=[claim]).judgement
    page = write(Result(example, judgement))
    html, data = page.read_text(encoding="utf-8"), Data(page)
    assert html.count("<script") == html.count("</script") == 4  # three of data, and the script
    assert "<!--" not in html
    assert "<img" not in html
    assert data.text() == NASTY
    assert data.sources == [NASTY]
    assert data.index[0]["id"] == data.unit(2)["text"] == data.unit(1)["note"] == NASTY


def test_name_of_the_detector_and_problems_are_text(tmp_path: Path) -> None:
    manifest = replace(MANIFEST, author=Author(NASTY))
    with PageWriter(str(tmp_path / "page.html"), manifest, data=NASTY) as page:
        page.add_problem(NASTY, NASTY)
    read = Reader(tmp_path / "page.html")
    assert read.by_tag("title")[0].text == f"Faithfulness of {NASTY}, by {NASTY}"
    assert NASTY in read.by_id("problems").text
    assert not read.by_tag("img")


@pytest.mark.parametrize("made", ["\u202e", "\u2066", "\x9b", "\x1b", "\ud800"])
def test_characters_that_turn_or_hide_text_are_escaped_or_spelled_out(
    made: str, write: Write
) -> None:
    text = f"Ada {made}paid 12."
    evidence = (Span.cut(text, 0, len(text), "source"),)
    verdict = Verdict("s1", GRAY7["fabricated"], note=text, evidence=evidence)
    page = write(Result(replace((r := judged(text, text, verdict)).example, id=text), r.judgement))
    html = page.read_text(encoding="utf-8")
    assert made not in html
    data = Data(page)
    assert data.text() == data.unit(1)["note"] == data.index[0]["id"] == data.evidence(1, 0) == text
    assert f"Ada {spelled_out(made)}paid 12." in html.partition("<noscript>")[2]


def test_ids_are_unique_even_if_those_of_examples_are_not(sample: Result, write: Write) -> None:
    page = Reader(write(sample, sample))
    ids = [each["id"] for each in page.elements if "id" in each.attributes]
    assert len(ids) == len(set(ids))


def test_page_names_detector_model_data_and_versions(tmp_path: Path) -> None:
    manifest = replace(MANIFEST, model="some-model", knowledge="wiki")
    with PageWriter(str(tmp_path / "page.html"), manifest, data="answers.jsonl"):
        pass
    page = Reader(tmp_path / "page.html")
    facts = [squeeze(each.text) for each in page.by_tag("li")]
    assert facts[:4] == ["Detector d 3", "Model some-model", "Outside source wiki", "Labels gray7"]
    assert "Assay 0.1.0" in facts
    assert squeeze(page.by_tag("h1")[0].text) == "answers.jsonl 0 sentences in 0 responses"


def test_page_tells_the_days_on_which_it_was_judged(sample: Result) -> None:
    def facts(*times: str) -> str:
        judged_at = (replace(sample.judgement, at=at) for at in times)
        page = Reader.of(html_of([Result(sample.example, each) for each in judged_at], MANIFEST))
        return squeeze(page.by_class("facts")[0].text)

    first, second = "2026-03-01T09:00:00Z", "2026-02-27T09:00:00Z"
    assert "Judged 2026-03-01 Assay" in facts(first)
    assert "Judged 2026-02-27 to 2026-03-01 Assay" in facts(first, second, first)
    assert f"Page of {utc_now()[:10]}" in facts("")


def test_rows_that_could_not_be_read_are_told_with_their_reason() -> None:
    problems = [(f"line {at}", "no response") for at in range(1, 131)]
    page = Reader.of(html_of([], MANIFEST, problems))
    told = squeeze(page.by_id("problems").text)
    assert "130 rows could not be read line 1 no response line 2" in told
    assert told.endswith("line 100 no response and 30 more rows")


def test_page_without_scripts_has_sums_and_the_first_50_responses(sample: Result) -> None:
    html = html_of([sample] * 60, MANIFEST, [("line 3", "no response")])
    plain = Reader.of(html.partition("<noscript>")[2].partition("</noscript>")[0])
    assert len(plain.by_tag("section")) == 50
    told = squeeze(plain.by_class("assay-report")[0].text)
    assert "Only the first 50 of 60 responses are shown here." in told
    assert "1 row could not be read line 3 no response" in told
    assert GRAY7["ambiguous"].meaning in told


def test_fragment_shows_50_responses_and_says_so(sample: Result) -> None:
    few, many = (html_fragment([sample] * count, MANIFEST) for count in (50, 1_200))
    assert len(Reader.of(few).by_tag("section")) == len(Reader.of(many).by_tag("section")) == 50
    assert "are shown here" not in few
    assert "Only the first 50 of 1,200 responses are shown here." in squeeze(many)
    assert "<b>9,600 sentences</b> in 1,200 responses" in many


def test_fragment_has_no_script_and_no_id_and_tells_what_is_wrong(sample: Result) -> None:
    page = Reader.of(html_fragment([sample], MANIFEST))
    assert not page.by_tag("script")
    assert not [each for each in page.elements if "id" in each.attributes]
    details = squeeze(page.by_tag("details")[0].text)
    assert details.startswith(
        "5 sentences need a look ✖\ufe0e contradicting Her notes are of 1853."
    )
    assert f"{REASONS['parse']} not an object" in details


def test_markup_in_a_fragment_is_text() -> None:
    said = Verdict("s1", GRAY7["fabricated"], note=NASTY)
    html = html_fragment([judged(NASTY, NASTY, said)], replace(MANIFEST, model=NASTY))
    assert "<script" not in html
    assert "<img" not in html


def test_half_a_character_can_be_encoded() -> None:
    said = Verdict("s1", GRAY7["fabricated"], note="a \ud800 b")
    for make in (html_of, html_fragment):
        assert r"a \ud800 b" in make([judged("A.", "B.", said)], MANIFEST)
