"""The taxonomies, as data. Prompts, documentation and pages are rendered from here."""

from collections.abc import Iterator
from dataclasses import replace

from assay.core.errors import UnknownNameError
from assay.core.labels import Coarse, Label, Taxonomy


def _label(rank: int, name: str, coarse: Coarse, meaning: str, *, also: str = "") -> Label:
    parent = name.rpartition(".")[0]  # `unwanted.intrinsic` is a kind of `unwanted`
    return Label("", name, meaning, rank, coarse, parent, tuple(filter(None, also.split("|"))))


def _kinds(coarse: Coarse, meanings: dict[str, str]) -> Iterator[Label]:
    """Labels without an order, all of one class: `name|alias|alias` -> meaning."""
    for names, meaning in meanings.items():
        name, _, also = names.partition("|")
        yield _label(0, name, coarse, meaning, also=also)


def _taxonomy(name: str, title: str, *labels: Label) -> Taxonomy:
    return Taxonomy(name, title, tuple(replace(label, taxonomy=name) for label in labels))


GRAY7 = _taxonomy(
    "gray7",
    "Seven classes of sentence faithfulness (VeriGray)",
    _label(
        0,
        "contradicting",
        "unfaithful",
        "The source says that the sentence is false.",
        also="inconsistent",
    ),
    _label(
        1,
        "fabricated",
        "unfaithful",
        "The source neither supports nor denies the sentence, and outside knowledge does not "
        "support it either.",
    ),
    _label(
        2,
        "ambiguous",
        "not-sure",
        "The sentence or the source can be read in several ways that lead to different classes.",
    ),
    _label(3, "no-fact", "no-fact", "The sentence states nothing that could be checked."),
    _label(
        4,
        "out-dependent",
        "not-sure",
        "The source alone does not support the sentence; the source and outside knowledge "
        "together do.",
    ),
    _label(
        5,
        "implicitly-supported",
        "faithful",
        "The source entails the sentence, but parts of it have to be inferred.",
        also="generally-supported",
    ),
    _label(
        6,
        "explicitly-supported",
        "faithful",
        "The source entails the sentence, and states each of its events, relations and states in "
        "equivalent words.",
    ),
)

FAITHBENCH = _taxonomy(
    "faithbench",
    "Hallucination severity (FaithBench)",
    _label(0, "unwanted", "unfaithful", "A clear hallucination that no reader would welcome."),
    _label(
        0,
        "unwanted.intrinsic",
        "unfaithful",
        "Unwanted: the source contradicts it, in part or in whole.",
        also="unwanted.instrinsic",
    ),
    _label(
        0,
        "unwanted.extrinsic",
        "unfaithful",
        "Unwanted: not in the source, not to be inferred from it, and not true of the world.",
    ),
    _label(1, "questionable", "not-sure", "People may disagree on whether it is a hallucination."),
    _label(
        2,
        "benign",
        "not-sure",
        "A hallucination that common sense, logic or world knowledge supports, so that a reader "
        "accepts it.",
    ),
    _label(3, "consistent", "faithful", "No hallucination."),
)

NLI = _taxonomy(
    "nli",
    "Natural-language inference",
    _label(
        0, "contradiction", "unfaithful", "The source says that it is false.", also="contradictory"
    ),
    _label(1, "neutral", "unfaithful", "The source leaves it open.", also="not-attributable"),
    _label(2, "entailment", "faithful", "The source says that it is true.", also="attributable"),
)

BINARY = _taxonomy(
    "binary",
    "Faithful or not",
    _label(
        0,
        "unfaithful",
        "unfaithful",
        "At least one part is not supported by the source.",
        also="inconsistent|hallucinated|unsupported|not-supported",
    ),
    _label(
        1,
        "faithful",
        "faithful",
        "Every part is supported by the source.",
        also="consistent|supported",
    ),
)

FINESURE9 = _taxonomy(
    "finesure9",
    "Nine categories of sentence error (FineSurE)",
    *_kinds(
        "unfaithful",
        {
            "out-of-context|out-of-context-error|out-of-article-error": (
                "It adds information that is not in the source."
            ),
            "entity|entity-error": "A main participant, or an attribute of one, is wrong.",
            "predicate|predicate-error|relation-error": (
                "What is said to happen does not agree with the source."
            ),
            "circumstantial|circumstantial-error|circumstance|circumstance-error": (
                "A circumstance, such as time or place, is wrong."
            ),
            "grammatical|grammatical-error|grammar|grammar-error": (
                "It is too ungrammatical to have a meaning."
            ),
            "coreference|coreference-error": (
                "A pronoun or reference points to the wrong thing or none."
            ),
            "linking|linking-error|discourse-link|discourse-link-error": (
                "Statements are linked wrongly, for example in time or cause."
            ),
            "other|other-error": "A factual error that none of the other categories covers.",
        },
    ),
    _label(
        1, "no-error", "faithful", "It agrees with what the source states.", also="no-errors|none"
    ),
)

