"""Sentences with exact offsets."""

import json
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace

import pytest
import sentencex
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.text.sentences import split_sentences

PIECES = (
    *".!?…。！？:;,\"'“”‘’«»()[]*_~`#-+•|> \t\n\r\\",
    *"\x00\x0b\x0c\x1c\x85\xa0\u2003\u2028\u3000\u200b\ufeff\ud800\udfff",
    *("Dr. ", "U.S. ", "e.g. ", "5 p.m. ", "J. ", "Fig. ", "No. 5", "3.5", "1,200", " . ", "[1]"),
    *("\n\n", "\r\n", "```", "~~~", "**", "1. ", "- ", "# ", "| ", "http://a.b/c. ", ".) ", '." '),
    *("Ada ", "it is ", "é", "ß", "中文", "あ", "😀"),
)
# Arbitrary Unicode, halves of characters included, mixed with what prose and Markdown are made of.
ANY_TEXT = st.lists(st.sampled_from(PIECES) | st.characters(exclude_categories=())).map("".join)
LANGUAGES = st.sampled_from(["en", "de", "fr", "es", "zh", "ja", "ru", "none-such"])

Range = tuple[int, int]


def split(text: str, language: str = "en") -> list[str]:
    return [span.text for span in split_sentences(text, language=language)]


# Each case is a text whose sentences are marked by ¦ between them.
PROSE = {
    "titles": "Dr. Smith met Mrs. Jones, Prof. Wu and Sen. Lee. ¦They left.",
    "abbreviation inside": "It costs approx. 5 euros, e.g. for tea. ¦See Fig. 3 and pp. 4-5.",
    "abbreviation before a capital": "It was Ali vs. Frazier. ¦He sued Acme Inc. in May.",
    "abbreviation at the end": "He moved to the U.S. ¦She sold pears, etc. ¦They met.",
    "time of day": "It opened at 5 p.m. on Monday. ¦It closed at 6 p.m. ¦The crowd left.",
    "initials": "J. K. Rowling wrote it. ¦George W. Bush read it. ¦J.R.R. Tolkien did not.",
    "decimals": "It rose 3.5 percent. ¦Version 2.0.1 is out. ¦It cost $1.50.",
    "quotation": '"I am here." ¦He left. ¦“Stop!” she said. ¦He said, "Go." ¦Then he left.',
    "quotation inside": 'He said "It works." and left. ¦“We won. We are happy,” he said.',
    "question and exclamation": "What?! ¦No!! ¦Really? ¦Yes.",
    "ellipsis": "Well... I think so. ¦Wait ... what?",
    "no space after the stop": "It ended.¦Then it began.",
    "parentheses": "He (the boss) left. ¦It ended (see p. 5). ¦It rose.",
    "address on the web": "See https://example.com/a.b?c=d. ¦Mail a.b@c.com. ¦Go to www.test.org.",
    "inline code": "Use `a.b()`. ¦Then call `x. Y`. ¦Done.",
    "emphasis": "**Done.** ¦Next one. ¦*Really?* ¦__Yes.__ ¦Then **this:** it works.",
    "citations": "It rose.[1] ¦It fell [2]. ¦It stayed. [3] ¦It broke (Lee et al. 2020).",
    "emoji": "Great 😀! ¦Nice 👍🏽. ¦Done.",
    "list in one line": "The steps are: 1. Mix the dough. ¦2. Bake it. ¦3. Eat.",
    "tokenised news": "the cat sat . ¦it was 5 p.m. and he left . ¦the dog , 75 , ran .",
    "no punctuation": "this text has no punctuation at all and goes on",
    "wide white space": "It was Vitamin C\xa0. ¦It was Plan B\u2003. ¦Then it ended.",
}
OTHER_LANGUAGES = {
    "fr": "M. Dupont a payé 3,5 euros. ¦« Bonjour ! » dit-il. ¦Mme. Curie est là. ¦C'est fini.",
    "de": "Dr. Müller kam am 3. Mai 2020. ¦Er zahlte z. B. 3,50 Euro. ¦Am 1. Januar ging er.",
    "es": "¿Cómo estás? ¦¡Muy bien! ¦El Sr. García pagó 3.500 euros. ¦Ya está.",
    "it": "Il sig. Rossi è arrivato. ¦«Va bene.» ¦Poi il dott. Bianchi uscì.",
    "pt": "A Dra. Costa saiu às 15h30. ¦Onde está? ¦A Av. Central é longa.",
    "nl": "Dhr. Jansen kwam om 10.30 uur. ¦Het kost o.a. 5 euro. ¦Wat nu?",
    "pl": "W XIX w. miasto rosło. ¦Most otwarto w 1905 r. przy ul. Długiej. ¦Czy to prawda?",
    "ru": "В 1905 г. открыли мост. ¦И. И. Иванов живёт на ул. Мира, д. 5. ¦Т. е. рядом. ¦Да!",
    "tr": "19. yüzyılda kent büyüdü. ¦Dr. Yılmaz geldi. ¦Nerede? ¦Burada!",
    "zh": "今天天气很好。¦我们去公园吧！¦你来吗？¦“好的。”他说。¦价格是3.5元；很便宜。",
    "ja": "これは本です。¦本当ですか？¦「はい。」と彼は言った。¦はい！",
    "ar": "افتتح الميناء عام 1986. ¦هل أنت متأكد؟ ¦قال د. أحمد إنه مغلق؛ ثم غادر. ¦نعم!",
}


