"""The probability of a verdict's words."""

from math import inf, log, nan

import pytest

from assay.llm.client import Reply, Token, Usage
from assay.llm.replies.menus import probability_of


def reply(*tokens: tuple[str, float], text: str | None = None) -> Reply:
    spelt = "".join(piece for piece, _ in tokens)
    given = tuple(Token(piece, log(chance)) for piece, chance in tokens)
    return Reply(spelt if text is None else text, Usage(1, 1), tokens=given)


def test_probability_is_the_product_over_the_words_of_the_verdict() -> None:
    said = reply(('{"label": "', 0.9), ("un", 0.5), ("faithful", 0.8), ('"}', 0.1))
    assert probability_of(said, "unfaithful") == pytest.approx(0.5 * 0.8)


def test_a_token_that_reaches_over_the_edge_counts_whole() -> None:
    said = reply(('{"label":', 0.9), (' "un', 0.5), ('faithful"}', 0.5))
    assert probability_of(said, "unfaithful") == pytest.approx(0.25)


def test_the_last_quoted_place_counts() -> None:
    said = reply(
        ('{"why": "not ', 1),
        ("no-fact", 0.1),
        ('", "label": "', 1),
        ("no-fact", 0.7),
        ('"} no-fact', 1),
    )
    assert probability_of(said, "no-fact") == pytest.approx(0.7)


def test_a_verdict_line_has_no_quotes_and_no_word_is_part_of_another() -> None:
    said = reply(
        ("Consistent? Final: ", 1), ("Consistent", 0.6), (". Not ", 1), ("Inconsistent", 0.2)
    )
    assert probability_of(said, "Consistent") == pytest.approx(0.6)


def test_the_label_may_be_spelt_otherwise() -> None:
    said = reply(('"', 1), ("No", 0.5), (" Fact", 0.5), ('"', 1))
    assert probability_of(said, "no-fact") == pytest.approx(0.25)


def test_signs_of_the_server_around_the_reply_do_not_matter() -> None:
    said = reply(("<s>", 0.1), ('"yes"', 0.5), ("</s>", 0.1), text='"yes"')
    assert probability_of(said, "yes") == pytest.approx(0.5)


@pytest.mark.parametrize(
    "said",
    [
        Reply('"yes"', Usage(1, 1)),
        reply(('"yes', 0.5), text='"yes"'),
        reply(('"no"', 0.5)),
        Reply('"yes"', Usage(1, 1), tokens=(Token('"yes"', nan),)),
    ],
)
def test_without_matching_tokens_there_is_none(said: Reply) -> None:
    assert probability_of(said, "yes") is None


def test_impossible_words_have_probability_nought_and_none_is_above_one() -> None:
    impossible = Reply("yes", Usage(1, 1), tokens=(Token("yes", -inf),))
    sure = Reply("yes", Usage(1, 1), tokens=(Token("yes", 1e-9),))
    assert (probability_of(impossible, "yes"), probability_of(sure, "yes")) == (0, 1)
