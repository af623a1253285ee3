"""Is it English?"""

import pytest

from assay.text.languages import other_language

ENGLISH = [
    "The harbour opened in 1986.",
    "Sure!",
    "",
    "12 + 7 = 19",
    "El Niño returned in 2015, and La Niña followed.",
    "Angela Merkel said that Die Zeit and Der Spiegel were wrong about it.",
    "He flew from São Paulo to Zürich via Ho Chi Minh City.",
    "Name: Café de la Paix. Address: Rue de la Paix, Paris.",
    "GDP rose 3.4 %; CPI fell 0.2 %.",
]
OTHERS = {
    "German": "Der Hafen ist nicht groß, und die Stadt hat auch keinen Flughafen.",
    "French": "Le port est dans la ville et les bateaux sont pour les touristes.",
    "Spanish": "El puerto de la ciudad es grande y los barcos son para el turismo.",
    "Italian": "Il porto della città non è grande e gli abitanti sono pochi.",
    "Dutch": "De haven van de stad is niet groot en het werd door een brand verwoest.",
    "a script other than Latin": "Гавань города не очень велика.",
}


@pytest.mark.parametrize("text", ENGLISH)
def test_english_and_what_may_be_english_passes(text: str) -> None:
    assert other_language(text) is None


@pytest.mark.parametrize(("language", "text"), OTHERS.items())
def test_other_languages_are_named(language: str, text: str) -> None:
    assert other_language(text) == language
