"""The parts of a combined detector by name: `vote:(judge-gray7:batch,definitions),embedded`.

After the colon stand detectors and settings, separated by commas. A part with commas of its own
stands in parentheses.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from assay.core.errors import InputError, UnknownNameError
from assay.core.results import plural_of
from assay.detectors.combinators.combining import StageMeter, joint_capabilities
from assay.detectors.combinators.fold import fold, folded_capabilities
from assay.detectors.local import NO_OPTIONS, LocalOptions
from assay.detectors.protocol import Capabilities, Detector, uses_of
from assay.detectors.registry import (
    DetectorSpec,
    Ingredients,
    detector_facts,
    make_detector,
    part_spec,
)

DEEPEST = 3  # parentheses in parentheses
UNIT = "unit"
_SETTING = re.compile(r"([a-z][a-z-]*)=(.*)", re.DOTALL)
_OF_ONE_MODEL = ("threshold", "calibration")  # the others mean the same to every model


@dataclass(frozen=True)
class PartList:
    """The text after the colon of a combined detector, taken apart."""

    combinator: str
    specs: tuple[DetectorSpec, ...]
    settings: Mapping[str, str] = field(default_factory=dict)

    @property
    def folds(self) -> bool:
        """True if parts that judge less than a response are folded."""
        return UNIT in self.settings

    @cached_property
    def capabilities(self) -> Capabilities:
        """Their capabilities together; nothing is loaded."""
        return joint_capabilities([self._capabilities(spec) for spec in self.specs])

    def check(self) -> None:
        """Raises where the parts do not fit together."""
        if len(self.specs) < 2:
            raise self._error("needs two detectors or more", f"{self.combinator}:A,B")
        names = [spec.name for spec in self.specs]
        for name in names:
            if names.count(name) > 1:
                raise self._error(f"names {name} twice; several votes ask one model several times")
        cans = [self._capabilities(spec) for spec in self.specs]
        for spec, can in zip(self.specs, cans, strict=True):
            if can.finds_units:
                raise self._error(
                    f"cannot use {spec.name}, which finds its own units and not those of the"
                    " others; unit=response combines whole responses"
                )
            if can.unit_kind != cans[0].unit_kind:
                raise self._other_units(cans)

    def refuse(self, local: LocalOptions) -> None:
        """Raises for an option that would mean something else to each of several models."""
        here = [spec.name for spec in self.specs if spec.capabilities.runs_here]
        for name in local.changed:
            if name in _OF_ONE_MODEL and len(here) > 1:
                raise InputError(
                    f"a {name} belongs to one model, and {self.combinator} runs several here:"
                    f" {', '.join(here)}",
                    field=name,
                )

    def make(self, given: Ingredients) -> "tuple[tuple[Detector, ...], tuple[StageMeter, ...]]":
        """The detectors, each with what is meant for it, and their meters."""
        self.check()
        self.refuse(given.local)
        meters = tuple(StageMeter(spec.name) for spec in self.specs)
        made = (self._make(*each, given) for each in zip(self.specs, meters, strict=True))
        return tuple(made), meters

    def facts(self) -> dict[str, str]:
        """Facts about each part, and the prompts of those that ask; nothing is loaded."""
        found = {}
        for number, spec in enumerate(self.specs, 1):
            found[f"part {number}"] = f"{spec.name}: {spec.type.summary}"
            if prompts := detector_facts(spec.name).get("prompts"):
                found[f"prompts of {number}"] = prompts
        return found

    def _make(self, spec: DetectorSpec, meter: StageMeter, given: Ingredients) -> Detector:
        can = spec.capabilities
        local = given.local if can.runs_here else NO_OPTIONS
        annotations = given.annotations if can.reads_annotations else None
        if not can.asks_model:
            made = make_detector(replace(spec, local=local), (), annotations)
        else:
            from assay.llm.client import CountedClient

            clients = [CountedClient(client, meter.count_call) for client in given.clients]
            asking = replace(spec, local=local, votes=given.votes)
            made = make_detector(asking, clients, annotations)
        return fold(made) if self._is_folded(made.capabilities) else made

    def _is_folded(self, can: Capabilities) -> bool:
        return self.folds and (can.unit_kind != "response" or can.finds_units)

    def _capabilities(self, spec: DetectorSpec) -> Capabilities:
        can = spec.capabilities
        return folded_capabilities(can) if self._is_folded(can) else can

    def _other_units(self, cans: Sequence[Capabilities]) -> InputError:
        said = [
            f"{spec.name} judges {plural_of(can.unit_kind)}"
            for spec, can in zip(self.specs, cans, strict=True)
        ]
        by_sentence = [*self._by_sentence()]
        written = "unit=response, which folds the others"
        if by_sentence:
            written = f"{', '.join(by_sentence)} to judge sentences, or {written}"
        return self._error(f"combines detectors of the same units: {', '.join(said)}", written)

    def _by_sentence(self) -> Iterator[str]:
        """The parts that would judge sentences if asked to, as they are written then."""
        for spec in self.specs:
            if spec.capabilities.unit_kind == "sentence":
                continue
            key, _, argument = spec.name.partition(":")
            kept = [each for each in argument.split(",") if each and not each.startswith(UNIT)]
            name = f"{key}:{','.join((*kept, f'{UNIT}=sentence'))}"
            try:
                kind = DetectorSpec(name).capabilities.unit_kind
            except InputError:
                continue
            if kind == "sentence":
                yield f"({name})" if "," in name else name

    def _error(self, problem: str, write: str = "") -> InputError:
        hint = f"; write {write}" if write else ""
        return InputError(f"{self.combinator} {problem}{hint}", field="detector")


def read_parts(combinator: str, argument: str, menu: Mapping[str, str]) -> PartList:
    """The detectors and the settings; `menu` leads from the name of a setting to its values."""
    specs, settings = list[DetectorSpec](), dict[str, str]()
    menu = {**menu, UNIT: "response"}
    for part in split_parts(combinator, argument):
        setting = _SETTING.fullmatch(part)
        if not setting:
            specs.append(_spec(combinator, part))
            continue
        name, value = setting.groups()
        if name not in menu:
            known = ", ".join(f"{each}={values}" for each, values in menu.items())
            raise InputError(
                f"{combinator} has no setting '{name}'; it has {known}. A part with commas of its"
                f" own stands in parentheses: {combinator}:(A,{part}),B",
                field="detector",
            )
        settings[name] = value.strip()
    if settings.get(UNIT, "response") != "response":
        raise UnknownNameError(
            f"unit of {combinator}", settings[UNIT], ("response",), field="detector"
        )
    found = PartList(combinator, tuple(specs), settings)
    found.check()
    return found


def split_parts(combinator: str, argument: str) -> list[str]:
    """The texts between commas; parentheses around one are taken off.

    >>> split_parts("vote", "(judge-gray7:batch,definitions), embedded")
    ['judge-gray7:batch,definitions', 'embedded']
    """
    parts, depth, start = [], 0, 0
    for at, character in enumerate(f"{argument},"):
        depth += (character == "(") - (character == ")")
        if depth < 0 or depth > DEEPEST:
            why = "too many in each other" if depth > 0 else "one is closed that was not opened"
            raise InputError(f"{combinator}: parentheses: {why}", field="detector")
        if character == "," and depth == 0:
            parts.append(argument[start:at].strip())
            start = at + 1
    if depth:
        raise InputError(f"{combinator}: parentheses: one is not closed", field="detector")
    if not all(parts):
        raise InputError(f"{combinator}: a part is empty; write A,B", field="detector")
    return [part[1:-1].strip() if part[0] == "(" and part[-1] == ")" else part for part in parts]


def is_combined(detector: Detector) -> bool:
    """True if a detector says itself which of its parts decided."""
    return bool(uses_of(detector))


def _spec(combinator: str, part: str) -> DetectorSpec:
    try:
        return part_spec(part)
    except InputError as error:
        error.field = "detector"
        if isinstance(error, UnknownNameError):
            error.prefix(f"{combinator}, whose parts with commas stand in parentheses")
        raise
