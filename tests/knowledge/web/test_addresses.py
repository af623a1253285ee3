"""Which addresses may be asked."""

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st
from yarl import URL

from assay.knowledge import FetchError
from assay.knowledge.web.addresses import (
    CheckedResolver,
    anywhere,
    is_public,
    next_address,
    read_address,
)

PUBLIC = ["9.9.9.9", "172.15.0.1", "100.63.0.1", "2606:4700::1111", "64:ff9b::909:909"]
PRIVATE = """0.0.0.0 10.1.2.3 100.64.0.1 127.0.0.1 127.8.8.8 169.254.169.254 172.16.0.1
172.31.255.255 192.0.0.1 192.0.2.1 192.168.1.1 198.18.0.1 198.51.100.7 203.0.113.9
224.0.0.1 239.255.255.250
240.0.0.1 255.255.255.255 :: ::1 ::ffff:127.0.0.1 ::ffff:9.9.9.9 ::127.0.0.1 fe80::1 fc00::1
fd12:3456::1 ff02::1 2001:db8::1 2002:7f00:1:: 2001:0:7f00:1:: 64:ff9b::127.0.0.1 64:ff9b:1::1
100::1 fec0::1 3fff::1""".split()


@pytest.mark.parametrize("number", PUBLIC)
def test_public_addresses_may_be_asked(number: str) -> None:
    assert is_public(number)


@pytest.mark.parametrize("number", PRIVATE)
def test_private_and_special_addresses_may_not(number: str) -> None:
    assert not is_public(number)


@pytest.mark.parametrize(
    "address",
    [
        "http://127.0.0.1/",
        "http://127.1/",
        "http://2130706433/",
        "http://0177.0.0.1/",
        "http://127.0.0.1./",
        "http://[::1]:80/",
        "http://[::ffff:7f00:1]/",
        "http://[fe80::1%25eth0]/",
        "http://１２７.0.0.1/",
        "http://169.254.169.254/latest/meta-data",
        "http://\n10.0.0.1/",
    ],
)
def test_private_hosts_are_refused_however_they_are_written(address: str) -> None:
    with pytest.raises(FetchError) as caught:
        read_address(address, is_public)
    assert caught.value.reason == "refused"


@pytest.mark.parametrize(
    "address",
    ["ftp://x.org/", "file:///etc/passwd", "gopher://x", "x.org", "", "http://", "http://x:99999/",
     "javascript:alert(1)", "//x.org/a", "http://xn--a/", "https://xn--a.example/b"],
)  # fmt: skip
def test_other_addresses_are_none(address: str) -> None:
    with pytest.raises(FetchError, match="not an http or https address"):
        read_address(address, anywhere)


@pytest.mark.parametrize("address", ["http://a@x.org/", "https://a:b@x.org/", "http://:b@x.org/"])
def test_names_and_passwords_in_addresses_are_refused(address: str) -> None:
    with pytest.raises(FetchError, match="must not contain a user name or password"):
        read_address(address, anywhere)


def test_a_private_address_may_be_allowed() -> None:
    assert read_address("http://127.0.0.1:8000/a#b", anywhere) == URL("http://127.0.0.1:8000/a")


@given(st.text(max_size=40))
def test_any_text_is_an_address_or_refused(text: str) -> None:
    try:
        url = read_address(text, is_public)
    except FetchError:
        return
    assert url.scheme in ("http", "https")


def test_a_redirect_is_checked_like_any_address() -> None:
    here = URL("https://x.org/a/b")
    assert next_address(here, "../c", is_public) == URL("https://x.org/c")
    for location in (
        "https://10.0.0.1/",
        "file:///etc/passwd",
        "https://u:p@x.org/",
        "http://[::1",
        "https://xn--a/",
    ):
        with pytest.raises(FetchError):
            next_address(here, location, is_public)


def test_a_redirect_never_leaves_https() -> None:
    with pytest.raises(FetchError, match="from https to http"):
        next_address(URL("https://x.org/"), "http://x.org/", is_public)
    assert next_address(URL("http://x.org/"), "https://x.org/", is_public).scheme == "https"


@pytest.mark.parametrize("name", ["localhost", "0x7f.0.0.1"])
def test_a_name_is_judged_by_what_it_resolves_to(name: str) -> None:
    async def resolve(allow: object) -> list[str]:
        resolver = CheckedResolver(allow)  # type: ignore[arg-type]
        return [each["host"] for each in await resolver.resolve(name, 80)]

    with pytest.raises(FetchError, match=rf"{name} \(.+\) is not a public address"):
        asyncio.run(resolve(is_public))
    assert asyncio.run(resolve(anywhere))
