"""Items composed from schemas: each one plain, and once more in another look or with a question."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import replace

from training.items import CONTRADICTED, ENTAILED, NEUTRAL, Item, Sentence
from training.looks import as_clause, restated, varied
from training.schemas import Filled, Schema, pick, read_schemas
from training.splits import is_everyday

MOST = 6  # sentences in a row


def composed(each: int, seed: int) -> Iterator[Item]:
    """Every schema filled so often, in a fixed order, and documents of several schemas."""
    schemas = [schema for schema in read_schemas() if not is_everyday(*schema.place)]
    rng = random.Random(seed)
    passages = [laid_out(Filled(schema, rng).lines(), rng) for schema in schemas * 2]
    for _ in range(each):
        for schema in schemas:
            yield from _about(schema, passages, rng)
        yield from _documents(len(schemas) // 2, schemas, rng)


def composed_apart(schemas: Sequence[Schema], each: int, seed: int) -> Iterator[Item]:
    """Schemas that are kept apart, so often each: some of their sentences, in one look."""
    rng = random.Random(seed)
    for schema in schemas:
        for _ in range(each):
            filled = Filled(schema, rng)
            sentences = tuple(pick(schema.claims, filled, rng, MOST))
            yield Item(f"composed-{schema.name}", laid_out(filled.lines(), rng), sentences)


def told_apart(schemas: Sequence[Schema], each: int, seed: int) -> Iterator[Item]:
    """Whole answers to questions about schemas that are kept apart, faithful or with one error."""
    rng = random.Random(seed)
    for schema in schemas:
        for _ in range(each):
            filled = Filled(schema, rng)
            for item in _told(filled, filled.lines(), rng):
                yield replace(item, group=f"composed-{schema.name}")


def _about(schema: Schema, passages: Sequence[str], rng: random.Random) -> Iterator[Item]:
    """Sentences about one source in two looks, and short answers to a question about it."""
    filled = Filled(schema, rng)
    lines = filled.lines()
    sentences = pick(schema.claims, filled, rng, rng.randint(2, MOST))
    group = f"composed-{schema.name.split('-')[0]}"
    plain = Item(group, laid_out(lines, rng), tuple(sentences))
    yield plain
    rng.shuffle(sentences)
    again = replace(plain, source=laid_out(lines, rng), sentences=tuple(sentences))
    # A question may also take up what is not in the response.
    missing = [filled.true(claim).text for claim in schema.claims]
    missing += [false.text for claim in schema.claims if (false := filled.false(claim))]
    if rng.random() < 0.35 and (question := restated(rng.choice(missing), rng)):
        again = replace(again, question=question)
    yield varied(again, passages, rng, group)
    yield from _answered(filled, lines, rng)
    yield from _told(filled, lines, rng)
    if schema.asked:
        question, answers = filled.asked(rng.choice(schema.asked))
        rng.shuffle(answers)
        for answer in answers:
            # A short answer is read alone: another one before it would give it away.
            source = laid_out(lines, rng)
            yield Item(f"answers-{schema.name.split('-')[0]}", source, (answer,), question)


def _told(filled: Filled, lines: Sequence[str], rng: random.Random) -> Iterator[Item]:
    """A whole answer, faithful and with one false sentence."""
    if filled.schema.told:
        told = rng.choice(filled.schema.told)
        for is_faithful in (True, False):
            question, sentences = filled.told(told, is_faithful)
            group = f"told-{filled.schema.name.split('-')[0]}"
            yield Item(group, laid_out(lines, rng), tuple(sentences), question)


def _answered(filled: Filled, lines: Sequence[str], rng: random.Random) -> Iterator[Item]:
    """A question that takes up a true or a false sentence, and whole answers of yes and no."""
    claim = rng.choice(filled.schema.claims)
    true, false = filled.true(claim), filled.false(claim)
    if true.target != ENTAILED or false is None:
        return
    right, wrong = as_clause(true.text), as_clause(false.text)
    stated = rng.choice((right, wrong))
    question = rng.choice(_CHECKS).format(stated)
    question = question[0].upper() + question[1:]
    yes, no = (right, wrong) if stated is right else (wrong, right)
    answers = [
        Sentence(f"{rng.choice(_YES)} {yes}.", ENTAILED if yes is right else CONTRADICTED),
        Sentence(f"{rng.choice(_NO)} {no}.", ENTAILED if no is right else CONTRADICTED),
    ]
    for answer in answers:
        group = f"answers-{filled.schema.name.split('-')[0]}"
        yield Item(group, laid_out(lines, rng), (answer,), question)


_CHECKS = ("Is it so that {}?", "{}?", "{}, is that correct?", "Do you know whether {}?")
_YES = ("Yes,", "Yes:", "That is right:", "Indeed,", "Correct,")
_NO = ("No,", "No:", "Not quite:", "No, in fact", "That is wrong:")


def _documents(count: int, schemas: Sequence[Schema], rng: random.Random) -> Iterator[Item]:
    """Several filled schemas as one source, with sentences about some, and about one left out."""
    for _ in range(count):
        chosen = [Filled(schema, rng) for schema in rng.sample(schemas, rng.randint(3, 7))]
        missing = chosen.pop() if rng.random() < 0.4 else None
        parts = [laid_out(filled.lines(), rng) for filled in chosen]
        sentences: list[Sentence] = []
        for filled in rng.sample(chosen, min(len(chosen), 4)):
            sentences += pick(filled.schema.claims, filled, rng, rng.randint(1, 2))
        if missing is not None:
            absent = missing.true(rng.choice(missing.schema.claims))
            sentences.append(Sentence(absent.text, NEUTRAL))
        rng.shuffle(sentences)
        glue = rng.choice(("\n\n", "\n\n", "\n", " "))
        yield Item("documents", glue.join(parts), tuple(sentences))


def laid_out(lines: Sequence[str], rng: random.Random) -> str:
    """The source as text; tables and lists in one of the ways in which they are written."""
    parts: list[str] = []
    table: list[list[str]] = []
    way, sign = rng.randrange(5), rng.choice(("- ", "* ", "• ", "", "{}. "))
    number = 0
    for line in [*lines, ""]:
        if line.startswith("|"):
            table.append([cell.strip() for cell in line.strip(" |").split("|")])
            continue
        if table:
            parts += _table(table, way)
            table = []
        if line.startswith("• "):
            number += 1
            line = sign.format(number) + line[2:]
        parts.append(line)
    return "\n".join(parts).strip()


def _table(rows: Sequence[Sequence[str]], way: int) -> list[str]:
    """A table in Markdown, with tabs, with semicolons, or row by row in words."""
    head, *body = rows
    if way <= 1:
        rule = "|".join("---" for _ in head)
        return [f"| {' | '.join(row)} |" if row else f"|{rule}|" for row in (head, [], *body)]
    if way == 2:
        return ["\t".join(row) for row in rows]
    if way == 3:
        return ["; ".join(row) for row in rows]
    return [
        ", ".join(f"{name}: {cell}" for name, cell in zip(head, row, strict=True)) for row in body
    ]
