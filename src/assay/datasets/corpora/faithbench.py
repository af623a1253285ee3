"""FaithBench: summaries of ten LLMs with the spans that people marked, in its three releases."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from assay.core.errors import InputError
from assay.core.examples import Annotated, Example
from assay.core.taxonomies import FAITHBENCH
from assay.core.texts import Response, Source
from assay.core.units import Unit
from assay.datasets.corpora.annotations import (
    ASKS,
    Opinion,
    annotate,
    find_columns,
    opinion,
    person,
    read_outcomes,
    text_id,
)
from assay.datasets.corpora.faithbench_marks import pool, read_annotation, regulars, with_silent
from assay.datasets.corpora.raw_files import RawRow, read_json, read_rows, some
from assay.datasets.corpus import Card, File, Protocol, Repairs, released

# Batch -> sha256 of its file.
RELEASED = {
    1: "a4e7858702e741b0fb024a022a906f61fb8eb65011b7f7b138e56e080a4c8c59",
    2: "18f1b2b9eae6fbf2020f295dc5ca512ef1a7e389e763b707bc51831f58df6a70",
    3: "84b709a9d88998f478f429ee2330ea18666ae9e5340ea398ece03cec6ab54308",
    4: "c0f68bc222dd8b6e332cb6668840de8da150687ddf6f9b5bd243f389033fda42",
    5: "6be08bb37ccdf68e41e117b0174cc3c8b41ed7bf85134d00e0e89c023e96b436",
    6: "a5fd42aa64fbe15f535192ddfd3cfc72b53535cde7834cb6685ebe0a229f8587",
    7: "28e83e1487381ce317103505dab4d5679ad74f53541374a98e24e3673734343b",
    8: "5cf2b8ab42fe1d4b0018cf736448dd8a88318267b0efc2f45ea200e713932975",
    9: "4924fe2d0975890712032a128544c0619c2ebf81d5d472e99e7883f1a9720bd5",
    10: "8e5cec822516abbf74cd6796104bbe537da98628c671b64c10afa3b15bebe08c",
    11: "cf999c8fa9696f4b24d8f4b08f9fdd6603a942cfee63ad851ff6d1f265c116cc",
    12: "fda9f0e0eae69c13b79a8fc1f81d1f8a02e9f28ad8c3274619c4369bb15c818e",
    14: "72f07b9f4b91f8a49d96e7adc79a8308edb92a2e6b34babcd9ef68dc6b7b2f34",
    15: "c6608ce2edd17134674c7f8a0fdfc871e22458b432b35506889886c737eb4663",
    16: "e35ace1069bb79844b122415d3c4192f7147737a2b9ad509185fb2c1ba7090db",
}
ANNOTATED = {
    1: "878d64b37ef44d04870797e06a3fbef8dc7d2af85c8a7afefa59ec36877550ba",
    2: "742274db3b1fe72ee4e91a6ad129675ba6d5f1b9b02b0c1f761753d5cddc6945",
    3: "c73334c65bf6de8eebf875644c38f6ee14ca89b7908812519a7112dcd15f2f3c",
    4: "bf5a592e090c2eedac57fa8d0d3a4cb8ffcd0414e06aeebfe56f0e8a6c2d97fd",
    5: "6f445bb19c532b81029e25af56adf77334e740036f88f6678dd2433a2b18b67e",
    6: "c24037e44c6e3943169e8c05623ad71786ea2a37ac8f8320a72837389a2c4cb9",
    7: "e79ee87850909795067516c03b4935fad74061da05058538a1f73c883a169701",
    8: "416e9cf33d700ff3975678b2d354623a8735ac5579c1e9bbd0612836d5811451",
    9: "2357df1229725cb4874bbc45c4f53002cfd12b4b0f7bbe779c8bac356bdcba20",
    10: "b22ade5d8e81d0c4f9d73088b28a21ea1c24d40e119c473a0d4eb37319f9c87b",
    11: "0b34d8ea4d93f4993634fae2fd2f9ace0205aceef48948e132845a89fc111cdd",
    12: "c4d01c40d5ef0f7157f4a94c42a8a25d72a418ab0ce1ba57cd58eb22d0a935b2",
    13: "039d3c33de4b464a6a3631c3010b2b7097a58df6d2d2c3257aaaa33380cb9f0a",
    14: "807738aa24ea6d0bd9d56a06081dd52abd74aa3e710d5d36dc0a6104416a4e22",
    15: "1802afe1b5f737e865624437c8603903b13d6c963c8765bff56fd1bbb5e930aa",
    16: "7f7da916f3b48007eb6aff6f88196feff3312dec502c444c9a34f9692cc9d1df",
}
# All summaries that were to be annotated, with the predictions of detectors.
CANDIDATES = File(
    "examples_to_annotate.csv",
    "8010388cc6f2e1348ffd122fba39bc1aaa1e11117c8f28efdd571fac03f94d61",
    upstream="assign/examples_to_annotate.csv",
    revision="4b1388d76c8fd47fb5b05cf902af4a30b313697e",
)

_PAPER = (
    "FaithBench: A Diverse Hallucination Benchmark for Summarization by Modern LLMs (NAACL 2025)"
)
_POOLING = (
    "A summary has the worst class that was marked in it; one without annotations is consistent. "
    "A regular annotator of the batch who marked nothing in a summary calls it consistent."
)
_PROTOCOL = Protocol("response", "any", "faithbench", "FaithBench, section 3.3")
_DEFECTS = (
    "annotations with several classes, without a label, or with a kind of unwanted but without "
    "'Unwanted' itself: see the repairs",
    "an annotator who found nothing leaves no trace: those whom the paper selects, or who marked "
    "something in a quarter of a batch, are taken to have looked at all of it",
    "the misspelling 'Unwanted.Instrinsic'",
)

RELEASE = Card(
    name="faithbench",
    title="FaithBench, the 750 annotated summaries of the release",
    origin="https://github.com/vectara/FaithBench",
    revision="cf89797d82812c23b5d5e5c121f1d9b8983bbbce",
    licence="CC BY-NC-SA 4.0",
    taxonomy="faithbench",
    unit_kind="span",
    splits=tuple(f"batch-{number}" for number in RELEASED),
    folder="faithbench",
    files=released({f"data_for_release/batch_{n}.json": pin for n, pin in RELEASED.items()}),
    loader="assay.datasets.corpora.faithbench:load_release",
    paper=_PAPER,
    protocol=_PROTOCOL,
    labels=f"A verdict for each span that an annotator marked. {_POOLING} All annotators count, "
    "also those that the paper ignores. An annotator is known by the first word of their name.",
    defects=(
        *_DEFECTS,
        "batch 13 is absent, and no sample is skipped: the figures differ from the paper's",
        "the released script 'binarize' calls a summary without annotations hallucinated",
        "the prediction of true-nli is missing for 2 summaries",
    ),
    asks=ASKS,
)

_TABLE_PINS = {
    "FaithBench.csv": "b64595319c5a0673c7af00a12c9340a79aeb3437c021b097745413da42d80a09",
}

CSV = Card(
    name="faithbench-csv",
    title="FaithBench, the table of 800 summaries with their worst and best label",
    origin="https://github.com/vectara/FaithBench",
    revision="cf89797d82812c23b5d5e5c121f1d9b8983bbbce",
    licence="CC BY-NC-SA 4.0",
    taxonomy="faithbench",
    unit_kind="response",
    folder="faithbench",
    files=released(_TABLE_PINS),
    loader="assay.datasets.corpora.faithbench:load_table",
    paper=_PAPER,
    protocol=_PROTOCOL,
    labels="The worst label is the verdict on a summary; the best one is a second verdict, whose "
    "author is 'best-label'.",
    defects=("other samples and labels than in the paper's tables and in the released batches",),
)

PAPER = Card(
    name="faithbench-paper",
    title="FaithBench, the annotations and predictions behind the paper's tables",
    origin="https://github.com/forrestbao/FaithBench",
    revision="0497b6db9c3c52bc9aabb0cd046e8ac815edbd13",
    licence="none stated; treated as CC BY-NC-SA 4.0",
    taxonomy="faithbench",
    unit_kind="span",
    splits=tuple(f"batch-{number}" for number in ANNOTATED),
    folder="faithbench",
    files=(
        *(
            File(
                f"paper_annotations/batch_{number}_annotation.json",
                sha256,
                upstream=f"assign/batch_5_src_no_sports/results/batch_{number}_annotation.json",
            )
            for number, sha256 in ANNOTATED.items()
        ),
        File("paper_annotations/selection.json"),
        CANDIDATES,
    ),
    loader="assay.datasets.corpora.faithbench:load_paper",
    paper=_PAPER,
    protocol=_PROTOCOL,
    labels=f"A verdict for each span that a selected annotator marked. {_POOLING}",
    defects=(
        *_DEFECTS,
        "the predictions were made on texts with slightly other white space",
        "selection.json, which names the 50 skipped samples and the annotators that the paper "
        "selects, is not part of the release",
    ),
    asks=ASKS,
)


def load_release(folder: Path, repairs: Repairs) -> Iterator[Annotated]:
    """The 750 samples of the release; an id is batch and sample."""
    for batch in RELEASED:
        path = folder / f"data_for_release/batch_{batch}.json"
        rows = list(some(RawRow(read_json(path), path).rows("samples"), path))
        annotators = annotators_of(map(_annotations, rows))
        for row in rows:
            about = row.row("metadata")
            example = _example(row, batch, about.text("summarizer"))
            whole = Unit.response(example.response.text)
            outcomes = read_outcomes(whole, about, find_columns(about))
            said = _opinions(example, _annotations(row), annotators, repairs)
            yield annotate(example, (*said, *outcomes))


def load_paper(folder: Path, repairs: Repairs) -> Iterator[Annotated]:
    """The 750 samples of the paper's tables with the annotators that it selects."""
    path = folder / "paper_annotations/selection.json"
    selection = RawRow(read_json(path), path)
    candidates = list(read_rows(folder / CANDIDATES.path))
    columns = find_columns(candidates[0])
    for batch in ANNOTATED:
        path = folder / f"paper_annotations/batch_{batch}_annotation.json"
        skipped = selection["skip_samples"].get(str(batch), ())
        selected = selection["selected_annotators"].get(str(batch), ())
        rows = list(read_rows(path))
        annotators = selected or annotators_of(map(_annotations, rows))
        for row in rows:
            if row["sample_id"] in skipped:
                repairs.note("sample-skipped", "the paper leaves this sample out")
                continue
            example = _example(row, batch, row.text("meta_model"))
            candidate = _candidate(candidates, row, repairs)
            outcomes = read_outcomes(Unit.response(row["summary"]), candidate, columns)
            chosen = list(_select(_annotations(row), selected, repairs))
            said = _opinions(example, chosen, annotators, repairs)
            yield annotate(example, (*said, *outcomes))


