"""What the engine stores of ours: JSON that comes back as it went in, and never a pickle."""

from __future__ import annotations

import base64
import pickle
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
import sqlalchemy as sa
from dbos._serialization import DefaultSerializer, deserialize_value
from hypothesis import given
from hypothesis import strategies as st

from app.jobs.engine import JsonOnly, RemoteError, is_away, refuse_pickle

VALUES = st.recursive(
    st.none() | st.booleans() | st.text() | st.integers(),
    lambda inner: (
        st.lists(inner)
        | st.dictionaries(st.text().filter(lambda key: key != "$error"), inner, max_size=3)
    ),
    max_leaves=5,
)


@pytest.fixture
def own_decoder() -> Iterator[None]:
    """Give DBOS's own decoder back: it is closed for the whole process."""
    before = DefaultSerializer.deserialize
    yield
    DefaultSerializer.deserialize = before


@pytest.mark.parametrize("host", ["/nowhere", "name.invalid"])
def test_a_database_that_is_away_is_waited_for(host: str) -> None:
    """A socket that is gone and a name that nobody knows; a statement that is refused is not."""
    engine = sa.create_engine("postgresql+psycopg://cairn@/cairn", connect_args={"host": host})
    with pytest.raises(sa.exc.OperationalError) as away:
        engine.connect()
    assert is_away(away.value)
    refused = psycopg.errors.InsufficientPrivilege("no")
    assert not is_away(sa.exc.ProgrammingError("SELECT", {}, refused))


@given(VALUES)
def test_json_comes_back(value: object) -> None:
    """Every JSON value, lone surrogates in it too, comes back as it went in."""
    serializer = JsonOnly()
    assert serializer.deserialize(serializer.serialize(value)) == value


def test_no_value() -> None:
    """A column without a value is None."""
    assert JsonOnly().deserialize(None) is None


@pytest.mark.parametrize("value", [b"bytes", {1}, object(), Path("x"), [1, object()]])
def test_what_is_no_json(value: object) -> None:
    """What is no JSON is refused when it is written, not found missing when it is read."""
    with pytest.raises(TypeError, match="JSON, not"):
        JsonOnly().serialize(value)


def test_an_exception() -> None:
    """An exception comes back as its name and its message, whatever its class was."""
    serializer = JsonOnly()
    back = serializer.deserialize(serializer.serialize(UnicodeError("no café")))

    assert isinstance(back, RemoteError)
    assert str(back) == "UnicodeError: no café"


@pytest.mark.usefixtures("own_decoder")
@pytest.mark.parametrize("mark", ["py_pickle", None])
def test_a_pickle_is_refused(tmp_path: Path, mark: str | None) -> None:
    """Reading a pickled value runs nothing of it, however its row is marked."""
    marker = tmp_path / "unpickled"
    evil = base64.b64encode(pickle.dumps(Evil(marker))).decode()
    refuse_pickle()

    with pytest.raises(ValueError):  # noqa: PT011 - a pickle is no JSON either
        deserialize_value(evil, mark, JsonOnly())
    assert not marker.exists()


class Evil:
    """Makes a file when it is unpickled."""

    def __init__(self, marker: Path) -> None:
        self._marker = marker

    def __reduce__(self) -> tuple[object, tuple[str, str]]:
        return open, (str(self._marker), "w")
