"""Numbers that are no quantities: codes, references, versions, list markers."""

from assay.text.quantities.amounts import read_amount
from assay.text.quantities.dates import is_year, read_date
from assay.text.quantities.lexicon import NumberWords, number_words, units
from assay.text.quantities.tokens import TokenWalk

_DASHES = frozenset("-–—‑")
_PREFIXES = frozenset({"mid", "pre", "post", "early", "late", "non"})
_LONG_PART = 4  # digits of a part of a code such as 555-1234
_MOST_PARTS = 8


def end_of_code(walk: TokenWalk, at: int, words: NumberWords) -> int:
    """The token behind a code, a reference or a list marker that begins with a number, or 0."""
    before, after = walk.word(at - 1) if at else "", walk.word(at + 1)
    if walk.glued(at):
        if before[-1].isalpha() and before not in units().signs and not is_ideograph(before):
            return 0 if before == "T" and at > 1 and walk.is_number[at - 2] else at + 1
        is_joined = before in _DASHES and walk.glued(at - 1) and walk.word(at - 2)[-1:].isalpha()
        if is_joined and walk.fold(at - 2) not in _PREFIXES:
            return at + 1
        if before == "+":
            return _phone(walk, at)
        if before in "#@_^\\":
            return at + 1
        if before == "." and walk.glued(at - 1):
            return at + 1
    if before == "[" and after in ("]", ",", "-", "–"):
        while (
            at < len(walk) and walk.word(at) != "]" and (walk.number(at) or walk.word(at) in ",-–")
        ):
            at += 1
        return at
    if _begins_line(walk, at) and after in (".", ")") and walk.glued(at + 1):
        month = walk.fold(at + 2) in words.months
        if not month and not walk.glued(at + 2) and at + 2 < len(walk):
            return at + 1
    if before == "(" and after == ")" and _begins_line(walk, at - 1):
        return at + 1
    code = _code(walk, at)
    return max(code, at + 1) if _is_reference(walk, at, words) else code


def _phone(walk: TokenWalk, at: int) -> int:
    """The token behind the groups of digits of a phone number."""
    end = at + 1
    while walk.near(end) and (walk.number(end) or walk.word(end) in "-()/"):
        end += 1
    return end


def _begins_line(walk: TokenWalk, at: int) -> bool:
    return at == 0 or "\n" in walk.text[walk.ends[at - 1] : walk.starts[at]]


def _is_reference(walk: TokenWalk, at: int, words: NumberWords) -> bool:
    """True after words such as `version` or `page`, unless something is measured."""
    if not at or not walk.near(at):
        return False
    before = walk.fold(at - 1)
    if before == "." and at > 1 and walk.glued(at - 1):
        before = f"{walk.fold(at - 2)}."
    if before not in words.references:
        return False
    amount = read_amount(walk, at, words)
    return amount is None or amount.unit is None


def _code(walk: TokenWalk, at: int) -> int:
    """The token behind parts of digits joined by hyphens, such as a phone number, or 0."""
    end, parts = at + 1, [walk.word(at)]
    while len(parts) < _MOST_PARTS and walk.word(end) in ("-", "‑") and walk.glued(end):
        if not (walk.number(end + 1) and walk.glued(end + 1)):
            break
        parts.append(walk.word(end + 1))
        end += 2
    is_code = len(parts) > 2 or (
        len(parts) == 2
        and len(parts[0]) >= 3
        and len(parts[1]) >= _LONG_PART
        and not is_year(parts[0])
    )
    if len(parts) == 3 and read_date(walk, at, number_words("en")):
        return 0
    return end if is_code and all(part.isdecimal() for part in parts) else 0


def is_ideograph(word: str) -> bool:
    """True for a character of a script without spaces, which may touch a number."""
    return "\u3041" <= word[-1] <= "\u9fff"
