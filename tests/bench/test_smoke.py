"""A minute of the bench: the product's engine against the fault model, over real HTTP."""

from __future__ import annotations

import pytest

from bench.loop import apart
from bench.loop.ablation import ablation
from bench.loop.corpus import roadmaps, tasks
from bench.loop.environment import environment
from bench.loop.forks import zygote
from bench.loop.ideal import ideal
from bench.loop.judge import Judge
from bench.loop.naming import Character
from bench.loop.play import play, truths
from bench.loop.runs import run
from bench.loop.walks import walk

CHOSEN = tasks("python")[::9]


@pytest.mark.long("plays tasks of the bench")
async def test_a_model_that_is_right_finishes_every_task():
    """p = x = 1: 100 %, one call each, by the engine and by the baselines."""
    async with environment(CHOSEN) as place:
        played = await play(
            place, CHOSEN, cell=(1, 1), strategies=("hybrid", "single", "regenerate"), seeds=[1]
        )

    runs = [each.result for strategy in played.values() for each in strategy]
    assert len(runs) == 3 * len(CHOSEN)
    assert [result.task.name for result in runs if not result.finished] == []
    assert {result.calls for result in runs} == {1}


async def test_a_syntax_fault_is_repaired_with_one_call():
    """Code that was left out is nothing that code puts right: the model is asked once more."""
    task = CHOSEN[0]
    async with environment([task]) as place:
        result = await run(place, task, "hybrid", Character(1, 1, 1, only="lazy_ellipsis"))
        calls = truths(place)[result.model]

    assert result.finished, result.why
    assert [call.kind for call in calls] == ["fresh", "repair"]
    assert "repair_code" in result.path


async def test_a_model_that_is_never_right_is_given_up_with_a_reason():
    """p = x = 0: nothing is claimed; a second fresh answer that fails likewise is the last."""
    task = CHOSEN[1]
    async with environment([task]) as place:
        result = await run(place, task, "hybrid", Character(0, 0, 1, only="placeholder"))

    assert not result.claimed
    assert result.why
    assert result.calls == 3


@pytest.mark.sample(1, "plays a task of the bench for each")
@pytest.mark.parametrize("worth", [(0.0, 0.0), (1.0, 0.0), (0.0, 1.0)])
async def test_no_test_apart_loses_right_code(worth: tuple[float, float]):
    """A right one shows it; one that is wrong, or passes with any code, changes nothing."""
    async with environment(CHOSEN[:1]) as place:
        [played] = await apart.play(place, CHOSEN[:1], (1, 1), worth, [1])

    assert played.result.right
    assert played.result.shown == (worth == (0.0, 0.0))
    assert (played.right, played.claimed) == (True, False)


async def test_the_ideal_loop_meets_the_draws_the_product_meets():
    """On a placeholder both ask for one repair, and both get it."""
    task, who = CHOSEN[0], Character(0, 1, 3, only="placeholder")
    async with environment([task]) as place:
        result = await run(place, task, "hybrid", who)
        best = ideal(place.minds, who, task, "hybrid")
        calls = truths(place)[result.model]

    assert [meant.truth for meant in best.meant] == [call.truth for call in calls]
    assert best.end == "finished"


@pytest.mark.long("plays tasks of the bench")
async def test_a_whole_roadmap_is_walked_on_a_checkout(tmp_path):
    """Each task builds on the file that the one before it made; git keeps them all."""
    roadmap = next(each for each in roadmaps() if each.name == "textkit")
    async with environment(roadmap.tasks) as place:
        found = await walk(place, roadmap, Character(1, 1, 1), tmp_path, shown=False)

    assert (found.completed, found.right) == (5, 5), str(found)


@pytest.mark.long("plays tasks of the bench")
async def test_each_part_can_be_taken_out():
    """The ablation's table has a line for each; the right answer needs none of them."""
    async with environment(CHOSEN[:1]) as place:
        lines = await ablation(place, CHOSEN[:1], (1, 1), [1])

    assert len(lines) == 2 + 4
    assert all("100.0%" in line for line in lines[2:])


@pytest.mark.long("plays tasks of the bench")
async def test_the_tests_held_back_know_more_than_those_that_are_seen():
    """For every task: right code passes all, its slip only the seen ones, no code passes none."""
    async with zygote() as warm:
        judge = Judge(warm)
        for task in tasks("python"):
            right, slip = ({**task.base, task.path: code} for code in (task.right, task.slip))
            told = (
                await judge.passes(task, right, kept=True),
                await judge.passes(task, slip, kept=False),
                await judge.passes(task, slip, kept=True),
                await judge.passes(task, task.base, kept=False),
            )
            assert told == (True, True, False, False), task.name
