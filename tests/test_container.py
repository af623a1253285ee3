"""The container's files name what exists: options of `assay serve`, files that are let in."""

import json
import re
from pathlib import Path

from assay.cli.application import app

ROOT = Path(__file__).resolve().parents[1]
DOCKERFILE = (ROOT / "Dockerfile").read_text(encoding="utf-8")
COMPOSE = (ROOT / "compose.yaml").read_text(encoding="utf-8")


def options_of_serve() -> set[str]:
    command = app.get_command(None, "serve")  # type: ignore[arg-type]
    assert command is not None
    return {option for each in command.params for option in each.opts}


def test_commands_have_options_that_exist() -> None:
    (command,) = re.findall(r"^CMD (.*)$", DOCKERFILE, re.MULTILINE)
    wanted = {each for each in json.loads(command) if each.startswith("--")}
    (block,) = re.findall(r"    command:\n((?:      - .*\n)+)", COMPOSE)
    wanted |= set(re.findall(r"- (--[a-z-]+)", block))
    assert len(wanted) == 3
    assert wanted <= options_of_serve()


def test_only_what_is_copied_is_let_in() -> None:
    (copied,) = re.findall(r"^COPY (pyproject.*) \./\n", DOCKERFILE, re.MULTILINE)
    lines = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    assert {each[1:] for each in lines if each.startswith("!")} == {*copied.split(), "src"}
    assert "*" in lines


def test_base_images_are_pinned_to_a_version() -> None:
    images = re.findall(r"^FROM (\S+)", DOCKERFILE, re.MULTILINE)
    images += re.findall(r"^    image: (\S+)", COMPOSE, re.MULTILINE)
    assert len(images) == 3
    assert all(re.search(r":\d+\.\d+(\.\d+)?-", each) for each in images)


def test_secrets_are_files_and_not_in_the_text() -> None:
    assert set(re.findall(r"file: \./(\S+)", COMPOSE)) == {
        "secrets/service_keys",
        "secrets/database_password",
    }
    assert "POSTGRES_PASSWORD:" not in COMPOSE
    assert "/secrets/" in (ROOT / ".gitignore").read_text(encoding="utf-8").splitlines()
