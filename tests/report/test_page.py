"""What stands on the page, read without a browser."""

import json
import os
import resource
import tracemalloc
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from html.parser import HTMLParser
from itertools import accumulate
from pathlib import Path
from typing import Any

import pytest

from assay.core.decision import NOT_CONSULTED, Answers, Sense
from assay.core.errors import InputError
from assay.core.examples import Example
from assay.core.judgements import Author, Judgement, Manifest, utc_now
from assay.core.labels import Label, Taxonomy
from assay.core.rendering import read_source
from assay.core.results import Result
from assay.core.spans import Span
from assay.core.taxonomies import BINARY, ERROR5, FAITHBENCH, GRAY7, TAXONOMIES
from assay.core.texts import Passage, Response, Source
from assay.core.units import Unit
from assay.core.verdicts import Attributes, ExternalEvidence, Failure, Outcome, Verdict
from assay.report.looks import NO_VERDICT, REASONS, label_badge, told_badge
from assay.report.page import PageWriter, html_fragment, html_of
from assay.report.tables import spelled_out

Write = Callable[..., Path]
MANIFEST = Manifest(Author("d", version="3"), version="0.1.0", taxonomy="gray7")
NASTY = "</script><script>alert(1)</script> \"'&amp; {{ 7 * 7 }} {% raw %} <img src=x>"


