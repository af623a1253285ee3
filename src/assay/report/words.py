"""Texts as they may stand on a terminal, and counts, money and times in words."""

import json
import re
from collections.abc import Mapping

# Characters that could steer a terminal or deceive its reader: controls (but tab and line feed),
# marks that turn the order of letters around, separators and characters without a width, halves of
# characters. Joiners between letters of scripts that need them, or between emoji, stay, and so do
# the flags that are spelled in tags.
_HARMLESS = (
    r"(?<=[^\x00-\u02ff\u2000-\u206f])[\u200c\u200d](?=[^\x00-\u02ff\u2000-\u206f])"
    r"|\U0001f3f4[\U000e0020-\U000e007e]{1,8}\U000e007f"
)
_HARMFUL = (
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f"
    r"\ud800-\udfff\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]"
)
STEERING = re.compile(f"({_HARMLESS})|{_HARMFUL}")


def printable(text: str) -> str:
    """A text on one line, as it may safely stand on a terminal.

    >>> printable("a\\x1b[31m\\n b")
    'a\\\\x1b[31m b'
    """
    return spelled_out(" ".join(text.split()))


def short_text(text: str, most: int) -> str:
    """A text on one line, its end left out where it is longer than that.

    >>> short_text("Ada was\\nborn in 1852.", 9)
    'Ada was…'
    """
    words = " ".join(text.split())
    return words if len(words) <= most else words[: most - 1].rstrip() + "…"


def spelled_out(text: str) -> str:
    """A text in which nothing steers a terminal; its lines and tabs stay.

    >>> spelled_out("a\\u202eb\\n\\tc")
    'a\\\\u202eb\\n\\tc'
    """
    if text.isascii() and text.isprintable():
        return text
    return STEERING.sub(lambda match: match[0] if match[1] else _spelling(match[0]), text)


def escaped_json(text: str) -> str:
    """A JSON text in which such characters are escaped, which changes nothing that it says.

    Nor is a text in it a command to the server that shows it in a log.

    >>> escaped_json('"a\\u202eb ##[group]"')
    '"a\\\\u202eb ##\\\\u005bgroup]"'
    """
    escaped = STEERING.sub(lambda match: match[0] if match[1] else _escape(match[0]), text)
    return escaped.replace("##[", "##\\u005b")


def counts(numbers: Mapping[str, int]) -> str:
    """Names with how many there are, the most frequent first.

    >>> counts({"parse": 2, "refused": 1_200})
    'refused 1,200, parse 2'
    """
    ordered = sorted(numbers.items(), key=lambda each: -each[1])
    return ", ".join(f"{name} {count:,}" for name, count in ordered)


def _spelling(character: str) -> str:
    code = ord(character)
    return (
        f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}" if code < 65536 else f"\\U{code:08x}"
    )


def _escape(character: str) -> str:
    code = ord(character)
    return f"\\u{code:04x}" if code < 65536 else json.dumps(character)[1:-1]


def money(usd: float | None) -> str:
    """US dollars; None is a cost that cannot be known.

    >>> money(0.01234), money(12.345), money(None)
    ('$0.0123', '$12.35', 'unknown: there is no price for the model')
    """
    if usd is None:
        return "unknown: there is no price for the model"
    return f"${usd:.2f}" if usd >= 1 else f"${usd:.4f}"


def duration(seconds: float) -> str:
    """A time in the two largest units that it has.

    >>> duration(7.25), duration(75), duration(3661)
    ('7.2 s', '1 min 15 s', '1 h 1 min')
    """
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest} s"
    return f"{minutes // 60} h {minutes % 60} min"
