"""What DBOS may store of ours: plain JSON, and never a pickle."""

from __future__ import annotations

import json

from dbos import Serializer
from dbos._serialization import DefaultSerializer  # no public name; a contract test holds it


class RemoteError(Exception):
    """An exception as it was recorded: its class's name and its message."""


class JsonOnly(Serializer):
    """Arguments and results of segments are strings and booleans; all else is refused.

    An exception is recorded by name and message: nothing of ours decides on its class after a
    replay, since failures are values in the journal.
    """

    def name(self) -> str:
        """The word rows are marked with."""
        return "cairn_json_1"

    def serialize(self, data: object) -> str:
        """Turn a value into JSON text. Raises ``TypeError`` for what is no JSON."""
        return json.dumps(data, default=_exception, ensure_ascii=False)

    def deserialize(self, serialized_data: str | None) -> object:
        """Rebuild a value."""
        if serialized_data is None:
            return None
        return json.loads(serialized_data, object_hook=_object)


def refuse_pickle() -> None:
    """Close the default decoder: a row that is marked as pickle would run code when it is read."""
    DefaultSerializer.deserialize = _refuse  # type: ignore[method-assign,assignment]


def _refuse(self: object, serialized_data: str) -> object:
    raise ValueError("a pickled row is refused")


def _exception(value: object) -> dict[str, str]:
    if isinstance(value, BaseException):
        return {"$error": type(value).__name__, "message": str(value)}
    raise TypeError(f"a segment's values are JSON, not {type(value).__name__}")


def _object(value: dict[str, object]) -> object:
    if "$error" in value:
        return RemoteError(f"{value['$error']}: {value.get('message')}")
    return value
