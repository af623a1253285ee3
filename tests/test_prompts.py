"""What no prompt of the package may say."""

import re
from pathlib import Path

import pytest

import assay

PACKAGE = Path(assay.__file__).parent
# What `collect` asks LLMs to write are responses; all other prompts ask for reasons.
ASKING = sorted(path for path in PACKAGE.rglob("prompts/*.md") if path.parts[-3] != "bench")
_COUNT = r"(?:\d+|one|two|three|four|five|a few|a single)"
_LENGTH = r"(?:short |brief |single |plain |concise )?(?:words?|sentences?|lines?|paragraphs?)\b"
LIMIT = re.compile(
    rf"\b(?:at most|up to|no more than|not more than|fewer than|less than|under|within) {_COUNT}"
    rf" {_LENGTH}|\bin {_COUNT}(?: (?:or|to) {_COUNT})? {_LENGTH}"
    r"|\b(?:short|brief|single|concise) (?:sentences?|reasons?|explanations?|rationales?)\b"
    r"|\b(?:brief|concise)ly\b|\bkeep it (?:short|brief)\b",
    re.IGNORECASE,
)


@pytest.mark.parametrize("path", ASKING, ids=lambda path: path.stem)
def test_no_prompt_limits_the_length_of_reasons(path: Path) -> None:
    words = " ".join(path.read_text(encoding="utf-8").split())
    assert LIMIT.search(words) is None


@pytest.mark.parametrize(
    "words",
    [
        "your reasons, in at most 80 words and",
        "one line of at most 25 words: what",
        '"reason": in one short sentence, what',
        '"reason": in one or two sentences, what',
        "then say in one sentence what you found",
        "one to three short sentences about each",
        "with at most two short sentences for each",
        "Explain briefly, then",
    ],
)
def test_limits_are_noticed(words: str) -> None:
    assert LIMIT.search(words)


def test_every_prompt_file_is_looked_at() -> None:
    folders = {path.parent.parent.name for path in ASKING}
    assert folders == {"judges", "discourse", "localize", "audit", "error_analysis", "localization"}
