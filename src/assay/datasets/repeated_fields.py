"""JSON in which a field of a row may stand twice: which value is meant, nobody knows."""

import json
from collections import Counter


class ObjectReader:
    """Reads JSON, and knows which of its objects have a field twice."""

    def __init__(self) -> None:
        # The objects are held, so that no other one gets the identity of one that is dropped.
        self._repeated: dict[int, tuple[object, str]] = {}

    def read(self, text: str) -> object:
        """The value of some JSON."""
        value: object = json.loads(text, object_pairs_hook=self._object)
        return value

    def refusal(self, value: object) -> str:
        """The reason why an object cannot be a row; empty where there is none."""
        _, name = self._repeated.get(id(value), (None, None))
        return "" if name is None else f"the field '{name}' stands twice; keep one of them"

    def _object(self, pairs: list[tuple[str, object]]) -> dict[str, object]:
        found = dict(pairs)
        if len(found) < len(pairs):
            ((name, _),) = Counter(name for name, _ in pairs).most_common(1)
            self._repeated[id(found)] = (found, name)
        return found
