"""Keys are found in every form in which a server can be expected to repeat them."""

import json
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Callable
from urllib.parse import quote

import pytest

from assay.core.secrets import MASK, Secrets
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
