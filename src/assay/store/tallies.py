"""What the outcomes of a run add up to, counted inside the database."""

from collections import Counter
from dataclasses import dataclass

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
    """Counts over all outcomes; a verdict without a label counts as `score only`."""

    examples: int
    kinds: Counter[str]
    labels: Counter[str]
    failures: Counter[str]
    characters: int
    characters_read: int


def tally(journal: Journal) -> Tally:
    """Counts the outcomes that are there now."""
    kinds: Counter[str] = Counter()
    labels: Counter[str] = Counter()
    for part in ("$.sentences", "$.units"):
        for kind, label, scored, count in journal.select(_UNITS, part):
            kinds[kind] += count
            if label is not None or scored:
                labels[label or "score only"] += count
    ((characters, read),) = journal.select(_CHARACTERS)
    failures = Counter(dict(journal.select(_FAILURES)))
    return Tally(journal.count(), kinds, labels, failures, int(characters), int(read))
