"""What every request has to get past, and what every answer carries."""

import urllib.request

from tests.annotating import Client
from tests.studio.serving import Served


def test_unknown_path_of_the_api_is_answered_in_json(client: Client) -> None:
    answer = client().get("/api/nowhere")
    assert answer.status_code == 404
    assert answer.json() == {"error": {"code": "not-found", "message": "Not Found", "field": ""}}


def test_answers_carry_the_policy(client: Client) -> None:
    for path in ("/api/nowhere", "/nowhere", "/static/studio.css"):
        headers = client().get(path).headers
        assert headers["content-security-policy"].startswith("default-src 'none'; script-src")
        assert "unsafe" not in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"


def test_real_server_answers(server: Served) -> None:
    with urllib.request.urlopen(f"{server.url}/static/studio.css") as answer:
        assert answer.status == 200
        assert answer.headers["Cache-Control"] == "no-cache"
        assert answer.headers["ETag"]
