"""Who is said to say something."""

import pytest

from assay.text.discourse.speakers import find_speaker

SAID = {
    "The judge said she would be held.": ("The judge", "she would be held."),
    "According to Ada Rossi, the pier is safe.": ("Ada Rossi", "the pier is safe."),
    "The pier is safe, Rossi said.": ("Rossi", "The pier is safe"),
    "“It is safe,” said the mayor of Otranto.": ("the mayor of Otranto", "“It is safe"),
    "She has also claimed that he lied.": ("She", "he lied."),
    "A ministry report suggests that it could move.": ("A ministry report", "it could move."),
    "Ada Moor told reporters that the drug works.": ("Ada Moor", "the drug works."),
    "The pier may fall, according to the minister.": ("the minister", "The pier may fall"),
}
NOBODY = (
    "The firm reported a loss of 5 million.",
    "He thought about it.",
    "Otto told his aunt about the new teacher before she found the letter.",
    "Although the warden had warned them of snow, they left.",
    "Wisdom points out this error, and Life is sorry.",
    "Said.",
    "",
)


@pytest.mark.parametrize("sentence", SAID)
def test_speaker_and_what_is_said_are_found(sentence: str) -> None:
    found = find_speaker(sentence)
    assert found is not None
    assert (sentence[slice(*found.who)], sentence[slice(*found.content)]) == SAID[sentence]


@pytest.mark.parametrize("sentence", NOBODY)
def test_not_every_verb_of_speech_reports(sentence: str) -> None:
    assert find_speaker(sentence) is None


@pytest.mark.parametrize(
    ("sentence", "leaves_open"),
    [("Police believe the fire was set.", True), ("Police said the fire was set.", False)],
)
def test_some_verbs_do_not_vouch_for_what_is_said(sentence: str, leaves_open: bool) -> None:
    found = find_speaker(sentence)
    assert found is not None
    assert found.leaves_open is leaves_open