@pytest.mark.parametrize("marked", PROSE.values(), ids=list(PROSE))
def test_prose_is_split_where_its_sentences_end(marked: str) -> None:
    assert split(marked.replace("¦", "")) == [each.strip() for each in marked.split("¦")]


@pytest.mark.parametrize(("language", "marked"), OTHER_LANGUAGES.items())
def test_prose_in_other_languages_is_split(language: str, marked: str) -> None:
    expected = [each.strip() for each in marked.split("¦")]
    assert split(marked.replace("¦", ""), language) == expected
    assert split(marked.replace("¦", "")) == expected  # nobody said which language it is


@pytest.mark.parametrize(
    "marked",
    [
        "Im 19. Jahrhundert wuchs die Stadt. ¦Der 2. Preis ging nicht an Ada.",
        "Il mourut en 44 av. J.-C. à Rome. ¦Elle est née en 1990.",
        "Ella vive en los EE. UU. desde 1990. ¦Él no.",
    ],
)
def test_language_of_a_plain_text_need_not_be_stated(marked: str) -> None:
    assert split(marked.replace("¦", "")) == [each.strip() for each in marked.split("¦")]


def test_ordinal_before_a_small_letter_needs_the_language() -> None:
    assert split("Dr. Yılmaz 3. katta.", "tr") == ["Dr. Yılmaz 3. katta."]
    assert split("it cost 19. then it rose.") == ["it cost 19.", "then it rose."]


@pytest.mark.parametrize(
    "marked",
    [
        "I am 19. ¦Then it rose to 19. ¦August came.",
        "He loves art. ¦It was ok. ¦He took vitamin D. ¦She moved to San Diego, CA. ¦Then he left.",
        "She works at ING. ¦He works at UBS.",
        "The firm ABB. ¦The firm grew.",
        "He paid John Doe Sr. ¦The bill was high.",
        "She has a MR. ¦The scan is fine.",
        "He joined the Prof. ¦She left.",
        "The app is excl. ¦The rest is incl. ¦More follows.",
        "The lions are in den 3. ¦The bears are in den 4.",
        "He rolled the die 3. ¦The game ended.",
        "She scored 12. ¦Mai scored 9.",
    ],
)
def test_stops_of_other_languages_do_not_change_english(marked: str) -> None:
    assert split(marked.replace("¦", "")) == [each.strip() for each in marked.split("¦")]


