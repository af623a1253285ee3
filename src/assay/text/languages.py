"""Whether a text is English, the only language that the embedded model was trained on."""

import re
from collections.abc import Mapping

_LETTERS = re.compile(r"[^\W\d_]+")
_LATIN = re.compile(r"[A-Za-zÀ-ɏ]+")
# The most common function words of each language, without those it shares with English.
_COMMON: Mapping[str, frozenset[str]] = {
    name: frozenset(words.split())
    for name, words in {
        "English": "the and of to is was in that it for on with as are were by from this have had"
        " not be at which has their an or his her they will he she we you been its but after"
        " there also who would can about said when than more all one",
        "German": "der die das und ist nicht mit von den dem ein eine einen zu im auf für sich"
        " auch es wird wurde war sind haben hat nach bei aus wie oder werden durch",
        "French": "le la les des et est une dans que qui pour sur pas par avec au aux du ce cette"
        " il elle sont été plus ont mais ou leur se ses",
        "Spanish": "el la los las de que y en un una es por con para del se no su al lo como más"
        " fue pero sus ha son está",
        "Italian": "il lo la gli le di che è e un una per con del della non sono da in si dei nel"
        " alla anche più stato ha",
        "Portuguese": "o os as de que e do da em um uma para com não por mais dos das no na se foi"
        " ao são ele está como",
        "Dutch": "de het een van en is dat niet op te zijn met voor aan er door ook werd naar bij"
        " hij zij wordt deze uit",
        "Polish": "w i na z się nie jest to do że o jak po co dla od za przez był była są oraz",
        "Swedish": "och att det som en på är av för med den till inte om ett har de var från",
        "Danish": "og at det som en på er af for med den til ikke om et har de var fra blev",
        "Turkish": "ve bir bu için ile da de olarak olan çok daha gibi sonra kadar ne değil",
        "Indonesian": "yang dan di dengan untuk dari ini itu pada adalah tidak dalam oleh akan",
        "Romanian": "și în de la cu un o pe nu este care din pentru a fost mai sunt ca",
        "Czech": "a je v na se že to s z do pro byl jsou jako ale by po",
        "Hungarian": "a az és hogy nem is egy volt ez meg csak de van már",
        "Finnish": "ja on ei se että oli hän mutta myös ovat kun tai joka",
    }.items()
}
_FEWEST = 3  # distinct function words needed to recognise a language in Latin script


def is_english(text: str) -> bool:
    """Whether a text contains an English function word."""
    return any(word in _COMMON["English"] for word in _LETTERS.findall(text.casefold()))


def other_language(text: str) -> str | None:
    """The language or script of a text that is not English; None if it may be English.

    >>> other_language("Die Brücke wurde nach dem Krieg nicht wieder aufgebaut.")
    'German'
    >>> other_language("The bridge was never rebuilt after the war.")
    """
    words = _LETTERS.findall(text.casefold())
    letters = sum(map(len, words))
    latin = sum(map(len, _LATIN.findall(text)))
    if letters >= 2 and latin < letters / 2:
        return "a script other than Latin"
    met = set(words)
    counts = {name: len(met & common) for name, common in _COMMON.items()}
    best = max(counts, key=counts.__getitem__)
    is_clear = counts[best] >= _FEWEST and counts[best] > 1.5 * counts["English"]
    return best if best != "English" and is_clear else None
