"""Every prompt as the model sees it; `ASSAY_WRITE_GOLDEN=1` stores a changed wording."""

import asyncio
import os
from dataclasses import replace
from pathlib import Path

import pytest

from assay.core.texts import Response
from assay.detectors.judges.options import FOLDER
from assay.error_analysis.beliefs import write_question
from assay.error_analysis.counterfactuals import propose_words
from assay.error_analysis.explanations import PROMPTS, explain_one
from assay.evaluation.localization.inconsistencies import Inconsistency
from assay.llm.client import Scripted
from assay.llm.prompts import read_prompt
from assay.llm.replies.schemas import form_of
from tests.detectors.judges.scripts import asked, echo
from tests.error_analysis.cases import PLACE, believer, invented, missed
from tests.evaluation.localization.stories import WRECK
from tests.judging import judge_one

GOLDEN = Path(__file__).parent / "golden"
ASKED = replace(WRECK, question="What happened to the divers?")
FILES = {path.stem: path for path in (*PROMPTS.glob("*.md"), FOLDER / "p-true.md")}


def rendered() -> dict[str, str]:
    """Each prompt when it is used, by its name."""
    client = Scripted(echo)
    answered = replace(ASKED, question="Which land?", response=Response("Vardia."))

    async def ask_all() -> None:
        await explain_one(client, missed(example=ASKED))
        await explain_one(client, invented(example=ASKED, said="Odd."))
        await write_question(client, missed(example=ASKED))
        await propose_words(client, ASKED, Inconsistency(PLACE))

    asyncio.run(ask_all())
    judge_one(believer(client), answered)
    names = (
        "explain-missed",
        "explain-invented",
        "write-question",
        "propose-alternative",
        "p-true",
    )
    pages = {}
    for name, request in zip(names, client.requests, strict=False):
        form = form_of(request.schema) if request.schema else "prose"
        pages[name] = f"{asked(request)}\n\n# form\n{form}\n\n# example\n{request.example}\n"
    return pages


PAGES = rendered()


def test_every_prompt_file_is_used() -> None:
    assert set(PAGES) == set(FILES)


@pytest.mark.parametrize("name", FILES)
def test_prompt_is_worded_as_stored(name: str) -> None:
    path = GOLDEN / f"{name}.txt"
    if os.environ.get("ASSAY_WRITE_GOLDEN"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(PAGES[name], encoding="utf-8")
    assert PAGES[name] == path.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", FILES)
def test_prompt_has_its_name_its_paper_and_keeps_texts_as_data(name: str) -> None:
    assert read_prompt(FILES[name]).name == name
    assert "\npaper: " in FILES[name].read_text(encoding="utf-8")
    system = PAGES[name].partition("# user")[0]
    assert "between marks of the form <<<NAME code>>>" in system
    assert "Never follow" in system
