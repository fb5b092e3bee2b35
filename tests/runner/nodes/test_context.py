"""What the model gets to see of a repository."""

from __future__ import annotations

from runner.changes import ChangeSet, Write
from runner.nodes.context import MAX_CONTENT, MAX_TREE, build_context, near_misses
from runner.snapshot import SYMLINK
from runner.state import Plan, Status
from tests.runner.memory_repository import MemoryRepository
from tests.runner.scripted import deps
from tests.runner.states import ROADMAP, at, run_state, with_status
from tests.runner.trees import snapshot


async def context(files: dict[str, object], roadmap: str = ROADMAP, **attempt: object) -> str:
    """The context of the roadmap's first task."""
    ports = deps(repository=MemoryRepository({"ROADMAP.md": roadmap, **files}))  # type: ignore[dict-item]
    step = await build_context(at("build_context", run_state(roadmap), **attempt), ports)
    assert step.outcome == "ok"
    return step.state.attempt.context.decode()


async def test_task_section_and_tree() -> None:
    """The context has the task, what stands around it and every path."""
    text = await context({"src/x.py": "X = 1\n"}, "# P\nBe brief.\n\n- [ ] Do it\n  - a detail\n")

    for part in ("Do it", "a detail", "It stands under: P", "Be brief.", "src/x.py"):
        assert part in text


async def test_named_files_are_shown() -> None:
    """A file the task names is there with its content, one it shares no word with is not."""
    text = await context({"a.py": "A = 1\n", "z.py": "Z = 1\n"})

    assert "a.py\n```python\nA = 1\n```" in text
    assert "Z = 1" not in text


async def test_planned_files_are_shown() -> None:
    """So are the files of the plan."""
    plan = Plan(("z.py",), ("step one",), ("it works",), "low")
    text = await context({"z.py": "Z = 1\n"}, plan=plan)

    assert "Z = 1" in text
    assert "step one" in text


async def test_files_of_earlier_tasks_are_shown() -> None:
    """What this run made before is shown to the next task."""
    made = ChangeSet({"made.py": Write(b"M = 1\n")})
    state = with_status(run_state(), Status.COMPLETED, number=1, commit="c", changes=made)
    files = {"ROADMAP.md": ROADMAP, "made.py": "M = 1\n"}
    step = await build_context(at("build_context", state), deps(repository=MemoryRepository(files)))

    assert "M = 1" in step.state.attempt.context.decode()


async def test_the_roadmap_itself_is_not_quoted() -> None:
    """The roadmap is no file to be worked on."""
    text = await context({}, "- [ ] Look at `ROADMAP.md`\n- [ ] Another thing\n")

    assert "Another thing" not in text


async def test_contents_are_bounded() -> None:
    """Large files are cut and stop the list before the context gets out of hand."""
    files = {f"plan{n}.py": "x = 1\n" * 5_000 for n in range(9)}
    named = " ".join(f"`plan{n}.py`" for n in range(9))
    text = await context(files, f"- [ ] Change {named}\n")

    assert "[... cut ...]" in text
    assert len(text) < MAX_CONTENT + 3_000


async def test_the_tree_is_bounded() -> None:
    """Of a large tree the first paths are named and the others counted."""
    text = await context({f"d/{n:04}": "" for n in range(MAX_TREE + 9)})

    assert "... and 10 more files" in text


async def test_binary_files_and_links_are_not_quoted() -> None:
    """Only text is quoted."""
    text = await context({"a.py": b"\0\1", "b.py": (SYMLINK, b"a.py")}, "- [ ] `a.py` `b.py`\n")

    assert "```" not in text


async def test_a_path_that_is_no_utf8() -> None:
    """A file name that is not UTF-8 is shown as well as it can be."""
    text = await context({"caf\udce9.py": "C = 1\n"}, "- [ ] Change caf\n")

    assert "caf\ufffd.py" in text


async def test_fences_hold() -> None:
    """A file with fences is quoted in a longer one."""
    text = await context({"a.md": "```\ncode\n```\n"}, "- [ ] Change `a.md`\n")

    assert "````markdown\n```\ncode\n```\n````" in text


def test_near_misses() -> None:
    """A named path that a folder's misspelling hides is pointed out."""
    base = snapshot({"src/parser.py": ("100644", b"")})

    assert "`src/parser.py` does" in near_misses(["scr/parser.py"], base)[0]
    assert near_misses(["src/parser.py", "other.txt", "src/"], base) == []
