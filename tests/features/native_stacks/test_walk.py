"""People click at random on stacks of two to eight: register, dissolve, merge, close, reopen, push.

``CHAOS_SEED`` and ``CHAOS_EVENTS`` choose other walks. After each click, all that
``tests/scenarios/test_chaos.py`` says of open pull requests, people's pushes, the default branch
and tasks is true, and besides:

- Cairn never asks GitHub for another base of a member, and never merges anything.
- Nothing that people closed comes to the default branch with a stack.
- What people dissolved, Cairn does not register again; what they linked, it does not dissolve.
- All else that builds on each other, from the default branch up, is in one stack.
"""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from tests.fake_github import stacks
from tests.fake_github.state import Issue, Stack
from tests.scenarios.bot import REPOSITORY, conversation
from tests.scenarios.crowd import METHODS, WORDS, Crowd, Writer
from tests.scenarios.left_behind import leaks
from tests.scenarios.projects import notes

EVENTS = int(os.environ.get("CHAOS_EVENTS", "15"))
SEEDS = [int(seed) for seed in os.environ.get("CHAOS_SEED", "1 2").split()]
ROADMAP = "# Notes\n" + "".join(
    f"\n## Note {n}\n\n- [ ] 1.{n} Write `{word}.md`\n" for n, word in enumerate(WORDS[:8], 1)
)
CONFIG = b"limits: {open_pull_requests: 8}\npull_requests: {native_stack: auto}\n"