LONG_LINE = "This line is long enough to have been wrapped by some editor"
LAYOUT = {
    "heading": (
        "# Title\n\nOne here. Two here.\n## Sub title\nMore text.",
        ["# Title", "One here.", "Two here.", "## Sub title", "More text."],
    ),
    "heading without a mark": ("Summary\nThe dog ran.", ["Summary", "The dog ran."]),
    "underlined heading": (
        f"{LONG_LINE}\n{'=' * 60}\nThen text.",
        [LONG_LINE, "Then text."],
    ),
    "bold heading": ("**Key points**\nIt rose.", ["**Key points**", "It rose."]),
    "bullets": (
        "- First item\n- second item. With more.\n* Third\n• Fourth",
        ["- First item", "- second item.", "With more.", "* Third", "• Fourth"],
    ),
    "numbers": (
        "1. First item.\n2. Second item\n3) Third\n(a) Fourth",
        ["1. First item.", "2. Second item", "3) Third", "(a) Fourth"],
    ),
    "lead-in": ("It has:\nflour\nmilk.", ["It has:", "flour\nmilk."]),
    "table": (
        "| a | b |\n|---|---|\n| 1. x | He left. He ran. |\nAfter it.",
        ["| a | b |", "| 1. x | He left. He ran. |", "After it."],
    ),
    "table without outer bars": ("a | b\n--- | ---\nc | d", ["a | b", "c | d"]),
    "fenced code": (
        "Run this:\n```python\nx = 1. \ny = 2\n```\nThen stop.",
        ["Run this:", "```python\nx = 1. \ny = 2\n```", "Then stop."],
    ),
    "fenced code that never ends": ("Run:\n~~~\na. B\n\nc. D", ["Run:", "a. B", "c. D"]),
    "fence inside a line": ("```x``` is code. It ends.", ["```x``` is code.", "It ends."]),
    "blank lines": ("One here\n\n\n\nTwo here", ["One here", "Two here"]),
    "carriage returns": (
        "One here.\r\nTwo here.\r\n\r\nThree is\r\nwrapped.",
        ["One here.", "Two here.", "Three is\r\nwrapped."],
    ),
    "wrapped before a capital": (f"{LONG_LINE}\nIn Paris.", [f"{LONG_LINE}\nIn Paris."]),
    "wrapped after a bracket": (
        f"{LONG_LINE} (as\nit does)\nand then ends.",
        [f"{LONG_LINE} (as\nit does)\nand then ends."],
    ),
    "wrapped after a title": (
        "And Dr.\nSmith came. He left.",
        ["And Dr.\nSmith came.", "He left."],
    ),
    "line that ends a sentence": (f"{LONG_LINE}.\nthen more.", [f"{LONG_LINE}.", "then more."]),
    "white space around": ("  \n One here. \t\n", ["One here."]),
    "nothing to read": (" \n--- *** ?!\n", []),
    "empty": ("", []),
}


@pytest.mark.parametrize(("text", "expected"), LAYOUT.values(), ids=list(LAYOUT))
def test_layout_ends_sentences_too(text: str, expected: list[str]) -> None:
    assert split(text) == expected


def test_repeated_sentences_each_have_their_own_place() -> None:
    spans = split_sentences("Yes. Yes. Yes.")
    assert [(span.start, span.end) for span in spans] == [(0, 4), (5, 9), (10, 14)]


def test_spans_carry_the_side_they_are_on() -> None:
    assert split_sentences("Yes.", "source")[0].side == "source"
    assert split_sentences("Yes.")[0].side == "response"


@settings(max_examples=500)
@given(ANY_TEXT, LANGUAGES)
def test_sentences_quote_the_text_in_order_without_overlaps(text: str, language: str) -> None:
    spans = split_sentences(text, language=language)
    assert all(text[span.start : span.end] == span.text for span in spans)
    assert all(before.end <= after.start for before, after in pairwise(spans))
    assert all(span.text == span.text.strip() != "" for span in spans)
    assert split_sentences(text, language=language) == spans


