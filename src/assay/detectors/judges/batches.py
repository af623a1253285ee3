"""Many numbered units in one call; a unit that the reply gets wrong fails alone."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Literal

from assay.core.examples import Example
from assay.core.judgements import Finding
from assay.core.units import Unit
from assay.core.verdicts import Failure, Outcome
from assay.detectors.judges.judging import (
    PromptTexts,
    ReplyFormat,
    failed,
    one_line,
)
from assay.detectors.judges.opinions import Fields, Opinion, Record
from assay.detectors.judges.quoting import Quotable, quotable
from assay.detectors.protocol import gather_or_cancel
from assay.llm.client import CallError, ModelClient, Reply
from assay.llm.fences import Fences
from assay.llm.prompts import Prompt
from assay.llm.replies.forms import OWN_FORM, ReplyForm, read_records
from assay.llm.replies.json_values import find_values
from assay.llm.replies.menus import probability_of
from assay.llm.replies.schemas import (
    Schema,
    array_of,
    object_of,
    object_with,
    read_value,
    whole_number,
)
from assay.llm.replies.texts import UnreadableError, final_text

_COUNTED = re.compile(r"\W{0,9}(\d{1,9})[.):]\s")
_NUMBERED = re.compile(r"\s{0,9}(?:sentence\s)?[#(\[]?(\d{1,9})[.):\]]?\s{0,9}", re.IGNORECASE)
_LETTERS = re.compile(r"[^\W_]+")

Entry = Mapping[str, Any]


def numbers_of(entries: Sequence[Entry], units: Mapping[int, Unit]) -> list[int]:
    """The number of each entry's unit; 0, which no unit has, for an entry about none of them.

    An entry gives its number, or else repeats its sentence. Where no entry has a number and there
    are as many as units, those that repeat nothing are taken in order.
    """
    texts = {number: _plain(unit.text) for number, unit in units.items()}
    numbers: list[int] = []
    for entry in entries:
        left = {number: text for number, text in texts.items() if number not in numbers}
        numbers.append(_given(entry) or _repeated(entry.get("sentence"), left or texts))
    if len(entries) != len(units) or any("number" in entry for entry in entries):
        return numbers
    in_order = zip(numbers, units, strict=True)
    return [found or (0 if place in numbers else place) for found, place in in_order]


def _given(entry: Entry) -> int:
    """The number that an entry gives; 0 if none."""
    try:
        number: int = read_value(entry, object_with(number=whole_number()))["number"]
    except UnreadableError:
        return 0
    return number


def _repeated(sentence: object, texts: Mapping[int, str]) -> int:
    """The unit whose words an entry repeats, perhaps with its number before them or alone."""
    said = str(sentence) if isinstance(sentence, str | int) else ""
    counted, numbered = _COUNTED.match(said), _NUMBERED.fullmatch(said)
    for words in (said, said[counted.end() :] if counted else ""):
        wanted = _plain(words)
        for number, text in texts.items():
            if wanted and text == wanted:
                return number
    return int(numbered[1]) if numbered else 0


def _plain(text: str) -> str:
    return " ".join(_LETTERS.findall(text)).casefold()


MOST = 25  # units in one call, so that the reply stays short enough to be complete
MOST_PROBLEMS = 5  # that a model is told of when it is asked again

Key = Literal["sentences", "claims", "relations"]
Entries = Mapping[int, Sequence[Record]]


@dataclass(frozen=True, slots=True)
class Batch:
    """The units of one call by their numbers, and what is asked of each."""

    key: Key
    fields: Fields
    units: Mapping[int, Unit]
    form: ReplyForm = OWN_FORM

    @property
    def halves(self) -> "tuple[Batch, ...]":
        """The first and the second half of the units, with their numbers."""
        return tuple(replace(self, units=part) for part in halves(self.units))

    @property
    def reply_format(self) -> ReplyFormat[Entries]:
        """An entry for each unit."""
        example: list[Record]
        example = [{"number": number, **self.fields.example} for number in self.units]
        schema: Schema | None = _schema(self.key, self.fields)
        if self.form.kind != "own":
            schema, example = None, [*map(self._in_form, self.units)]
        shown = self.form.write(example, self.key)
        return ReplyFormat(self.read, shown, schema, len(self.units), self.combine)

    def _in_form(self, number: int) -> Record:
        """An entry with what the form has; without a number, the sentence tells them apart."""
        whole = {"number": number, "sentence": self.units[number].text, **self.fields.example}
        names = {*self.form.fields, "label", "reason"}
        names |= {"sentence"} if "number" not in names else set()
        return {name: value for name, value in whole.items() if name in names}

    def read(self, reply: str, fences: Fences) -> Entries:
        """The entries of a reply by number; one of them at least must be an opinion.

        A reply with something wrong in some of them raises, with all of them as its fallback.
        """
        records = read_records(reply, self.form, fences, self.key)
        found: dict[int, list[Record]] = {}
        for number, record in zip(numbers_of(records, self.units), records, strict=True):
            found.setdefault(number, []).append(record)
        if wrong := self._wrong(found):
            raise UnreadableError(self._correction(wrong), fallback=found)
        return found

    def combine(self, first: Entries, second: Entries) -> Entries:
        """The entries of two replies: the second's, except where the first's are of more use."""
        better = (n for n in self.units if self._use(n, first) > self._use(n, second))
        return {**second, **{number: first[number] for number in better}}

    def outcome(
        self, number: int, entries: Entries, replies: Sequence[Reply], source: Quotable
    ) -> Outcome:
        """The outcome of one unit from the replies, the last of them first."""
        unit = self.units[number]
        try:
            opinion = self._opinion(number, entries)
        except UnreadableError as problem:
            return Failure(unit.id, problem.reason, str(problem), replies[0].text)
        chances = (_probability(each, entries[number][0], opinion, self.form) for each in replies)
        confidence = next((each for each in chances if each is not None), None)
        return opinion.verdict(unit, source, confidence)

    def _opinion(self, number: int, entries: Entries) -> Opinion:
        """The one opinion in the entries about a unit; raises if there is none, or several."""
        records, noun = entries.get(number, ()), f"{self.key[:-1]} {number}"
        if not records:
            raise UnreadableError(f"the reply has no entry for {noun}", reason="missing")
        try:
            opinions = [self.fields.read(record) for record in records]
        except UnreadableError as problem:
            raise UnreadableError(f"{noun}: {problem}", reason=problem.reason) from None
        labels = list(dict.fromkeys(opinion.label.name for opinion in opinions))
        if len(labels) > 1:
            said = ", ".join(labels)
            raise UnreadableError(f"the reply has different entries for {noun}: {said}")
        return opinions[0]

    def _use(self, number: int, entries: Entries) -> int:
        """The worth of an entry: 2 if all is well, 1 if it contradicts itself, 0 if unreadable."""
        try:
            return 1 if self._opinion(number, entries).problem else 2
        except UnreadableError:
            return 0

    def _wrong(self, entries: Entries) -> dict[int, str]:
        """The faults of the entries, by number; raises if none of them can be used."""
        wrong: dict[int, str] = {}
        unread: dict[int, UnreadableError] = {}
        for number in self.units:
            try:
                problem = self._opinion(number, entries).problem
            except UnreadableError as error:
                unread[number], problem = error, str(error)
            else:
                problem = problem and f"{self.key[:-1]} {number}: {problem}"
            if problem:
                wrong[number] = problem
        if len(unread) == len(self.units):
            nothing = UnreadableError(f"no entry of '{self.key}' has a number from the list")
            raise next((error for n, error in unread.items() if entries.get(n)), nothing)
        return wrong

    def _correction(self, wrong: Mapping[int, str]) -> str:
        """The request for a correction: where entries have numbers, only for the faulty ones."""
        told = "; ".join([*wrong.values()][:MOST_PROBLEMS])
        if self.form.kind != "own":
            return told
        return f"{told}. Give these {self.key} again, and no others: {', '.join(map(str, wrong))}"


async def judge_numbered(
    client: ModelClient,
    prompt: Prompt,
    example: Example,
    units: Sequence[Unit],
    fields: Fields,
    key: Key = "sentences",
) -> list[Finding]:
    """A finding for each unit, asked in groups at the same time."""
    batches = [Batch(key, fields, group, prompt.form) for group in in_groups(units, MOST)]
    source = quotable(example.source)
    answers = await gather_or_cancel(
        _judge(client, prompt, example, batch, source) for batch in batches
    )
    return [finding for answer in answers for finding in answer]


async def _judge(
    client: ModelClient,
    prompt: Prompt,
    example: Example,
    batch: Batch,
    source: Quotable,
    *,
    is_half: bool = False,
) -> list[Finding]:
    """Judge a batch; if the reply is too long for the server, each half of it."""
    texts = PromptTexts(example, **{batch.key: numbered_lines(batch.units)})
    try:
        count = str(len(batch.units))
        answer = await texts.ask(client, prompt, batch.reply_format, count=count)
    except CallError as error:
        if is_half or len(batch.units) == 1 or not ran_out(error):
            return [Finding(unit, failed(unit, error)) for unit in batch.units.values()]
        answers = await gather_or_cancel(
            _judge(client, prompt, example, half, source, is_half=True) for half in batch.halves
        )
        return [finding for answer in answers for finding in answer]
    replies = tuple(filter(None, (answer.reply, answer.earlier)))
    return [
        Finding(unit, batch.outcome(number, answer.value, replies, source))
        for number, unit in batch.units.items()
    ]


def ran_out(error: CallError) -> bool:
    """True if a reply was cut off after its first entry had begun, and not in its thoughts."""
    return error.reason == "truncated" and "{" in final_text(error.raw)


def in_groups(units: Sequence[Unit], most: int) -> list[dict[int, Unit]]:
    """Units by their numbers, which begin with 1; at most so many in each group."""
    numbered = list(enumerate(units, 1))
    return [dict(numbered[at : at + most]) for at in range(0, len(numbered), most)]


def halves(units: Mapping[int, Unit]) -> tuple[dict[int, Unit], dict[int, Unit]]:
    """The first and the second half of numbered units, each with the numbers that they have."""
    numbered = list(units.items())
    middle = (len(numbered) + 1) // 2
    return dict(numbered[:middle]), dict(numbered[middle:])


def numbered_lines(units: Mapping[int, Unit]) -> str:
    """Units as the model sees them: each on a line of its own, whatever it contains."""
    return "\n".join(f"{number}. {one_line(unit.text)}" for number, unit in units.items())


@lru_cache(maxsize=64)
def _schema(key: Key, fields: Fields) -> Schema:
    """The same object for the same question: a cache of replies knows a schema by its identity."""
    entry = object_of(number=whole_number(), **fields.parts)
    return object_of(**{key: array_of(entry)})


def _probability(reply: Reply, record: Record, opinion: Opinion, form: ReplyForm) -> float | None:
    """The probability of one entry's label; None if the entry is not found in the reply."""
    if not reply.tokens:
        return None
    inside = reply.text[reply.text.find("[") + 1 :]
    for found in find_values(inside):
        if isinstance(found.value, dict) and form.entry(found.value) == record:
            entry = replace(reply, text=inside[found.start : found.end])
            said = form.said_label(found.value) if form.kind != "own" else opinion.label.name
            return probability_of(entry, said)
    return None
