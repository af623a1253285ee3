"""The prompts of the judges: those beside this file, or one that the user brings."""

from pathlib import Path

from assay.core.errors import InputError
from assay.core.labels import Taxonomy
from assay.llm.prompts import Prompt, label_menu, read_prompt

FOLDER = Path(__file__).parent / "prompts"


def load_prompt(
    name: str,
    file: str = "",
    *,
    needs: tuple[str, ...],
    labels: Taxonomy | None = None,
    folder: Path = FOLDER,
) -> Prompt:
    """Our prompt of that name, or the user's in its place, with the menu of labels filled in.

    The user's may leave out what ours fills in, except for what it `needs` to judge at all.
    """
    prompt = ours = read_prompt(folder / f"{name}.md")
    if file:
        prompt = read_prompt(file)
        _check(prompt, ours, file, needs)
    if labels is None or "labels" not in prompt.inputs:
        return prompt
    return prompt.fix(labels=label_menu(labels))


def _check(prompt: Prompt, ours: Prompt, file: str, needs: tuple[str, ...]) -> None:
    menu = ", ".join(f"${each}" for each in sorted(ours.inputs))
    strange = sorted(prompt.inputs - ours.inputs)
    if strange:
        raise InputError(f"{file}: nothing is known for ${strange[0]}; this judge fills in {menu}")
    missing = [each for each in needs if each not in prompt.inputs]
    if missing:
        raise InputError(f"{file}: ${missing[0]} is missing; this judge fills in {menu}")
