"""`minicheck:bespoke-7b`: yes or no for each sentence, with the probability of yes."""

from collections.abc import Mapping
from dataclasses import replace
from math import log
from pathlib import Path

import pytest

from assay.core.errors import InputError
from assay.core.texts import Response, Source
from assay.detectors.registry import DetectorSpec, detector_facts
from assay.llm.client import CallError, Line, Reply, Request, Token, Usage
from tests.detectors.judges.scripts import MILL, SOURCE, asked, echo, hear

NAME = "minicheck:bespoke-7b"
LINES = "\n".join(f"Line {n} says what the others do not." for n in range(1, 61))
LONG = replace(MILL, source=Source(LINES), response=Response("Line 50 says so."))


def answer(chances: Mapping[str, float], text: str = "") -> Reply:
    """A reply whose first token is the likeliest of these."""
    pieces = tuple((word, log(chance)) for word, chance in chances.items())
    first = max(pieces, key=lambda piece: piece[1])
    return Reply(text or first[0], Usage(9, 1), tokens=(Token(*first, pieces), Token("", -0.1)))


def test_score_is_the_probability_of_yes_in_every_spelling() -> None:
    chances = {"Yes": 0.5, "yes": 0.125, "No": 0.25, "YES": 0.0625, "Y": 0.03}
    verdict = hear(NAME, lambda _: answer(chances)).verdict()
    assert (str(verdict.label), verdict.score) == ("faithful", 0.6875)  # 0.5 + 0.125 + 0.0625
    assert verdict.note == "Supported with a probability of 0.69."


def test_likeliest_word_does_not_decide_if_yes_is_at_most_a_half() -> None:
    verdict = hear(NAME, lambda _: answer({"Yes": 0.5, "No": 0.3})).verdict()
    assert (str(verdict.label), verdict.score) == ("unfaithful", 0.5)


def test_yes_that_is_not_among_the_likeliest_has_no_probability() -> None:
    assert hear(NAME, lambda _: answer({"No": 0.9})).verdict().score == 0.0


def test_document_and_claim_are_shown_as_they_are_and_probabilities_asked_for() -> None:
    requests = hear(NAME, echo).requests
    assert len(requests) == 3
    assert requests[1].messages[1].content == f"Document: {SOURCE}\nClaim: It was arson."
    assert {(each.probabilities, each.alternatives) for each in requests} == {(True, 5)}


def test_server_without_probabilities_gives_labels_without_scores() -> None:
    heard = hear(NAME, ["Yes", "No.", "no"])
    assert heard.labels == ["faithful", "unfaithful", "unfaithful"]
    assert [heard.verdict(place).score for place in range(3)] == [None] * 3
    assert heard.verdict(1).note == (
        "Not supported. No score: the server gave no token probabilities."
    )


def test_probability_of_the_said_token_alone_is_enough_for_yes_and_not_for_no() -> None:
    replies = {"Yes": Token("Yes", log(0.75)), "No": Token("No", log(0.75))}
    lines = [Reply(text, Usage(9, 1), tokens=(token,)) for text, token in replies.items()]
    heard = hear(NAME, [*lines, lines[0]])
    assert [heard.verdict(place).score for place in range(3)] == [0.75, None, 0.75]


@pytest.mark.parametrize(
    ("line", "reason", "detail"),
    [
        ("The claim is fine.", "parse", "neither yes nor no: 'The claim is fine.'"),
        ("Nothing is said of it.", "parse", "'Nothing is said of it.'"),
        ("", "parse", "neither yes nor no: empty"),
        ("I'm sorry, but I cannot help with that.", "refused", "declined"),
        (Reply("", Usage(9, 1), refusal="I will not."), "refused", "I will not."),
        (Reply("Let me", Usage(9, 2), finish="length"), "truncated", "2 tokens"),
        (CallError("transport", "connection reset"), "transport", "connection reset"),
    ],
)
def test_reply_that_is_no_answer_is_a_failure_and_asked_for_once(
    line: Line, reason: str, detail: str
) -> None:
    heard = hear(f"{NAME},unit=response", [line])
    assert heard.failure().reason == reason
    assert detail in heard.failure().detail
    assert len(heard.requests) == 1


