"""Small sets of responses, and boards of them."""

from collections.abc import Iterable, Mapping

from assay import Annotated, Author, Example, Failure, Judgement, Response, Source, Unit, Verdict
from assay.board.building import BoardSettings, Built, build
from assay.board.results import Board, Judge, Ranking, Standing
from assay.core.judgements import GOLD
from assay.core.taxonomies import BINARY
from assay.evaluation.responses import Responses, ResponseTable
from assay.metrics import Resampling

TEXT = "The bridge was closed for three long days."
F, U = BINARY["faithful"], BINARY["unfaithful"]
INVALID = Failure("response", "invalid")
FAILED = Failure("response", "parse")
Say = object  # a label, a Failure, a score, or None for nothing said


def response(
    model: str, source: str, text: str = TEXT, *, task: str = "", question: str = ""
) -> Example:
    """A response of an LLM to a source."""
    given = Source(f"About {source}.", id=source)
    return Example(f"{model}/{source}/{task}", given, Response(text, model), question, task=task)


def judgement(example: Example, author: str, said: Say) -> Judgement:
    """What an author says of a response."""
    unit = Unit.response(example.response.text)
    if isinstance(said, float):
        outcome: Verdict | Failure = Verdict(unit.id, score=said)
    else:
        outcome = said if isinstance(said, Failure) else Verdict(unit.id, said)  # type: ignore[arg-type]
    who = GOLD if author == GOLD.name else Author(author)
    return Judgement(example.id, who, (unit,), (outcome,))


def annotated(example: Example, said: Mapping[str, Say]) -> Annotated:
    """A response with what several authors say of it."""
    given = (judgement(example, name, each) for name, each in said.items() if each is not None)
    return Annotated(example, tuple(given))


def gathered(rows: Iterable[Annotated], **more: object) -> Responses:
    """The responses of some rows, by everybody who has a verdict."""
    table = ResponseTable(**more)  # type: ignore[arg-type]
    for each in rows:
        table.add(each.example, {one.author.name: one for one in each.judgements})
    return table.responses()


def table_of(letters: Mapping[str, str], judge: str = "d") -> list[Annotated]:
    """Rows from a letter for each source: `+` hallucinated, `.` not, `i` invalid, `x` failed.

    `r` is a refusal that the judge finds faithful, and a space means that there is no response.
    """
    said = {"+": U, ".": F, "i": INVALID, "x": FAILED, "r": F}
    return [
        annotated(
            response(model, f"s{number}", "I cannot answer." if letter == "r" else TEXT),
            {judge: said[letter]},
        )
        for model, word in letters.items()
        for number, letter in enumerate(word)
        if letter != " "
    ]


def built(rows: Iterable[Annotated], *judges: Judge, **more: object) -> Built:
    """A board of all judges of some rows, or of these."""
    responses = gathered(rows)
    given = judges or tuple(
        Judge(
            name,
            name,
            "person" if name == GOLD.name else "detector",
            tuple(dict.fromkeys(label.taxonomy for label in each.labels)),
        )
        for name, each in responses.judged.items()
    )
    more.setdefault("resampling", Resampling(200))
    settings = BoardSettings(**more)  # type: ignore[arg-type]
    return build(responses, given, settings, dataset="of/somebody/small")


def board_of(rows: Iterable[Annotated], *judges: Judge, **more: object) -> Board:
    """The same, without what is behind it."""
    return built(rows, *judges, **more).board


def ranking_of(board: Board, judge: str = "d", level: str = "", task: str = "") -> Ranking:
    """One ranking of a board; without a level that of the first."""
    wanted = judge, level or board.levels[0].name, task
    return next(each for each in board.rankings if (each.judge, each.level, each.task) == wanted)


def standing_of(board: Board, model: str, *named: str) -> Standing:
    """One LLM of a ranking."""
    return next(each for each in ranking_of(board, *named).standings if each.model == model)
