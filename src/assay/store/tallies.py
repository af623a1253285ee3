"""What the outcomes of a run add up to, counted inside the database."""

from collections import Counter
from dataclasses import dataclass

from assay.core.examples import part_kinds
from assay.store.journal import Journal

_UNITS = """
SELECT coalesce(json_extract(u.value, '$.kind'), 'sentence'),
       json_extract(u.value, '$.label'),
       json_extract(u.value, '$.score') IS NOT NULL,
       count(*)
FROM outcomes, json_each(outcomes.record, ?) AS u GROUP BY 1, 2, 3
"""
_FAILURES = """
SELECT json_extract(f.value, '$.reason'), count(*)
FROM outcomes, json_each(outcomes.record, '$.failures') AS f GROUP BY 1
"""
_CHARACTERS = """
SELECT total(json_extract(record, '$.source.characters')),
       total(json_extract(record, '$.source.characters_read'))
FROM outcomes
"""


@dataclass(frozen=True, slots=True)
class Tally:
    """Counts over all outcomes; a verdict without a label counts as `score only`.

    Units that belong to others which were judged as well are counted as `parts`.
    """

    examples: int
    kinds: Counter[str]
    labels: Counter[str]
    failures: Counter[str]
    parts: Counter[str]
    failed_parts: int
    characters: int
    characters_read: int


def tally(journal: Journal) -> Tally:
    """Counts the outcomes that are there now."""
    rows = [row for each in ("$.sentences", "$.units") for row in journal.select(_UNITS, each)]
    belonging = part_kinds({kind for kind, *_ in rows})
    kinds, parts, labels, failed_parts = Counter[str](), Counter[str](), Counter[str](), 0
    for kind, label, scored, count in rows:
        is_judged = label is not None or scored
        if kind in belonging:
            parts[kind] += count
            failed_parts += 0 if is_judged else count
        else:
            kinds[kind] += count
            labels[label or "score only"] += count if is_judged else 0
    ((characters, read),) = journal.select(_CHARACTERS)
    return Tally(
        journal.count(),
        kinds,
        +labels,
        Counter(dict(journal.select(_FAILURES))),
        parts,
        failed_parts,
        int(characters),
        int(read),
    )
