"""Gold labels: the verdicts of people on an example, pooled to one label for each unit."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from assay.core.errors import InputError
from assay.core.examples import Annotated
from assay.core.judgements import GOLD, Author, Finding
from assay.core.labels import Label, worst
from assay.core.pooling import Pool, Voices, pool_labels
from assay.core.taxonomies import BINARY, taxonomy
from assay.core.units import Unit, UnitKind
from assay.evaluation.policy import GoldUnit
from assay.text.sentences import find_sentences, response_unit

Opinion = tuple[Author, Finding]
Votes = dict[Author, list[Label]]
Ballot = tuple[Unit, Votes]


@dataclass(frozen=True, slots=True)
class Gold:
    """A unit with its gold label, and who stands behind it."""

    unit: Unit
    label: Label
    voices: Voices


def gold_labels(annotated: Annotated, kind: GoldUnit, pool: Pool) -> list[tuple[Unit, Label]]:
    """The units of a kind with their gold labels, in reading order; see `find_gold`."""
    return [(each.unit, each.label) for each in find_gold(annotated, kind, pool)]


def find_gold(annotated: Annotated, kind: GoldUnit, pool: Pool) -> list[Gold]:
    """The gold of each unit of a kind, in reading order.

    `corpus` takes the label that the corpus itself settled on, and the worst of the annotators
    where it has none; the other pools go by the annotators. Each counts with their worst label.
    """
    opinions = _opinions(annotated)
    if kind == "response":
        return [_pooled(unit, votes, pool) for unit, votes in _whole(annotated, opinions)]
    direct = _of_kind(opinions, kind)
    if direct:
        return [_pooled(unit, votes, pool) for unit, votes in _sentences(annotated, direct)]
    described = _of_kind(opinions, "inconsistency")
    return [
        _described(unit, votes, _votes(_touching(described, unit)), pool)
        for unit, votes in _sentences_from_spans(annotated, opinions)
    ]


def annotator_votes(annotated: Annotated, kind: GoldUnit) -> list[dict[Author, Label]]:
    """The worst label of each annotator for each unit that people judged themselves.

    A response counts as judged where they judged it or marked spans in it.
    """
    return [votes for _, votes in annotator_ballots(annotated, kind)]


def annotator_ballots(
    annotated: Annotated, kind: GoldUnit
) -> list[tuple[Unit, dict[Author, Label]]]:
    """The same with the units."""
    opinions = [each for each in _opinions(annotated) if each[0] != GOLD]
    if kind == "sentence":
        units = _sentences(annotated, _of_kind(opinions, kind))
    else:
        asked = _of_kind(opinions, "response") + _of_kind(opinions, "span")
        units = _whole(annotated, asked) if asked else []
    return [
        (unit, {author: _worst_fact(labels) for author, labels in votes.items()})
        for unit, votes in units
    ]


def labelled_kinds(annotated: Iterable[Annotated]) -> set[UnitKind]:
    """The kinds of units that people labelled in some examples."""
    return {finding.kind for each in annotated for _, finding in _opinions(each)}


def _opinions(annotated: Annotated) -> list[Opinion]:
    return [
        (judgement.author, finding)
        for judgement in annotated.gold
        for finding in judgement.findings
        if finding.label
    ]


def _sentences(annotated: Annotated, direct: list[Opinion]) -> list[Ballot]:
    """The sentences that were judged, in reading order, with who gave which labels."""
    units: dict[str, list[Opinion]] = {}
    for opinion in direct:
        units.setdefault(opinion[1].id, []).append(opinion)
    found = [(_one_unit(annotated, given), _votes(given)) for given in units.values()]
    order = {unit.id: place for place, unit in enumerate(annotated.example.units)}
    return sorted(found, key=lambda each: (order.get(each[0].id, len(order)), each[0].start or 0))


def _of_kind(opinions: Iterable[Opinion], kind: str) -> list[Opinion]:
    return [(author, finding) for author, finding in opinions if finding.kind == kind]


def _one_unit(annotated: Annotated, opinions: list[Opinion]) -> Unit:
    """The unit that several people judged; an id that means two texts raises."""
    unit = opinions[0][1].unit
    if any(finding.text != unit.text for _, finding in opinions):
        raise InputError(f"the gold labels of '{annotated.id}' mean two texts by '{unit.id}'")
    return unit


def _votes(opinions: Iterable[Opinion]) -> Votes:
    """The labels by author."""
    votes: Votes = {}
    for author, finding in opinions:
        if finding.label:
            votes.setdefault(author, []).append(finding.label)
    return votes


def _pooled(unit: Unit, votes: Votes, pool: Pool) -> Gold:
    """One label from the annotators; with fewer than two, the corpus's own has a vote as well."""
    chosen = {GOLD: votes[GOLD]} if GOLD in votes and pool == "corpus" else _voters(votes)
    label = pool_labels((_worst_fact(labels) for labels in chosen.values()), pool)
    return Gold(unit, label, _voices(chosen))


