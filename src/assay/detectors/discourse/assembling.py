"""The answers about claims and relations put together, sentence by sentence."""

from collections.abc import Iterator, Mapping, Sequence

from assay.core.decision import Answers, decide
from assay.core.units import Unit
from assay.core.verdicts import Outcome, Verdict
from assay.detectors.discourse.aligning import Lost
from assay.detectors.discourse.decomposition import Decomposition, Flaw, Found
from assay.detectors.discourse.folding import Parts, fold_sentence
from assay.text.statements import states_nothing

BACKEND = "discourse, by a model"


def assemble(
    sentences: Mapping[int, Unit],
    found: Sequence[Decomposition],
    claims: Sequence[Outcome],
    relations: Sequence[Outcome],
) -> Iterator[Outcome]:
    """Each sentence with its verdict, then its claims, relations and what could not be used."""
    by_claim = _by_sentence([each for part in found for each in part.claims], claims)
    by_relation = _by_sentence([each for part in found for each in part.relations], relations)
    for part in found:
        for number in (*part.failed, *part.asked):
            if number in part.failed:
                yield part.failed[number]
                continue
            flaws = [flaw for flaw in part.flaws if flaw.sentence == number]
            hiding = [flaw for flaw in part.flaws if flaw.hides_link]
            parts = Parts(
                sentences[number],
                tuple(by_claim.get(number, ())),
                tuple(by_relation.get(number, ())),
                tuple(_remarks(number, part, flaws)),
                tuple(flaw.failure for flaw in hiding if flaw.sentence in (number, 0)),
                _unchecked(part.lost.get(number, Lost()), flaws),
            )
            yield _sentence(parts, number in part.silent)
            yield from (*parts.claims, *parts.relations, *(flaw.failure for flaw in flaws))
        yield from (flaw.failure for flaw in part.flaws if not flaw.sentence)


def _remarks(number: int, part: Decomposition, flaws: Sequence[Flaw]) -> Iterator[str]:
    """What a reader must know about how well the sentence was taken apart."""
    if lost := str(part.lost.get(number, "")):
        yield lost
    for quote in part.lost_cues.get(number, ()):
        yield f"The words “{_cut(quote)}”, given for a relation, are not in the response."
    if flaws:
        shown = (f"{_cut(flaw.failure.unit.text)} ({flaw.failure.detail})" for flaw in flaws)
        yield f"Could not be used: {'; '.join(shown)}."


def _unchecked(lost: Lost, flaws: Sequence[Flaw]) -> str:
    """What of a sentence nobody checks, if that is too much to call it faithful."""
    claim_failed = any(flaw.failure.unit.kind == "claim" for flaw in flaws)
    is_open = lost.is_much or lost.links or (lost.words and claim_failed)
    return str(lost) if is_open else ""


def _sentence(parts: Parts, is_silent: bool) -> Outcome:
    """The verdict; a sentence without claims states nothing if the model or our rules say so."""
    silent = is_silent or states_nothing(parts.sentence.text)
    if parts.claims or parts.remarks or not silent:
        return fold_sentence(parts, BACKEND)
    answers = Answers(states_fact=False)
    note = f"It states nothing to check. [{BACKEND}]"
    return Verdict(parts.sentence, decide(answers).label, note=note, answers=answers)


def _by_sentence(found: Sequence[Found], said: Sequence[Outcome]) -> dict[int, list[Outcome]]:
    grouped: dict[int, list[Outcome]] = {}
    for each, outcome in zip(found, said, strict=True):
        grouped.setdefault(each.sentence, []).append(outcome)
    return grouped


def _cut(text: str, most: int = 80) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"
