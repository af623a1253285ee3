"""Questions of a real judge about made-up texts, as many as are wanted and no two alike."""

from assay.core.errors import InputError
from assay.core.examples import Example
from assay.core.texts import Response, Source
from assay.detectors.registry import DetectorSpec, open_detector
from assay.llm.client import Request, Scripted

_TOWNS = ("Vejby", "Marlow", "Ostrava", "Lindau", "Tarragona", "Kilrush", "Sogndal", "Arles")
_NAMES = ("Ines Okafor", "Piet Janssen", "Rosa Lindqvist", "Amir Haddad", "June Park", "Tom Reyes")
_FIRMS = ("Norholm Ferries", "Pallas Water", "Greenline Trams", "Ardent Mills", "Sable Telecom")
_MONTHS = ("January", "March", "April", "June", "August", "October", "December")
_SENTENCES = (
    "In {month} the council of {town} approved plan {number} for the quay, by {few} votes to two.",
    "{firm} will pay {share} percent of the cost, which is put at {money} million euros.",
    "{name}, who leads the works, said that the first stage should be over before winter.",
    "The old warehouse beside it, built in {year}, is to become a market hall with {count} stalls.",
    "A survey of {people} residents found that most wanted more trees and fewer parked cars.",
    "Two of the bridges close for {few} weeks; buses take the road along the river instead.",
    "Engineers found that {count} of the wooden piles had rotted below the water line.",
    "The insurer has not said whether it will cover the damage that the flood of {year} did.",
    "{name} told reporters that nobody had been hurt when a crane tipped over on Tuesday.",
    "Ticket prices stay as they are until {month}, when the contract with {firm} ends.",
    "Fishermen asked for {count} moorings near the harbour office, and were promised {few}.",
    "The report says that noise at night fell by {share} percent after the trams were replaced.",
    "The school nearby moves its {people} pupils to {town} for a term while the roof is repaired.",
    "A second hearing is planned, but no date has been set for it.",
)
_RESPONSES = (
    "The council approved the plan for the quay, and {firm} pays {share} percent of it.",
    "{name} leads the works. The market hall gets {count} stalls, and it opens next week.",
    "Most residents who were asked wanted more trees. Nobody was hurt when a crane tipped over.",
    "The plan costs {money} million euros. The insurer pays for the damage of the flood.",
)
RESPONSES = len(_RESPONSES)  # to each source, one after the other, as in the data of a board


class JudgeQuestions:
    """Questions of a judge about sources of so many words, which are numbered after `last`.

    A server may remember sources that it was asked about, also in an earlier bench; a number that
    was not used before keeps them new.
    """

    def __init__(self, detector: str, source_words: int, last: int = 0) -> None:
        if not DetectorSpec(detector).capabilities.asks_model:
            raise InputError(f"detector '{detector}' asks no model", field="detector")
        self._asked = Scripted(lambda request: request.example)
        self._detector = open_detector(DetectorSpec(detector), [self._asked])
        self._words = source_words
        self._sources = last
        self._waiting: list[Request] = []

    async def pair(self) -> tuple[Request, Request]:
        """Questions about two responses to a new source, which both show it."""
        source = self._new_source()
        first, second = [_showing(await self._about(source, number), source) for number in (0, 1)]
        return first, second

    async def several(self, count: int) -> list[Request]:
        """Questions about source after source, with all responses to one in a row."""
        while len(self._waiting) < count:
            source = self._new_source()
            for number in range(RESPONSES):
                self._waiting += await self._about(source, number)
        taken, self._waiting = self._waiting[:count], self._waiting[count:]
        return taken

    def _new_source(self) -> Source:
        self._sources += 1
        return Source(source_text(self._sources, self._words))

    async def _about(self, source: Source, number: int) -> list[Request]:
        text = _RESPONSES[number].format(**_facts(self._sources, number))
        before = len(self._asked.requests)
        example = Example(f"{self._sources}-{number}", source, Response(text))
        async for _ in self._detector.judge([example]):
            pass
        return self._asked.requests[before:]


def _showing(asked: list[Request], source: Source) -> Request:
    """The first that shows the source."""
    for request in asked:
        if any(source.text in message.content for message in request.messages):
            return request
    raise InputError("this judge shows the source to no model", field="detector")


def source_text(number: int, words: int) -> str:
    """A made-up report of about so many words; no two numbers give the same beginning."""
    sentences = [f"Report {number} from {_TOWNS[number % len(_TOWNS)]}."]
    length, place = 4, 0
    while length < words:
        turn = number * 7 + place
        sentences.append(_SENTENCES[turn % len(_SENTENCES)].format(**_facts(number, place)))
        length += len(sentences[-1].split())
        place += 1
    return " ".join(sentences)


def _facts(number: int, place: int) -> dict[str, object]:
    """The names and figures of a sentence."""
    turn = number * 31 + place * 17
    return {
        "town": _TOWNS[turn % len(_TOWNS)],
        "name": _NAMES[turn % len(_NAMES)],
        "firm": _FIRMS[turn % len(_FIRMS)],
        "month": _MONTHS[turn % len(_MONTHS)],
        "number": 100 + turn % 900,
        "few": 3 + turn % 7,
        "count": 12 + turn % 80,
        "share": 5 + turn % 60,
        "money": f"{1 + turn % 40}.{turn % 10}",
        "people": 200 + turn % 1800,
        "year": 1880 + turn % 130,
    }
