"""People who do whatever they like to the pull requests of a roadmap, by a seeded die.

They know nothing of what Cairn remembers: what must be true afterwards is computed from what
GitHub shows, from what they did themselves, and from what Cairn told them.
"""

from __future__ import annotations

import asyncio
import random
import re
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from typing import TypeVar

from runner.config.model import RepositoryConfig
from tests.fake_github.merging import Conflict
from tests.fake_github.state import Issue
from tests.model_server.turns import Asked, Turn
from tests.scenarios.bot import REPOSITORY, Bot
from tests.scenarios.process import serving
from tests.scenarios.projects import note
from tests.scenarios.stacks import changed_lines

WORDS = ("alder", "birch", "cedar", "daisy", "elder", "fern", "gorse", "hazel", "iris", "juniper")
ROADMAP = "# Notes\n\n" + "".join(
    f"- [ ] 1.{n} Write `{word}.md`\n" for n, word in enumerate(WORDS, 1)
)
METHODS = ("merge", "squash", "rebase")
LIMIT = RepositoryConfig().limits.open_pull_requests
_TASK = re.compile(r"- \[([ x])\] (\S+) (.*?`(\w+)\.md`.*)")
_CARRIED = re.compile(r"^(.*) merged into .*, but not into `main`", re.M)
_NUMBER = re.compile(r"#(\d+)").findall
T = TypeVar("T")
_NEEDS_YOU = "This pull request needs you"
_EXCUSED = (
    "Somebody pushed to this branch",
    "This pull request also contains the change",
    _NEEDS_YOU,
    "Cairn did not change this branch, because",
    "and this pull request still shows its change",
    "The task of this pull request is already done on `main`",
    "The task of this pull request is already ticked on `main`",
)
"""Words with which Cairn says that a pull request shows more than its own change, and why."""


class Writer:
    """Writes the note that it is asked for, another version each time; ``calls`` counts them."""

    def __init__(self) -> None:
        self.calls: Counter[str] = Counter()

    def __call__(self, asked: Asked) -> Turn:
        """Answer for the task of the prompt."""
        task = re.search(r"Write `(\w+)\.md`", asked.prompt)
        assert task is not None, asked.prompt[-500:]
        word = task[1]
        self.calls[word] += 1
        return note(f"{word}.md", f"About {word}, version {self.calls[word]}.")


@dataclass(frozen=True)
class Line:
    """A task as the default branch shows it."""

    id: str
    title: str
    word: str
    checked: bool


