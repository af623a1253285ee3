"""Detectors are shown what a reader sees, and point into the originals."""

from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace

import pytest

from assay.core.examples import Annotated, Example
from assay.core.judgements import Author, Finding, Judgement
from assay.core.rendering import read_source
from assay.core.taxonomies import GRAY7
from assay.core.texts import Passage, Response, Source, Span
from assay.core.units import Unit
from assay.core.verdicts import Verdict
from assay.detectors.combinators.viewing import Viewing, show_peers, view_source
from assay.detectors.protocol import Capabilities, Detector, judgement_of
from assay.detectors.registry import DetectorSpec, open_detector
from assay.text.sentences import response_unit, sentence_units
from tests.judging import judge_one

PAGE = "<p>The <b>mill</b> burned.</p><script>It was rebuilt.</script><p>Tea &amp; rum.</p>\n"


@dataclass
class Pointing:
    """Remembers what it is shown, and quotes all of the source for every unit."""

    kind: str = "sentence"
    read: int | None = None
    marked: str = ""  # words of the response
    shown: list[Example] = field(default_factory=list)
    author = Author("pointing")
    prompt_digests: Mapping[str, str] = field(default_factory=dict)

    @property
    def capabilities(self) -> Capabilities:
        return Capabilities("sentence" if self.kind == "sentence" else "response", GRAY7)

    def _marks(self, example: Example) -> tuple[Span, ...]:
        start = example.response.text.find(self.marked) if self.marked else -1
        if start < 0:
            return ()
        return (Span.cut(example.response.text, start, start + len(self.marked), "response"),)

    async def judge(self, examples: Iterable[Example]) -> AsyncIterator[Judgement]:
        for example in examples:
            self.shown.append(example)
            text = example.source.text
            quoted = Span.cut(text, 0, len(text), "source")
            units = (
                sentence_units(example) if self.kind == "sentence" else (response_unit(example),)
            )
            label = GRAY7["fabricated"]
            given = (
                Finding(u, Verdict(u.id, label, evidence=(quoted,), marks=self._marks(example)))
                for u in units
            )
            yield judgement_of(example, self.author, given, self.read)


def test_source_is_shown_as_seen_and_evidence_points_into_the_page() -> None:
    inner = Pointing()
    found = judge_one(Viewing(inner), Example("1", Source(PAGE), Response("It burned.")))
    assert inner.shown[0].source.text == "The mill burned.\n\nTea & rum."
    (span,) = found.findings[0].evidence
    assert span.text == PAGE[span.start : span.end]
    assert span.text.startswith("The <b>mill")
    assert span.text.endswith("Tea &amp; rum.")


def test_plain_texts_are_passed_on_as_they_are() -> None:
    inner, example = Pointing(), Example("1", Source("The mill burned."), Response("It burned."))
    judge_one(Viewing(inner), example)
    assert inner.shown[0] is example


RESPONSE = "**Note:** it is [old](https://a.org).[4]\n\n| City | Since |\n|--|--|\n| Lund | 990 |\n"


def test_sentences_are_shown_as_seen_and_stand_where_they_are_written() -> None:
    inner = Pointing()
    found = judge_one(Viewing(inner), Example("1", Source("Yes."), Response(RESPONSE)))
    assert [unit.text for unit in inner.shown[0].units] == [
        "Note: it is old.",
        "City: Lund; Since: 990.",
    ]
    assert [(unit.id, unit.text) for unit in found.units] == [
        ("s1", "**Note:** it is [old](https://a.org).[4]"),
        ("s2", "Lund | 990"),
    ]
    assert all(RESPONSE[unit.start : unit.end] == unit.text for unit in found.units)


@pytest.mark.parametrize(
    ("written", "marked", "found"),
    [
        ("It burned **twice** in May.", "twice", "**twice**"),
        ("It burned **twice** in May.", "twice in May", "**twice** in May"),
        ("<p>It burned in <i>May</i>&nbsp;1900.</p>", "May", "May"),
        ("It burned in May.", "May", "May"),
    ],
)
def test_marks_point_into_the_response_as_it_is_written(
    written: str, marked: str, found: str
) -> None:
    example = Example("1", Source("The mill burned."), Response(written))
    judged = judge_one(Viewing(Pointing(marked=marked)), example)
    (mark,) = judged.findings[0].marks
    assert mark.verify(written).text == found


def test_named_units_come_back_as_they_were_given() -> None:
    inner = Pointing()
    named = Unit.at("sentence", Span.cut(RESPONSE, 10, 39, "response"), "mine")
    header = Unit.at("sentence", Span.cut(RESPONSE, 43, 58, "response"), "header")
    example = Example("1", Source("Yes."), Response(RESPONSE), units=(named, header))
    found = judge_one(Viewing(inner), example)
    assert found.units == (named, header)
    assert inner.shown[0].units[0].text == "it is old."
    assert inner.shown[0].units[1].text == header.text  # nothing of it is seen


