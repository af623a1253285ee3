"""What `assay detectors list` and `show` do once their options are read."""

from assay.cli.data_cards import make_console, print_json
from assay.detectors.registry import DETECTORS, detector_facts
from assay.report.corpus_view import facts_view, table_view


def run_list(*, as_json: bool) -> None:
    """Prints a line for each detector."""
    rows = [(n, e.judges, e.taxonomy, e.summary) for n, e in DETECTORS.items()]
    headers = ("detector", "judges", "labels", "what it is")
    if as_json:
        print_json([dict(zip(headers, row, strict=True)) for row in rows])
        return
    title = f"{len(rows)} detectors; name one with --detector"
    make_console().print(table_view(title, headers, rows, words=4))


def run_show(name: str, *, as_json: bool) -> None:
    """Prints the facts about a detector."""
    facts = detector_facts(name)
    if as_json:
        print_json(dict(facts))
        return
    make_console().print(facts_view(facts.items()))
