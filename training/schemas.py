"""Sources with slots, and what is true and false of them whatever stands in the slots.

The files `written/schemas-*.txt` hold schemas, one below the other:

    == support-returns
    slots: a,b=days who=choice(buyer|shop)
    Unopened goods may be returned within {a}, opened ones within {b}. The {who} pays the postage.
    + Customers have {a} to return what they have not opened.
    @who +- The customer bears the cost of sending goods back.
    ~ Most returns are opened goods.
    ? How long can opened goods be returned? | {b}
    ?y Do customers have {a} to return unopened goods?
    ?u Does the shop wrap presents?
    ! How do returns work? | Unopened goods go back within {a}. // Opened ones within {b}.

Lines without a sign are the source; `|` begins the row of a table and `•` an entry of a list. A
sentence is true (`+`, `=`, `*`), contradicted (`-`), neutral (`~`), or it depends on a choice
(`@`, one sign for each option). A `+` sentence turns false when one of its values becomes another,
or gives place to another value of its kind in the source; of a `=` sentence the latter does not
hold, and of a `*` sentence neither. `?` has a short answer, `?y` and `?n` are answered by yes and
no, and `?u` the source does not answer. `!` has a whole answer, of sentences that are `+` unless
they begin with another sign; its question may be empty.
"""

import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from training.items import CONTRADICTED, ENTAILED, NEUTRAL, Sentence
from training.values import Value, draw, other
from training.wording import Spans

SIGNS = {"+": ENTAILED, "=": ENTAILED, "*": ENTAILED, "-": CONTRADICTED, "~": NEUTRAL}
_SLOT = re.compile(r"\{(\w+)\}")
_SLOTS = re.compile(r"([\w,]+)=(\w+)(?:\(([^)]*)\))?")
_WRITTEN = Path(__file__).parent / "written"
IN_ORDER = ("date", "day", "time", "year", "version")  # what is named first comes first
_PLAIN = ("person",)  # kinds whose first mention is in their plainest form


@dataclass(frozen=True, slots=True)
class Claim:
    """A sentence with slots; `choice` names the slot that decides which of the signs holds."""

    signs: str
    text: str
    choice: str = ""


@dataclass(frozen=True, slots=True)
class Asked:
    """A question with slots: `?`, `?y`, `?n` or `?u`, and the short answer of a `?`."""

    sign: str
    text: str
    answer: str = ""


@dataclass(frozen=True, slots=True)
class Told:
    """A question with slots and the sentences of a whole answer, all of them true."""

    question: str
    claims: tuple[Claim, ...]


@dataclass(slots=True)
class Schema:
    """One source with slots and all that is said and asked about it."""

    name: str
    slots: dict[str, tuple[str, tuple[str, ...]]] = field(default_factory=dict)
    source: list[str] = field(default_factory=list)
    claims: list[Claim] = field(default_factory=list)
    asked: list[Asked] = field(default_factory=list)
    told: list[Told] = field(default_factory=list)

    @property
    def place(self) -> tuple[str, str]:
        """Its family and its name."""
        return self.name.split("-")[0], self.name


def read_schemas(folder: Path = _WRITTEN) -> Iterator[Schema]:
    """All schemas of the written files."""
    for path in sorted(folder.glob("schemas-*.txt")):
        for part in re.split(r"^== ?", path.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]:
            yield parse(part)


def parse(text: str) -> Schema:
    """One schema; its first line is its name."""
    name, *lines = text.strip().splitlines()
    schema = Schema(name.strip())
    for line in lines:
        sign, _, rest = line.partition(" ")
        if sign == "slots:":
            for names, kind, options in _SLOTS.findall(rest):
                chosen = tuple(options.split("|")) if options else ()
                schema.slots |= dict.fromkeys(names.split(","), (kind, chosen))
        elif sign in SIGNS:
            schema.claims.append(Claim(sign, rest))
        elif sign.startswith("@"):
            signs, _, sentence = rest.partition(" ")
            schema.claims.append(Claim(signs, sentence, sign[1:]))
        elif sign in ("?", "?y", "?n", "?u"):
            question, _, answer = rest.partition(" | ")
            schema.asked.append(Asked(sign, question, answer))
        elif sign == "!":
            question, _, answer = rest.rpartition("| ")
            claims = tuple(map(_told_claim, answer.split(" // ")))
            schema.told.append(Told(question.strip(), claims))
        else:
            schema.source.append(line)
    while schema.source and not schema.source[-1]:
        schema.source.pop()
    return schema


