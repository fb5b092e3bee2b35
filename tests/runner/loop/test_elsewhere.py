"""What tasks need of other projects."""

from __future__ import annotations

from dataclasses import replace

from handlers.grammar import ON_GITHUB
from runner.loop.elsewhere import needed_elsewhere
from runner.loop.problems import nothing_to_do
from runner.loop.schedule import ready, upcoming, with_blocked
from runner.roadmap.parse import parse_roadmap
from runner.state.publishing import ShownPull
from runner.state.run_state import RunState, TaskElsewhere
from tests.runner.memory_repository import MemoryRepository
from tests.runner.states import run_state

API = "- [x] 1.1 Add it\n- [ ] 1.2 Sell it\n- [ ] 1.3 Send it\n"
WEB = """\
- [ ] 2.1 Show it (depends on api#1.1)
- [ ] 2.2 Let people buy it (depends on API#1.2, 2.1)
- [ ] 2.3 Tell them (depends on 2.2)
- [ ] 2.4 Say more, depends on `api#9`
- [ ] 2.5 Say less (depends on cli#1.2)
- [x] 2.6 Say nothing (depends on api#1.3)
"""


async def needed() -> tuple[RunState, dict[str, tuple[TaskElsewhere, ...]]]:
    """What the tasks of WEB need, by their ids, and a run on it."""
    repository = MemoryRepository({"api/ROADMAP.md": API, "web/ROADMAP.md": WEB})
    roadmap = parse_roadmap("web/ROADMAP.md", WEB.encode())
    api = parse_roadmap("api/ROADMAP.md", API.encode())
    shown = {"api/ROADMAP.md": (ShownPull(7, "Sell it", (api.tasks[1].key,)),)}
    stack = replace(await repository.stack(), others=shown)
    plans = {"api": "api/ROADMAP.md", "web": "web/ROADMAP.md"}
    found = await needed_elsewhere(repository, stack, roadmap, plans)
    state = with_blocked(replace(run_state(WEB), roadmap=roadmap, elsewhere=found))
    return state, {task.id or "": found[task.key] for task in roadmap.tasks if task.key in found}


async def test_only_what_is_not_done_is_waited_for() -> None:
    """The pull request is named that shows it; what no project is called is left alone."""
    state, found = await needed()

    assert found == {
        "2.2": (TaskElsewhere("api#1.2", 7),),
        "2.4": (TaskElsewhere("api#9", known=False),),
    }
    assert [task.id for task in ready(state)] == ["2.1", "2.5"]
    assert [task.id for task in upcoming(state)] == ["2.1", "2.5"]
    assert {state.task_of(key).id for key in state.blocked_by} == {"2.2", "2.3", "2.4"}


async def test_who_names_a_task_gets_it() -> None:
    """Nothing of another project is waited for then."""
    state, _ = await needed()
    options = replace(state.request.options, scope=replace(state.request.options.scope, task="2.2"))
    state = replace(state, request=replace(state.request, options=options))

    assert [task.id for task in ready(state)] == ["2.2"]


async def test_what_is_waited_for_is_said() -> None:
    """With the pull request to merge, or that there is no such task."""
    state, _ = await needed()
    left = [task for task in state.tasks if task.id in ("2.2", "2.4")]
    assert state.roadmap
    state = with_blocked(replace(state, roadmap=replace(state.roadmap, tasks=tuple(left))))
    assert state.roadmap
    said = nothing_to_do(state, state.roadmap, ON_GITHUB)

    assert "waits for `api#1.2`: merge #7 first\n" in said
    assert said.endswith("waits for `api#9`, which that project's plan does not have")
