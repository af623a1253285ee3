"""The lines between the examples of an annotation project that tell annotators from later people.

Whoever reviews or adjudicates an item has seen what annotators said. What they say settles its
label and is no annotation: in the examples that are read, the label that the project settled on
supersedes it, as a revision does after an audit.
"""

import re
from collections.abc import Sequence
from dataclasses import replace

import msgspec

from assay.core.examples import Annotated
from assay.core.judgements import GOLD, Judgement, current

ITEM_LINE = re.compile(rb'\{"schema": ?"urn:assay:project-item:')
_LATER = ("review", "adjudicate")  # stages in the order in which they come


class _Stage(msgspec.Struct):
    author: str = ""
    round: int = 0
    stage: str = ""


class _Item(msgspec.Struct):
    example: str = ""
    state: str = ""
    is_settled: bool = False
    stages: list[_Stage] = []


_items = msgspec.json.Decoder(_Item)


def with_settled(annotated: Annotated, line: bytes) -> Annotated:
    """The example in which only annotators are such, by the line of the project that follows it.

    Of an item that is not done, what a reviewer or adjudicator said so far is left out.
    """
    try:
        item = _items.decode(line)
    except msgspec.DecodeError:  # whoever imports the project says what is wrong with the line
        return annotated
    stages = {(each.author, each.round): each.stage for each in item.stages}
    staged = [(stages.get((e.author.name, e.round), ""), e) for e in annotated.judgements]
    later = [each for stage in _LATER for said, each in staged if said == stage]
    if item.example != annotated.id or not later:
        return annotated
    if item.state != "done":
        kept = tuple(each for stage, each in staged if stage not in _LATER)
        return replace(annotated, judgements=kept)
    golds = [each for each in annotated.judgements if each.author == GOLD]
    is_audited = any(stage == "audit" and e.at >= later[-1].at for stage, e in staged)
    is_newest = item.is_settled or is_audited
    if golds and is_newest:
        known = {each.key for each in golds}
        first = next(each for each in golds if each.supersedes not in known)
        return _chained(annotated, ["", *later, first])
    # The data came with a label of its own, and the project settled on another one.
    before = current(golds)[-1].key if golds else ""
    newer = replace(later[-1], author=GOLD, round=max((e.round for e in golds), default=0) + 1)
    return _chained(annotated.with_judgements(newer), [before, *later, newer])


def _chained(annotated: Annotated, chain: Sequence[str | Judgement]) -> Annotated:
    """The example in which each judgement of a chain supersedes the one before, and no other."""
    keys = [each if isinstance(each, str) else each.key for each in chain]
    said = [each for each in chain if isinstance(each, Judgement)]
    new = {id(each): replace(each, supersedes=key) for each, key in zip(said, keys, strict=False)}
    return replace(
        annotated, judgements=tuple(new.get(id(each), each) for each in annotated.judgements)
    )