def load_table(folder: Path, repairs: Repairs) -> Iterator[Annotated]:
    """The 800 rows of the CSV; an id is the number of a row."""
    for number, row in enumerate(read_rows(folder / "FaithBench.csv")):
        unit = Unit.response(row["summary"])
        example = Example(
            id=str(number),
            source=Source(row["source"], id=text_id(row["source"])),
            response=Response(row["summary"], row["LLM"]),
            task="summary",
        )
        worst_label = opinion(unit, FAITHBENCH[row["worst-label"]])
        best_label = opinion(unit, FAITHBENCH[row["best-label"]], by=person("best-label"))
        yield annotate(example, (worst_label, best_label))


def _annotations(row: RawRow) -> list[RawRow]:
    annotations = row.rows("annotations")
    for annotation in annotations:
        annotation.items_of(str, "label")
    return annotations


def _select(
    annotations: Iterable[RawRow], selected: Iterable[str], repairs: Repairs
) -> Iterator[RawRow]:
    for annotation in annotations:
        if selected and annotator_of(annotation) not in selected:
            repairs.note("annotator-not-selected", "the paper ignores this annotation's author")
        else:
            yield annotation


def annotators_of(samples: Iterable[Iterable[RawRow]]) -> list[str]:
    """The annotators taken to have looked at a whole batch, by the annotations of its samples."""
    return regulars([{annotator_of(each) for each in annotations} for annotations in samples])


