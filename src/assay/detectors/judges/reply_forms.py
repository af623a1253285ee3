"""Opinions in the form that a prompt names: our JSON, theirs, a single choice or a verdict line."""

from dataclasses import replace

from assay.detectors.judges.judging import ReplyFormat, one_line
from assay.detectors.judges.opinions import Fields, Opinion
from assay.llm.client import Reply
from assay.llm.fences import Fences
from assay.llm.replies.forms import Kind, ReplyForm, read_choice, read_records
from assay.llm.replies.menus import probability_of
from assay.llm.replies.texts import UnreadableError, final_text
from assay.llm.replies.verdict_lines import VerdictLine

# What a prompt about one unit, or about numbered units, may ask for.
ONE: tuple[Kind, ...] = ("json", "choice", "line")
NUMBERED: tuple[Kind, ...] = ("json",)


def opinion_format(fields: Fields, form: ReplyForm) -> ReplyFormat[Opinion]:
    """A reply that is one opinion, in the form that the prompt names."""
    if form.kind == "own":
        return fields.reply_format
    return ReplyFormat(
        lambda reply, fences: _read(reply, fields, form, fences), _example(fields, form)
    )


def has_quotes(fields: Fields, form: ReplyForm) -> bool:
    """True if replies in this form have a place for quotes from the source."""
    return fields.quotes if form.kind == "own" else "evidence" in form.fields


def or_bare(wanted: ReplyFormat[Opinion], fields: Fields, bare: ReplyForm) -> ReplyFormat[Opinion]:
    """The same replies, and those without any JSON that state a choice of `bare` instead."""

    def read(reply: str, fences: Fences) -> Opinion:
        try:
            return wanted.read(reply, fences)
        except UnreadableError as problem:
            try:
                if is_bare(reply):
                    return _read(reply, fields, bare, fences)
            except UnreadableError:
                pass
            raise problem from None

    return replace(wanted, read=read)


def is_bare(reply: str) -> bool:
    """True if a reply has no object in it, not even a part of one."""
    return "{" not in reply


def confidence_in(opinion: Opinion, reply: Reply, fields: Fields, form: ReplyForm) -> float | None:
    """The probability of the words that state the opinion's label; None without probabilities."""
    if not reply.tokens:
        return None
    if form.kind in ("choice", "line"):
        line = _line(final_text(reply.text), fields, form)
        return line.probability(reply) if line else None
    words = [word for word, label in form.choices.items() if label == opinion.label.name]
    found = (probability_of(reply, word) for word in (*words, opinion.label.name))
    return next((each for each in found if each is not None), None)


def _read(reply: str, fields: Fields, form: ReplyForm, fences: Fences) -> Opinion:
    if form.kind == "json":
        return _recorded(reply, fields, form, fences)
    try:
        line = read_choice(reply, form, form.menu(fields.taxonomy), fences)
    except UnreadableError as problem:
        try:  # models that are used to JSON reply with it unasked
            return _recorded(reply, fields, form, fences)
        except UnreadableError:
            raise problem from None
    return Opinion(fields.taxonomy[line.choice], one_line(line.rest))


def _recorded(reply: str, fields: Fields, form: ReplyForm, fences: Fences) -> Opinion:
    """The opinion in the last object of a reply."""
    records = read_records(reply, form, fences)
    if not records:
        raise UnreadableError("the list is empty", wanted="Reply in the form that was asked for.")
    opinion = fields.read(records[-1])
    if opinion.problem:
        raise UnreadableError(opinion.problem, fallback=opinion)
    return opinion


def _line(text: str, fields: Fields, form: ReplyForm) -> VerdictLine | None:
    try:
        return read_choice(text, form, form.menu(fields.taxonomy))
    except UnreadableError:
        return None


def _example(fields: Fields, form: ReplyForm) -> str:
    label = fields.taxonomy.labels[-1].name
    if form.kind == "json":
        return form.write([{"reason": "The source says so.", "label": label}])
    word = next((each for each, name in form.choices.items() if name == label), label)
    if form.kind == "line":
        return f"The source says so.\n{form.tagged(f'{form.marker}: {word}')}"
    return form.tagged(word)
