"""Data in S3, on a server of its own: read by ranges, written whole, and errors in one line."""

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import boto3
import pyarrow
import pytest
import s3fs
from moto.server import ThreadedMotoServer
from pyarrow import parquet

from assay.app.mine import MineRequest, mine
from assay.bench.mining import MiningRule
from assay.core.errors import InputError
from assay.core.examples import Annotated, Example
from assay.core.system.files import writing
from assay.core.texts import Response, Source
from assay.datasets.conversion import convert
from assay.datasets.selection import DataChoice
from assay.evaluation.references import open_judgements
from tests.board.making import F, U, annotated
from tests.datasets.test_columnar import no_label
from tests.datasets.test_conversion import FULL, PLAIN

pytestmark = pytest.mark.slow
ROWS = [FULL, PLAIN]


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    started = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    started.start()
    host, port = started.get_host_and_port()
    yield f"http://{host}:{port}"
    started.stop()


@pytest.fixture
def store(server: str, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A client of the server; its bucket `lab` is empty, and its bucket `closed` allows nothing."""
    settings = {
        "AWS_ENDPOINT_URL": server,
        "AWS_ACCESS_KEY_ID": "somebody",
        "AWS_SECRET_ACCESS_KEY": "sesame",
        "AWS_DEFAULT_REGION": "us-east-1",
    }
    for name, value in settings.items():
        monkeypatch.setenv(name, value)
    s3fs.S3FileSystem.clear_instance_cache()
    client = boto3.client("s3")
    for bucket in ("lab", "closed"):
        client.create_bucket(Bucket=bucket)
        for each in client.list_objects_v2(Bucket=bucket).get("Contents", ()):
            client.delete_object(Bucket=bucket, Key=each["Key"])
    client.put_object(Bucket="closed", Key="x.jsonl", Body=b'{"source": "a", "response": "b"}\n')
    denied = {"Effect": "Deny", "Principal": "*", "Action": "s3:*"}
    where = {"Resource": ["arn:aws:s3:::closed", "arn:aws:s3:::closed/*"]}
    policy = {"Version": "2012-10-17", "Statement": [{**denied, **where}]}
    client.put_bucket_policy(Bucket="closed", Policy=json.dumps(policy))
    yield client
    client.delete_bucket_policy(Bucket="closed")


def keys(store: Any) -> list[str]:
    return [each["Key"] for each in store.list_objects_v2(Bucket="lab").get("Contents", ())]


@pytest.mark.parametrize("ending", [".jsonl", ".jsonl.gz", ".parquet", ".arrow"])
def test_examples_in_a_bucket_are_those_that_were_written(ending: str, store: Any) -> None:
    convert(ROWS, f"s3://lab/a/x{ending}", no_label)
    assert keys(store) == [f"a/x{ending}"]
    assert list(DataChoice(f"s3://lab/a/x{ending}").read()) == ROWS


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("x.csv", b"source,response\na,b\n"),
        ("x.json", b'[{"source": "a", "response": "b"}]'),
        ("x.jsonl.gz", gzip.compress(b'{"source": "a", "response": "b"}', mtime=0)),
    ],
)
def test_plain_files_of_a_bucket_are_read(name: str, content: bytes, store: Any) -> None:
    store.put_object(Bucket="lab", Key=name, Body=content)
    (row,) = DataChoice(f"s3://lab/{name}").examples()
    assert (row.example.source.text, row.example.response.text) == ("a", "b")


def test_parts_in_a_bucket_are_one_data_set(store: Any) -> None:
    convert(ROWS, "s3://lab/new/", no_label, rows_per_part=1)
    assert keys(store) == ["new/_assay.json", "new/part-00000.parquet", "new/part-00001.parquet"]
    assert list(DataChoice("s3://lab/new/").read()) == ROWS
    assert list(DataChoice("s3://lab/new/part-*1.parquet").read()) == [PLAIN]
    store.put_object(Bucket="lab", Key="by/split=dev/x.csv", Body=b"source,response\na,b\n")
    for name in ("s3://lab/by/", "s3://lab/by/*/x.csv", "s3://lab/**/*.csv"):
        (row,) = DataChoice(name).examples()
        assert row.example.split == "dev"


def test_half_written_object_is_not_there_and_an_older_one_stays(store: Any) -> None:
    store.put_object(Bucket="lab", Key="x", Body=b"older")
    large = b"half" * 3_000_000  # more than is sent at once
    for name in ("s3://lab/x", "s3://lab/y"):
        with pytest.raises(TypeError), writing(name) as file:
            file.write(large + _nothing(file.write(large)))
    assert keys(store) == ["x"]
    assert store.get_object(Bucket="lab", Key="x")["Body"].read() == b"older"
    assert "Uploads" not in store.list_multipart_uploads(Bucket="lab")


def _nothing(_: int) -> bytes:
    raise TypeError


def test_folder_that_was_not_written_to_its_end_is_refused(store: Any) -> None:
    def interrupted() -> Iterator[Annotated]:
        yield FULL
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        convert(interrupted(), "s3://lab/new/", no_label, rows_per_part=1)
    with pytest.raises(InputError, match="s3://lab/new/ was not written to its end"):
        list(DataChoice("s3://lab/new/").read())


def test_columns_are_read_by_ranges(store: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    notes = [f"{number:09}" * 1_000 for number in range(300)]
    _write_rows("s3://lab/x.parquet", notes)
    size = store.head_object(Bucket="lab", Key="x.parquet")["ContentLength"]
    fetched: list[int] = []
    original = s3fs.core.S3File._fetch_range

    def noted(self: Any, start: int, end: int) -> Any:
        fetched.append(end - start)
        return original(self, start, end)

    monkeypatch.setattr(s3fs.core.S3File, "_fetch_range", noted)
    assert len(list(DataChoice("s3://lab/x.parquet").examples())) == 300
    assert sum(fetched) < size / 5


def _write_rows(name: str, notes: list[str]) -> None:
    columns = {"source": ["a"] * len(notes), "response": ["b"] * len(notes), "notes": notes}
    with writing(name) as file:
        parquet.write_table(
            pyarrow.table(columns), file, compression="none", use_dictionary=["source", "response"]
        )


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("s3://lab/none.jsonl", "cannot read .*none.jsonl: there is no such object or bucket"),
        ("s3://lab/none.parquet", "cannot read .*none.parquet: there is no such object or bucket"),
        ("s3://nowhere/x.jsonl", "cannot read .*x.jsonl: there is no such object or bucket"),
        ("s3://lab/none/", "s3://lab/none/ has no files of examples"),
        ("s3://closed/x.jsonl", "x.jsonl: the credentials that were found have no right to read"),
        ("s3://closed/*.jsonl", "x.jsonl: the credentials that were found have no right to read"),
    ],
)
def test_what_cannot_be_read_is_one_line(name: str, message: str, store: Any) -> None:
    with pytest.raises(InputError, match=message) as error:
        list(DataChoice(name).examples())
    assert "\n" not in str(error.value)
    assert "sesame" not in str(error.value)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("s3://nowhere/x.jsonl", "cannot write .*x.jsonl: there is no such bucket"),
        ("s3://closed/y.jsonl", "y.jsonl: the credentials that were found have no right to write"),
        ("s3://closed/new/", "the credentials that were found have no right to"),
    ],
)
def test_what_cannot_be_written_is_one_line(name: str, message: str, store: Any) -> None:
    with pytest.raises(InputError, match=message):
        convert(ROWS, name, no_label)


def test_missing_rights_are_told_before_anything_is_mined(store: Any) -> None:
    request = MineRequest(DataChoice("s3://lab/none.jsonl"), out="s3://closed/new/")
    with pytest.raises(InputError, match="have no right to"):
        mine(request)


def test_server_that_does_not_answer_is_one_line(
    store: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
    monkeypatch.setenv("AWS_MAX_ATTEMPTS", "1")
    s3fs.S3FileSystem.clear_instance_cache()
    with pytest.raises(InputError, match=r"cannot read s3://lab/x.jsonl: .*127\.0\.0\.1:9"):
        list(DataChoice("s3://lab/x.jsonl").examples())


def test_files_of_a_working_folder_do_not_redirect_data(
    store: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere = "AWS_ENDPOINT_URL=http://127.0.0.1:9\nAWS_ENDPOINT_URL_S3=http://127.0.0.1:9\n"
    (tmp_path / ".env").write_text(elsewhere)
    (tmp_path / ".aws").mkdir()
    (tmp_path / ".aws" / "config").write_text("[default]\nendpoint_url = http://127.0.0.1:9\n")
    (tmp_path / "conf.json").write_text('{"s3": {"endpoint_url": "http://127.0.0.1:9"}}')
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ASSAY_TRUST_FOLDER", str(tmp_path))
    s3fs.S3FileSystem.clear_instance_cache()
    convert(ROWS, "s3://lab/x.jsonl", no_label)
    assert keys(store) == ["x.jsonl"]


@pytest.mark.soak
def test_mining_reads_from_a_bucket_and_writes_to_it(store: Any) -> None:
    rows = [_disputed(str(number)) for number in range(4)]
    convert(rows, "s3://lab/data/", no_label, rows_per_part=2)
    request = MineRequest(
        DataChoice("s3://lab/data/"), rule=MiningRule(), out="s3://lab/hard.parquet"
    )
    assert mine(request).written == 4
    assert [each.id for each in DataChoice("s3://lab/hard.parquet").examples()] == list("0123")
    assert len(list(open_judgements("recorded:a@s3://lab/hard.parquet"))) == 4


def _disputed(id: str) -> Annotated:
    example = Example(id, Source(f"A cat sat {id}."), Response("It sat.", "m"))
    return annotated(example, {"a": F, "b": U})