def annotator_of(annotation: Mapping[str, Any]) -> str:
    """The first word of the name; the ids differ from batch to batch, so they are a last resort."""
    name = str(annotation.get("annotator_name") or "").split()
    identity = annotation.get("annotator_id") or annotation.get("annotator") or ""
    return name[0].lower() if name else str(identity)


def _candidate(candidates: list[RawRow], row: RawRow, repairs: Repairs) -> RawRow:
    """The row of the candidate pool that holds a sample's predictions."""
    number = row["meta_sample_id"]
    candidate = candidates[number] if number in range(len(candidates)) else RawRow({}, row.path)
    if candidate.get("model") != row["meta_model"]:
        raise InputError(
            f"{row.path}: examples_to_annotate.csv has no row {number} for this sample"
        )
    if (candidate.get("source"), candidate.get("summary")) != (row["source"], row["summary"]):
        repairs.note("other-white-space", "the predictions were made on a slightly other text")
    return candidate


def _example(row: RawRow, batch: int, model: str) -> Example:
    return Example(
        id=f"{batch}-{row['sample_id']}",
        source=Source(row.text("source"), id=text_id(row["source"])),
        response=Response(row.text("summary"), model),
        split=f"batch-{batch}",
        task="summary",
    )


def _opinions(
    example: Example, annotations: list[RawRow], annotators: Iterable[str], repairs: Repairs
) -> Iterator[Opinion]:
    """The pooled class, each mark, and the batch's annotators who marked nothing."""
    marks = [
        mark
        for number, each in enumerate(annotations, start=1)
        if (mark := read_annotation(number, each, example, annotator_of(each), repairs))
    ]
    yield pool(Unit.response(example.response.text), marks)
    yield from with_silent(example, marks, map(person, annotators), repairs)
