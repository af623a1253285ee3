"""The relations between claims: their names, their two parts, and their wording."""

from dataclasses import dataclass

from assay.core.texts import Span
from assay.core.units import Link, Unit, unit_id


@dataclass(frozen=True, slots=True)
class RelationKind:
    """A relation in words; its parts are ordered unless it `is_mutual`.

    If it `runs_forward`, its first part precedes the second, so that it cannot run in a circle.
    """

    name: str
    first: str
    second: str
    meaning: str
    is_mutual: bool = False
    runs_forward: bool = False


# Other names for them: the paper's, those of RST and PDTB, and what models call them. A name that
# says no more than that there is a link (joint, list), or that fits two of them, is not here.
_OTHER_NAMES = {
    "cause": "causal, causality, causation, causal link, causal relation, cause effect, because,"
    " cause and effect, cause result, result, consequence, effect, reason, explanation,"
    " explanatory, volitional cause, volitional result, non volitional cause,"
    " non volitional result, contingency.cause, contingency.cause.result",
    "contrast": "contrastive, contrasting, opposition, antithesis, adversative, comparison,"
    " comparative, comparison.contrast",
    "concession": "concessive, contra expectation, denied expectation, violated expectation,"
    " although, comparison.concession",
    "condition": "conditional, conditionality, hypothetical, if then, unless, otherwise,"
    " contingency.condition",
    "temporal": "temporal order, temporal ordering, temporal sequence, temporal relation, then,"
    " before, sequence, sequential, succession, precedence, chronological, chronological order,"
    " chronology, order, narration, asynchronous, temporal.asynchronous,"
    " temporal.asynchronous.precedence",
    "purpose": "purposive, aim, goal, intention, enablement, in order to, contingency.purpose",
    "attribution": "attributive, attributed, reported speech, reporting, quotation",
    "evaluation": "evaluative, interpretation, interpretive, comment, assessment, judgement,"
    " judgment",
    "elaboration": "elaborative, elaborating, detail, details, specification, example,"
    " exemplification, instantiation, illustration, restatement, reformulation, definition,"
    " background, circumstance, expansion, expansion.instantiation, expansion.restatement",
}
ALIASES = {
    alias.strip(): name for name, others in _OTHER_NAMES.items() for alias in others.split(",")
}

KINDS: dict[str, RelationKind] = {
    kind.name: kind
    for kind in (
        RelationKind(
            "cause", "the cause", "the effect", "one brings the other about", runs_forward=True
        ),
        RelationKind(
            "contrast", "one thing", "the other", "the two are set against each other", True
        ),
        RelationKind(
            "concession", "what is granted", "what holds all the same", "one is unexpected"
        ),
        RelationKind(
            "condition",
            "the condition",
            "what depends on it",
            "one holds only if the other does",
            runs_forward=True,
        ),
        RelationKind(
            "temporal", "the earlier", "the later", "one comes before the other", False, True
        ),
        RelationKind(
            "purpose", "what is done", "what it is done for", "one is the aim of the other"
        ),
        RelationKind("attribution", "who says or thinks it", "what is said", "somebody says so"),
        RelationKind(
            "evaluation", "what is judged", "the judgement", "one judges or interprets the other"
        ),
        RelationKind("elaboration", "the statement", "the detail", "one says more about the other"),
    )
}


def relation_between(
    name: str, first: Unit, second: Unit, cue: Span | str = "", *, parent: str, number: int
) -> Unit:
    """The relation as a unit, in words that can be read on their own.

    `cue` is the span of the words that link the two or, if they have no place in the response,
    the words themselves. `number` counts the relations of the sentence `parent`.
    """
    place = cue if isinstance(cue, Span) else None
    words = place.text if place else cue
    said = f"{name}: {_bare(first)} → {_bare(second)}" + (f" (“{words}”)" if words else "")
    places = sorted({*first.spans, *second.spans, *([place] if place else [])})
    link = Link(name, first.id, second.id, place)
    return Unit(unit_id("relation", number, parent), "relation", said, _apart(places), parent, link)


def _bare(unit: Unit) -> str:
    return " ".join(unit.text.split()).rstrip(".")


def _apart(places: list[Span]) -> tuple[Span, ...]:
    """The spans in order, without those that lie inside the previous one."""
    kept: list[Span] = []
    for place in places:
        if not kept or place.end > kept[-1].end:
            kept.append(place)
    return tuple(kept)