def _voters(votes: Votes) -> Votes:
    people = {author: labels for author, labels in votes.items() if author != GOLD}
    return people if len(people) > 1 else votes


def _voices(chosen: Votes) -> Voices:
    own = GOLD in chosen
    return Voices(len(chosen) - own, own)


def _worst_fact(labels: list[Label]) -> Label:
    """The worst label; what states no fact counts only if nothing else is there."""
    return worst([label for label in labels if label.coarse != "no-fact"] or labels)


def _whole(annotated: Annotated, opinions: list[Opinion]) -> list[Ballot]:
    """The response: as it was labelled, or as its spans or else its sentences were."""
    direct = _of_kind(opinions, "response")
    votes = _votes(direct)
    parts = _of_kind(opinions, "span") or _of_kind(opinions, "sentence")
    for author, labels in _votes(parts).items():
        if author != GOLD or not direct:
            menus = {label.taxonomy for each in votes.values() for label in each}
            if not menus or labels[0].taxonomy in menus:
                votes.setdefault(author, []).extend(labels)
    return [(response_unit(annotated.example), votes)] if votes else []


def _sentences_from_spans(annotated: Annotated, opinions: list[Opinion]) -> list[Ballot]:
    """Sentences of a response whose errors people mark as spans: unmarked ones are faithful.

    A label of the whole response says nothing of its sentences, unless it follows from marks.
    """
    example = annotated.example
    spans = _of_kind(opinions, "span")
    looked = spans + [each for each in opinions if _follows_from_marks(each[1])]
    named = tuple(unit for unit in example.units if unit.kind == "sentence")
    if not looked or (named and not spans):  # the corpus has sentences, and left these open
        return []
    silent: Votes = {author: [] for author, _ in looked}
    if len(silent) > 1:
        silent.pop(GOLD, None)
    unmarked = _unmarked(looked, spans)
    units = named or find_sentences(example.response.text, example.language)
    if _has_lost_marks(looked):  # somewhere: what nobody marked may be wrong
        units = tuple(unit for unit in units if _touching(spans, unit))
    return [(unit, _marked(unit, spans, unmarked, silent)) for unit in units]


def _described(unit: Unit, votes: Votes, errors: Votes, pool: Pool) -> Gold:
    """The gold of a sentence in which people described errors: each is the vote of who did.

    By most or all of the votes, they are counted as unfaithful or not, since menus may differ.
    """
    gold = _pooled(unit, votes, pool)
    if not errors:
        return gold
    is_wrong = True
    if pool in ("majority", "all"):
        chosen = _voters({**votes, **errors})
        read = (_worst_fact(labels).coarse == "unfaithful" for labels in chosen.values())
        label = pool_labels((BINARY["unfaithful" if bad else "faithful"] for bad in read), pool)
        is_wrong, gold = label.coarse == "unfaithful", replace(gold, voices=_voices(chosen))
    if not is_wrong or gold.label.coarse == "unfaithful":
        return gold
    return replace(gold, label=next(iter(errors.values()))[0])


def _touching(opinions: list[Opinion], unit: Unit) -> list[Opinion]:
    return [
        (author, finding)
        for author, finding in opinions
        if any(a.overlaps(b) for a in finding.unit.spans for b in unit.spans)
    ]


def _marked(unit: Unit, spans: list[Opinion], unmarked: Label, silent: Votes) -> Votes:
    """The votes on a sentence: who looked at the response and marked nothing here is content."""
    votes = {**silent, **_votes(_touching(spans, unit))}
    return {author: labels or [unmarked] for author, labels in votes.items()}


def _follows_from_marks(finding: Finding) -> bool:
    return bool(finding.verdict and finding.verdict.attributes.from_marks)


def _has_lost_marks(looked: list[Opinion]) -> bool:
    """True if somebody marked an error of which the place, or the mark itself, is not there."""
    marked = {author for author, finding in looked if finding.kind == "span"}
    return any(
        not finding.unit.spans
        if finding.kind == "span"
        else author not in marked and author != GOLD and finding.coarse != "faithful"
        for author, finding in looked
    )


def _unmarked(looked: list[Opinion], spans: list[Opinion]) -> Label:
    """The label of what nobody marked: the best of the menu of the marks, if that is faithful."""
    _, first = (spans or looked)[0]
    menu = first.label.taxonomy if first.label else BINARY.name
    top = max(taxonomy(menu), key=lambda label: label.rank)
    return top if top.coarse == "faithful" else BINARY["faithful"]
