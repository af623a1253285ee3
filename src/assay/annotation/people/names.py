"""The names of people: what may be one, and which of them are the same to the eye."""

import unicodedata

from assay.core.errors import InputError

LONGEST_NAME = 80
_TAKEN = frozenset({"final", "gold"})  # what the settled judgements of a project are called
# Characters that show nothing: Unicode's Default_Ignorable_Code_Point, and three that are blank.
_UNSEEN = frozenset(
    (0xAD, 0x34F, 0x61C, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x2800, 0x3164, 0xFEFF, 0xFFA0, 0x1D159)
).union(
    range(0x180B, 0x1810),
    range(0x200B, 0x2010),
    range(0x202A, 0x202F),
    range(0x2060, 0x2070),
    range(0xFE00, 0xFE10),
    range(0xFFF0, 0xFFF9),
    range(0x1BCA0, 0x1BCA4),
    range(0x1D173, 0x1D17B),
    range(0xE0000, 0xE1000),
)
# Scripts whose letters look alike, as the names of characters begin with them.
_ALIKE = ("LATIN", "GREEK", "CYRILLIC", "COPTIC", "CHEROKEE", "ARMENIAN")
_LOOKS = str.maketrans(
    {
        **dict(zip("авеғһіјкӏмнорԛѕтԝхуүԁѵ", "abefhijklmhopqstwxyydv", strict=True)),
        **dict(zip("αβεικνορτυχ", "abeikvoptux", strict=True)),
        "с": "c",
        "ı": "i",
    }
)


def fold(name: str) -> str:
    """A name as it is compared: two that differ in case only are the same."""
    return unicodedata.normalize("NFKC", name.strip()).casefold()[:240]


def skeleton(name: str) -> str:
    """A name as it looks: letters of other scripts are the Latin ones that they resemble.

    >>> skeleton("\\u0430\\u0441\\u0435") == skeleton("ACE")
    True
    """
    return fold(name).translate(_LOOKS)


def checked_name(name: str) -> str:
    """A name as it is kept; one that cannot be used raises."""
    kept = unicodedata.normalize("NFC", name).strip()
    if not 1 <= len(kept) <= LONGEST_NAME:
        message = f"a name has 1 to {LONGEST_NAME} characters, not {len(kept)}"
        raise InputError(message, field="name")
    is_seen = kept.isprintable() and not any(ord(each) in _UNSEEN for each in kept)
    if not is_seen or "/" in kept or kept in (".", ".."):
        message = "a name has no slash and no characters that cannot be seen"
        raise InputError(message, field="name")
    if len(_scripts(kept)) > 1:
        message = "a name does not mix letters of scripts that look alike, such as Latin and Greek"
        raise InputError(message, field="name")
    if skeleton(kept) in _TAKEN:
        raise InputError(f"'{kept}' has a meaning of its own; use another name", field="name")
    return kept


def _scripts(name: str) -> set[str]:
    letters = (each for each in fold(name) if each.isalpha())
    first = {unicodedata.name(each, "").partition(" ")[0] for each in letters}
    return first & set(_ALIKE)
