"""Files of flags: read with everything that is wrong with them, and written."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from assay.app.audit.lines import read_flagged
from assay.audit.faults import name_of
from assay.audit.forms import (
    FlaggedUnit,
    forms_of,
    is_filled,
    read_forms,
    without_forms,
)
from assay.core.codec import write_example
from assay.core.errors import InputError
from assay.core.examples import Annotated
from assay.core.files import replacing
from assay.core.judgements import Finding, Judgement
from assay.core.problems import Problem
from assay.core.totals import count_of
from assay.core.units import Unit
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

    `more` are lines that are open already, such as those of a studio. Without any flag it raises.
    """
    lines: dict[str, Annotated] = {}
    flags: dict[tuple[str, str], FlaggedUnit] = {}
    problems: list[Problem] = []
    for path in (*paths, ""):
        given, wrong = _read_lines(path) if path else ([Filled(each) for each in more], [])
        problems += wrong
        if given and not any(forms_of(each.annotated) for each in given):
            examples = count_of(len(given), "example")
            message = (
                f"{examples} without a form to decide in: this is no file of flags, which "
                "flagging makes of data"
            )
            problems.append(Problem(path or "the project", message))
            continue
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
    if not flags and not problems:
        raise InputError("there are no flags in what was given", field="flags")
    told = [replace(each, line=without_forms(lines[each.line.id])) for each in flags.values()]
    return FlagFiles(tuple(lines.values()), tuple(told), tuple(problems))


def refuse_problems(problems: Sequence[Problem]) -> None:
    """Raises with all problems, one on each line, if there are any."""
    if problems:
        raise InputError("\n".join(map(str, problems)), code="bad-flags")


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
                        read, wrong = read_flagged(line)
                    except InputError as error:
                        read, wrong = None, [str(error).removeprefix("the line: ")]
                    found += [Filled(read, where)] if read else []
                    problems += [Problem(where, each) for each in wrong]
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}", field="flags") from None
    return found, problems


def _joined(one: Annotated, other: Annotated) -> Annotated:
    """A line with what another copy of it has more; the forms of one person become one."""
    forms = forms_of(other)
    said = [e for e in other.judgements if e not in one.judgements and e not in forms]
    joined = one.with_judgements(*said)
    for form in forms:
        mine = [each for each in forms_of(joined) if name_of(each) == name_of(form)]
        if not mine:
            joined = joined.with_judgements(form)
        for unit in form.units if mine else ():
            at = next((each for each in mine if unit.id in each.by_id), mine[0])
            filled = _with_unit(at, unit, form.finding(unit.id))
            mine = [filled if each is at else each for each in mine]
            judgements = tuple(filled if each is at else each for each in joined.judgements)
            joined = replace(joined, judgements=judgements)
    return joined


def _with_unit(form: Judgement, unit: Unit, said: Finding | None) -> Judgement:
    """A form with what another copy of it says of a unit, unless it has a decision itself."""
    known = form.finding(unit.id)
    if said is None or (known and (is_filled(known) or not is_filled(said))):
        return form
    units = form.units if unit.id in form.by_id else (*form.units, unit)
    others = tuple(each for each in form.outcomes if each.unit != unit.id)
    return replace(form, units=units, outcomes=(*others, said.outcome))


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