@dataclass
class Crowd:
    """The people and what they remember of their own deeds."""

    bot: Bot
    writer: Writer
    seed: int
    log: list[str] = field(default_factory=list)
    pushed: list[tuple[int, str, str]] = field(default_factory=list)
    """Commits of theirs on our branches: pull request, branch, commit."""
    theirs: dict[str, int] = field(default_factory=dict)
    """Files they pushed to our branches: path, pull request."""
    removed: set[str] = field(default_factory=set)
    """Files they took off the default branch."""
    deleted: set[str] = field(default_factory=set)
    """Titles of tasks they took out of the roadmap, or said in other words."""
    skipped: set[str] = field(default_factory=set)
    retried: dict[str, int] = field(default_factory=dict)
    """Words of tasks they asked for again: the number of pull requests there were then."""
    told: dict[int, str] = field(default_factory=dict)
    again: set[str] = field(default_factory=set)
    """Titles of tasks of which they opened a closed pull request again."""
    revisions: int = 0
    """How often they asked for a pull request to be revised."""
    kills: int = 0
    """How many answers kills of the server may have cost."""
    beside: int = 1
    """How many tasks a run works on at the same time."""

    def __post_init__(self) -> None:
        self.random = random.Random(self.seed)  # noqa: S311 - no secret, a die
        self._made = 0
        self._rows = ROADMAP.splitlines()
        self._extra: set[str] = set()
        self._known: set[int] = set()
        self._done: set[str] = set()

    # what GitHub shows

    @property
    def lines(self) -> list[Line]:
        """The tasks of the default branch."""
        return self._lines_at("main")

    def _lines_at(self, commit: str) -> list[Line]:
        text = (self.bot.view.file(commit, "ROADMAP.md") or b"").decode()
        return [
            Line(m[2], f"{m[2]} {m[3]}".replace("`", ""), m[4], m[1] == "x")
            for m in _TASK.finditer(text)
        ]

    @property
    def ours(self) -> list[Issue]:
        """The pull requests that show work on a task."""
        return [p for p in self.bot.pulls if re.match(r"\d+\.\d+ Write ", p.title)]

    @property
    def open(self) -> list[Issue]:
        """Those that are open."""
        return [pull for pull in self.ours if pull.state == "open"]

    def inside(self, pull: Issue) -> Iterator[Issue]:
        """Yield a pull request, those merged into its branch, and those it says it brings too."""
        new, seen = [pull], set[int]()
        while new:
            each = new.pop(0)
            if each.number not in seen:
                seen.add(each.number)
                yield each
                told = {int(n) for row in _CARRIED.findall(each.body or "") for n in _NUMBER(row)}
                new += [
                    other
                    for other in self.ours
                    if other.pull.merged
                    if _went_with(other, each) or other.number in told
                ]

    def in_review(self) -> set[str]:
        """Titles of the tasks that an open pull request would tick."""
        return {each.title for pull in self.open for each in self.inside(pull)}

    def _ticked_by_stuck(self) -> set[str]:
        """Titles of the tasks that a pull request ticks as well until people resolve its conflict.

        Cairn cannot take out what its branch has of others, and says that it needs people. Whoever
        merges it merges these too, so they are in review, although their own branches are gone.
        """
        stuck = [pull for pull in self.open if _NEEDS_YOU in (pull.body or "")]
        return {line.title for p in stuck for line in self._lines_at(p.pull.sha) if line.checked}

    def waiting(self) -> list[Line]:
        """The tasks that are nobody's: a run would take them."""
        review = self.in_review() | self._ticked_by_stuck()
        newest = {pull.title: pull for pull in self.ours}
        found = []
        for line in self.lines:
            title = line.title
            pull = newest.get(title)
            declined = pull and pull.state == "closed" and not pull.pull.merged
            # a retry rests while the limit is reached, and its run alone takes a declined task
            again = self.retried.get(title, 0) >= len(self.ours) and len(self.open) < LIMIT
            free = not (line.checked or title in review or line.id in self.skipped)
            if free and (again or not declined):
                found.append(line)
        return found

    # what they do

    async def merge_rest(self) -> None:
        """Merge what is open, from the bottom up, as far as GitHub lets them."""
        ready = [pull for pull in self.open if pull.pull.base == "main"]
        while ready:
            pull = ready.pop(0)
            if self.bot.github.pull_body(REPOSITORY, pull.number)["mergeable"]:
                await self.bot.github.merge_pull(REPOSITORY, pull.number)
                await self.bot.idle()
                await self.bot.later(minutes=5)
                self.check()
                ready = [pull for pull in self.open if pull.pull.base == "main"]

    def deeds(self) -> list[tuple[int, Callable[[], Awaitable[str]]]]:
        """What they may do, and how often in comparison."""
        return [
            (6, self._merge),
            (2, self._close),
            (2, self._push_to_pull),
            (2, self._push_to_main),
            (1, self._remove_from_main),
            (1, self._force_main),
            (2, self._revise),
            (1, self._request_changes),
            (2, self._add_task),
            (1, self._delete_task),
            (1, self._reword_task),
            (1, self._delete_branch),
            (1, self._reopen),
            (3, self._execute),
            (1, self._retry),
            (1, self._skip),
            (1, self._delete_comment),
            (1, self._tick),
        ]

    async def act(self) -> str:
        """Do one thing that is possible, and let Cairn do all it can."""
        deeds = self.deeds()
        weights = [weight for weight, _ in deeds]
        while True:
            (deed,) = self.random.choices([deed for _, deed in deeds], weights)
            if did := await deed():
                await self.bot.idle()
                # people take their time, so GitHub's hourly limit of requests is never used up
                await self.bot.later(minutes=5)
                self.log.append(did)
                return did

    async def _merge(self) -> str:
        """Any open one; mostly the one that is said to be first."""
        bottom = [pull for pull in self.open if pull.pull.base == "main"]
        pull = self._one(bottom if bottom and self.random.random() < 0.7 else self.open)
        method = self.random.choice(METHODS)
        if pull is None or not self.bot.github.pull_body(REPOSITORY, pull.number)["mergeable"]:
            return ""
        try:
            await self.bot.github.merge_pull(REPOSITORY, pull.number, method=method)
        except Conflict:
            return ""
        return f"{method} #{pull.number} into {pull.pull.base}"

    async def _close(self) -> str:
        pull = self._one(self.open)
        if pull is None:
            return ""
        await self.bot.github.close(REPOSITORY, pull.number)
        return f"close #{pull.number}"

    def reopens(self, pull: Issue) -> bool:
        """Whether they might open a closed one again."""
        return True

    async def _reopen(self) -> str:
        there = self.bot.view.branches
        closed = [
            pull
            for pull in self.ours
            if pull.state == "closed" and not pull.pull.merged
            if {pull.pull.head, pull.pull.base} <= there.keys()
            if pull.title not in self.in_review() and self.reopens(pull)
        ]
        pull = self._one(closed)
        if pull is None:
            return ""
        await self.bot.github.reopen(REPOSITORY, pull.number)
        self.again.add(pull.title)
        return f"reopen #{pull.number}"

    async def _push_to_pull(self) -> str:
        pull = self._one(self.open)
        if pull is None:
            return ""
        path = self._name("pushed")
        await self.bot.github.push(REPOSITORY, {path: f"{path}.\n"}, branch=pull.pull.head)
        sha = self.bot.view.branches[pull.pull.head]
        self.pushed.append((pull.number, pull.pull.head, sha))
        self.theirs[path] = pull.number
        return f"push {path} to #{pull.number}"

    async def _push_to_main(self) -> str:
        path = self._name("extra")
        self._extra.add(path)
        await self.bot.github.push(REPOSITORY, {path: f"{path}.\n"})
        return f"push {path}"

    async def _remove_from_main(self) -> str:
        path = self._one(sorted(p for p in self.bot.view.files("main") if p.startswith("extra")))
        if path is None:
            return ""
        await self.bot.github.push(REPOSITORY, {path: None})
        self.removed.add(path)
        return f"remove {path}"

    async def _force_main(self) -> str:
        """Take the newest commit off the default branch, if it only added a file of theirs."""
        bare, tip = self.bot.view.state.bare, self.bot.view.branches["main"]
        below = bare.resolve(f"{tip}^")
        if below is None:  # the first commit: somebody forced all others off before
            return ""
        paths = bare.text("diff", "--name-only", below, tip).split()
        if len(paths) != 1 or not paths[0].startswith("extra") or paths[0] in self.removed:
            return ""
        await self.bot.github.move_branch(REPOSITORY, "main", below)
        self.removed.add(paths[0])
        return f"force {paths[0]} off main"

    async def _revise(self) -> str:
        pull = self._one(self.open)
        if pull is None:
            return ""
        self.revisions += 1
        await self._say(pull.number, "/execute revise say it better")
        return f"revise #{pull.number}"

    async def _request_changes(self) -> str:
        pull = self._one(self.open)
        if pull is None:
            return ""
        self.revisions += 1
        text = "Please say it in other words."
        await self.bot.github.review(REPOSITORY, pull.number, "CHANGES_REQUESTED", text)
        return f"request changes of #{pull.number}"

    async def _add_task(self) -> str:
        self._made += 1
        word = f"moss{self._made}"
        await self._edit([*self._text, f"- [ ] 2.{self._made} Write `{word}.md`"])
        return f"add a task about {word}"

    async def _delete_task(self) -> str:
        line = self._one([line for line in self.lines if not line.checked])
        if line is None or len(self.lines) < 6:
            return ""
        await self._edit([row for row in self._text if f" {line.id} " not in row])
        self.deleted.add(line.title)
        return f"delete the task {line.id}"

    async def _reword_task(self) -> str:
        line = self._one([line for line in self.lines if not line.checked])
        if line is None:
            return ""
        self._made += 1
        said = f"{line.id} Write `{line.word}.md` in {self._made} words"
        await self._edit([f"- [ ] {said}" if f" {line.id} " in row else row for row in self._text])
        self.deleted.add(line.title)
        self.skipped.discard(line.id)  # what people skipped was the task in its old words
        return f"say the task {line.id} in other words"

    async def _tick(self) -> str:
        """Do a task oneself."""
        line = self._one(self.waiting())
        if line is None:
            return ""
        rows = [row.replace("[ ]", "[x]") if f" {line.id} " in row else row for row in self._text]
        await self._edit(rows, {f"{line.word}.md": "By hand.\n"})
        return f"do the task {line.id} by hand"

    async def _delete_branch(self) -> str:
        pull = self._one(self.open)
        if pull is None:
            return ""
        await self.bot.github.delete_branch(REPOSITORY, pull.pull.head)
        return f"delete the branch of #{pull.number}"

    async def _execute(self) -> str:
        await self._say(self.bot.issue.number, "/execute")
        return "execute"

    async def _retry(self) -> str:
        open_ones = [line for line in self.lines if not line.checked]
        line = self._one(open_ones)
        if line is None or line.title in self.in_review():
            return ""
        self.skipped.discard(line.id)
        self.retried[line.title] = len(self.ours)
        await self._say(self.bot.issue.number, f"/execute retry {line.id}")
        return f"retry {line.id}"

    async def _skip(self) -> str:
        line = self._one(self.waiting())
        if line is None or len(self.skipped) > 2:
            return ""
        self.skipped.add(line.id)
        await self._say(self.bot.issue.number, f"/execute skip {line.id}")
        return f"skip {line.id}"

    async def _delete_comment(self) -> str:
        mine = self.bot.github.app.bot
        issues = self.bot.view.issues.values()
        comment = self._one([c for issue in issues for c in issue.comments if c.user is mine])
        if comment is None:
            return ""
        await self.bot.github.delete_comment(comment)
        return f"delete a comment of #{comment.number}"

    # what they have to hand

    @property
    def _text(self) -> list[str]:
        return (self.bot.view.file("main", "ROADMAP.md") or b"").decode().splitlines()

    async def _edit(self, rows: list[str], files: dict[str, str] | None = None) -> None:
        text = "\n".join(rows) + "\n"
        self._rows = rows
        await self.bot.github.push(REPOSITORY, {"ROADMAP.md": text, **(files or {})})

    async def _say(self, number: int, text: str) -> None:
        await self.bot.github.comment(REPOSITORY, number, text, by="writer")

    def _name(self, kind: str) -> str:
        self._made += 1
        return f"{kind}-{self._made}.md"

    def _one(self, found: list[T]) -> T | None:
        return self.random.choice(found) if found else None

    async def work_and_be_killed(self) -> None:
        """Ask a server of its own for work, and kill it at one of its first requests."""
        moment = self.random.randint(1, 12)
        async with serving(self.bot) as process:
            fault = self.bot.github.fail("*", "*", skip=moment, hold=asyncio.Event())
            await self._execute()
            await fault.reached.wait()
            await process.end()
            fault.release()
        self.kills += self.beside
        self.log.append(f"execute, and a kill at request {moment}")

    # what must be true

    def picture(self) -> str:
        """What a failure needs: pull requests and tasks as GitHub shows them, and what was said."""
        rows = [
            f"#{p.number} {p.title}: {'merged' if p.pull.merged else p.state}"
            f" {p.pull.head} -> {p.pull.base} {p.pull.sha[:8]}"
            for p in self.ours
        ]
        tasks = [f"{'x' if line.checked else ' '} {line.title}" for line in self.lines]
        bot = self.bot.github.app.bot
        said = [each.body[:1500] for each in self.bot.issue.comments if each.user is bot][-4:]
        parts = ["pull requests:", *rows, "tasks:", *tasks, "after:", *self.log]
        return "\n".join([*parts, "Cairn said last:", *said])

    def read(self) -> None:
        """Read all that Cairn said."""
        for number in self.bot.view.issues:
            said = "\n".join(self.bot.github.says(REPOSITORY, number))
            self.told[number] = f"{self.told.get(number, '')}\n{said}"

    def check(self) -> None:
        """Everything that must be true whenever nothing is going on."""
        self.read()
        for pull in self.open:
            self._check_diff(pull)
        for number, branch, sha in self.pushed:
            head = self.bot.view.branches.get(branch)
            if head:
                bare = self.bot.view.state.bare
                assert bare.is_ancestor(sha, head), f"the push to #{number} was forced away"
        self._check_main()
        self._check_tasks()

    def _check_main(self) -> None:
        """The default branch has what people wrote, and of Cairn only what they merged."""
        there = self.bot.view.files("main").keys()
        assert not self.removed & there, f"{self.removed & there} came back"
        assert self._extra - self.removed <= there, f"{self._extra - self.removed - there} is lost"
        plain = [row.replace("[x]", "[ ]") for row in self._text]
        assert plain == [row.replace("[x]", "[ ]") for row in self._rows], "the roadmap changed"
        undone = {x.title for x in self.lines if x.checked and f"{x.word}.md" not in there}
        assert not undone, f"{undone} is ticked"
        checked = {line.title for line in self.lines if line.checked}
        merged = [pull for pull in self.ours if pull.pull.merged and pull.pull.base == "main"]
        done = {each.title for pull in merged for each in self.inside(pull)}
        said = "\n".join(self.told.values())
        forgotten = {line.title for line in self.lines} & done - checked
        assert not [title for title in forgotten if title not in said], f"{forgotten} is unticked"

    def _check_tasks(self) -> None:
        """No task is worked on twice, and the model was asked only for work that is there."""
        open_ones = Counter(pull.title for pull in self.open)
        twice = {title for title, count in open_ones.items() if count > 1}
        assert twice <= self.again, f"two pull requests are open for {twice - self.again}"
        new = [pull for pull in self.ours if pull.number not in self._known]
        again = {pull.title for pull in new} & self._done
        assert not again, f"{again} was done before"
        self._known |= {pull.number for pull in new}
        self._done = {line.title for line in self.lines if line.checked}
        asked = sum(self.writer.calls.values())
        most = len(self.ours) + self.revisions + self.kills
        assert asked <= most, f"{asked} questions for at most {most} pieces of work"

    def _newer_roadmap(self) -> set[str]:
        """What the default branch's roadmap has, or had once.

        One that stands on others, whose task these do not have, brings along the roadmap that was
        the newest when it was made; what was changed since is taken out when it reaches the bottom.
        """
        boxes = ("[ ]", "[x]")
        there = {f"+- {box} {line.title}" for line in self.lines for box in boxes}
        there |= {f"-- [ ] {line.title}" for line in self.lines if line.checked}
        return there | {
            f"{s}- {box} {title}" for title in self.deleted for box in boxes for s in "+-"
        }

    def _has_rival(self, pulls: list[Issue]) -> bool:
        """Say whether people merged the same file for a task in other words meanwhile.

        They closed one, reworded its task, had that done, and opened the first again.
        """
        words, titles = {_word(each.title) for each in pulls}, {each.title for each in pulls}
        return any(
            each.pull.merged and _word(each.title) in words and each.title not in titles
            for each in self.ours
        )

    def _check_diff(self, pull: Issue) -> None:
        """It shows its own change and nothing else, or Cairn said why not."""
        inside = list(self.inside(pull))
        said = "\n".join(self.told.get(each.number, "") + (each.body or "") for each in inside)
        if any(words in said for words in _EXCUSED):
            return
        numbers = {each.number for each in inside}
        words = {_word(each.title) for each in inside}
        titles = {each.title for each in inside}
        allowed = {f"{box} {title}" for title in titles for box in ("-- [ ]", "+- [x]")}
        allowed |= {f"+{path}." for path, number in self.theirs.items() if number in numbers}
        if pull.pull.base != "main":
            allowed |= self._newer_roadmap()
        for line in changed_lines(self.bot, pull):
            own = any(f"About {word}, version" in line for word in words)
            by_hand = line == "-By hand."
            known = own or by_hand or line.replace("`", "") in allowed
            assert known, f"#{pull.number} {pull.title} on {pull.pull.base} has {line!r}; {said}"
        by_hand = any(self.bot.view.file("main", f"{word}.md") == b"By hand.\n" for word in words)
        if pull.pull.base == "main" and not by_hand and not self._has_rival(inside):
            body = self.bot.github.pull_body(REPOSITORY, pull.number)
            assert body["mergeable"], f"#{pull.number} {pull.title} cannot be merged; {said}"


def _went_with(upper: Issue, lower: Issue) -> bool:
    """Say whether one was merged into the branch of another before that was merged itself."""
    if upper.pull.base != lower.pull.head or upper.pull.merged is None:
        return False
    return lower.pull.merged is None or upper.pull.merged < lower.pull.merged


def _word(title: str) -> str:
    found = re.search(r"(\w+)\.md", title)
    assert found is not None, title
    return found[1]