ERROR5 = _taxonomy(
    "error5",
    "Five discourse errors that sentence labels overlook",
    *_kinds(
        "unfaithful",
        {
            "fabricated-link": (
                "Its statements may hold one by one, but the source has no such cause, contrast "
                "or condition between them."
            ),
            "scope-attachment": "A modifier or connective is attached to the wrong statement.",
            "temporal-state": "A right fact stands at the wrong time or in the wrong order.",
            "hedging-removal": (
                "A hedge or attribution of the source is gone, so the sentence is surer than the "
                "source."
            ),
            "semantic-reframing": (
                "An interpretation or evaluation that the source does not make replaces its "
                "wording."
            ),
            "semantic-reframing.labeling|interpretive-labeling|interpretive-labelling"
            "|semantic-reframing.labelling": (
                "Semantic reframing: a word that judges or classifies, which the source does not "
                "use."
            ),
            "semantic-reframing.equivalence|domain-knowledge-equivalence|domain-equivalence": (
                "Semantic reframing: another term, which means the same only to those who know "
                "the field."
            ),
            "semantic-reframing.inference|interpretive-inference": (
                "Semantic reframing: a wider conclusion, drawn from what the source only reports."
            ),
        },
    ),
)

RAGTRUTH4 = _taxonomy(
    "ragtruth4",
    "Four types of hallucinated span (RAGTruth)",
    *_kinds(
        "unfaithful",
        {
            "evident-conflict": "It plainly contradicts the source.",
            "subtle-conflict": "It departs from the source in a way that alters it.",
            "evident-baseless|evident-baseless-info|evident-introduction-of-baseless-information": (
                "It adds plain information that the source does not have."
            ),
            "subtle-baseless|subtle-baseless-info|subtle-introduction-of-baseless-information": (
                "It adds inferred details, sentiments or assumptions that the source does not have."
            ),
        },
    ),
)

FINAL4 = _taxonomy(
    "final4",
    "Four kinds of inconsistency (FINAL)",
    *_kinds(
        "unfaithful",
        {
            "extrinsic-wrong": (
                "It adds information that the source does not have and that is not true."
            ),
            "intrinsic-alteration": "It takes something from the source and alters it.",
            "intrinsic-composition": (
                "It puts facts together, each right by itself, in a way that the source does not."
            ),
            "extrinsic-correct": (
                "It adds information that is true, but that the source does not have."
            ),
        },
    ),
)

FALSEALARM5 = _taxonomy(
    "falsealarm5",
    "Five reasons for which something right is called inconsistent (FINAL)",
    *_kinds(
        "faithful",
        {
            "overlooked|overlooked-information": (
                "The source says it in so many words, and this passage was not noticed."
            ),
            "missed-deduction": (
                "The source does not say it, but it follows from what the source says."
            ),
            "omission": (
                "It complains about what the response leaves out, and all that is there is right."
            ),
            "overly-literal": "It complains about other words for the same thing.",
            "invented": "It speaks of something that neither the response nor the source says.",
        },
    ),
)

RECHECK3 = _taxonomy(
    "recheck3",
    "Three ways in which an error of a detector turns out to be none (FINAL)",
    *_kinds(
        "not-sure",
        {
            "matcher-wrong": (
                "The detector and the gold describe the same error, and the match was missed."
            ),
            "gold-wrong": (
                "The detector is right: the gold lacks an error, or calls one what is none."
            ),
            "unsure": "The texts do not settle whether there is an error.",
        },
    ),
)

GROUNDING4 = _taxonomy(
    "grounding4",
    "How a sentence of a response stands to its source (FACTS Grounding)",
    _label(
        0, "contradictory", "unfaithful", "The source denies a part of what the sentence states."
    ),
    _label(
        1,
        "unsupported",
        "unfaithful",
        "A part of what it states is not in the source, which does not deny it either.",
    ),
    _label(
        2,
        "nothing-to-check",
        "no-fact",
        "It states nothing: a greeting, a question, an offer, a remark about the response.",
        also="no-rad",
    ),
    _label(
        3,
        "supported",
        "faithful",
        "All that it states is in the source or follows from it without doubt.",
    ),
)

TAXONOMIES = {
    taxonomy.name: taxonomy
    for taxonomy in (
        GRAY7,
        FAITHBENCH,
        NLI,
        BINARY,
        FINESURE9,
        ERROR5,
        RAGTRUTH4,
        FINAL4,
        FALSEALARM5,
        RECHECK3,
        GROUNDING4,
    )
}


def taxonomy(name: str) -> Taxonomy:
    """The taxonomy of that name, ours or one that an installed package brings."""
    if name in TAXONOMIES:
        return TAXONOMIES[name]
    from assay.core.system.plugins import find_plugins, load_plugin

    plugins = find_plugins("assay.taxonomies")
    if name in plugins:
        return load_plugin("assay.taxonomies", name, Taxonomy)
    raise UnknownNameError("taxonomy", name, (*TAXONOMIES, *plugins))
