"""Options after the colon of a judge's name: `judge-gray7:batch,prompt=FILE`.

The prompts of the judges are beside this file; the user may bring another instead of one.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from assay.core.errors import InputError, UnknownNameError
from assay.core.labels import Taxonomy
from assay.llm.prompts import Prompt, label_menu, read_prompt
from assay.llm.replies.forms import Kind, ReplyForm, check_choices

FOLDER = Path(__file__).parent / "prompts"

# What a prompt fills in that is for the same judge when it asks in another way, by ours.
_OTHER_WAY = {
    "judge-gray7": {"sentences": "judge-gray7:batch", "count": "judge-gray7:batch"},
    "judge-gray7-batch": {"sentence": "judge-gray7"},
}


@dataclass(frozen=True, slots=True)
class Chosen:
    """The options that were given: switches by name, and settings with their values."""

    judge: str
    switches: frozenset[str] = frozenset()
    settings: Mapping[str, str] = field(default_factory=dict)

    def __contains__(self, switch: str) -> bool:
        return switch in self.switches

    def __getitem__(self, setting: str) -> str:
        """The value of a setting; empty if it was not given."""
        return self.settings.get(setting, "")

    def count(self, setting: str, default: int) -> int:
        """The value of a setting that is a whole number from 0 upwards."""
        value = self[setting] or str(default)
        if not (value.isascii() and value.isdigit()):
            raise InputError(f"{self.judge}: {setting} is a whole number, not '{value}'")
        return int(value)


def read_options(
    judge: str, argument: str, *, switches: Collection[str] = (), settings: Mapping[str, str]
) -> Chosen:
    """The options in `argument`; `settings` maps each name to what stands for its value.

    >>> chosen = read_options("judge", "batch", switches=["batch"], settings={"prompt": "FILE"})
    >>> "batch" in chosen, chosen["prompt"]
    (True, '')
    """
    menu = (*switches, *(f"{name}={value}" for name, value in settings.items()))
    chosen: dict[str, str] = {}
    for part in filter(None, map(str.strip, argument.split(","))):
        name, equals, value = (each.strip() for each in part.partition("="))
        if name not in (settings if equals else switches):
            raise UnknownNameError(f"option of {judge}", part, menu)
        if equals and not value:
            raise InputError(f"{judge}: '{name}=' needs a value; write {name}={settings[name]}")
        if name in chosen:
            raise InputError(f"{judge}: the option '{name}' is given twice")
        chosen[name] = value
    return Chosen(
        judge,
        frozenset(name for name in chosen if name in switches),
        {name: value for name, value in chosen.items() if name in settings},
    )


def load_prompt(
    name: str,
    file: str = "",
    *,
    needs: tuple[str, ...],
    labels: Taxonomy | None = None,
    folder: Path = FOLDER,
    forms: Collection[Kind] | None = (),
) -> Prompt:
    """Our prompt of that name, or the user's in its place, with the menu of labels filled in.

    The user's may leave out what ours fills in, except for what it `needs` to judge at all, which
    may be more than ours has. Its header may name one of the `forms` for its replies, and words for
    the labels; if `forms` is None, the caller checks that.
    """
    prompt = ours = read_prompt(folder / f"{name}.md")
    if file:
        prompt = read_prompt(file)
        own = prompt.name if prompt.name != ours.name else Path(file).stem
        prompt = replace(prompt, brought=own)
        # Where sentences are numbered, the prompt may say how many there are.
        counted = {"count"} if "sentences" in ours.inputs else set()
        if forms is not None:
            check_form(prompt.form, forms, labels.names if labels else (), file)
        _check_way(prompt, ours, file)
        _check(prompt, {*ours.inputs, *counted, *needs}, file, needs)
    if labels is None or "labels" not in prompt.inputs:
        return prompt
    return prompt.fix(labels=label_menu(labels))


def check_form(form: ReplyForm, forms: Collection[Kind], labels: Sequence[str], file: str) -> None:
    """Raises if the header names a form or a label that the judge cannot read."""
    if form.kind == "own":
        return
    if not forms:
        own = "replies must be in the form that our prompt asks for"
        raise InputError(f"{file}: {own}; leave out 'reply: {form.kind}'")
    if form.kind not in forms:
        menu = " or ".join(forms)
        raise InputError(f"{file}: replies to this judge are {menu}, not '{form.kind}'")
    check_choices(form, labels, file)


def _check_way(prompt: Prompt, ours: Prompt, file: str) -> None:
    for name, judge in _OTHER_WAY.get(ours.name, {}).items():
        if name in prompt.inputs:
            raise InputError(f"{file}: a prompt with ${name} is for {judge}")


def _check(prompt: Prompt, inputs: Collection[str], file: str, needs: tuple[str, ...]) -> None:
    menu = ", ".join(f"${each}" for each in sorted(inputs))
    strange = sorted(prompt.inputs - set(inputs))
    if strange:
        raise InputError(f"{file}: ${strange[0]} is unknown; the judge fills in {menu}")
    # A prompt that names the form of its replies says itself what comes before the verdict.
    said = {"marker"} if prompt.form.kind != "own" else set()
    missing = [each for each in needs if each not in prompt.inputs | said]
    if missing:
        raise InputError(f"{file}: ${missing[0]} is missing; the judge fills in {menu}")
