"""A whole example as plain JSON values and back: texts, units, gold and recorded outcomes."""

from collections.abc import Mapping
from typing import Any

from assay.core.errors import InputError
from assay.core.examples import Example
from assay.core.records import Record
from assay.core.stored import read_stored_outcome, read_unit_record, stored_outcome, unit_record
from assay.core.texts import Passage, Response, Source
from assay.core.verdicts import Verdict

FORMAT = "assay-example-1"
_ALWAYS = ("format", "id", "source", "response", "language")
_TEXTS = (*_ALWAYS, "source_id", "model", "question", "split", "task")


def example_record(example: Example) -> Record:
    """All that an example holds; what is empty is left out."""
    text = example.response.text
    passages = example.source.passages
    record: Record = {
        "format": FORMAT,
        "id": example.id,
        "source": example.source.text,
        "source_id": example.source.id,
        "source_passages": [
            {"name": each.name, "start": each.start, "end": each.end} for each in passages
        ],
        "response": text,
        "model": example.response.model,
        "question": example.question,
        "language": example.language,
        "split": example.split,
        "task": example.task,
        "units": [unit_record(unit, text) for unit in example.units],
        "gold": [stored_outcome(verdict, text) for verdict in example.gold],
        "recorded": [stored_outcome(outcome, text) for outcome in example.recorded],
    }
    return {name: value for name, value in record.items() if value or name in _ALWAYS}


def read_record(record: Mapping[str, Any]) -> Example:
    """The example of a record, its spans checked against its texts; a damaged one raises."""
    if not isinstance(record, Mapping) or record.get("format") != FORMAT:
        raise InputError(f"not a record of the form '{FORMAT}'")
    try:
        return _read(record)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise InputError(f"the record '{record.get('id')}' is damaged: {error!r}") from None


def _read(record: Mapping[str, Any]) -> Example:
    for name in _TEXTS:
        if not isinstance(record.get(name, ""), str):
            raise InputError(f"'{name}' must be text, not {record[name]!r}")
    source, text = record["source"], record["response"]
    gold = [read_stored_outcome(each, source, text) for each in record.get("gold", ())]
    return Example(
        id=record["id"],
        source=Source(
            source,
            tuple(Passage(**each) for each in record.get("source_passages", ())),
            record.get("source_id", ""),
        ),
        response=Response(text, record.get("model", "")),
        question=record.get("question", ""),
        language=record["language"],
        units=tuple(read_unit_record(each, text) for each in record.get("units", ())),
        gold=tuple(verdict for verdict in gold if isinstance(verdict, Verdict)),
        recorded=tuple(
            read_stored_outcome(each, source, text) for each in record.get("recorded", ())
        ),
        split=record.get("split", ""),
        task=record.get("task", ""),
    )
