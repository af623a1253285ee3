"""The store gives records whose fields are the columns of their tables."""

from dataclasses import fields

import pytest

from assay.store.annotation import records, tables

TABLES = {
    records.StoredPerson: tables.people,
    records.StoredProject: tables.projects,
    records.StoredInvitation: tables.invitations,
    records.StoredMember: tables.members,
    records.StoredItem: tables.items,
    records.StoredWork: tables.work,
    records.StoredChange: tables.changes,
    records.StoredJudgement: tables.judgements,
    records.StoredComment: tables.comments,
    records.StoredFlag: tables.flags,
    records.StoredSnapshot: tables.snapshots,
    records.StoredFetch: tables.fetches,
    records.StoredEvent: tables.events,
}


@pytest.mark.parametrize("record", TABLES, ids=lambda record: record.__name__)
def test_the_fields_of_a_record_are_the_columns_of_its_table(record: type) -> None:
    assert [each.name for each in fields(record)] == list(TABLES[record].c.keys())


def test_every_record_is_compared_with_its_table() -> None:
    stored = {each for name, each in vars(records).items() if name.startswith("Stored")}
    assert stored == set(TABLES)
