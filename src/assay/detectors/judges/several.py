"""The clients of several judges as one, for whoever holds their connections open."""

from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from typing import Self, TypeVar

from assay.core.errors import InputError
from assay.llm.client import Client, Reply, Request, Setting

T = TypeVar("T")


class Several:
    """Enters and leaves all of its clients; each is asked by its own judge, never through it."""

    def __init__(self, clients: tuple[Client, ...]) -> None:
        self.clients = clients

    @property
    def model(self) -> str:
        """The models, each once."""
        return ", ".join(dict.fromkeys(client.model for client in self.clients))

    def describe(self) -> Mapping[str, Setting]:
        """What all say of themselves: once if they say the same, otherwise numbered."""
        said = [client.describe() for client in self.clients]
        same = all(each == said[0] for each in said)
        return {**as_one(said), "voters": len(said)} if same else as_one(said)

    async def ask(self, request: Request) -> Reply:
        """Raises: several models do not give one reply."""
        raise InputError(f"several models cannot answer as one ({self.model}); ask each of them")

    async def __aenter__(self) -> Self:
        async with AsyncExitStack() as entered:
            for client in self.clients:
                await entered.enter_async_context(client)
            entered.pop_all()  # all are open: whoever entered leaves them
        return self

    async def __aexit__(self, *_: object) -> None:
        async with AsyncExitStack() as leaving:
            for client in self.clients:
                leaving.push_async_exit(client)


def as_one(said: Sequence[Mapping[str, T]]) -> dict[str, T]:
    """What several say, in one table: once if all say the same, otherwise under their numbers."""
    if all(each == said[0] for each in said):
        return dict(said[0])
    return {f"{n}. {name}": each[name] for n, each in enumerate(said, 1) for name in each}
