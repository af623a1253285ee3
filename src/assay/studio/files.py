"""Files that are sent: written to their end first, so that no database waits for a slow reader."""

import asyncio
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from tempfile import SpooledTemporaryFile
from typing import IO

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from assay.studio.dependencies import in_thread

_CHUNK = 2**18
_IN_MEMORY = 2**20  # bytes; what is longer is on the disk
_writing = ThreadPoolExecutor(2, "exports")  # others wait, and whoever wants a page does not


async def file_answer(
    write: Callable[[], Iterable[bytes]], media_type: str, headers: dict[str, str]
) -> Response:
    """What is written, as the answer to a request; an error while it is written is raised here."""
    file = await asyncio.get_running_loop().run_in_executor(_writing, _written, write)
    return _Sent(file, media_type, headers)


def _written(write: Callable[[], Iterable[bytes]]) -> IO[bytes]:
    file = SpooledTemporaryFile(_IN_MEMORY, prefix="assay-export-")  # noqa: SIM115 - who sends it
    try:
        file.writelines(write())
    except BaseException:
        file.close()
        raise
    return file


class _Sent(Response):
    """A file that is gone when it was sent, or when its reader is."""

    def __init__(self, file: IO[bytes], media_type: str, headers: dict[str, str]) -> None:
        length = {"Content-Length": str(file.tell())}
        super().__init__(None, media_type=media_type, headers=headers | length)
        self._file = file

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Sends it piece by piece."""
        with self._file as file:
            start = {"status": self.status_code, "headers": self.raw_headers}
            await send({"type": "http.response.start", **start})
            file.seek(0)
            while piece := await in_thread(file.read, _CHUNK):
                await send({"type": "http.response.body", "body": piece, "more_body": True})
            await send({"type": "http.response.body", "body": b"", "more_body": False})
