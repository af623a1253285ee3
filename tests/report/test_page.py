"""What stands on the page, read without a browser."""

import os
import resource
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest

from assay.core.decision import NOT_CONSULTED, Answers, Sense
from assay.core.errors import InputError
from assay.core.examples import Example
from assay.core.judgements import Author, Judgement, Manifest
from assay.core.labels import Taxonomy
from assay.core.rendering import read_source
from assay.core.results import Result
from assay.core.spans import Span
from assay.core.taxonomies import BINARY, FAITHBENCH, GRAY7, TAXONOMIES
from assay.core.texts import Passage, Response, Source
from assay.core.units import Unit
from assay.core.verdicts import Attributes, ExternalEvidence, Failure, Outcome, Verdict
from assay.report.looks import NO_VERDICT, REASONS
from assay.report.page import PageWriter, html_fragment, html_of

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
        if tag not in ("meta", "link"):
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


def test_response_is_shown_whole_with_its_white_space(sample: Result, write: Write) -> None:
    words = Reader(write(sample)).by_class("words")
    assert "".join(each.text for each in words) == sample.example.response.text


def test_source_is_shown_whole(sample: Result, write: Write) -> None:
    source = Reader(write(sample)).by_class("text")[0]
    assert source.text == sample.example.source.text


def test_each_sentence_names_its_label_beside_its_symbol(sample: Result, write: Write) -> None:
    page = Reader(write(sample))
    names = [each.text for each in page.by_class("unseen")]
    assert names == [f"{each.label or 'no verdict'}: " for each in sample.sentences]
    assert len({each.text for each in page.by_class("tag")}) == 8


def test_flagged_sentences_are_the_unfaithful_the_unsure_and_the_failed(
    sample: Result, write: Write
) -> None:
    units = Reader(write(sample)).by_class("unit")
    flagged = [unit["data-unit"] for unit in units if "data-flagged" in unit.attributes]
    assert flagged == ["4", "5", "6", "7", "8"]


def test_header_names_question_model_score_and_coverage(sample: Result, write: Write) -> None:
    page = Reader(write(sample))
    facts = squeeze(page.by_class("facts")[0].text)
    assert page.by_id("h1").text == "Example ada"
    assert squeeze(page.by_class("question")[0].text) == "Question Who was Ada?"
    assert "contradicting" in facts
    assert "Score 0.50 Coverage 87%: 7 of 8 sentences have a verdict Model model-x" in facts


def test_part_of_the_source_that_was_read_is_said_only_if_it_is_a_part(
    sample: Result, write: Write
) -> None:
    assert "characters of the source" not in write(sample).read_text(encoding="utf-8")
    part = Result(sample.example, replace(sample.judgement, characters_read=1200))
    facts = squeeze(Reader(write(part)).by_class("facts")[0].text)
    assert f"Read 1,200 of {len(part.example.source.text):,} characters of the source" in facts


def test_details_tell_reason_score_and_confidence(sample: Result, write: Write) -> None:
    detail = squeeze(Reader(write(sample)).by_id("d1-4").text)
    assert "Sentence 4 ✖\ufe0e contradicting" in detail
    assert GRAY7["contradicting"].meaning in detail
    assert "Why contradicting." in detail
    assert "Score 0.50" in detail
    assert "Confidence 0.75" in detail
    assert "She wrote seven notes on the engine in 1843." in detail


def test_open_answers_are_not_asked(sample: Result, write: Write) -> None:
    detail = squeeze(Reader(write(sample)).by_id("d1-3").text)
    assert "Does the source entail it? yes" in detail
    assert "Does the source state every part of it in equivalent words? no" in detail
    assert "Does the source contradict it? not asked" in detail


def test_ambiguous_sentence_shows_its_readings(sample: Result, write: Write) -> None:
    detail = squeeze(Reader(write(sample)).by_id("d1-7").text)
    assert "explicitly-supported it is the work" in detail
    assert "fabricated it is the engine" in detail


def test_only_addresses_of_the_web_are_links(sample: Result, write: Write) -> None:
    page = Reader(write(sample))
    links = [each["href"] for each in page.by_tag("a")]
    assert links == ["#summary", "https://example.org/hucknall"]
    assert "javascript:alert(1)" in page.by_id("d1-6").text


def test_failure_is_no_verdict_with_its_reason(sample: Result, write: Write) -> None:
    page = Reader(write(sample))
    detail = squeeze(page.by_id("d1-8").text)
    assert "tone-no-verdict" in page.by_id("u1-8")
    assert f"{REASONS['parse']} (parse) not an object" in detail
    assert "I <b>think</b> so" in detail


def test_response_without_any_verdict_has_no_label(sample: Result, write: Write) -> None:
    failures = tuple(Failure(each.id, "refused") for each in sample.sentences)
    failed = Result(sample.example, replace(sample.judgement, outcomes=failures))
    facts = squeeze(Reader(write(failed)).by_class("facts")[0].text)
    assert facts.startswith("Response ∅\ufe0e no verdict Coverage 0%: 0 of 8")


