"""Records set aside by key come back by bucket, whether or not they went to disk."""

import errno
from typing import Any

import pytest

from assay.core.errors import InputError
from assay.core.system import spills
from assay.core.system.spills import BUCKETS, Buckets, bucket_of


@pytest.mark.parametrize("held", [0, 7, 2**20])
def test_buckets_are_the_same_in_memory_and_on_disk(held: int) -> None:
    buckets = Buckets(held)
    begins = [buckets.add(number % 3, f"<{number}>".encode()) for number in range(12)]
    found = list(buckets)
    buckets.close()
    assert found[:3] == [b"<0><3><6><9>", b"<1><4><7><10>", b"<2><5><8><11>"]
    assert set(found[3:]) == {b""}
    assert begins == [0, 0, 0, 3, 3, 3, 6, 6, 6, 9, 9, 9]


def test_buckets_can_be_gone_through_again() -> None:
    buckets = Buckets(0)
    buckets.add(5, b"x")
    assert list(buckets) == list(buckets)
    buckets.close()


def test_equal_keys_have_one_bucket() -> None:
    assert bucket_of(b"key") == bucket_of(b"key")
    assert len({bucket_of(str(number).encode()) for number in range(10_000)}) == BUCKETS


def test_full_disk_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def full() -> Any:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(spills, "TemporaryFile", full)
    with pytest.raises(InputError, match="temporary files: No space left on device"):
        Buckets(0).add(0, b"x")
