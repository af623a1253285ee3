"""Errors with all that was said of them as judgements: handed to people, and read back.

The category of an error is the label of a verdict on it, by its author. An example has the missed
errors as a judgement of the gold, the invented ones as one of the detector, and then the judgements
of all who explained them. A form, by nobody yet, has what a person is asked to decide. A question
about an error, its answer, and false words for its places are units that belong to it:
`i1.question`, `i1.answer`, `i1.words1`.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from assay.core.errors import InputError
from assay.core.examples import Annotated
from assay.core.judgements import GOLD, Author, Judgement
from assay.core.problems import Problem
from assay.core.taxonomies import BINARY
from assay.core.units import Unit
from assay.core.verdicts import Attributes, Outcome, Verdict
from assay.decisions.forms import NOBODY, FormLine, other_text, refuse_problems
from assay.decisions.proposals import OPEN
from assay.error_analysis.explanations import Explained, FalseWords, Question, Statement


def annotate(explained: Iterable[Explained], detector: Author) -> list[Annotated]:
    """The examples with their errors and all that was said of these, for people to go on."""
    by_example: dict[str, list[Explained]] = {}
    for each in explained:
        by_example.setdefault(each.item.example.id, []).append(each)
    return [_annotated(errors, detector) for errors in by_example.values()]


def with_answers(answers: Iterable[FormLine], explained: Sequence[Explained]) -> list[Explained]:
    """The errors with answers of people, and of models before; raises with all unusable ones."""
    known = {each.item.key: each for each in explained}
    examples = {each.item.example.id: each.item.example for each in explained}
    problems: list[Problem] = []
    for line in answers:
        id, example = line.annotated.id, examples.get(line.annotated.id)
        another = other_text(line.annotated.example, example) if example else ""
        if another:
            problems.append(Problem(line.where, another))
            continue
        said = [(unit, each) for each in line.annotated.judgements for unit in each.units]
        for unit, judgement in said:
            try:
                error = _error_of(unit, id, known)
                known[error.item.key] = _told(error, unit, judgement)
            except InputError as fault:
                problems.append(Problem(line.where, str(fault)))
        own = [each for each in known.values() if each.item.example.id == id]
        problems += [Problem(line.where, fault) for each in own for fault in _gaps(each)]
    refuse_problems(problems, field="answers")
    return [known[each.item.key] for each in explained]


def _error_of(unit: Unit, example: str, known: Mapping[tuple[str, str], Explained]) -> Explained:
    found = known.get((example, unit.parent or unit.id))
    if found is None or (unit.kind == "inconsistency" and unit != found.item.unit):
        raise InputError(
            f"example '{example}': '{unit.text[:60]}' is none of the errors that are found now; "
            "hand answers back with the detector, data and matcher that they were asked for"
        )
    return found


def _told(each: Explained, unit: Unit, judgement: Judgement) -> Explained:
    """An error with what a judgement says of it, or asks about what it adds."""
    if unit.kind == "claim" and unit.id in each.words_ids:
        return _replaced(each, unit, judgement.author)
    if unit.kind == "claim":
        return _asked(each, unit, judgement.author)
    finding, author = judgement.finding(unit.id), judgement.author
    verdict = finding.verdict if finding else None
    if verdict is None or author == GOLD or verdict.attributes.decision == OPEN:
        return each
    stated = Statement(author, verdict, judgement.at)
    if author.kind == "detector":  # of the detector itself, the label is on no menu
        is_proposal = verdict.label is not None and verdict.label in each.item.menu.labels
        return replace(each, proposal=each.proposal or stated) if is_proposal else each
    where = f"example '{judgement.example}', error {unit.id}"
    if not author.name:
        raise InputError(f"{where}: the answer has no author; write a name there")
    if each.answer:
        raise InputError(f"{where}: it is answered twice; keep one of the two")
    if verdict.label is None or verdict.label not in each.item.menu.labels:
        label = verdict.label or "no label"
        raise InputError(
            f"{where}: the answer is {label}; a {each.item.side} error is one of "
            f"{', '.join(each.item.menu.names)} ({each.item.menu.name})"
        )
    return replace(each, answer=stated)


def _asked(each: Explained, unit: Unit, author: Author) -> Explained:
    """The error with a question, or an answer, that somebody wrote; empty ones are to be written.

    What a person wrote stays, and words that are the same as before stay those of their author.
    """
    where = f"example '{each.item.example.id}', {unit.id}"
    if unit.id not in (each.question_id, each.answer_id):
        raise InputError(
            f"{where}: it is no question about an error; the ids are "
            f"{', '.join((each.question_id, each.answer_id, *each.words_ids))}"
        )
    part = "answer" if unit.id == each.answer_id else "text"
    words, known = " ".join(unit.text.split()), each.question or Question("", "", author)
    if not words or words == getattr(known, part):
        return each
    if known.author.kind == "person" and author.kind == "detector":
        return each
    if author == NOBODY:
        raise InputError(f"{where}: it has no author; write a name there")
    told = replace(known, answer=words) if part == "answer" else replace(known, text=words)
    return replace(each, question=replace(told, author=author))


def _replaced(each: Explained, unit: Unit, author: Author) -> Explained:
    """The error with false words that a person chose for one of its places."""
    words, known = " ".join(unit.text.split()), each.false_words
    where = f"example '{each.item.example.id}', {unit.id}"
    if not words:
        return each
    if author == NOBODY:
        raise InputError(f"{where}: it has no author; write a name there")
    at = each.words_ids.index(unit.id)
    if words.casefold() == " ".join(each.places[at].text.split()).casefold():
        raise InputError(f"{where}: '{words}' is what stands there already")
    places = known.words if known else ("",) * len(each.words_ids)
    return replace(each, false_words=FalseWords((*places[:at], words, *places[at + 1 :]), author))


def _gaps(each: Explained) -> Iterator[str]:
    """The empty fields of a question that people began to write, or of false words."""
    where = f"example '{each.item.example.id}'"
    if each.false_words and "" in each.false_words.words:
        lost = each.words_ids[each.false_words.words.index("")]
        yield f"{where}: {lost} is empty; each place needs false words"
    asked = each.question
    if asked and not (asked.text and asked.answer):
        lost = each.answer_id if asked.text else each.question_id
        yield f"{where}: {lost} is empty; a question needs an answer, and an answer a question"


def _annotated(errors: Sequence[Explained], detector: Author) -> Annotated:
    example = errors[0].item.example
    said: dict[Author, list[tuple[Unit, Outcome | None, str]]] = {}
    for each in errors:
        for author, unit, outcome, at in _said(each, detector):
            said.setdefault(author, []).append((unit, outcome, at))
    judgements = (
        Judgement(
            example.id,
            author,
            tuple(unit for unit, _, _ in given),
            tuple(outcome for _, outcome, _ in given if outcome),
            at=max(at for _, _, at in given),
        )
        for author, given in said.items()
    )
    return Annotated(example, (*judgements, *_form(errors)))


def _said(each: Explained, detector: Author) -> Iterator[tuple[Author, Unit, Outcome | None, str]]:
    item, unit = each.item, each.item.unit
    unfaithful = BINARY["unfaithful"]
    if item.side == "missed":
        yield GOLD, unit, Verdict(unit.id, unfaithful, error=item.given), ""
    else:
        yield detector, unit, Verdict(unit.id, unfaithful, note=item.said), ""
    if each.proposal:
        yield each.proposal.author, unit, each.proposal.outcome, each.proposal.at
    if each.answer:
        yield each.answer.author, unit, each.answer.outcome, each.answer.at
    if each.question:
        question, answer = _question_units(each)
        yield each.question.author, question, None, ""
        yield each.question.author, answer, None, ""
        if each.belief:
            yield each.belief.author, answer, each.belief.outcome, each.belief.at
    if each.false_words:
        for part in _words_units(each):
            yield each.false_words.author, part, None, ""


def _question_units(each: Explained) -> tuple[Unit, Unit]:
    """The question about an error and its answer; empty where a person may write them."""
    asked, parent = each.question or Question("", "", NOBODY), each.item.unit.id
    return (
        Unit(each.question_id, "claim", asked.text, parent=parent),
        Unit(each.answer_id, "claim", asked.answer, parent=parent),
    )


def _words_units(each: Explained) -> tuple[Unit, ...]:
    """False words for each place of an error; empty where a person may write them."""
    ids, parent = each.words_ids, each.item.unit.id
    words = each.false_words.words if each.false_words else ("",) * len(ids)
    return tuple(
        Unit(id, "claim", text, parent=parent) for id, text in zip(ids, words, strict=True)
    )


def _form(errors: Iterable[Explained]) -> Iterator[Judgement]:
    """The form for a person: proposals to confirm or change, and open questions."""
    units: list[Unit] = []
    proposed: list[Verdict] = []
    for each in errors:
        unit = each.item.unit
        if each.decided_by != "people":
            units.append(unit)
            if each.category:
                open_one = Attributes(decision=OPEN)
                proposed.append(Verdict(unit.id, each.category, attributes=open_one))
        if each.is_missed_addition and not (
            each.question and each.question.author.kind == "person"
        ):
            units += _question_units(each)
        if each.is_true_addition and not each.false_words:
            units += _words_units(each)
        example = each.item.example.id
    if units:
        yield Judgement(example, NOBODY, tuple(units), tuple(proposed))
