"""``cairn replay``: a run is played again from what it left, and nothing of the project changes."""

from __future__ import annotations

import json

from tests.app.checkout import Checkout, Said
from tests.scenarios.projects import note

ONE, TWO = note("one.md"), note("two.md")


async def newest(here: Checkout) -> str:
    """The id of the newest real run."""
    runs = json.loads((await here.cairn("status", "--json")).out)["runs"]
    return next(run["run"] for run in runs if not run["replay_of"])


async def replayed(here: Checkout, *arguments: str) -> Said:
    """Replay the newest run; nothing of the project may change."""
    run = await newest(here)
    before = looks(here)
    said = await here.cairn("replay", run, *arguments)
    assert looks(here) == before
    return said


def looks(here: Checkout) -> tuple[object, ...]:
    """What people see of the project, and what later runs learn from."""
    left = here.folder / ".executor"
    names = ("todos.json", "report.md", "report.json", "memory.json", "history.db")
    kept = [(left / name).read_bytes() for name in names if (left / name).exists()]
    files = {
        str(path): path.read_bytes()
        for path in here.folder.rglob("*")
        if path.is_file() and not {".git", ".executor"} & {*path.parts}
    }
    return (here.git("for-each-ref"), here.git("status", "--porcelain"), files, kept)


async def test_a_finished_run_is_the_same(here: Checkout) -> None:
    """Every answer is the recorded one; 0."""
    here.model.says(ONE, TWO)
    await here.cairn("run")

    said = await replayed(here)
    print(said.out)

    assert (said.code, said.err) == (0, "")
    assert "2 recorded answers" in said.out


BROKEN = "one.json\n```json\n{\n```\n"


async def test_another_loop_and_another_model(here: Checkout) -> None:
    """What differs is said, with the node; only ``--ask`` asks; a replay can be replayed."""
    here.model.says(BROKEN, ONE)
    await here.cairn("run", "--task", "1.1")

    same = await replayed(here)
    print(same.out, same.err)
    other = await replayed(here, "--set", "model=other")
    print(other.out, other.err)
    loop = await replayed(here, "--set", "loop=fixed")
    print(loop.out, loop.err)
    here.model.says(TWO)
    asked = await replayed(here, "--set", "loop=fixed", "--ask")
    print(asked.out, asked.err)
    js = await replayed(here, "--set", "loop=fixed", "--json")
    print(js.out, js.err)
    id = asked.out.split()[1]
    again = await here.cairn("replay", id)
    print(again.out, again.err)
    for each in (["status"], ["show"], ["show", id], ["show", id, "1.1"], ["history"]):
        print(each, (await here.cairn(*each)).out)
    for each in (["nope"], [id, "--from", "x"], [id, "--from", "repair"], [id, "9.9"], [id, "--set", "a=b"], [id, "--set", "loop=b"], [id, "--from", "await_approval"], [id, "1.1", "--from", "pick_task"], [id, "1.1", "--from", "validate_code"], [id, "--from", "generate_report"],[id, "--from", "parse_roadmap"],[id, "--from", "repair_code"],[id, "--from", "verify"]):
        said = await here.cairn("replay", *each)
        print(each, said.code, said.out, said.err)
    assert 0
