"""What is said about errors as judgements: handed to people, who add theirs, and read back.

The category of an error is the label of a verdict on it, by its author. An example has the missed
errors as a judgement of the gold, the invented ones as one of the detector, and then the judgements
of all who explained them. A form, by nobody yet, has what a person is asked to decide.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from assay.core.errors import InputError
from assay.core.examples import Annotated, Example
from assay.core.judgements import GOLD, Author, Finding, Judgement
from assay.core.taxonomies import BINARY
from assay.core.units import Unit
from assay.core.verdicts import Attributes, Verdict
from assay.evaluation.errors.explanations import Explained, Stated

NOBODY = Author("", "person")  # whose judgement is a form that a person fills in
OPEN = "open"  # the decision on a form while nobody has filled it in


def annotate(explained: Iterable[Explained], detector: Author) -> list[Annotated]:
    """The examples with their errors and all that was said of these, for people to go on."""
    by_example: dict[str, list[Explained]] = {}
    for each in explained:
        by_example.setdefault(each.item.example.id, []).append(each)
    return [_annotated(errors, detector) for errors in by_example.values()]


def with_answers(answers: Iterable[Annotated], explained: Sequence[Explained]) -> list[Explained]:
    """The errors with what people, and models before, said of them; what is unusable raises."""
    known = {each.item.key: each for each in explained}
    examples = {each.item.example.id: each.item.example for each in explained}
    for annotated in answers:
        if annotated.id in examples:
            require_same_texts(annotated.example, examples[annotated.id])
        for judgement in annotated.judgements:
            for unit in judgement.units:
                each = known.get((annotated.id, unit.parent or unit.id))
                if each is None or (unit.kind == "inconsistency" and unit != each.item.unit):
                    raise InputError(
                        f"example '{annotated.id}': '{unit.text[:60]}' is none of the errors that "
                        "are found now; hand answers back with the detector, data and matcher "
                        "that they were asked for",
                        field="answers",
                    )
                known[each.item.key] = _told(each, unit, judgement)
    return [known[each.item.key] for each in explained]


def require_same_texts(given: Example, example: Example) -> None:
    """Raises if an example that people worked on has other texts than the data."""
    pairs = {
        "response": (given.response.text, example.response.text),
        "source": (given.source.text, example.source.text),
    }
    for name, (one, other) in pairs.items():
        if one != other:
            raise InputError(
                f"the {name} of example '{example.id}' is another text than in the data; use the "
                "data that the file was made for"
            )


def _told(each: Explained, unit: Unit, judgement: Judgement) -> Explained:
    """An error with what a judgement says of it, or of the claim that it adds."""
    if unit.kind == "claim":
        return replace(each, claim=unit)
    finding, author = judgement.finding(unit.id), judgement.author
    verdict = finding.verdict if finding else None
    if verdict is None or author == GOLD or verdict.attributes.decision == OPEN:
        return each
    stated = Stated(author, verdict, judgement.at)
    if author.kind == "detector":  # of the detector itself, the label is on no menu
        is_proposal = verdict.label is not None and verdict.label in each.item.menu.labels
        return replace(each, proposal=each.proposal or stated) if is_proposal else each
    where = f"example '{judgement.example}', error {unit.id}"
    if not author.name:
        raise InputError(f"{where}: the answer has no author; write a name there", field="answers")
    if each.answer:
        raise InputError(f"{where}: it is answered twice; keep one of the two", field="answers")
    if verdict.label is None or verdict.label not in each.item.menu.labels:
        label = verdict.label or "no label"
        raise InputError(
            f"{where}: the answer is {label}; a {each.item.side} error is one of "
            f"{', '.join(each.item.menu.names)} ({each.item.menu.name})",
            field="answers",
        )
    return replace(each, answer=stated)


def _annotated(errors: Sequence[Explained], detector: Author) -> Annotated:
    example = errors[0].item.example
    said: dict[Author, list[tuple[Finding, str]]] = {}
    for each in errors:
        for author, finding, at in _said(each, detector):
            said.setdefault(author, []).append((finding, at))
    judgements = (
        Judgement(
            example.id,
            author,
            tuple(finding.unit for finding, _ in given),
            tuple(finding.outcome for finding, _ in given),
            at=max(at for _, at in given),
        )
        for author, given in said.items()
    )
    return Annotated(example, (*judgements, *_form(errors)))


def _said(each: Explained, detector: Author) -> Iterator[tuple[Author, Finding, str]]:
    item, unit = each.item, each.item.unit
    unfaithful = BINARY["unfaithful"]
    if item.side == "missed":
        yield GOLD, Finding(unit, Verdict(unit.id, unfaithful, error=item.given)), ""
    else:
        yield detector, Finding(unit, Verdict(unit.id, unfaithful, note=item.said)), ""
    if each.proposal and each.proposal.author != GOLD:
        yield each.proposal.author, Finding(unit, each.proposal.outcome), each.proposal.at
    if each.claim and each.belief:
        yield each.belief.author, Finding(each.claim, each.belief.outcome), each.belief.at
    if each.answer:
        yield each.answer.author, Finding(unit, each.answer.outcome), each.answer.at


def _form(errors: Iterable[Explained]) -> Iterator[Judgement]:
    """What a person is asked to decide: a proposal to confirm or change, or an open question."""
    asked = [each for each in errors if each.decided_by in ("model", "")]
    if asked:
        proposed = tuple(
            Verdict(each.item.unit.id, each.category, attributes=Attributes(decision=OPEN))
            for each in asked
            if each.category
        )
        units = tuple(each.item.unit for each in asked)
        yield Judgement(asked[0].item.example.id, NOBODY, units, proposed)