def test_the_whole_response_stays_whole() -> None:
    found = judge_one(
        Viewing(Pointing("response")), Example("1", Source("Yes."), Response(RESPONSE))
    )
    assert found.units == (Unit.response(RESPONSE),)


@pytest.mark.parametrize(
    ("read", "counted"), [(None, len(PAGE)), (20, len(PAGE) - 8), (0, 0)], ids=str
)
def test_what_was_not_read_is_counted_exactly(read: int | None, counted: int) -> None:
    example = Example("1", Source(PAGE), Response("It burned."))
    found = judge_one(Viewing(Pointing(read=read)), example)  # of 28 characters that are seen
    assert (found.source_characters, found.characters_read) == (len(PAGE), counted)


def test_every_passage_is_viewed_by_itself() -> None:
    source = read_source([PAGE, "Plain\ttext.", {"title": "T", "text": "**Bold** [3]."}])
    view = view_source(source)
    shown = view.shown
    assert [shown.text[each.start : each.end] for each in shown.passages] == [
        "The mill burned.\n\nTea & rum.",
        "Plain text.",
        "T\nBold.",
    ]
    assert [each.name for each in shown.passages] == [each.name for each in source.passages]


def test_what_was_looked_up_elsewhere_is_shown_as_it_is() -> None:
    text = f"{PAGE}\n\n**Found** outside."
    source = Source(text, outside=(Passage("web", len(PAGE) + 2, len(text)),))
    shown = view_source(source).shown
    assert shown.own_text == "The mill burned.\n\nTea & rum."
    (found,) = shown.outside
    assert shown.text[found.start : found.end] == "**Found** outside."


def test_peers_are_shown_like_the_examples() -> None:
    (peer,) = show_peers([Annotated(Example("1", Source(PAGE), Response("**Yes.**")))])
    assert peer.example.source.text == "The mill burned.\n\nTea & rum."
    assert peer.example.response.text == "Yes."


def open_offline(name: str) -> Detector:
    return open_detector(DetectorSpec(name))


Label = Callable[[str, str], list[str]]


@pytest.fixture(params=["embedded", "overlap"])
def labels(request: pytest.FixtureRequest) -> Label:
    """The labels that a detector gives the sentences of a response."""
    detector = open_offline(request.param)

    def work(source: str, response: str) -> list[str]:
        found = judge_one(detector, Example("1", Source(source), Response(response)))
        return [str(finding.label) for finding in found.findings]

    return work


FACTS = "The ferry Maro was built in 1987 in Osterholm. It carries 120 cars across the bay."


def test_script_supports_nothing(labels: Label) -> None:
    page = "<p>The harbour is old.</p><script>Maro carries 120 cars to Osterholm.</script>"
    (label,) = labels(page, "Maro carries 120 cars to Osterholm.")
    assert label in ("fabricated", "contradicting", "not-supported")


@pytest.mark.parametrize("look", ["{}\n", "  {}", "<p>{}</p>", "**{}** [1]"])
def test_looks_of_a_source_change_no_score(look: str) -> None:
    detector = open_offline("embedded")
    example = Example("1", Source(FACTS), Response("The Maro was built in 1987."))
    plain = judge_one(detector, example)
    other = judge_one(detector, replace(example, source=Source(look.format(FACTS))))
    assert [each.score for each in other.findings] == [each.score for each in plain.findings]


def test_what_is_no_prose_is_no_fact(labels: Label) -> None:
    response = (
        f"{FACTS}\n\n---\n```python\ncars = 500\n```\n![Maro](maro.png)\n\nSources: [4]\n\n[4]\n"
    )
    assert labels(FACTS, response)[2:] == ["no-fact", "no-fact"]  # the code and the sources


def test_fence_without_an_end_hides_nothing(labels: Label) -> None:
    first, fence, last = labels(FACTS, f"{FACTS[:46]}\n```text\nThe mayor of Lund sold 900 mills.")
    assert fence == "no-fact"
    assert first != last != "no-fact"


@pytest.mark.parametrize("look", ["```\n{}\n```", "<pre><code>{}</code></pre>"])
def test_code_is_no_fact_in_any_markup(labels: Label, look: str) -> None:
    assert labels(FACTS, look.format("The mayor is Bob.")) == ["no-fact"]


def test_code_is_said_to_be_code() -> None:
    example = Example("1", Source(FACTS), Response("```python\ncars = 500\n```"))
    found = judge_one(open_offline("overlap"), example)
    assert found.findings[0].note == "It is code, which is not checked."


def test_page_without_a_word_supports_nothing(labels: Label) -> None:
    (label,) = labels("<script>x()</script>", "The Maro was built in 1987.")
    assert label not in ("explicitly-supported", "implicitly-supported")