def _told_claim(text: str) -> Claim:
    """A sentence of a whole answer, which may begin with its sign."""
    sign, _, rest = text.partition(" ")
    return Claim(sign, rest) if sign in SIGNS else Claim("+", text)


class Filled:
    """A schema whose slots have got values."""

    def __init__(self, schema: Schema, rng: random.Random) -> None:
        self.schema, self._rng = schema, rng
        self.values: dict[str, Value] = {}
        for name, (kind, options) in schema.slots.items():
            # Two slots of one choice may well say the same.
            taken = () if options else tuple(self.values.values())
            self.values[name] = draw(kind, options, taken, rng)
        for kind in IN_ORDER:
            names = [name for name, value in self.values.items() if value.kind == kind]
            ordered = sorted((self.values[name] for name in names), key=lambda value: value.key)
            self.values |= dict(zip(names, ordered, strict=True))

    def lines(self) -> list[str]:
        """The source, line by line."""
        return [self.render(line, self.values, plain=True) for line in self.schema.source]

    def render(self, text: str, values: Mapping[str, Value], *, plain: bool = False) -> str:
        """A text with values in its slots, each in one of its forms, and a capital."""
        return self._said(text, values, plain=plain)[0]

    def _said(
        self, text: str, values: Mapping[str, Value], *, plain: bool = False
    ) -> tuple[str, Spans]:
        """The same, and the places of values that are not the source's."""
        shown, wrong = self._fill(text, values, plain=plain)
        return shown[:1].upper() + shown[1:], wrong

    def _fill(
        self, text: str, values: Mapping[str, Value], *, plain: bool = False
    ) -> tuple[str, Spans]:
        wrong: list[tuple[int, int]] = []
        longer = 0  # than the text, the part before this slot

        def form(found: re.Match[str]) -> str:
            nonlocal longer
            value = values[found[1]]
            is_first = plain and value.kind in _PLAIN
            shown = value.forms[0] if is_first else self._rng.choice(value.forms)
            if value is not self.values[found[1]]:
                wrong.append((found.start() + longer, found.start() + longer + len(shown)))
            longer += len(shown) - len(found[0])
            begins = text[: found.start()].endswith((". ", "? ", "! "))
            return shown[0].upper() + shown[1:] if begins else shown

        return _SLOT.sub(form, text).replace(".m..", ".m."), tuple(wrong)

    def sign_of(self, claim: Claim) -> str:
        """Whether a claim is true of these values."""
        if not claim.choice:
            return claim.signs
        value = self.values[claim.choice]
        return claim.signs[value.options.index(value.key)]

    def true(self, claim: Claim) -> Sentence:
        """A claim as it is."""
        return Sentence(self.render(claim.text, self.values), SIGNS[self.sign_of(claim)])

    def false(self, claim: Claim) -> Sentence | None:
        """A true claim with a value that is not the source's, or is another one's there."""
        changed = self.changed(claim.text, self.sign_of(claim))
        if changed is None:
            return None
        text, wrong = self._said(claim.text, changed)
        return Sentence(text, CONTRADICTED, wrong)

    def changed(self, text: str, sign: str) -> dict[str, Value] | None:
        """The values with one of the text's slots changed, or exchanged if the sign allows it."""
        names = list(dict.fromkeys(_SLOT.findall(text)))
        if sign not in "+=" or not names:
            return None
        name = self._rng.choice(names)
        value = self.values[name]
        rivals = [
            rival
            for rival, each in self.values.items()
            if each.kind == value.kind and not value.options and each.key != value.key
        ]
        if sign == "+" and rivals and self._rng.random() < 0.65:
            rival = self._rng.choice(rivals)
            swapped = {name: self.values[rival]}
            return self.values | swapped | ({rival: value} if rival in names else {})
        return self.values | {name: other(value, tuple(self.values.values()), self._rng)}

    def told(self, told: Told, is_faithful: bool) -> tuple[str, list[Sentence]]:
        """A question and a whole answer to it; unless faithful, one of its sentences is false.

        That one has a value which is not the source's, or is a contradicted one of the schema.
        """
        sentences = [self.true(claim) for claim in told.claims]
        if not is_faithful:
            wrong = [(n, s) for n, claim in enumerate(told.claims) if (s := self.false(claim))]
            refuted = [claim for claim in self.schema.claims if self.sign_of(claim) == "-"]
            if refuted and (not wrong or self._rng.random() < 0.4):
                place = self._rng.randrange(len(sentences))
                wrong = [(place, self.true(self._rng.choice(refuted)))]
            place, sentence = self._rng.choice(wrong)
            sentences[place] = sentence
        return self.render(told.question, self.values), sentences

    def asked(self, asked: Asked) -> tuple[str, list[Sentence]]:
        """A question, and short answers to it that are right and wrong."""
        rng = self._rng
        if asked.sign != "?":
            return self._affirmed(asked)
        answers = [Sentence(_short(self._fill(asked.answer, self.values)[0], rng), ENTAILED)]
        if (changed := self.changed(asked.answer, "+")) is not None:
            wrong = _short(self._fill(asked.answer, changed)[0], rng)
            answers.append(Sentence(wrong, CONTRADICTED))
        answers += [Sentence(rng.choice(_UNSAID), CONTRADICTED)] if rng.random() < 0.2 else []
        return self.render(asked.text, self.values), answers

    def _affirmed(self, asked: Asked) -> tuple[str, list[Sentence]]:
        """A question of yes or no, or one that is not answered."""
        rng, sign, values = self._rng, asked.sign, self.values
        changed = self.changed(asked.text, "+") if sign == "?y" and rng.random() < 0.5 else None
        if changed is not None:
            values, sign = changed, "?n"
        yes = {"?y": ENTAILED, "?n": CONTRADICTED, "?u": NEUTRAL}[sign]
        no = {"?y": CONTRADICTED, "?n": ENTAILED, "?u": NEUTRAL}[sign]
        unsaid = ENTAILED if sign == "?u" else CONTRADICTED
        first = asked.text.split()[:2]
        if sign == "?u" and first[0] in _OPEN:
            answers = [Sentence(rng.choice(_UNSAID), ENTAILED)]
            if kind := _KINDS.get(" ".join(first), _KINDS.get(first[0])):
                invented = draw(kind, (), tuple(values.values()), rng)
                answers.insert(0, Sentence(_short(rng.choice(invented.forms), rng), NEUTRAL))
            return self.render(asked.text, values), answers
        answers = [Sentence(rng.choice(_YES), yes), Sentence(rng.choice(_NO), no)]
        if sign == "?u" or rng.random() < 0.15:
            answers.append(Sentence(rng.choice(_UNSAID), unsaid))
        return self.render(asked.text, values), answers