@settings(max_examples=500)
@given(ANY_TEXT, LANGUAGES)
def test_every_letter_and_digit_lies_in_a_sentence(text: str, language: str) -> None:
    spans = split_sentences(text, language=language)
    inside = {place for span in spans for place in range(span.start, span.end)}
    outside = "".join(c for place, c in enumerate(text) if place not in inside)
    assert not any(character.isalnum() for character in outside)


@given(st.lists(st.sampled_from(["It rose 5%.", "Did he go?", "So it is!"]), min_size=1))
def test_paragraphs_are_split_as_if_each_stood_alone(sentences: list[str]) -> None:
    assert split("\n\n".join(sentences)) == sentences


@pytest.mark.parametrize(
    ("unit", "most"),
    [
        ("今天天气很好。", 5_000),
        ("「あ。", 5_000),
        ("“Yes. No. ", 5_000),
        ("p. ", 10_000),  # no sentence ends, so the windows grow
        ("no stop ", 10_000),
        ("{“a", 10_000),
    ],
)
def test_the_library_is_given_small_windows_and_little_twice(
    unit: str, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    # It may take time quadratic in what it is given at once.
    lengths: list[int] = []

    def segment(language: str, text: str) -> list[str]:
        lengths.append(len(text))
        return list(sentencex.segment(language, text))

    monkeypatch.setattr("assay.text.sentences.sentencex", SimpleNamespace(segment=segment))
    text = unit * (100_000 // len(unit))
    split_sentences(text)
    assert max(lengths) <= most
    assert sum(lengths) <= 3 * len(text)


@pytest.mark.parametrize("mark", ["_", "*", "~~", "**_", '")', "_*_"])
def test_a_line_to_sign_on_takes_no_time(mark: str) -> None:
    text = f"Please sign below. {mark * 50_000}(name of the applicant)"  # hours if exponential
    assert split(text)[0] == "Please sign below."


def test_a_sentence_may_be_longer_than_any_window() -> None:
    long = "no stop " * 10_000 + "here."
    assert split(f"{long} Then it ends. And so on.") == [long, "Then it ends.", "And so on."]


def test_long_paragraph_is_split_like_a_short_one() -> None:
    sentences = ["He paid Dr. Wu 3.5 million.", "“It is over. We won,” he said.", "No?"] * 500
    assert split(" ".join(sentences)) == sentences


def locate(text: str, sentences: list[str]) -> set[Range]:
    """Where each sentence stands, searching on from the end of the one before."""
    found: set[Range] = set()
    position = 0
    for sentence in map(str.strip, sentences):
        start = text.find(sentence, position)
        if sentence and start >= 0:
            position = start + len(sentence)
            found.add((start, position))
    return found


def agreement(pairs: list[tuple[str, list[str]]]) -> float:
    """F1 of exact starts and ends over all texts: 2 * hits / (ours + theirs)."""
    hits = total = 0
    for text, sentences in pairs:
        ours = {(span.start, span.end) for span in split_sentences(text)}
        theirs = locate(text, sentences)
        hits += len(ours & theirs)
        total += len(ours) + len(theirs)
    return 2 * hits / total


@pytest.mark.shared_data
def test_agreement_with_the_released_sentences_of_faithbench(shared_data: Path) -> None:
    path = shared_data / "faithbench/faithbench_sentence_level/summary_sent_list.jsonl"
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    pairs = [(row["summary"], [sentence for sentence, *_ in row["sent_list"]]) for row in rows]
    assert len(pairs) > 1_000
    assert agreement(pairs) >= 0.98


@pytest.mark.shared_data
def test_agreement_with_the_released_sentences_of_storysumm(shared_data: Path) -> None:
    path = shared_data / "storysumm/storysumm_repaired.json"
    rows = json.loads(path.read_text(encoding="utf-8")).values()
    stripped = [[sentence.strip() for sentence in row["summary"]] for row in rows]
    assert len(stripped) > 90
    assert agreement([(" ".join(sentences), sentences) for sentences in stripped]) >= 0.99
