"""The taxonomies, as data. Prompts, documentation and pages are rendered from here."""

from dataclasses import replace

from assay.core.errors import UnknownNameError
from assay.core.labels import Coarse, Label, Taxonomy


def _label(rank: int, name: str, coarse: Coarse, meaning: str, *, also: str = "") -> Label:
    parent = name.rpartition(".")[0]  # `unwanted.intrinsic` is a kind of `unwanted`
    return Label("", name, meaning, rank, coarse, parent, tuple(filter(None, also.split("|"))))


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
    _label(
        0,
        "out-of-context",
        "unfaithful",
        "It adds information that is not in the source.",
        also="out-of-context-error|out-of-article-error",
    ),
    _label(
        0,
        "entity",
        "unfaithful",
        "A main participant, or an attribute of one, is wrong.",
        also="entity-error",
    ),
    _label(
        0,
        "predicate",
        "unfaithful",
        "What is said to happen does not agree with the source.",
        also="predicate-error|relation-error",
    ),
    _label(
        0,
        "circumstantial",
        "unfaithful",
        "A circumstance, such as time or place, is wrong.",
        also="circumstantial-error|circumstance|circumstance-error",
    ),
    _label(
        0,
        "grammatical",
        "unfaithful",
        "It is too ungrammatical to have a meaning.",
        also="grammatical-error|grammar|grammar-error",
    ),
    _label(
        0,
        "coreference",
        "unfaithful",
        "A pronoun or reference points to the wrong thing or none.",
        also="coreference-error",
    ),
    _label(
        0,
        "linking",
        "unfaithful",
        "Statements are linked wrongly, for example in time or cause.",
        also="linking-error|discourse-link|discourse-link-error",
    ),
    _label(
        0,
        "other",
        "unfaithful",
        "A factual error that none of the other categories covers.",
        also="other-error",
    ),
    _label(
        1, "no-error", "faithful", "It agrees with what the source states.", also="no-errors|none"
    ),
)

ERROR5 = _taxonomy(
    "error5",
    "Five discourse errors that sentence labels overlook",
    _label(
        0,
        "fabricated-link",
        "unfaithful",
        "Its statements may hold one by one, but the source has no such cause, contrast or "
        "condition between them.",
    ),
    _label(
        0,
        "scope-attachment",
        "unfaithful",
        "A modifier or connective is attached to the wrong statement.",
    ),
    _label(
        0,
        "temporal-state",
        "unfaithful",
        "A right fact stands at the wrong time or in the wrong order.",
    ),
    _label(
        0,
        "hedging-removal",
        "unfaithful",
        "A hedge or attribution of the source is gone, so the sentence is surer than the source.",
    ),
    _label(
        0,
        "semantic-reframing",
        "unfaithful",
        "An interpretation or evaluation that the source does not make replaces its wording.",
    ),
    _label(
        0,
        "semantic-reframing.labeling",
        "unfaithful",
        "Semantic reframing: a word that judges or classifies, which the source does not use.",
        also="interpretive-labeling|interpretive-labelling|semantic-reframing.labelling",
    ),
    _label(
        0,
        "semantic-reframing.equivalence",
        "unfaithful",
        "Semantic reframing: another term, which means the same only to those who know the field.",
        also="domain-knowledge-equivalence|domain-equivalence",
    ),
    _label(
        0,
        "semantic-reframing.inference",
        "unfaithful",
        "Semantic reframing: a wider conclusion, drawn from what the source only reports.",
        also="interpretive-inference",
    ),
)

RAGTRUTH4 = _taxonomy(
    "ragtruth4",
    "Four types of hallucinated span (RAGTruth)",
    _label(0, "evident-conflict", "unfaithful", "It plainly contradicts the source."),
    _label(
        0, "subtle-conflict", "unfaithful", "It departs from the source in a way that alters it."
    ),
    _label(
        0,
        "evident-baseless",
        "unfaithful",
        "It adds plain information that the source does not have.",
        also="evident-baseless-info|evident-introduction-of-baseless-information",
    ),
    _label(
        0,
        "subtle-baseless",
        "unfaithful",
        "It adds inferred details, sentiments or assumptions that the source does not have.",
        also="subtle-baseless-info|subtle-introduction-of-baseless-information",
    ),
)

FINAL4 = _taxonomy(
    "final4",
    "Four kinds of inconsistency (FINAL)",
    _label(
        0,
        "extrinsic-wrong",
        "unfaithful",
        "It adds information that the source does not have and that is not true.",
    ),
    _label(
        0, "intrinsic-alteration", "unfaithful", "It takes something from the source and alters it."
    ),
    _label(
        0,
        "intrinsic-composition",
        "unfaithful",
        "It puts facts together, each right by itself, in a way that the source does not.",
    ),
    _label(
        0,
        "extrinsic-correct",
        "unfaithful",
        "It adds information that is true, but that the source does not have.",
    ),
)

FALSEALARM5 = _taxonomy(
    "falsealarm5",
    "Five reasons for which something right is called inconsistent (FINAL)",
    _label(
        0,
        "overlooked",
        "faithful",
        "The source says it in so many words, and this passage was not noticed.",
        also="overlooked-information",
    ),
    _label(
        0,
        "missed-deduction",
        "faithful",
        "The source does not say it, but it follows from what the source says.",
    ),
    _label(
        0,
        "omission",
        "faithful",
        "It complains about what the response leaves out, and all that is there is right.",
    ),
    _label(0, "overly-literal", "faithful", "It complains about other words for the same thing."),
    _label(
        0,
        "invented",
        "faithful",
        "It speaks of something that neither the response nor the source says.",
    ),
)

RECHECK3 = _taxonomy(
    "recheck3",
    "Three ways in which an error of a detector turns out to be none (FINAL)",
    _label(
        0,
        "matcher-wrong",
        "not-sure",
        "The detector and the gold describe the same error, and the match was missed.",
    ),
    _label(
        0,
        "gold-wrong",
        "not-sure",
        "The detector is right: the gold lacks an error, or calls one what is none.",
    ),
    _label(0, "unsure", "not-sure", "The texts do not settle whether there is an error."),
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
