"""Sentences cut into clauses at their connectives."""

import pytest

from assay.text.discourse.clauses import cut_sentence

# Clauses are marked by ¦ between them; each joint is the relation, its first and its second clause.
SENTENCES = {
    "They left¦ because ¦it rained.": [("cause", 1, 0)],
    "Because ¦it rained¦, ¦they left.": [("cause", 0, 1)],
    "Due to ¦heavy rain¦, ¦the match was cancelled¦, so ¦the fans went home.": [
        ("cause", 0, 1),
        ("cause", 1, 2),
    ],
    "The storm¦ caused ¦floods in three towns.": [("cause", 0, 1)],
    "Casey leaves with the money¦ but ¦feels confused.": [("contrast", 0, 1)],
    "Although ¦it rained¦, ¦they left¦ because ¦the bus was due.": [
        ("concession", 0, 1),
        ("cause", 2, 1),
    ],
    "The firm cut prices¦ in order to ¦win customers¦, but ¦sales fell.": [
        ("purpose", 0, 1),
        ("contrast", 0, 2),
    ],
    "She left¦ before ¦the police arrived.": [("temporal", 0, 1)],
    "After ¦winning the race¦, ¦she retired.": [("temporal", 0, 1)],
    "If ¦the council agrees¦, ¦the bridge will reopen in May.": [("condition", 0, 1)],
    "The judge sent her away¦, stating ¦she would be held¦ due to ¦the risk.": [
        ("attribution", 0, 1),
        ("cause", 2, 1),
    ],
    "The school closed¦, and ¦the pupils moved.": [("elaboration", 0, 1)],
}
# Connectives that link no clauses here.
WHOLE = (
    "The slow but steady rise went on.",
    "He asked if she had seen the dog.",
    "It lasted for as long as a year.",
    "The lake has twice as much lead as in 1999.",
    "He has not yet replied.",
    "It was, as described by Happle, rare.",
    "Nobody knew why.",
    "Because.",
    "",
)


@pytest.mark.parametrize("marked", SENTENCES)
def test_sentence_is_cut_at_its_connectives(marked: str) -> None:
    sentence = marked.replace("¦", "")
    cut = cut_sentence(sentence)
    found = [sentence[piece.start : piece.end] for piece in cut.pieces]
    parts = [part.strip(" .,") for part in marked.split("¦")]
    assert found == [part for part in parts if part in found]
    assert len(found) == max(max(a, b) for _, a, b in SENTENCES[marked]) + 1
    assert [(j.use.relation, j.first, j.second) for j in cut.joints] == SENTENCES[marked]


@pytest.mark.parametrize("sentence", WHOLE)
def test_connective_that_links_no_clauses_does_not_cut(sentence: str) -> None:
    cut = cut_sentence(sentence)
    assert len(cut.pieces) == bool(sentence)
    assert cut.joints == ()


@pytest.mark.parametrize(
    ("sentence", "relation", "rest"),
    [
        ("However, the rise went on.", "contrast", "the rise went on"),
        ("As a result, the school closed.", "cause", "the school closed"),
        ("Then he left.", "temporal", "he left"),
        ("But nobody came.", "contrast", "nobody came"),
    ],
)
def test_opening_ties_a_sentence_to_the_one_before(sentence: str, relation: str, rest: str) -> None:
    cut = cut_sentence(sentence)
    assert cut.opening is not None
    assert cut.opening[1].relation == relation
    assert sentence[cut.pieces[0].start : cut.pieces[0].end] == rest


def test_very_long_sentences_are_not_cut() -> None:
    assert len(cut_sentence("because it rained, but he left, " * 5_000).pieces) == 1