def test_legend_has_every_meaning_and_the_counts(sample: Result, write: Write) -> None:
    cells = [cell.text for cell in Reader(write(sample, sample)).by_tag("td")]
    # Two of each sentence; both responses are as bad as their worst sentence, a contradicting one.
    assert cells == [
        cell
        for label in GRAY7
        for cell in (label.meaning, "2", "2" if label.name == "contradicting" else "0")
    ] + [NO_VERDICT.meaning, "2", "0"]


def test_sums_tell_coverage_and_failures(sample: Result, write: Write) -> None:
    page = Reader(write(sample, sample, sample))
    assert page.by_id("summary-heading").text == "24 sentences in 3 responses"
    # 21 of 24 is 87.5%, rounded down.
    assert squeeze(page.by_class("facts")[-1].text) == "Coverage 87% Without a verdict 3: parse 3"


def test_page_without_examples_says_so(write: Write) -> None:
    assert Reader(write()).by_id("summary-heading").text == "0 sentences in 0 responses"


@pytest.mark.parametrize("taxonomy", [each for each in TAXONOMIES.values() if each != GRAY7])
def test_other_taxonomies_are_coloured_by_coarse_reading(taxonomy: Taxonomy, write: Write) -> None:
    tones = {
        "faithful": "tone-explicitly-supported",
        "not-sure": "tone-ambiguous",
        "no-fact": "tone-no-fact",
        "unfaithful": "tone-contradicting",
    }
    for label in taxonomy:
        result = judged("A.", "B.", Verdict("s1", label))
        unit = Reader(write(result, taxonomy=taxonomy)).by_id("u1-1")
        assert tones[label.coarse] in unit
        assert label.name in unit.text


def test_score_without_a_label_is_neither_class(write: Write) -> None:
    result = judged("A.", "B.", Verdict("s1", score=0.2))
    unit = Reader(write(result, taxonomy=BINARY)).by_id("u1-1")
    assert "tone-score-only" in unit
    assert "data-flagged" in unit.attributes


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
    read = Reader(page)
    assert page.read_text(encoding="utf-8").count("<script") == 1
    assert not read.by_tag("img")
    assert read.by_class("words")[0].text == NASTY
    assert read.by_class("text")[0].text == NASTY


def test_name_of_the_detector_is_text(tmp_path: Path) -> None:
    with PageWriter(str(tmp_path / "page.html"), replace(MANIFEST, author=Author("<b>x</b>"))):
        pass
    assert Reader(tmp_path / "page.html").by_tag("title")[0].text.endswith("<b>x</b>")


def test_text_that_is_not_unicode_loses_no_page(write: Write) -> None:
    result = judged("A.", "B.", Verdict("s1", GRAY7["fabricated"], note="a \ud800 b"))
    assert Reader(write(result)).by_class("note")[0].text == "a \ufffd b"


def test_line_ends_of_two_characters_are_one_line_end(write: Write) -> None:
    source = "One.\r\nTwo.\r\n\r\nThree."
    cut = Span.cut(source, 0, 5, "source")  # ends between the two characters of a line end
    result = judged(source, "B.", Verdict("s1", GRAY7["fabricated"], evidence=(cut,)))
    assert Reader(write(result)).by_class("text")[0].text == "One.\nTwo.\n\nThree."


def test_named_passage_of_a_quote_is_told(write: Write) -> None:
    source = read_source(["Cats sleep.", "Dogs bark loudly."])
    start = source.text.index("Dogs")
    evidence = Span.cut(source.text, start, start + 17, "source")
    verdict = Verdict("s1", GRAY7["explicitly-supported"], evidence=(evidence,))
    result = judged(source.text, "Dogs bark loudly.", verdict)
    named = Result(replace(result.example, source=source), result.judgement)
    quote = Reader(write(named)).by_class("quote")[0]
    assert squeeze(quote.text) == "passage 2 Dogs bark loudly."


def test_long_source_is_shown_around_its_evidence(write: Write) -> None:
    source = "x" * 150_000 + "Dogs bark." + "y" * 100_000
    evidence = Span.cut(source, 150_000, 150_010, "source")
    result = judged(source, "B.", Verdict("s1", GRAY7["fabricated"], evidence=(evidence,)))
    page = Reader(write(result))
    # 400 characters are kept on each side.
    gaps = [squeeze(gap.text) for gap in page.by_class("gap")]
    assert gaps == ["… 149,600 characters left out …", "… 99,600 characters left out …"]
    assert "x" * 400 + "Dogs bark." + "y" * 400 in page.by_class("text")[0].text
    assert page.by_class("segment")[0].text == "Dogs bark."


def test_long_quote_is_shortened_with_a_count(write: Write) -> None:
    source = "z" * 1000
    evidence = Span.cut(source, 0, 1000, "source")
    result = judged(source, "B.", Verdict("s1", GRAY7["fabricated"], evidence=(evidence,)))
    quote = Reader(write(result)).by_class("quote")[0]
    assert squeeze(quote.text) == "z" * 600 + "… 400 more characters"