class Element:
    """An element with its attributes and all text inside it."""

    def __init__(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.tag = tag
        self.attributes = {name: value or "" for name, value in attributes}
        self.text = ""

    def __contains__(self, name: str) -> bool:
        return name in self.attributes.get("class", "").split()

    def __getitem__(self, name: str) -> str:
        return self.attributes[name]


class Reader(HTMLParser):
    """Reads a page into a flat list of its elements."""

    def __init__(self, page: Path | None = None) -> None:
        super().__init__()
        self.elements: list[Element] = []
        self._open: list[Element] = []
        if page:
            self.feed(page.read_text(encoding="utf-8"))

    @classmethod
    def of(cls, html: str) -> "Reader":
        reader = cls()
        reader.feed(html)
        return reader

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append(Element(tag, attrs))
        if tag not in ("meta", "link", "input"):
            self._open.append(self.elements[-1])

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop().tag == tag, f"</{tag}> closes another element"

    def handle_data(self, data: str) -> None:
        for element in self._open:
            element.text += data

    def by_class(self, *names: str) -> list[Element]:
        return [each for each in self.elements if all(name in each for name in names)]

    def by_tag(self, tag: str) -> list[Element]:
        return [each for each in self.elements if each.tag == tag]

    def by_id(self, name: str) -> Element:
        return next(each for each in self.elements if each.attributes.get("id") == name)


def judged(source: str, response: str, *outcomes: Outcome, units: Sequence[Unit] = ()) -> Result:
    """The result of a response that is one sentence, `s1`, and perhaps of more units."""
    example = Example("x", Source(source), Response(response))
    sentence = Unit.at("sentence", Span.cut(response, 0, len(response), "response"), "s1")
    judgement = Judgement("x", MANIFEST.author, (sentence, *units), outcomes, 0, len(source))
    return Result(example, judgement)


def squeeze(text: str) -> str:
    return " ".join(text.split())


class Data:
    """What the script of a page reads."""

    def __init__(self, page: Path | str) -> None:
        html = page if isinstance(page, str) else page.read_text(encoding="utf-8")
        scripts = [each for each in Reader.of(html).by_tag("script") if "type" in each.attributes]
        read = {each["id"]: json.loads(each.text) for each in scripts}
        self.about: dict[str, Any] = read.pop("about")
        self.index: list[list[Any]] = read.pop("index")
        self.blocks: list[Any] = list(read.values())
        self.responses = [each[0] for block in self.blocks for each in block]
        self.sources = [each[1] for block in self.blocks for each in block if len(each) > 1]

    def unit(self, number: int, response: int = 0) -> dict[str, Any]:
        found: dict[str, Any] = self.responses[response]["units"][number - 1]
        return found

    def badge(self, number: int) -> str:
        return str(self.about["badges"][number]["name"])

    def tone(self, number: int) -> str:
        return str(self.about["badges"][number]["tone"])

    def text(self, response: int = 0) -> str:
        return "".join(join(piece[0]) for piece in self.responses[response]["pieces"])

    def evidence(self, unit: int, rank: int, response: int = 0) -> str:
        """The passage of the source that is the evidence of that rank for a unit."""
        record = self.responses[response]
        source = self.sources[record["source"]].encode("utf-16-le", "surrogatepass")
        cuts = [each if isinstance(each, list) else [each] for each in record["cuts"]]
        ends = list(accumulate(max(0, cut[0]) for cut in cuts))
        held = [list(zip(cut[1::2], cut[2::2], strict=True)) for cut in cuts]
        return b"".join(
            source[2 * (end - cut[0]) : 2 * end]
            for cut, end, marks in zip(cuts, ends, held, strict=True)
            if (unit, rank) in marks
        ).decode("utf-16-le", "surrogatepass")


def join(runs: str | list[str]) -> str:
    return runs if isinstance(runs, str) else "".join(runs)


OPEN = Answers(states_fact=True, entailed=False, contradicted=False)


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


def test_evidence_is_where_a_browser_counts_it_and_the_best_comes_first(
    sample: Result, write: Write
) -> None:
    data = Data(write(sample))
    for number, sentence in enumerate(sample.sentences, start=1):
        for rank, span in enumerate(sentence.evidence):
            assert data.evidence(number, rank) == span.text
    assert len(data.unit(4)["quotes"]) == 2


def test_source_of_several_responses_is_stored_once(sample: Result, write: Write) -> None:
    other = judged("Another source.", "B.", Verdict("s1", GRAY7["fabricated"]))
    data = Data(write(sample, other, sample))
    assert [each["source"] for each in data.responses] == [0, 1, 0]
    assert data.sources == [sample.example.source.text, "Another source."]


def test_responses_are_read_in_blocks_that_say_where_they_begin(write: Write) -> None:
    long = "x" * 90_000
    results = [
        judged(f"{long}{at // 2}", f"B{at}.", Verdict("s1", GRAY7["fabricated"])) for at in range(9)
    ]
    data = Data(write(*results))
    assert len(data.blocks) > 1
    firsts = [0, *accumulate(len(block) for block in data.blocks)][:-1]
    sources = [0, *accumulate(sum(len(e) > 1 for e in b) for b in data.blocks)][:-1]
    assert data.about["blocks"] == [list(each) for each in zip(firsts, sources, strict=True)]
    assert [data.text(at) for at in range(9)] == [f"B{at}." for at in range(9)]


def test_index_has_what_is_listed_sorted_and_filtered(sample: Result, write: Write) -> None:
    plain = judged("A.", "B.", Verdict("s1", GRAY7["explicitly-supported"], 0.9))
    data = Data(write(sample, plain))
    (id, badge, score, coarse, labels, flagged, model, detector), second = data.index
    assert (id, data.badge(badge), score) == ("ada", "contradicting", 0.5)
    assert data.about["coarse"][coarse] == "unfaithful"
    present = {data.badge(at) for at in range(31) if labels >> at & 1}
    assert present == {*GRAY7.names, NO_VERDICT.name}
    assert flagged == 5
    assert data.about["models"][model] == "model-x"
    assert data.about["detectors"][detector] == "some-detector"
    assert (data.badge(second[1]), second[2], second[5]) == ("explicitly-supported", 0.9, 0)
    assert data.about["models"][second[6]] == ""


def test_flagged_sentences_are_the_unfaithful_the_unsure_and_the_failed(
    sample: Result, write: Write
) -> None:
    data = Data(write(sample))
    assert [at for at in range(1, 9) if "flagged" in data.unit(at)] == [4, 5, 6, 7, 8]
    assert data.responses[0]["worst"] == 4


def test_words_that_the_evidence_lacks_are_cut_out(sample: Result, write: Write) -> None:
    pieces = Data(write(sample)).responses[0]["pieces"]
    runs = next(piece[0] for piece in pieces if join(piece[0]) == "Her notes are of 1853.")
    assert runs == ["Her notes are of ", "1853", "."]
    born = next(piece[0] for piece in pieces if join(piece[0]).startswith("Ada Lovelace"))
    assert isinstance(born, str)


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
    assert (data.unit(1)["score"], data.unit(1)["confidence"], data.index[0][2]) == (0, 0, 0)


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


def test_invented_link_is_no_statement_that_nothing_supports(write: Write) -> None:
    verdict = Verdict("s1", GRAY7["fabricated"], error=ERROR5["fabricated-link"])
    unit = Data(write(judged("A.", "B.", verdict))).unit(1)
    assert "but not the link between them" in unit["stance"]
    assert "nothing in the source" not in unit["stance"]
    assert "facts are right" not in unit["note"]


def quoting(source: str, response: str, label: str, *passages: str) -> Result:
    """A response of one sentence, and passages of the source as its evidence, as written."""
    places = [(source.index(each), source.index(each) + len(each)) for each in passages]
    evidence = tuple(Span.cut(source, *place, "source") for place in places)
    return judged(source, response, Verdict("s1", GRAY7[label], evidence=evidence))


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
    assert Data(write(result)).responses[0]["pieces"][0][0] == response


def test_places_of_absent_words_are_those_in_the_response_as_written(write: Write) -> None:
    source, response = "<p>It has 2 caf&eacute;s.</p>", "It **has** 3 caf&eacute;s.[1]"
    pieces = Data(write(quoting(source, response, "fabricated", source))).responses[0]["pieces"]
    assert pieces[0][0] == ["It **has** ", "3", " caf&eacute;s.[1]"]


def test_contradiction_is_compared_with_the_best_evidence(write: Write) -> None:
    source = "The lamp is red. The door is blue."
    passages = ("The lamp is red.", "The door is blue.")
    against = quoting(source, "The lamp is blue.", "contradicting", *passages)
    assert Data(write(against)).responses[0]["pieces"][0][0] == ["The lamp is ", "blue", "."]
    support = quoting(source, "The lamp is blue.", "implicitly-supported", *passages)
    assert Data(write(support)).responses[0]["pieces"][0][0] == "The lamp is blue."


def test_source_in_html_is_stored_with_what_is_seen_of_it(write: Write) -> None:
    source = "<html><style>p {}</style><p>Tea &amp; <b>cake</b>.</p><p>Jam.</p></html>"
    result = quoting(source, "Cake.", "explicitly-supported", "Tea &amp; <b>cake</b>.")
    data = Data(write(result))
    record, at, seen, lit = data.responses[0], 0, "", ""
    for cut in (each if isinstance(each, list) else [each] for each in record["cuts"]):
        shown, length, *marks = cut if isinstance(cut[0], str) else [None, *cut]
        text = data.sources[0][at : at + length] if shown is None else shown
        seen, lit, at = seen + text, lit + (text if marks else ""), at + length
    assert (data.sources[0], at) == (source, len(source))
    assert (seen, lit) == ("Tea & cake.\n\nJam.", "Tea & cake.")
    assert record["seen"] == len(seen)


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
    readings = [(data.badge(badge), meaning) for badge, meaning in data.unit(7)["readings"]]
    assert readings == [
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
    assert (unit["stance"], unit["reason"]) == (REASONS["parse"], "parse")
    assert (unit["note"], unit["reply"]) == ("not an object", "I <b>think</b> so")
    assert "more" not in unit


def test_a_long_reply_is_cut_and_the_rest_counted(sample: Result, write: Write) -> None:
    failures = tuple(Failure(each.id, "parse", raw="x" * 2_345) for each in sample.sentences)
    failed = Result(sample.example, replace(sample.judgement, outcomes=failures))
    unit = Data(write(failed)).unit(1)
    assert (unit["reply"], unit["more"]) == ("x" * 2_000, 345)


def test_response_without_any_verdict_has_no_label(sample: Result, write: Write) -> None:
    failures = tuple(Failure(each.id, "refused") for each in sample.sentences)
    failed = Result(sample.example, replace(sample.judgement, outcomes=failures))
    data = Data(write(failed))
    assert data.badge(data.index[0][1]) == NO_VERDICT.name
    assert data.about["coarse"][data.index[0][3]] == NO_VERDICT.name
    assert data.responses[0]["judged"] == 0


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
    assert data.index[0][0] == data.unit(2)["text"] == data.unit(1)["note"] == NASTY


def test_name_of_the_detector_and_problems_are_text(tmp_path: Path) -> None:
    manifest = replace(MANIFEST, author=Author(NASTY))
    with PageWriter(str(tmp_path / "page.html"), manifest, data=NASTY) as page:
        page.add_problem(NASTY, NASTY)
    read = Reader(tmp_path / "page.html")
    assert read.by_tag("title")[0].text == f"Faithfulness of {NASTY}, by {NASTY}"
    assert NASTY in read.by_id("problems").text
    assert not read.by_tag("img")


@pytest.mark.parametrize("made", ["\u202e", "\u2066", "\x9b", "\x1b", "\ud800"])
def test_characters_that_turn_or_hide_text_are_spelled_out(made: str, write: Write) -> None:
    text = f"Ada {made}paid 12."
    evidence = (Span.cut(text, 0, len(text), "source"),)
    verdict = Verdict("s1", GRAY7["fabricated"], note=text, evidence=evidence)
    page = write(Result(replace((r := judged(text, text, verdict)).example, id=text), r.judgement))
    html = page.read_text(encoding="utf-8")
    assert made not in html
    spelled = f"Ada {spelled_out(made)}paid 12."
    data = Data(page)
    assert data.text() == data.unit(1)["note"] == data.index[0][0] == data.evidence(1, 0) == spelled


def test_line_ends_of_two_characters_are_one_line_end(write: Write) -> None:
    source = "One.\r\nTwo.\r\n\r\nThree."
    cut = Span.cut(source, 0, 5, "source")  # ends between the two characters of a line end
    result = judged(source, "B.", Verdict("s1", GRAY7["fabricated"], evidence=(cut,)))
    data = Data(write(result))
    assert data.sources == ["One.\nTwo.\n\nThree."]
    assert data.evidence(1, 0) == "One."


def test_named_passage_of_a_quote_is_told(write: Write) -> None:
    source = read_source(["Cats sleep.", "Dogs bark loudly."])
    start = source.text.index("Dogs")
    evidence = Span.cut(source.text, start, start + 17, "source")
    verdict = Verdict("s1", GRAY7["explicitly-supported"], evidence=(evidence,))
    result = judged(source.text, "Dogs bark loudly.", verdict)
    data = Data(write(Result(replace(result.example, source=source), result.judgement)))
    assert data.unit(1)["quotes"] == [{"passage": "passage 2"}]
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
    assert data.responses[0]["cuts"] == [-149_600, 400, [10, 1, 0], 400, -99_600]
    assert data.sources == ["x" * 400 + "Dogs bark." + "y" * 400]


def test_unit_without_a_place_is_listed(write: Write) -> None:
    said = Verdict("s1", FAITHBENCH["consistent"]), Verdict("s1.c1", FAITHBENCH["benign"])
    claim = Unit("s1.c1", "claim", "B is so.", parent="s1")
    page = write(judged("A.", "B.", *said, units=[claim]), taxonomy=FAITHBENCH)
    data = Data(page)
    assert data.responses[0]["listed"] == [2]
    assert data.unit(2)["text"] == "B is so."
    assert data.unit(1)["parts"] == [2]
    assert Reader(page).by_id("summary").text == "1 sentence in 1 response"


def test_ids_are_unique_even_if_those_of_examples_are_not(sample: Result, write: Write) -> None:
    page = Reader(write(sample, sample))
    ids = [each["id"] for each in page.elements if "id" in each.attributes]
    assert len(ids) == len(set(ids))


def test_page_appears_whole_when_it_is_closed(sample: Result, tmp_path: Path) -> None:
    target = tmp_path / "page.html"
    with PageWriter(str(target), MANIFEST) as page:
        for _ in range(20):
            page.add(sample)
        assert not target.exists()
    assert list(tmp_path.iterdir()) == [target]
    assert len(Data(target).index) == 20


def test_memory_of_the_writer_does_not_grow_with_the_page(tmp_path: Path) -> None:
    """Five times as many responses take as much memory, but for a few bytes for each source."""

    def peak(count: int) -> int:
        tracemalloc.start()
        with PageWriter(str(tmp_path / "page.html"), MANIFEST) as page:
            for at in range(count):
                text = f"{at} " * 1_000
                page.add(judged(text, "B.", Verdict("s1", GRAY7["fabricated"])))
        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return most

    peak(60)  # the templates are read once
    few, many = peak(200), peak(1_000)
    assert (tmp_path / "page.html").stat().st_size > 3_000_000
    assert many - few < 800 * 500


def test_error_leaves_the_older_page_and_nothing_else(sample: Result, tmp_path: Path) -> None:
    target = tmp_path / "page.html"
    target.write_text("older")
    with suppress(KeyboardInterrupt), PageWriter(str(target), MANIFEST) as page:
        page.add(sample)
        raise KeyboardInterrupt
    assert target.read_text() == "older"
    assert list(tmp_path.iterdir()) == [target]


def test_page_is_as_readable_as_any_new_file(sample: Result, write: Write) -> None:
    page = write(sample)
    plain = page.with_name("plain")
    plain.touch()
    assert page.stat().st_mode == plain.stat().st_mode


def test_link_to_a_page_stays_a_link(sample: Result, tmp_path: Path) -> None:
    link = tmp_path / "link.html"
    link.symlink_to(tmp_path / "real.html")
    with PageWriter(str(link), MANIFEST) as page:
        page.add(sample)
    assert link.is_symlink()
    assert (tmp_path / "real.html").stat().st_size > 0


def test_place_that_cannot_be_written_is_told_at_once(tmp_path: Path) -> None:
    path = tmp_path / "nowhere" / "page.html"
    with pytest.raises(InputError, match=r"cannot write .*page\.html: No such file or directory"):
        PageWriter(str(path), MANIFEST)


def test_pipe_is_not_replaced_by_a_file(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for path in (pipe, tmp_path):
        with pytest.raises(InputError, match="it is not a file"):
            PageWriter(str(path), MANIFEST)
    assert pipe.is_fifo()


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


def test_text_of_a_page_is_what_its_file_has(sample: Result, write: Write) -> None:
    manifest = Manifest(Author("some-detector", version="1.2"), "0.1.0", taxonomy="gray7")
    assert html_of([sample, sample], manifest) == write(sample, sample).read_text("utf-8")


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


@pytest.fixture
def little_space() -> Iterator[None]:
    """Files that cannot grow beyond 100 kB."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.usefixtures("little_space")
def test_lack_of_space_is_told(sample: Result, write: Write) -> None:
    with pytest.raises(InputError, match=r"cannot write .*page\.html: File too large"):
        write(*[sample] * 60)


@pytest.mark.usefixtures("little_space")
def test_page_that_lacks_space_leaves_nothing(sample: Result, write: Write, tmp_path: Path) -> None:
    with suppress(InputError):
        write(*[sample] * 60)
    assert list(tmp_path.iterdir()) == []
