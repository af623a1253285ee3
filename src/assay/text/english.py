"""Small words of several languages, and the probability that a word is English by its letters.

The words are the most frequent ones of English and of the main languages with Latin script, without
those that English shares with another language (`die`, `is`, `on`, `plus`). The
probability comes from a small linear model over letter sequences, `english.npz`, made by
`training/english.py`.
"""

from functools import cache, lru_cache
from pathlib import Path
from typing import Final
from zlib import crc32

_OF_LANGUAGES = {
    "Catalan": "aquest aquesta amb és està han i les per però que són",
    "Croatian": "je ili koji nije od se su",
    "Czech": "jako je jsou na není nebo po pro se si že",
    "Danish and Norwegian": "av den det eller er et fra har ikke jeg med og på som til var ved",
    "Dutch": "aan bij dat deze een en het hij ik je maar met naar niet nog ook op uit van voor"
    " wij wordt zijn",
    "Finnish": "ei ja kun myös olla ovat tai että",
    "French": "au aux avec ce ces cette dans de des du elle elles est et il ils je la le les"
    " mais ne nous ont ou où oui pas pour qui que sans ses sont sur très une vous"
    " était été être",
    "German": "auch auf aus bei das dem den der des durch ein eine einem einen einer es für"
    " haben ich im ist ja kein keine mit nach nein nicht noch nur oder sehr sein sich"
    " sie sind und vom von werden wie wir wird wurde wurden zu zum zur über",
    "Hungarian": "az egy ez hogy nem és",
    "Indonesian": "adalah dan dari dengan ini itu pada tidak untuk yang",
    "Italian": "al alla alle anche che della delle di dei gli ha il la nel nella per più sì sono"
    " una è",
    "Polish": "ale jest nie oraz się są że",
    "Portuguese": "ao com da das dos ele em foi mais mas muito na não os ou pela pelo por que seu"
    " sua são um uma é está",
    "Romanian": "este și în nu pe sau sunt",
    "Spanish": "como del el ella es esta está están fue hay la las los más muy para pero por que"
    " se sus una y",
    "Swedish": "av det ett från för har inte jag med och på som är",
    "Turkish": "bir bu değil için ile ve",
    "Vietnamese": "và là của không được một",
}
FUNCTION_WORDS: Final = frozenset(
    word
    for words in _OF_LANGUAGES.values()
    for word in words.split()
    if len(word) > 1 or word > "z"
)
ENGLISH_WORDS: Final = frozenset(
    "about after also and because been before being between could does during each from have"
    " how if into it its more must not only our she should since some than that the their them"
    " there these they this those three through two under until were what when where which while"
    " who why will with within without would yes you your".split()
)


WEIGHTS: Final = Path(__file__).with_name("english.npz")
LONGEST_PIECE = 4  # letters

_MOST = 4.0  # what a single word can say


def pieces(word: str) -> set[str]:
    """The features of a word: the word itself, and its parts of up to four letters.

    >>> sorted(pieces("of"))
    ['^o', '^of', '^of$', 'f', 'f$', 'o', 'of', 'of$']
    """
    marked = f"^{word}$"
    parts = {
        marked[start : start + size]
        for size in range(1, LONGEST_PIECE + 1)
        for start in range(len(marked) - size + 1)
    }
    return (parts | {marked}) - {"^", "$"}


def bucket(piece: str, buckets: int) -> int:
    """The number of the weight that a piece shares with a few others."""
    return crc32(piece.encode()) % buckets


@lru_cache(maxsize=50_000)
def word_evidence(word: str) -> float:
    """The log-odds that a word in lower case is English; negative if it is not."""
    weights, bias = _model()
    total = bias + sum(weights[each] for each in {bucket(p, len(weights)) for p in pieces(word)})
    return max(-_MOST, min(_MOST, total))


@cache
def _model() -> tuple[list[float], float]:
    import numpy as np  # `import assay` does without it

    with np.load(WEIGHTS, allow_pickle=False) as stored:
        weights = stored["weights"].astype(np.float64) * float(stored["scale"])
        return weights.tolist(), float(stored["bias"])
