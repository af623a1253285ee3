"""Files of flags: read with everything that is wrong with them, and written."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from assay.audit.forms import FlaggedUnit, forms_of, is_decided, read_forms, without_forms
from assay.core.codec import loads, read_example, write_example
from assay.core.errors import InputError, SpanError
from assay.core.examples import Annotated
from assay.core.files import replacing
from assay.core.problems import Problem
from assay.datasets.conversion import is_converted, read_converted
from assay.evaluation.errors.answers import Filled

STUDIO = "studio:"


@dataclass(frozen=True, slots=True)
class FlagFiles:
    """The flags of some files, their lines, and all that is wrong in them."""

    lines: tuple[Annotated, ...]
    flags: tuple[FlaggedUnit, ...]
    problems: tuple[Problem, ...]


def read_flags(paths: Sequence[str], more: Iterable[Annotated] = ()) -> FlagFiles:
    """The flags of some files, which may be copies that several people filled in.

    `more` are lines that are open already, such as those of a studio.
    """
    lines: dict[str, Annotated] = {}
    flags: dict[tuple[str, str], FlaggedUnit] = {}
    problems: list[Problem] = []
    for path in (*paths, ""):
        given, wrong = _read_lines(path) if path else ([Filled(each) for each in more], [])
        problems += wrong
        found, wrong = read_forms(given)
        problems += wrong
        for filled in given:
            line = filled.annotated
            known = lines.get(line.id)
            if known and known.example != line.example:
                message = f"example '{line.id}' is another one in another file"
                problems.append(Problem(filled.where, message))
                continue
            lines[line.id] = _joined(known, line) if known else line
        for flag in found:
            known_flag = flags.get(flag.key)
            flags[flag.key], wrong = _merged(known_flag, flag) if known_flag else (flag, [])
            problems += wrong
    told = [replace(each, line=without_forms(lines[each.line.id])) for each in flags.values()]
    return FlagFiles(tuple(lines.values()), tuple(told), tuple(problems))


def refuse_problems(problems: Sequence[Problem]) -> None:
    """Raises with all problems, one on each line, if there are any."""
    if problems:
        raise InputError("\n".join(map(str, problems)), code="bad-flags")


def refuse_decided(path: str) -> None:
    """Raises if a file holds flags about which people have decided something."""
    if is_converted(path) and any(
        isinstance(each, Annotated) and is_decided(each) for each in read_converted(path)
    ):
        raise InputError(f"{path} has decisions of people that would be lost; use another file")


def write_lines(path: str, annotated: Iterable[Annotated]) -> int:
    """Writes examples with all that was said of them, a line each; how many there were."""
    count = 0
    with replacing(path) as part, part.open("wb") as file:
        for each in annotated:
            file.write(write_example(each) + b"\n")
            count += 1
    return count


def _read_lines(path: str) -> tuple[list[Filled], list[Problem]]:
    """The lines of a file that can be read, and what is wrong with the others."""
    found: list[Filled] = []
    problems: list[Problem] = []
    try:
        with Path(path).open("rb") as file:
            for number, line in enumerate(file, start=1):
                where = f"{path} line {number}"
                if line.strip():
                    try:
                        found.append(Filled(_read_line(line), where))
                    except InputError as error:
                        message = str(error).removeprefix("the line: ")
                        problems.append(Problem(where, message))
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}", field="flags") from None
    return found, problems


def _read_line(line: bytes) -> Annotated:
    """The example on a line; evidence whose place is wrong is looked for by its words."""
    try:
        return read_example(line, "the line")
    except SpanError:
        loosened = _loosened(line)
        if loosened is None:
            raise
        return read_example(loosened, "the line")


def _loosened(line: bytes) -> bytes | None:
    """The line with the evidence of people's decisions as quotes without places."""
    record: Any = loads(line)
    found = False
    for judgement in record.get("judgements", []):
        if judgement.get("author", {}).get("kind") != "person":
            continue
        for unit in judgement.get("units", []):
            verdict = unit.get("verdict") or {}
            attributes = verdict.get("attributes") or {}
            if attributes.get("decision") and verdict.get("evidence"):
                quotes = [each.get("text", "") for each in verdict.pop("evidence")]
                cited = "\n".join(" ".join(each.split()) for each in quotes)
                before = attributes.get("cited", "")
                verdict["attributes"] = attributes | {"cited": f"{before}\n{cited}".strip()}
                found = True
    return json.dumps(record).encode() if found else None


def _joined(one: Annotated, other: Annotated) -> Annotated:
    """A line with what another copy of it has more."""
    forms = {each.key for each in forms_of(one)}
    new = [e for e in other.judgements if e not in one.judgements and e.key not in forms]
    return one.with_judgements(*new)


def _merged(one: FlaggedUnit, other: FlaggedUnit) -> tuple[FlaggedUnit, list[Problem]]:
    """A flag with the decisions of both copies; nobody may decide in two ways."""
    problems = []
    decisions = list(one.decisions)
    if one.label != other.label:
        message = (
            f"example '{one.line.id}', unit {one.unit.id}: its gold label differs in the files"
        )
        problems.append(Problem(other.where, message))
    for each in other.decisions:
        same = next((known for known in decisions if known.by == each.by), None)
        if same is None:
            decisions.append(each)
        elif same.content != each.content:
            place = f"example '{one.line.id}', unit {one.unit.id}"
            message = f"{place}: {each.by} decides otherwise in {one.where}"
            problems.append(Problem(other.where, message))
    return replace(one, decisions=tuple(decisions)), problems