_OPEN = ("How", "When", "Who", "Whom", "Where", "What", "Which", "Why", "From")
# What would answer a question that begins so.
_KINDS = {
    "Who": "person",
    "Where": "town",
    "When": "day",
    "How much": "money",
    "How many": "few",
    "How old": "few",
    "How long": "days",
    "Who plays": "town",
    "From which": "few",
}


def _short(answer: str, rng: random.Random) -> str:
    """A short answer as people and models give it."""
    raised = answer[:1].upper() + answer[1:]
    shown = (answer, raised, f"{raised}.", f"{raised}.", f"Answer: {answer}")
    return rng.choice(shown)


_YES = ("Yes.", "Yes", "Yes, it says so.", "Yes, that is right.", "That is correct.", "Correct.")
_NO = ("No.", "No", "No, it is not so.", "No, that is not right.", "That is wrong.", "Nope.")
_UNSAID = (
    "The source does not say.",
    "That is not mentioned.",
    "There is no information about that in the text.",
    "I could not find an answer to this in the passages.",
)


def pick(claims: Sequence[Claim], filled: Filled, rng: random.Random, most: int) -> list[Sentence]:
    """Some claims, some of the true ones made false, no claim twice."""
    sentences: list[Sentence] = []
    for claim in rng.sample(list(claims), min(most, len(claims))):
        sentence = filled.false(claim) if rng.random() < 0.28 else None
        sentences.append(sentence or filled.true(claim))
    return sentences
