"""Keys are found in every form in which a server can be expected to repeat them."""

import json
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Callable
from time import process_time
from urllib.parse import quote

import pytest

from assay.core.system.secrets import MASK, Secrets
from tests.growth import problems

KEY = "sk-proj/Ab+9_x=0123456789-zyx"
HIDDEN = Secrets(KEY)

FORMS: dict[str, Callable[[str], str]] = {
    "plain": str,
    "url": lambda key: quote(key, safe=""),
    "url, in full": lambda key: "".join(f"%{ord(letter):02x}" for letter in key),
    "url, twice": lambda key: quote(quote(key, safe=""), safe=""),
    "json, slash": lambda key: key.replace("/", "\\/"),
    "json, in full": lambda key: "".join(f"\\u{ord(letter):04X}" for letter in key),
    "json in json": lambda key: json.dumps("".join(f"\\u{ord(letter):04x}" for letter in key)),
    "backwards": lambda key: key[::-1],
    "hexadecimal": lambda key: key.encode().hex(),
    "hexadecimal, large": lambda key: key.encode().hex().upper(),
    "html": lambda key: "".join(f"&#{ord(letter)};" for letter in key),
    "html, hexadecimal": lambda key: "".join(f"&#x{ord(letter):X};" for letter in key),
}


@pytest.mark.parametrize("form", FORMS)
def test_key_is_hidden_however_it_is_escaped(form: str) -> None:
    text = f"You sent Bearer {FORMS[form](KEY)}, which is wrong."
    assert "9_x" not in HIDDEN.hide(text)
    assert HIDDEN.hide(text).startswith("You sent Bearer ")
    assert HIDDEN.hide(text).endswith(f"{MASK}, which is wrong.") or form == "json in json"
    assert HIDDEN.hide_bytes(text.encode()) == HIDDEN.hide(text).encode()


@pytest.mark.parametrize("before", ["", "u", "us", "user:"])
@pytest.mark.parametrize("encode", [b64encode, urlsafe_b64encode])
def test_key_in_base64_is_hidden_wherever_it_begins(
    before: str, encode: Callable[[bytes], bytes]
) -> None:
    whole = encode(f"{before}{KEY} and more".encode()).decode()
    hidden = HIDDEN.hide(whole)
    assert MASK in hidden
    assert len(hidden) < len(whole) - len(KEY)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-be", "utf-32", "utf-32-le"])
def test_key_in_an_encoding_of_wide_characters_is_hidden(encoding: str) -> None:
    hidden = HIDDEN.hide_bytes(f"You sent {KEY}.".encode(encoding))
    assert hidden.endswith(f"You sent {MASK}.".encode())
    other = "Ein Schlüssel".encode(encoding)
    assert Secrets().hide_bytes(other) == other


def test_other_text_stays_as_it_is() -> None:
    text = "100% of sk-proj and \\u0073 &#115; stay"
    assert HIDDEN.hide(text) == text
    assert Secrets().hide(text) == text


def test_word_too_short_for_a_key_is_not_hidden() -> None:
    assert Secrets("abc").hide("abc") == "abc"
    assert Secrets("abcd").hide("abcd") == MASK


@pytest.mark.parametrize("piece", ["s", "\\", "%25", "&#0", "sk-proj/Ab+9_x=", "%73%6b"])
def test_hiding_takes_time_in_proportion_to_the_text(piece: str) -> None:
    assert not list(problems(HIDDEN.hide, [lambda size: piece * (size // len(piece))]))


@pytest.mark.parametrize("piece", ["%", "%25", "&#0"])
def test_the_forms_of_a_key_are_not_tried_one_by_one_at_every_place(piece: str) -> None:
    raw = piece.encode() * 100_000
    few = Secrets("abcd")  # too short to be looked for in base64: one form instead of seven
    assert _fastest(HIDDEN.hide_bytes, raw) < 3 * _fastest(few.hide_bytes, raw)


def _fastest(call: Callable[[bytes], bytes], raw: bytes) -> float:
    """The least time of this process that a call takes, out of a few tries."""
    times = []
    for _ in range(5):
        start = process_time()
        call(raw)
        times.append(process_time() - start)
    return min(times)
