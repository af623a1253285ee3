"""The page to paste texts into, and the page of what came of them."""

import re
from pathlib import Path
from urllib.parse import urlencode

import pytest
from fastapi.testclient import TestClient
from playwright.sync_api import Browser

from tests.service.serving import BAD, asked, client, keyed, served

FORM = {"Content-Type": "application/x-www-form-urlencoded"}
HOSTILE = '"><script>window.hit = 1</script><img src=x onerror="window.hit=1">'


def post(browser: TestClient, **fields: str) -> tuple[int, str]:
    answer = browser.post("/", content=urlencode(fields).encode(), headers=FORM)
    assert answer.headers["content-type"].startswith("text/html")
    assert "default-src 'none'" in answer.headers["content-security-policy"]
    return answer.status_code, answer.text


def test_form_gives_the_page_of_the_check(browser: TestClient) -> None:
    status, page = post(browser, **BAD, question="When was she born?", detector="overlap")
    assert status == 200
    assert "Faithfulness of 1 response, by overlap" in page
    assert BAD["response"] in page


def test_nothing_inline_runs_but_what_the_page_brings(browser: TestClient) -> None:
    start = browser.get("/").headers["content-security-policy"]
    assert "unsafe" not in start
    assert "script" not in start
    answer = browser.post("/", content=urlencode(BAD).encode(), headers=FORM)
    policy = answer.headers["content-security-policy"]
    (scripts,) = re.findall("script-src ([^;]*);", policy)
    assert re.fullmatch(r"'sha256-[\w+/=]{44}'", scripts)


def test_what_was_filled_in_is_there_again_beside_what_is_wrong(browser: TestClient) -> None:
    status, page = post(browser, source=f"a\r\nb {HOSTILE}", response=" ", question=HOSTILE)
    assert status == 422
    assert "The response is empty." in page
    assert HOSTILE not in page
    assert "&lt;script&gt;window.hit" in page


@pytest.mark.parametrize(
    ("content", "status"),
    [
        (b"source=%FF&response=x", 200),  # read as a browser reads it
        (b"source", 400),
        (b"\xff", 400),
        (b"&".join(b"a=b" for _ in range(21)), 400),
        (b"source=a&response=b&detector=judge-gray7", 422),
        (b"source=a%00&response=b", 422),
    ],
)
def test_form_that_cannot_be_read_is_refused(
    browser: TestClient, content: bytes, status: int
) -> None:
    assert browser.post("/", content=content, headers=FORM).status_code == status


def test_form_asks_for_the_key_and_never_shows_it(tmp_path: Path) -> None:
    keys, headers = keyed("ann")
    key = headers["ann"].partition(" ")[2]
    with client(asked(tmp_path, rate=3), keys) as browser:
        assert 'name="key"' in browser.get("/").text
        status, page = post(browser, **BAD, key="a-wrong-key")
        assert (status, "a-wrong-key" in page) == (401, False)
        status, page = post(browser, **BAD, key=key)
        assert (status, key in page) == (200, False)
        assert post(browser, **BAD, key="a-wrong-key")[0] == 401
        assert post(browser, **BAD, key=key)[0] == 429


def test_form_of_another_site_is_refused(browser: TestClient) -> None:
    body = urlencode(BAD).encode()
    answer = browser.post("/", content=body, headers={**FORM, "Origin": "http://evil.example"})
    assert answer.status_code == 403


# True if the sentence chosen is on the screen, and nothing lies on it.
IS_SEEN = """() => {
  const [line] = document.querySelector(".unit.current").getClientRects();
  const hit = document.elementFromPoint(line.left + 9, line.top + 9);
  return hit !== null && hit.closest(".unit.current") !== null;
}"""


@pytest.mark.browser
def test_fields_of_the_form_stand_in_one_line(tmp_path: Path, chromium: Browser) -> None:
    with served(asked(tmp_path), keyed("ann")[0]) as real:
        page = chromium.new_page(viewport={"width": 1280, "height": 900})
        page.goto(real.url)
        boxes = [page.locator(each).bounding_box() for each in ("#detector", "#key", "button")]
        page.close()
    assert len({(each["y"], each["height"]) for each in boxes if each}) == 1


@pytest.mark.browser
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1200, 400])
def test_page_works_in_a_browser_and_obeys_its_policy(
    tmp_path: Path, chromium: Browser, width: int, scheme: str
) -> None:
    with served(asked(tmp_path)) as real:
        context = chromium.new_context(
            viewport={"width": width, "height": 900},
            color_scheme="dark" if scheme == "dark" else "light",
        )
        page = context.new_page()
        complaints: list[str] = []
        page.on("console", lambda message: complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.goto(real.url)
        page.fill("#source", BAD["source"] + HOSTILE)
        page.fill("#response", BAD["response"])
        fits = "document.documentElement.scrollWidth <= innerWidth"
        assert page.evaluate(fits)
        page.click("button")
        for _ in range(2):
            page.wait_for_selector("#shown .unit.current")
            page.wait_for_timeout(200)  # in which the page of a file would change its address
            assert page.evaluate(fits)
            assert page.inner_text("#shown-id") == "The response"
            assert page.evaluate(IS_SEEN)
            page.reload()  # asks again, and nothing is lost
        assert page.evaluate("window.hit") is None
        page.click("text=Check another text")
        page.wait_for_selector("#response")
        assert complaints == []
        context.close()