def test_one_token_is_enough_for_an_answer() -> None:
    cut = Reply("Yes", Usage(9, 1), finish="length", tokens=(Token("Yes", log(0.5)),))
    assert hear(f"{NAME},unit=response", [cut]).verdict().score == 0.5


def test_best_chunk_of_a_long_source_decides_and_is_the_evidence() -> None:
    def reply(request: Request) -> Line:
        return answer({"Yes": 0.9 if "Line 50 says what" in asked(request) else 0.1, "No": 0.09})

    heard = hear(f"{NAME},window=600", reply, LONG)
    chunks = [each.messages[1].content for each in heard.requests]
    assert len(chunks) == 2  # 60 lines of about 37 characters: 560 tokens at 4 characters each
    assert heard.verdict().score == 0.9
    assert heard.verdict().note.endswith("by the best of 2 chunks.")
    (place,) = heard.verdict().evidence
    assert place.text in LINES
    assert "Line 50 says what" in place.text
    assert "Line 1 says what" not in place.text


def test_chunk_that_the_server_finds_too_long_is_halved_until_it_fits() -> None:
    def reply(request: Request) -> Line:
        if len(request.messages[1].content) > 1_200:
            return CallError("too_long", "the context is 400 tokens")
        return answer({"No": 0.8, "Yes": 0.2})

    heard = hear(NAME, reply, LONG)
    assert heard.verdict().score == 0.2
    read = [each for each in heard.requests if len(each.messages[1].content) <= 1_200]
    shown = "\n".join(each.messages[1].content for each in read)
    assert all(f"Line {n} says" in shown for n in range(1, 61))


def test_claim_that_is_too_long_by_itself_is_a_failure() -> None:
    heard = hear(NAME, lambda _: CallError("too_long", "the context is 9 tokens"), LONG)
    assert heard.failure().reason == "too_long"
    assert len(heard.requests) < 12


def test_empty_source_is_asked_about_too() -> None:
    heard = hear(f"{NAME},unit=response", ["No"], replace(MILL, source=Source("")))
    assert heard.requests[0].messages[1].content.startswith("Document: \nClaim: The mill")


def test_ollama_adds_the_instruction_itself() -> None:
    (message,) = hear(f"{NAME},ollama,unit=response", ["Yes"]).requests[0].messages
    assert message.content.startswith("Document: ")


def test_prompt_of_the_user_takes_the_place_of_ours(tmp_path: Path) -> None:
    path = tmp_path / "released.md"
    path.write_text(
        "---\nname: released\nversion: 1\ninputs: source, sentence\ntexts: plain\n---\n"
        "# user\n$source >> $sentence\n",
        encoding="utf-8",
    )
    heard = hear(f"{NAME},unit=response,prompt={path}", ["Yes"])
    assert heard.requests[0].messages[0].content.startswith(f"{SOURCE} >> The mill")
    with pytest.raises(InputError, match="leave it out or 'prompt='"):
        hear(f"{NAME},ollama,prompt={path}", echo)


@pytest.mark.parametrize(
    ("argument", "message"),
    [
        ("bespoke-7b,window=100", "window is 500 tokens or more, not 100"),
        ("bespoke-7b,window=many", "window is a whole number"),
        ("bespoke-7b,unit=page", "unknown unit of minicheck:bespoke-7b 'page'"),
        ("bespoke-7b,roberta-large", "unknown option of minicheck:bespoke-7b"),
        ("bespoke", "Did you mean 'bespoke-7b'"),
    ],
)
def test_wrong_option_is_told_in_one_line(argument: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        hear(f"minicheck:{argument}", echo)


def test_only_the_served_model_of_minicheck_asks_a_model() -> None:
    assert DetectorSpec(NAME).capabilities.asks_model
    assert not DetectorSpec(NAME).capabilities.runs_here
    assert not DetectorSpec("minicheck:roberta-large").capabilities.asks_model
    with pytest.raises(InputError, match="runs no model here"):
        DetectorSpec(NAME, local=replace(DetectorSpec("nli").local, device="cuda"))
    facts = detector_facts(NAME)
    assert "bespokelabs/Bespoke-MiniCheck-7B" in facts["model"]
    assert facts["models"].endswith("minicheck:bespoke-7b")
    assert facts["prompts"].startswith("minicheck-bespoke (")
