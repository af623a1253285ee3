"""The guide for annotators: the labels and the questions of the tree, each with an example."""

from dataclasses import dataclass

from assay.annotation import access
from assay.annotation.settings import Mode, read_settings
from assay.annotation.studio import Person, Studio
from assay.core.decision import QUESTIONS, TREE, Branch, Question
from assay.core.labels import Taxonomy
from assay.core.taxonomies import FAITHBENCH, GRAY7


@dataclass(frozen=True, slots=True)
class GuideLabel:
    """A label of a menu; `parent` is the label that it is a kind of."""

    name: str
    title: str
    meaning: str
    example: str
    coarse: str
    parent: str
    rank: int


@dataclass(frozen=True, slots=True)
class GuideMenu:
    """A taxonomy, from the least to the most faithful label."""

    name: str
    title: str
    labels: tuple[GuideLabel, ...]


@dataclass(frozen=True, slots=True)
class GuideQuestion:
    """A question of the tree, what it means, and an example."""

    text: str
    definition: str
    example: str


@dataclass(frozen=True, slots=True)
class Guide:
    """All that annotators of a project follow; `guidelines` are the project's own."""

    mode: Mode
    taxonomies: tuple[GuideMenu, ...]
    tree: Branch
    questions: dict[Question, GuideQuestion]
    guidelines: str


def guide(studio: Studio, who: Person, slug: str) -> Guide:
    """The guide of a project."""
    with studio.read() as connection:
        project = access.require(connection, who, "see-project", slug)
    settings = read_settings(project.settings)
    menus = (
        *((GRAY7,) if settings.has_sentences else ()),
        *((FAITHBENCH,) if settings.has_spans else ()),
    )
    return Guide(
        settings.mode,
        tuple(map(_menu, menus)),
        TREE,
        {name: GuideQuestion(QUESTIONS[name], *said) for name, said in _QUESTIONS.items()},
        settings.guidelines,
    )


def _menu(taxonomy: Taxonomy) -> GuideMenu:
    labels = (
        GuideLabel(
            label.name,
            label.name.rpartition(".")[2].replace("-", " ").capitalize(),
            label.meaning,
            _EXAMPLES[taxonomy.name, label.name],
            label.coarse,
            label.parent,
            label.rank,
        )
        for label in taxonomy
    )
    return GuideMenu(taxonomy.name, taxonomy.title, tuple(labels))


# By taxonomy and label: a source, a response, and why.
_EXAMPLES: dict[tuple[str, str], str] = {
    ("gray7", "contradicting"): (
        "Source: The bridge opened in May 1931.\n"
        "Response: The bridge was opened in 1941.\n"
        "The source gives another year."
    ),
    ("gray7", "fabricated"): (
        "Source: The bakery opens at seven.\n"
        "Response: The bakery sells two hundred loaves before noon.\n"
        "The source is silent about it, and no outside source says so either."
    ),
    ("gray7", "ambiguous"): (
        "Source: Lena phoned Ruth as soon as she had landed in Rome.\n"
        "Response: Ruth had landed in Rome.\n"
        "If “she” is Ruth, it is explicitly supported. If “she” is Lena, nothing says that Ruth "
        "landed anywhere, and it is fabricated."
    ),
    ("gray7", "no-fact"): (
        "Response: I hope this summary helps!\n"
        "There is nothing in it that could be true or false of the source."
    ),
    ("gray7", "out-dependent"): (
        "Source: The conference takes place in Porto.\n"
        "Response: The conference takes place in Portugal.\n"
        "It holds once somebody looks up where Porto is; link the page that says so."
    ),
    ("gray7", "implicitly-supported"): (
        "Source: Tickets sold out within an hour, and people queued in vain.\n"
        "Response: Not everybody who wanted a ticket got one.\n"
        "The source does not put it that way, but it follows."
    ),
    ("gray7", "explicitly-supported"): (
        "Source: The mayor resigned on Friday, citing poor health.\n"
        "Response: On Friday the mayor stepped down, giving ill health as the reason.\n"
        "Each part is stated, in other words."
    ),
    ("faithbench", "unwanted"): (
        "Source: The committee will vote on Monday.\n"
        "Response: The committee has approved the plan.\n"
        "No reader would want this. If you can, say which kind it is."
    ),
    ("faithbench", "unwanted.intrinsic"): (
        "Source: Sales rose by four percent.\n"
        "Response: Sales fell by four percent.\n"
        "Both cannot be true."
    ),
    ("faithbench", "unwanted.extrinsic"): (
        "Source: The museum reopened in spring.\n"
        "Response: The museum reopened with a concert by the city orchestra.\n"
        "The source does not mention a concert, and nothing in it suggests one."
    ),
    ("faithbench", "questionable"): (
        "Source: The walk takes 55 minutes.\n"
        "Response: The walk takes about an hour.\n"
        "Some readers accept the rounding, others do not."
    ),
    ("faithbench", "benign"): (
        "Source: The race was held in Berlin.\n"
        "Response: The race was held in Berlin, the capital of Germany.\n"
        "The source does not say so, but it is true, and no reader minds."
    ),
    ("faithbench", "consistent"): (
        "Source: The library closes at eight.\n"
        "Response: The library is open until eight.\n"
        "Nothing needs to be marked."
    ),
}

# By question: what it means, and an example.
_QUESTIONS: dict[Question, tuple[str, str]] = {
    "states_fact": (
        "A sentence states a fact if it says something about the world or about the source that "
        "can be true or false. Greetings, questions, offers of help and headings without a verb "
        "state none.",
        "“Let me know if you need more” states no fact. “The report is 40 pages long” does.",
    ),
    "several_readings": (
        "Say yes only if the sentence or the source can reasonably be read in more than one way, "
        "and the readings lead to different labels. Write each reading down in words and answer "
        "the questions for it.",
        "Source: “Sam told Alex that he had won”. “Sam had won” is supported if “he” is Sam, and "
        "made up if “he” is Alex.",
    ),
    "entailed": (
        "Somebody who knows only the source, and how the language works, has to accept all of the "
        "sentence. Everyday inferences count; facts that have to be looked up do not.",
        "“She sold both her houses” entails that she had two houses. It does not entail that she "
        "needed money.",
    ),
    "explicit": (
        "Yes if the source says every part of the sentence, if only in other words. No as soon as "
        "one part has to be worked out: an arithmetic step, a cause, a summary of several remarks.",
        "Source: “two apples and three pears”. “Two apples” is explicit, “five pieces of fruit” is "
        "inferred.",
    ),
    "contradicted": (
        "Yes if the sentence, or any part of it, cannot be true while the source is true. What the "
        "source merely leaves out is not contradicted.",
        "Source: “The shop is closed on Sundays”. “The shop opens every day” is contradicted, “the "
        "shop sells shoes” is not.",
    ),
    "entailed_with_knowledge": (
        "Look it up. Yes if something outside the source, taken together with the source, shows "
        "that the sentence is true; link what you found. Your own memory is not enough.",
        "Source: “He was born in the year of the first moon landing”. “He was born in 1969” needs "
        "a page that gives the year.",
    ),
}
