"""Snapshots as JSON lines: a line for each passage, and one for each search with what it found."""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, TypeGuard

from assay.core.errors import InputError
from assay.core.writing import replacing
from assay.knowledge.passages import KnowledgePassage, passage_record, read_passage
from assay.knowledge.snapshots import Search, Snapshots


def export_passages(
    passages: Iterable[KnowledgePassage], target: str | Path, searches: Iterable[Search] = ()
) -> int:
    """Writes passages, then searches that point at them; gives the number of passages."""
    count = 0
    with replacing(target) as part, part.open("w", encoding="utf-8") as file:
        for passage in passages:
            count += 1
            record = passage_record(passage)
            del record["score"]  # it belongs to a search
            file.write(json.dumps(record, ensure_ascii=False) + "\n")
        for search in searches:
            file.write(json.dumps(_search_record(search), ensure_ascii=False) + "\n")
    return count


def export_snapshots(snapshots: Snapshots, target: str | Path) -> int:
    """Writes all that a file of snapshots holds; gives the number of passages."""
    return export_passages(snapshots, target, snapshots.searches())


def import_snapshots(path: str | Path, snapshots: Snapshots) -> None:
    """Adds the snapshots and searches of a file, all of them or, if one is wrong, none."""
    try:
        with Path(path).open("rb") as lines:
            snapshots.put(_items(lines, str(path), snapshots))
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror or error}") from None


def _items(
    lines: Iterable[bytes], name: str, snapshots: Snapshots
) -> Iterator[KnowledgePassage | Search]:
    for number, raw in enumerate(lines, 1):
        if raw.isspace():
            continue
        try:
            value = json.loads(raw.decode("utf-8-sig"))
            is_search = isinstance(value, dict) and "query" in value
            yield _read_search(value, snapshots) if is_search else read_passage(value)
        except InputError as error:
            raise InputError(f"{name} line {number}: {error}") from None
        except (ValueError, RecursionError):
            raise InputError(f"{name} line {number} is not JSON") from None


def _search_record(search: Search) -> dict[str, Any]:
    return {
        "source": search.source,
        "query": search.query,
        "most": search.most,
        "found": [[each.digest, each.address, each.score] for each in search.passages],
    }


def _read_search(record: dict[str, Any], snapshots: Snapshots) -> Search:
    """A search; the passages that it found must have come before it."""
    source, query, most = (record.get(name) for name in ("source", "query", "most"))
    found = record.get("found")
    if not (_is_text(source) and _is_text(query) and type(most) is int and most > 0):
        raise InputError("a search is an object with 'source', 'query' and 'most'")
    if not isinstance(found, list):  # that nothing was found is an empty list
        raise InputError("a search says in a list what it has 'found'")
    passages = []
    for each in found:
        if not (isinstance(each, list) and len(each) == 3 and all(map(_is_text, each[:2]))):
            raise InputError("what a search found is a list of digest, address and score")
        passage = snapshots.get(each[0], each[1])
        if passage is None:
            raise InputError(f"a search found a passage that is not in the file: {each[0]}")
        passages.append(passage.scored(each[2]) if isinstance(each[2], int | float) else passage)
    return Search(source, query, most, tuple(passages))


def _is_text(value: object) -> TypeGuard[str]:
    return isinstance(value, str)
