"""The branch between two workflow runs."""

from __future__ import annotations

import asyncio
import gzip
import io
import tarfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from app.action.compose import ActionAccess, entered
from app.action.job import STATE_BRANCH
from app.action.saved_state import MOST_ARCHIVE_BYTES, pack, unpack
from app.runs.parts import Surroundings
from app.settings import ActionSettings
from runner.errors import Outage, TaskError
from tests.action.job_kit import REPOSITORY, Workflows

MAKES, MOVES = ("POST", "/repos/*/git/refs"), ("POST", "*/graphql")


def settings(ci: Workflows) -> ActionSettings:
    """Settings that lead to the fake GitHub."""
    said = ci.environment("schedule", {})
    names = {n: v for n, v in said.items() if n.lower() in ActionSettings.model_fields}
    return ActionSettings(**names)  # type: ignore[arg-type]


def kept(folder: Path, text: str) -> Path:
    """A data folder with a project memory in it."""
    (folder / "executor/1").mkdir(parents=True)
    (folder / "executor/1/memory.json").write_text(text)
    return folder


async def test_two_at_the_same_time(ci: Workflows, tmp_path: Path) -> None:
    """The second does not overwrite what the first kept, and says what to do."""
    around, said = Surroundings(ci.github.clock), settings(ci)
    one, two = kept(tmp_path / "one", "1"), kept(tmp_path / "two", "2")
    async with (
        entered(REPOSITORY, said, around, branch=STATE_BRANCH) as first,
        entered(REPOSITORY, said, around, branch=STATE_BRANCH) as second,
    ):
        assert not await first.state.restore(tmp_path / "new")
        await first.state.save(one)
        assert await second.state.restore(tmp_path / "there")
        await first.state.save(kept(tmp_path / "three", "3"))

        with pytest.raises(TaskError, match="one `concurrency` group"):
            await second.state.save(two)

    assert (tmp_path / "there/executor/1/memory.json").read_text() == "1"
    (tip,) = ci.view.state.bare.text("rev-list", "cairn/state").split()
    assert tip == ci.view.branches["cairn/state"]


@asynccontextmanager
async def before(call: tuple[str, str], ci: Workflows, folder: Path) -> AsyncIterator[ActionAccess]:
    """A job whose next save makes this call: it has not saved yet, or it has once."""
    around = Surroundings(ci.github.clock)
    async with entered(REPOSITORY, settings(ci), around, branch=STATE_BRANCH) as entry:
        if call is MOVES:
            await entry.state.save(kept(folder / "earlier", "0"))
        yield entry


@pytest.mark.parametrize("call", [MAKES, MOVES])
async def test_an_answer_that_is_lost(ci: Workflows, tmp_path: Path, call: tuple[str, str]) -> None:
    """The branch moved all the same: nobody else is said to have changed it."""
    async with before(call, ci, tmp_path) as entry:
        ci.github.fail(*call, drop=True, after=True)
        with pytest.raises(Outage):
            await entry.state.save(kept(tmp_path / "one", "1"))
        await entry.state.save(kept(tmp_path / "two", "2"))
        assert await entry.state.restore(tmp_path / "there")

    assert (tmp_path / "there/executor/1/memory.json").read_text() == "2"


@pytest.mark.parametrize("call", [MAKES, MOVES])
async def test_a_save_that_is_cut_off(ci: Workflows, tmp_path: Path, call: tuple[str, str]) -> None:
    """It may move the branch after nobody waits for it any more; the next save builds on it."""
    async with before(call, ci, tmp_path) as entry:
        fault = ci.github.fail(*call, hold=asyncio.Event())
        first = asyncio.create_task(entry.state.save(kept(tmp_path / "one", "1")))
        await fault.reached.wait()
        first.cancel()
        await asyncio.gather(first, return_exceptions=True)
        fault.release()
        await entry.state.save(kept(tmp_path / "two", "2"))
        assert await entry.state.restore(tmp_path / "there")

    assert (tmp_path / "there/executor/1/memory.json").read_text() == "2"


def test_an_archive_writes_nowhere_else(tmp_path: Path) -> None:
    """Only the files we keep come out of it."""
    folder = kept(tmp_path / "from", "mine")
    (folder / "executor/1/report.md").write_text("not kept")
    (folder / "prepared").mkdir()
    (folder / "prepared/x").write_text("not kept")

    unpack(pack(folder), tmp_path / "to")

    found = sorted(p.relative_to(tmp_path / "to") for p in (tmp_path / "to").rglob("*.*"))
    assert [str(path) for path in found] == ["executor/1/memory.json"]


@pytest.mark.parametrize(
    "name", ["../cairn.db", "..//cairn.db", "/cairn.db", "executor/../memory.json", "x/y/cairn.db"]
)
def test_an_archive_of_others_writes_nowhere(tmp_path: Path, name: str) -> None:
    """Neither by a name that leads out of the folder nor through a link in it."""
    packed, theirs = io.BytesIO(), b"theirs"
    with tarfile.open(fileobj=packed, mode="w") as tar:
        link, file = tarfile.TarInfo("executor"), tarfile.TarInfo(name)
        link.type, link.linkname, file.size = tarfile.SYMTYPE, str(tmp_path), len(theirs)
        tar.addfile(link)
        tar.addfile(file, io.BytesIO(theirs))

    unpack(gzip.compress(packed.getvalue()), tmp_path / "to")

    assert [path.name for path in tmp_path.rglob("*")] == ["to"]


def test_what_is_no_archive_is_said(tmp_path: Path) -> None:
    """Not a traceback."""
    with pytest.raises(ValueError, match="it is not an archive"):
        unpack(b"nothing", tmp_path)


def test_a_few_bytes_that_stand_for_a_full_disk(tmp_path: Path) -> None:
    """Nothing is unpacked, for the sizes are added up first."""
    claimed = tarfile.TarInfo("cairn.db")
    claimed.size = MOST_ARCHIVE_BYTES + 1

    with pytest.raises(ValueError, match="it holds more than"):
        unpack(gzip.compress(claimed.tobuf()), tmp_path / "to")

    assert list((tmp_path / "to").iterdir()) == []
