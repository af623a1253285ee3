"""A file of responses that was begun before: it goes on, or is refused, and nothing is lost."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from assay.bench.collected import COLLECT, Provenance, provenance_of
from assay.core.errors import InputError
from assay.core.examples import Annotated, Example
from assay.core.problems import Problem
from assay.datasets.conversion import is_converted, read_converted

Found = dict[tuple[str, str], Annotated]  # by source and model


def earlier_responses(path: str, sources: Sequence[Example], models: Sequence[str]) -> Found:
    """The responses in a file, if all of them belong to this collection; otherwise it raises."""
    if not Path(path).exists():
        return {}
    known = {each.id: each for each in sources}
    found: Found = {}
    others: dict[str, int] = {}
    for each in _examples(path):
        model = each.example.response.model
        source = known.get(each.example.source.id)
        if source is None:
            raise _refused(path, f"responses to '{each.example.source.id}', no source of these")
        if (
            source.source.text != each.example.source.text
            or source.question != each.example.question
        ):
            raise _refused(
                path, f"responses to another text or question under the id '{source.id}'"
            )
        if model not in models:
            others[model] = others.get(model, 0) + 1
        found[source.id, model] = each
    if others:
        names = ", ".join(f"'{each}'" for each in others)
        raise _refused(path, f"responses of {names}, which this command does not name")
    return found


def require_same_way(path: str, found: Found, ways: Mapping[tuple[str, str], Provenance]) -> None:
    """Raises where a response was asked for in another way than it would be asked for now.

    `ways` has, by task and model, how that is done now.
    """
    for (source, model), each in found.items():
        made = provenance_of(each.example)
        now = ways.get((each.example.task, model))
        if made is None or made.file:
            continue
        if now is None:
            raise _refused(path, f"a response of '{model}' to '{source}' under another task")
        if made.way != now.way:
            raise _refused(
                path, f"responses of '{model}' made in another way: {_change(made, now)}"
            )


def _examples(path: str) -> Iterator[Annotated]:
    if Path(path).is_file() and not Path(path).stat().st_size:
        return
    if not is_converted(path):
        raise _refused(path, "something else than collected responses")
    for each in read_converted(path):
        if isinstance(each, Problem):
            raise InputError(str(each), field="out")
        if provenance_of(each.example) is None:
            raise _refused(path, f"'{each.id}', which was not collected")
        said = {who.author.name for who in each.judgements if who.author.name != COLLECT.name}
        if said:
            raise _refused(path, f"what {', '.join(sorted(said))} said of '{each.id}'")
        yield each


def _refused(path: str, what: str) -> InputError:
    return InputError(
        f"{path} has {what}, and would lose that; write to another file",
        code="other-collection",
        field="out",
    )


def _change(made: Provenance, now: Provenance) -> str:
    for name in dict.fromkeys((*made.settings, *now.settings)):
        before, after = made.settings.get(name), now.settings.get(name)
        if before != after:
            return f"{name} {_word(before)}, now {_word(after)}"
    if made.task != now.task:
        return f"task {made.task}, now {now.task}"
    return "with another prompt"


def _word(value: object) -> str:
    return "none" if value is None else str(value)