def test_unit_without_a_place_is_listed(write: Write) -> None:
    said = Verdict("s1", FAITHBENCH["consistent"]), Verdict("s1.c1", FAITHBENCH["benign"])
    claim = Unit("s1.c1", "claim", "B is so.", parent="s1")
    result = judged("A.", "B.", *said, units=[claim])
    page = Reader(write(result, taxonomy=FAITHBENCH))
    assert squeeze(page.by_class("listed")[0].text).endswith("benign: B is so.")
    assert page.by_id("summary-heading").text == "1 sentence in 1 response"


def test_ids_are_unique_even_if_those_of_examples_are_not(sample: Result, write: Write) -> None:
    page = Reader(write(sample, sample))
    ids = [each["id"] for each in page.elements if "id" in each.attributes]
    assert len(ids) == len(set(ids))


def test_page_grows_on_disk_and_appears_when_it_is_closed(sample: Result, tmp_path: Path) -> None:
    target = tmp_path / "page.html"
    with PageWriter(str(target), MANIFEST) as page:
        for _ in range(20):
            page.add(sample)
        assert not target.exists()
        assert next(tmp_path.iterdir()).stat().st_size > 200_000
    assert list(tmp_path.iterdir()) == [target]


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


OPEN = Answers(states_fact=True, entailed=False, contradicted=False)


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
    note = Reader(write(judged("A.", "B.", verdict))).by_class("note")[0].text
    assert note == (f"So. {NOT_CONSULTED}" if said else "So.")


def test_outside_evidence_shows_that_somebody_looked(write: Write) -> None:
    outside = (ExternalEvidence("https://example.org", "It is so."),)
    verdict = Verdict("s1", GRAY7["fabricated"], note="So.", external=outside, answers=OPEN)
    assert Reader(write(judged("A.", "B.", verdict))).by_class("note")[0].text == "So."


def test_interpretations_that_nobody_looked_up_are_open_too(write: Write) -> None:
    senses = (Sense("one", OPEN), Sense("two", replace(OPEN, entailed_with_knowledge=False)))
    answers = Answers(states_fact=True, several_readings=True, senses=senses)
    result = judged("A.", "B.", Verdict("s1", GRAY7["fabricated"], answers=answers))
    assert Reader(write(result)).by_class("note")[0].text == "No outside source was consulted."


def test_page_names_detector_model_data_and_versions() -> None:
    manifest = replace(MANIFEST, model="some-model", dataset="toy", knowledge="wiki")
    page = Reader.of(html_of([], manifest))
    top = squeeze(page.by_class("top")[0].text)
    assert "Detector d 3, model some-model, outside source wiki, data toy, Assay 0.1.0" in top
    assert f"Labels gray7: {GRAY7.title}" in top


def test_page_tells_the_days_on_which_it_was_judged(sample: Result) -> None:
    def facts(*times: str) -> str:
        judged_at = (replace(sample.judgement, at=at) for at in times)
        page = Reader.of(html_of([Result(sample.example, each) for each in judged_at], MANIFEST))
        return squeeze(page.by_class("facts")[-1].text)

    first, second = "2026-03-01T09:00:00Z", "2026-02-27T09:00:00Z"
    assert facts(first).endswith("Judged on 2026-03-01")
    assert facts(first, second, first).endswith("Judged on 2026-02-27 to 2026-03-01")
    assert "Judged on" not in facts("")


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
    page = Reader(write(judged("A.", "B.", *said, units=units), taxonomy=BINARY))
    parts = [squeeze(each.text) for each in page.by_class("parts")]
    assert [each.count("faithful") for each in parts] == [1, 2]
    assert parts[0].endswith("claim 2 Of B.")
    assert parts[1].endswith("claim 4 Of C. ✔\ufe0e faithful relation 5 Of C, too.")


def test_units_that_are_parts_of_each_other_are_shown(write: Write) -> None:
    units = (
        Unit("c1", "claim", "One.", parent="c2"),
        Unit("c2", "claim", "Two.", parent="c1"),
    )
    said = (Verdict(id, BINARY["faithful"]) for id in ("c1", "c2"))
    page = Reader(write(judged("A.", "B.", *said, units=units), taxonomy=BINARY))
    assert len(page.by_class("detail")) == 2


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
    assert details.startswith("5 problems ✖\ufe0e contradicting Her notes are of 1853.")
    assert f"{REASONS['parse']} not an object" in details


def test_markup_in_a_fragment_is_text() -> None:
    said = Verdict("s1", GRAY7["fabricated"], note=NASTY)
    html = html_fragment([judged(NASTY, NASTY, said)], replace(MANIFEST, model=NASTY))
    assert "<script" not in html
    assert "<img" not in html


def test_half_a_character_can_be_encoded() -> None:
    said = Verdict("s1", GRAY7["fabricated"], note="a \ud800 b")
    for make in (html_of, html_fragment):
        assert "a &#55296; b" in make([judged("A.", "B.", said)], MANIFEST)


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
        write(*[sample] * 20)


@pytest.mark.usefixtures("little_space")
def test_page_that_lacks_space_leaves_nothing(sample: Result, write: Write, tmp_path: Path) -> None:
    with suppress(InputError):
        write(*[sample] * 20)
    assert list(tmp_path.iterdir()) == []
