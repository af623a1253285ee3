"""The language of a text that is not English: by its script, letters and small words.

`languages.txt` has the small words, typical parts of words and letters of some fifty languages, so
that Danish is not taken for German, nor Bulgarian for Russian. Every word speaks for the languages
whose small word it is or whose typical parts it has, and against those that lack one of its
letters. A language is named only where it is clear; `languages.py` decides what is English.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from assay.core.units import Unit

_FILE = Path(__file__).with_name("languages.txt")
_ENOUGH = 4_000  # characters of a text that are looked at
_FEWEST = 1.0  # what speaks for a language at least
_SURE, _LEAD = 1.0, 0.5  # by how much it leads, if text around may say otherwise, and if not
_SHARE = 0.15  # by what share of what speaks for it
_PART = 0.5  # what a typical part of a word says
_LACKS = 2.0  # what a letter that a language lacks says against it
_DIFFERENT = 2  # words of a language, or one of its letters, that name it in Latin script
_KANA = 0.1  # the share of kana in Japanese

_WORD = re.compile(r"[^\W\d_]+['’]?")
_HAN = re.compile(r"[\u3400-\u9fff\uf900-\ufaff]")
_KANA_LETTER = re.compile(r"[\u3041-\u3096\u30a1-\u30fa\u30fc]")
_HANGUL = re.compile(r"[\uac00-\ud7af]")
_MARKS = re.compile("[\u0640\u064b-\u0652\u0670\u200c\u200d]")  # of Arabic vowels, and joiners


@dataclass(frozen=True, slots=True)
class Language:
    """A language and the marks that tell it from others of its script."""

    code: str
    name: str
    script: str
    letters: frozenset[str]  # that not all languages of the script have
    parts: tuple[str, ...]
    small: frozenset[str]  # words that say nothing by themselves
    words: frozenset[str]  # these and other frequent ones


@cache
def languages() -> Mapping[str, Language]:
    """The languages of the file, by their codes."""
    found = {}
    for block in _FILE.read_text(encoding="utf-8").split("\n\n"):
        lines = [line for line in block.splitlines() if line and not line.startswith("#")]
        if not lines:
            continue
        code, name, script = lines[0].split()
        kinds = {line.partition(" ")[0]: line.partition(" ")[2].split() for line in lines[1:]}
        letters = frozenset("".join(kinds["letters"]))
        small = frozenset(kinds["words"])
        words = small | frozenset(kinds.get("more", ()))
        found[code] = Language(code, name, script, letters, tuple(kinds["parts"]), small, words)
    return found


def small_words(code: str) -> frozenset[str]:
    """The small words of a language; none of one that is not known."""
    known = languages().get(code)
    return known.small if known else frozenset()


_NAMES = {"en": "English", "zh": "Chinese", "ja": "Japanese", "ko": "Korean"}


def language_name(language: str) -> str:
    """The name of a language by its code; what is no code stays as it is.

    >>> language_name("de"), language_name("xx"), language_name("Thai script")
    ('German', "language 'xx'", 'Thai script')
    """
    if language in _NAMES:
        return _NAMES[language]
    if known := languages().get(language):
        return known.name
    is_code = 2 <= len(language) <= 3 and language.islower()
    return f"language '{language}'" if is_code else language


@dataclass(frozen=True, slots=True)
class Languages:
    """The languages of a source and of units: codes, or words where there is none."""

    source: str
    units: Mapping[Unit, str]

    def unread(self, unit: Unit, reads: Collection[str]) -> str | None:
        """The name of the first language that is not among those that are read, if any."""
        for language in (self.source, self.units[unit]):
            if language not in reads:
                return language_name(language)
        return None

    def differ(self, unit: Unit) -> bool:
        """True if a unit is in another language than its source."""
        return self.units[unit] != self.source


def identify(text: str, *nearby: str) -> str | None:
    """The code of the language of a text that is not English; None where it is not clear.

    `nearby` are texts in whose language it may be, nearest first; they tell where it does not.

    >>> identify("Die Brücke wurde nicht wieder aufgebaut.")
    'de'
    >>> identify("Broen blev ikke genopbygget efter krigen.")
    'da'
    >>> identify("Мост был закрыт после войны."), identify("橋は再建されなかった。")
    ('ru', 'ja')
    """
    scores = _scores(text)
    if (sure := _clearest(text, scores, _SURE)) is not None:
        return sure
    least = max(scores.values(), default=0.0) - _SURE
    around = (_clearest(each, _scores(each), _SURE) for each in nearby)
    fitting = (code for code in around if code and (not scores or scores.get(code, -1.0) > least))
    return next(fitting, None) or _clearest(text, scores, _LEAD)


def _clearest(text: str, scores: Mapping[str, float], least: float) -> str | None:
    """The language that leads by at least so much, and not by chance."""
    ranked = sorted(scores, key=lambda code: scores[code], reverse=True)
    if not ranked or scores[ranked[0]] < _FEWEST:
        return None
    second = scores[ranked[1]] if len(ranked) > 1 else 0.0
    lead = scores[ranked[0]] - max(second, 0.0)
    is_ahead = lead >= max(least, _SHARE * scores[ranked[0]])
    return ranked[0] if is_ahead and _is_marked(text, ranked[0]) else None


def _is_marked(text: str, code: str) -> bool:
    """True if a text has two words or a letter of a language in Latin script.

    A single word may be an abbreviation: the `po` of a prescription is no Polish.
    """
    language = languages().get(code)
    if language is None or language.script != "latin":
        return True
    words = frozenset(_folded_words(text))
    return len(words & language.words) >= _DIFFERENT or any(
        letter in word for word in words for letter in language.letters
    )


def _scores(text: str) -> dict[str, float]:
    """The evidence for each language of the script; without spaces, by letters alone."""
    text = unicodedata.normalize("NFC", text[:_ENOUGH])
    script = _script(text)
    if script == "cjk":
        return _unspaced(text)
    counts = Counter(word for word in _folded_words(text) if _script_of(word[0]) == script)
    return {
        language.code: sum(_says(word, language) * count for word, count in counts.items())
        for language in languages().values()
        if language.script == script
    }


def _unspaced(text: str) -> dict[str, float]:
    han, kana = len(_HAN.findall(text)), len(_KANA_LETTER.findall(text))
    hangul = len(_HANGUL.findall(text))
    if hangul > han + kana:
        return {"ko": float(hangul)}
    is_japanese = kana > 0 and kana >= _KANA * (han + kana)
    return {"ja" if is_japanese else "zh": float(han + kana)}


def _says(word: str, language: Language) -> float:
    """The evidence of a word for a language."""
    strange = _special(word, language.script) - language.letters
    if strange:
        return -_LACKS
    plain = word.rstrip("'")
    said = 1.0 if plain in language.words and plain == word else 0.0
    return said + (_PART if not said and any(part in word for part in language.parts) else 0.0)


@cache
def _listed(script: str) -> frozenset[str]:
    """The letters that some languages of a script have and others lack."""
    known = (each for each in languages().values() if each.script == script)
    return frozenset(letter for each in known for letter in each.letters)


def _special(word: str, script: str) -> frozenset[str]:
    """The letters of a word that not all languages of its script have."""
    if script == "latin":
        return frozenset(letter for letter in word if letter > "z" and letter.isalpha())
    return frozenset(word) & _listed(script)


def _folded_words(text: str) -> list[str]:
    text = unicodedata.normalize("NFC", text[:_ENOUGH])
    return [_folded(word) for word in _WORD.findall(_MARKS.sub("", text))]


def _folded(word: str) -> str:
    return word.replace("İ", "i").lower().replace("’", "'")


def _script(text: str) -> str:
    """The script of most letters."""
    found = Counter(_script_of(letter) for letter in text if letter.isalpha())
    return found.most_common(1)[0][0] if found else ""


@cache
def _script_of(letter: str) -> str:
    name = unicodedata.name(letter, "").partition(" ")[0].lower()
    return "cjk" if name in ("cjk", "hiragana", "katakana", "hangul") else name
