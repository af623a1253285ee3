"""Whatever reads texts, pages and replies takes time in proportion to their length.

The patterns by themselves are tested in `test_regexes.py`; here, what is built of them.
"""

from collections.abc import Callable, Mapping
from contextlib import suppress

import pytest

from assay.core.system.secrets import Secrets
from assay.core.taxonomies import GRAY7
from assay.core.texts import Source
from assay.detectors.judges.quoting import Quotable
from assay.knowledge.ranking import cut_passages
from assay.llm.fences import Fences
from assay.llm.replies.forms import ReplyForm, read_choice, read_letters, read_map, read_records
from assay.llm.replies.json_values import find_values
from assay.llm.replies.texts import UnreadableError, final_text, is_refusal
from assay.llm.replies.verdict_lines import find_verdict_line
from assay.text.blocks import split_blocks
from assay.text.casing import with_capitals
from assay.text.discourse.lexicon import find_cues, find_hedges
from assay.text.discourse.outline import outline
from assay.text.discourse.speakers import find_speaker
from assay.text.evidence import SourceIndex
from assay.text.html import readable_page
from assay.text.markup import visible
from assay.text.mentions import find_mentions
from assay.text.quantities import find_quantities
from assay.text.quantities.restating import SourceForms
from assay.text.sentences import find_sentences, split_sentences
from assay.text.statements import align, states_nothing
from assay.text.words import content_words
from tests import growth, hostile_texts

pytestmark = pytest.mark.slow

FENCES = Fences({"source": "The ferry sank.", "response": "Final answer: A"})
CHOICE = ReplyForm("choice", marker="Your option", choices={"A": "fabricated", "B": "no-fact"})
TAGGED = ReplyForm("json", key="entries", tag="list")
LISTED = ReplyForm("letters", marker="Errors")
MENU = CHOICE.menu(GRAY7)
INDEX = SourceIndex(Source("The ferry sank at noon.\n\nAda Lovelace paid 12 euros."))

TEXTS: Mapping[str, Callable[[str], object]] = {
    "blocks": lambda text: list(split_blocks(text)),
    "sentences": split_sentences,
    "visible": visible,
    "html": readable_page,
    "mentions": find_mentions,
    "quantities": find_quantities,
    "restating": lambda text: SourceForms(text).restate(text[:1000]),
    "restated": SourceForms("It is 5 km, at 14:30, $3m.").restate,
    "statements": states_nothing,
    "alignment": lambda text: align(text, set(), set()),
    "words": lambda text: list(content_words(text)),
    "capitals": lambda text: with_capitals(text.lower(), text),
    "index": lambda text: SourceIndex(Source(text)).rank("The ferry sank at noon."),
    "sentence to rank": lambda text: INDEX.rank(text),
    "outline": lambda text: outline(find_sentences(text)),
    "speakers": find_speaker,
    "cues": find_cues,
    "hedges": find_hedges,
    "passages": lambda text: list(cut_passages(text)),
    "quotes": lambda text: Quotable(text).find([text[: len(text) // 2] + "x", "a 1 _ * ..."]),
    "as a quote": lambda text: Quotable("The ferry sank at noon. " * 50).find([text]),
}
REPLIES: Mapping[str, Callable[[str], object]] = {
    "thoughts": final_text,
    "refusal": is_refusal,
    "values": find_values,
    "choice": lambda text: read_choice(text, CHOICE, MENU, FENCES),
    "verdict line": lambda text: find_verdict_line(text, "Final answer", MENU, FENCES),
    "records": lambda text: read_records(text, TAGGED, FENCES),
    "letters": lambda text: read_letters(text, LISTED, FENCES),
    "map": lambda text: read_map(text, ReplyForm("map"), ("A", "B"), FENCES),
    "menu": lambda text: MENU.stated(f"fabricated {text}"),
    "secrets": Secrets("sk-abcdefgh/ijkl==").hide,
}
WORDS = (
    "The ferry sank. ",
    "Ada ",
    "A.B. ",
    "twenty ",
    "May 1 ",
    "but because ",
    ", said ",
    "that ",
    "<p>",
    "<!--",
    "<script>",
    "<a b='",
    "<table><tr><td>",
    "<ul><li>",
    "&lt;",
    "Final answer: ",
    "Your option: A\n",
    "A. It is.\n",
    "Errors:\n",
    '{"entries": [{"label": "A"}]}\n',
    '{"A": ',
    "<list>",
    "<think>",
    "</think>",
    "<think><thinking>",
    "<think>a</think>",
    '{"',
    "{'a ",
    "{“a",
    '{"a":',
    "[1,",
    '["a',
    '{"a": "\\',
    "{/*",
    "{a:",
    "12, ",
    "Foo bar ",
    "yes ",
    "fabricated, ",
    "not ",
    "**a** ",
    "[1]",
    "[a](b)",
    "| a | b |\n",
    "|-|\n",
    "```\n",
    "1. a\n",
    "  - a\n",
    "\r\n",
    "今。",
    "“Yes.” ",
)
SIZES = (8, 16, 24, 32, 64, 128, 256, 2_000)
LONG = (6_000, 24_000)  # the patterns by themselves are tried with 100,000
ALL_TEXTS = (*hostile_texts.for_all(), *map(hostile_texts.repeated, WORDS))


@pytest.mark.parametrize("name", TEXTS)
def test_texts_are_read_in_linear_time(name: str) -> None:
    assert not list(growth.problems(TEXTS[name], ALL_TEXTS, SIZES, LONG, in_parts=True))


@pytest.mark.parametrize("name", REPLIES)
def test_replies_are_read_in_linear_time(name: str) -> None:
    def read(text: str) -> None:
        with suppress(UnreadableError):
            REPLIES[name](text)

    assert not list(growth.problems(read, ALL_TEXTS, SIZES, LONG, in_parts=True))
