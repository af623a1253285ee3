"""The scope of a claim: its speaker, condition, aim or plan.

Such a claim is no fact of the response. It is checked within its scope: the question is whether
the source has the same claim under the same scope, not whether the claim is true.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from assay.core.units import Link, Unit
from assay.text.words import terms

SCOPING = frozenset({"attribution", "condition", "purpose"})  # relations that give a claim a scope


@dataclass(frozen=True, slots=True)
class Limit:
    """One thing that a claim stands under: words of the response, or a `link` to another claim."""

    said: str
    link: Link | None = None


class Scopes:
    """The scopes of the claims of a response.

    `stated` has the words of the response that limit a claim, by its id. Relations add what these
    words leave out, so that no claim is checked as a fact that the response does not state as one.
    """

    def __init__(
        self, claims: Iterable[Unit], relations: Iterable[Unit], stated: Mapping[str, str]
    ) -> None:
        self._texts = {claim.id: claim.text.rstrip(".") for claim in claims}
        links = [each.link for each in relations if each.link]
        self._links = [link for link in links if link.name in SCOPING]
        self._limits = {id: tuple(self._find(id, stated.get(id, ""))) for id in self._texts}

    def claim(self, claim: Unit) -> Unit:
        """The claim, followed by its scope if it has one.

        `The fair will move. [within: “The mayor said that”; if: It rains]`
        """
        return _within(claim, _listed(self._limits[claim.id]))

    def relation(self, relation: Unit) -> Unit:
        """The relation, followed by what the claims that it links stand under besides."""
        assert relation.link
        first, second = (self._besides(relation.link, end) for end in _ends(relation.link))
        if first == second:
            return _within(relation, first)
        sides = (("the first", first), ("the second", second))
        return _within(relation, "; ".join(f"{name}: {said}" for name, said in sides if said))

    def _find(self, id: str, words: str) -> Iterator[Limit]:
        """Everything that limits a claim; who says something also says its condition and aim."""
        if words:
            yield Limit(f"“{words}”")
        seen: set[str] = set()
        for link, said in self._derived(id):
            if said not in seen and not self._covers(words, link, id):
                seen.add(said)
                yield Limit(said, link)

    def _derived(self, id: str) -> Iterator[tuple[Link, str]]:
        for link in self._links:
            if id not in _ends(link):
                continue
            other = link.first if link.second == id else link.second
            if said := _limit(link, id):
                yield link, f"{said}: {self._texts[other]}"
            if link.name != "attribution":
                for saying in self._links:
                    is_said = (saying.name, saying.second) == ("attribution", other)
                    if is_said and saying.first != id:
                        yield saying, f"said: {self._texts[saying.first]}"

    def _covers(self, words: str, link: Link, id: str) -> bool:
        """True if the words of a scope already say what a relation says."""
        if link.cue and link.cue.text.lower() in words.lower():
            return True
        other = link.first if link.second == id else link.second
        found = set(terms(self._texts[other]))
        return bool(found) and found <= set(terms(words))

    def _besides(self, link: Link, end: str) -> str:
        """The scope of a claim, apart from the relation's own words."""
        limits = [each for each in self._limits[end] if each.link != link]
        if link.name in SCOPING:
            limits = [each if each.link else _before(each, link) for each in limits]
        return _listed([each for each in limits if each.said])


def _limit(link: Link, id: str) -> str:
    """The words by which a relation limits one of its claims; empty if it does not."""
    match link.name, link.first == id:
        case "attribution", False:
            return "said"
        case "condition", False:
            return "if"
        case "condition", True:
            return "as a condition for"
        case "purpose", False:
            return "as the aim of"
    return ""


def _before(words: Limit, link: Link) -> Limit:
    """The words of a scope before a relation: `The mayor said that` of `… that if`."""
    cue = link.cue.text.lower() if link.cue else ""
    place = words.said.lower().find(cue) if cue else -1
    if place < 0:
        return words
    outer = words.said[:place].strip("“ ,") if link.name != "attribution" else ""
    return Limit(f"“{outer}”" if outer else "")


def _ends(link: Link) -> tuple[str, str]:
    return link.first, link.second


def _listed(limits: Sequence[Limit]) -> str:
    return "; ".join(each.said for each in limits)


def _within(unit: Unit, scope: str) -> Unit:
    return replace(unit, text=f"{unit.text} [within: {scope}]") if scope else unit
