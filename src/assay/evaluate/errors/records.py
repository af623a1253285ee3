"""Explained errors as lines of JSON that people can fill in and hand back."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from assay.core.errors import InputError
from assay.core.labels import Label
from assay.core.records import Record, failure_record, span_record
from assay.evaluate.errors.explanations import GOLD, Answer, Explained, Proposal
from assay.evaluate.errors.items import ErrorItem
from assay.evaluate.errors.lines import Line, text_in


@dataclass(frozen=True, slots=True)
class Origin:
    """Where errors come from, for whoever reads their lines later."""

    dataset: str
    judge: str
    matcher: str
    version: str


def explained_record(each: Explained, origin: Origin) -> Record:
    """One line; `category`, `by` and `note` are for people."""
    item, answer, proposal = each.item, each.answer, each.proposal
    return {
        "id": item.id,
        "category": answer.category.name if answer else "",
        "by": answer.by if answer else "",
        "note": answer.note if answer else "",
        "side": item.side,
        "categories": {label.name: label.meaning for label in item.menu},
        "description": item.unit.text,
        "spans": [span_record(span) for span in item.unit.spans],
        "said": item.said,
        "proposed": _proposal_record(proposal) if proposal else None,
        "claim": each.claim,
        "p_true": _belief_record(each),
        "failure": failure_record(each.failure) if each.failure else None,
        "example": item.example.id,
        "dataset": origin.dataset,
        "judge": origin.judge,
        "matcher": origin.matcher,
        "version": origin.version,
        "question": item.example.question,
        "response": item.example.response.text,
        "source": item.example.source.text,
    }


def with_answers(lines: Iterable[Line], explained: Sequence[Explained]) -> list[Explained]:
    """The errors with what the lines of a file say of them; one that cannot be used raises."""
    known = {each.item.id: each for each in explained}
    for where, record in lines:
        key = text_in(record, "id", where)
        if key not in known:
            raise InputError(
                f"{where}: '{key}' is none of the errors that are found now; hand answers back "
                "with the judge, data and matcher that they were asked for"
            )
        known[key] = _answered(known[key], record, where)
    return [known[each.item.id] for each in explained]


def _answered(each: Explained, record: Mapping[str, Any], where: str) -> Explained:
    claim = text_in(record, "claim", where) or each.claim
    proposal = each.proposal or _read_proposal(record.get("proposed"), each.item, where)
    name = text_in(record, "category", where)
    if not name:
        return replace(each, proposal=proposal, claim=claim)
    by = text_in(record, "by", where)
    if not by:
        raise InputError(f"{where}: the answer has no name under 'by'; say who decided")
    label = _on_menu(each.item, name, where)
    answer = Answer(label, by, text_in(record, "note", where))
    return replace(each, answer=answer, proposal=proposal, claim=claim)


def _read_proposal(record: Any, item: ErrorItem, where: str) -> Proposal | None:
    """What a model proposed before, so that it need not be asked again."""
    if record is None:
        return None
    if not isinstance(record, dict):
        raise InputError(f"{where}: 'proposed' is an object or null, not {record!r}")
    texts = [text_in(record, name, where) for name in ("by", "reason", "prompt", "date")]
    if texts[0] == GOLD:  # it may have changed since; what it says now comes from the data
        return None
    if not texts[0]:
        raise InputError(f"{where}: 'proposed' does not say by whom; leave it as it was written")
    return Proposal(_on_menu(item, text_in(record, "category", where), where), *texts)


def _on_menu(item: ErrorItem, name: str, where: str) -> Label:
    try:
        return item.menu[name]
    except InputError as error:
        raise InputError(f"{where}: {error}") from None


def _proposal_record(proposal: Proposal) -> Record:
    return {
        "category": proposal.category.name,
        "by": proposal.by,
        "reason": proposal.reason,
        "prompt": proposal.prompt,
        "date": proposal.date,
    }


def _belief_record(each: Explained) -> Record | None:
    if each.unbelieved:
        return {"probability": None, "by": each.believer, **failure_record(each.unbelieved)}
    if each.belief is None:
        return None
    belief = each.belief
    return {
        "probability": belief.probability,
        "spread": belief.spread,
        "by": each.believer,
        "note": belief.note,
    }
