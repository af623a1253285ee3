"""A client that does nothing but call: the measure for what the rest of a run costs.

Run: python benchmarks/llm_bare.py BODIES BASE_URL CALLS CONCURRENCY
"""

import asyncio
import itertools
import json
import sys
from collections.abc import Iterator
from pathlib import Path

import aiohttp

HEADERS = {"Content-Type": "application/json", "Authorization": "Bearer none"}


async def call(session: aiohttp.ClientSession, url: str, bodies: Iterator[bytes]) -> int:
    """Sends one body after the other and takes the text out of each reply."""
    characters = 0
    for body in bodies:
        async with session.post(url, data=body, headers=HEADERS) as response:
            reply = await response.json()
            characters += len(reply["choices"][0]["message"]["content"])
    return characters


async def main(path: str, base_url: str, calls: int, concurrency: int) -> None:
    """Shares the calls among as many workers as may be in flight."""
    known = Path(path).read_bytes().splitlines()
    bodies = itertools.islice(itertools.cycle(known), calls)
    url = f"{base_url}/chat/completions"
    connector = aiohttp.TCPConnector(limit=concurrency)
    async with aiohttp.ClientSession(connector=connector) as session:
        workers = [call(session, url, bodies) for _ in range(concurrency)]
        counts = await asyncio.gather(*workers)
    print(json.dumps({"characters": sum(counts)}))


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])))