class Clickers(Crowd):
    """They use the buttons of GitHub's stacks."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self._rows = ROADMAP.splitlines()
        self.linked: set[int] = set()
        """The stacks that people made."""
        self.apart: set[int] = set()
        """Pull requests of stacks that people dissolved."""

    @property
    def stacks(self) -> list[Stack]:
        """Those that have an open member."""
        every = (self.bot.view.state.stacks or {}).values()
        return [stack for stack in every if stacks.opened(stack)]

    def deeds(self) -> list[tuple[int, Callable[[], Awaitable[str]]]]:
        """Few of the others' deeds, and those on stacks."""
        return [
            (5, self._merge),
            (2, self._close),
            (1, self._reopen),
            (1, self._push_to_pull),
            (1, self._push_to_main),
            (2, self._execute),
            (1, self._unstack),
            (2, self._link),
            (2, self._rebase),
        ]

    def reopens(self, pull: Issue) -> bool:
        """Not what came to the default branch with one that says that it contains it."""
        bare, main = self.bot.view.state.bare, self.bot.view.branches["main"]
        return bool(bare.between(main, pull.pull.sha))

    async def _merge(self) -> str:
        """A member with all below it, at the bottom, in the middle or at the top."""
        state, github = self.bot.view.state, self.bot.github
        method = self.random.choice(METHODS)
        pull = self._one([p for p in self.open if stacks.of(state, p) or p.pull.base == "main"])
        if pull is None or not github.pull_body(REPOSITORY, pull.number)["mergeable"]:
            return ""
        if (stack := stacks.of(state, pull)) is None:
            await github.merge_pull(REPOSITORY, pull.number, method=method)
            return f"{method} #{pull.number}"
        if stacks.obstacle(state, pull):
            return ""
        rebases = self.random.random() < 0.7
        self._forget(stack, rebases=rebases)
        await github.merge_stack(REPOSITORY, pull.number, method=method, rebase=rebases)
        return f"{method} the stack up to #{pull.number}{'' if rebases else ', not rebased'}"

    def _forget(self, stack: Stack, *, rebases: bool = True) -> None:
        """GitHub rewrites what people pushed to a member when it rebases."""
        if rebases:
            numbers = {each.number for each in stack.pulls}
            self.pushed = [each for each in self.pushed if each[0] not in numbers]

    async def _unstack(self) -> str:
        stack = self._one(self.stacks)
        if stack is None:
            return ""
        self.apart |= {each.number for each in stacks.opened(stack)}
        self.bot.github.unstack(REPOSITORY, stack.pulls[-1].number)
        return f"dissolve stack {stack.number}"

    async def _link(self) -> str:
        """What builds on each other and is in no stack, wherever it ends."""
        loose = [p for p in self.open if stacks.of(self.bot.view.state, p) is None]
        chain = [self._one(loose)] if loose else []
        while up := [
            p for p in loose if chain and chain[-1] and p.pull.base == chain[-1].pull.head
        ]:
            chain.append(up[0])
        numbers = [pull.number for pull in chain if pull]
        if len(numbers) < 2:
            return ""
        self.linked.add(self.bot.view.state.stacks_made + 1)
        self.apart -= set(numbers)
        await self.bot.github.link(REPOSITORY, *numbers)
        return f"make a stack of {numbers}"

    async def _rebase(self) -> str:
        stack = self._one(self.stacks)
        if stack is None:
            return ""
        self._forget(stack)
        await self.bot.github.rebase_stack(REPOSITORY, stack.pulls[-1].number)
        return f"rebase stack {stack.number}"

    async def merge_rest(self) -> None:
        """Merge what is open, from the bottom up, as far as GitHub lets them."""
        for _ in range(len(self.open) * 2):
            for pull in self.open:
                stack = stacks.of(self.bot.view.state, pull)
                if stack and stacks.obstacle(self.bot.view.state, pull):
                    self._forget(stack)
                    await self.bot.github.rebase_stack(REPOSITORY, pull.number)
            ready = [p for p in self.open if p.pull.base == "main"]
            ready = [p for p in ready if not stacks.obstacle(self.bot.view.state, p)]
            if not ready:
                return
            if stack := stacks.of(self.bot.view.state, ready[0]):
                self._forget(stack)
                await self.bot.github.merge_stack(REPOSITORY, ready[0].number)
            elif self.bot.github.pull_body(REPOSITORY, ready[0].number)["mergeable"]:
                await self.bot.github.merge_pull(REPOSITORY, ready[0].number)
            await self.bot.idle()
            await self.bot.later(minutes=5)
            self.check()

    def check(self) -> None:
        """What must be true of stacks as well."""
        super().check()
        asked = [r for r in self.bot.github.requests if r.method in ("POST", "PUT", "PATCH")]
        bases = [r for r in asked if r.method == "PATCH" and "base" in (r.body or {})]
        assert [r for r in bases if r.status == 422] == [], "a base of a member was to be changed"
        assert [r for r in asked if "/merge" in r.path] == [], "Cairn merged"
        unstacked = {int(r.path.split("/")[-2]) for r in asked if r.path.endswith("/unstack")}
        assert not unstacked & self.linked, f"{unstacked & self.linked} were people's"
        self._check_declined()
        self._check_chains()

    def _check_declined(self) -> None:
        """The default branch has the work of what was merged there, and of nothing else."""
        merged = [pull for pull in self.ours if pull.pull.merged]
        wanted = {each.title for pull in merged for each in self.inside(pull)}
        said = "\n".join(self.told.values())
        there = self.bot.view.files("main").keys()
        strange = {x.title for x in self.lines if f"{x.word}.md" in there} - wanted
        assert not strange or "also contains the change" in said, f"{strange} came along"

    def _check_chains(self) -> None:
        state = self.bot.view.state
        for pull in self.open:
            below = next((p for p in self.open if p.pull.head == pull.pull.base), None)
            if below is None or {pull.number, below.number} & self.apart:
                continue
            own, other = stacks.of(state, pull), stacks.of(state, below)
            if own is None and other is not None and self._joins(pull, below):
                raise AssertionError(f"#{pull.number} is not in the stack of #{below.number}")

    def _joins(self, pull: Issue, below: Issue) -> bool:
        """Whether it is alone on the top of a stack, linear, and has its own change only."""
        bare, state = self.bot.view.state.bare, self.bot.view.state
        stack = stacks.of(state, below)
        beside = [p for p in self.open if p.pull.base == below.pull.head]
        top = stack is not None and stacks.opened(stack)[-1] is below and len(beside) == 1
        commits = bare.between(below.pull.sha, pull.pull.sha)
        linear = bare.is_ancestor(below.pull.sha, pull.pull.sha) and all(
            len(bare.parents(sha)) < 2 for sha in commits
        )
        return top and linear and not stacks.obstacle(state, below) and len(commits) == 1


@pytest.mark.long("people who click on stacks as they like")
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("seed", SEEDS)
async def test_whatever_people_click(
    tmp_path: Path, seed: int, caplog: pytest.LogCaptureFixture
) -> None:
    """Every promise above holds after each click, and in the end all is merged that can be."""
    files = notes(ROADMAP, **{".github/cairn.yml": CONFIG})
    async with conversation(tmp_path, files) as bot:
        bot.model.otherwise = writer = Writer()
        crowd = Clickers(bot, writer, seed)
        size = crowd.random.randint(2, 8)
        try:
            async with bot.started():
                await bot.comment(f"/execute --max-tasks {size}")
                crowd.check()
                for _ in range(EVENTS):
                    await crowd.act()
                    crowd.check()
                await crowd.merge_rest()
                crowd.read()
            bot.check()
            assert leaks(bot, log=caplog.text) == []
        except AssertionError as error:
            raise AssertionError(f"{error}\n{crowd.picture()}") from error
