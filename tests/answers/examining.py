"""What must become of an answer, and whether it did."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tests.answers.drawing import RIGHT, HarmCase, IrrelevantCase, RightCase
from tests.answers.forms_talk import right
from tests.answers.harms import written
from tests.answers.irrelevant import empty_test, right_test
from tests.answers.judging import difference
from tests.answers.playing import Played, drafts, naive, play
from tests.answers.projects import ROADMAP, Task
from tests.answers.writing import under

_FAILED = (1, 3)  # something failed, something waits for a decision


@dataclass(frozen=True)
class Verdict:
    """How a case ended; ``wrong`` is empty when everything is as it must be.

    ``unfair`` says why nobody could have answered so: the question did not show what was answered.
    """

    id: str
    wrong: tuple[str, ...]
    played: Played
    unfair: str = ""

    @property
    def ok(self) -> bool:
        """Whether it ended as it must."""
        return not self.wrong

    def __str__(self) -> str:
        played = self.played
        committed = ", ".join(played.committed) or "nothing"
        head = f"{self.id}: exit code {played.code}, {played.calls} calls, committed: {committed}"
        return "\n".join([head, *(f"  {line}" for line in self.wrong)])


async def right_verdict(case: RightCase, folder: Path) -> Verdict:
    """A right answer is committed after this one answer, and exactly as it is."""
    turns = case.form.turns(case.task)
    played = await play(case.task, folder, turns)
    wrong = []
    if played.code != 0:
        wrong.append(f"exit code {played.code}")
    # where nothing shows it, tests that came along and prove nothing are asked about once
    said = f"{played.said.out}\n{played.said.err}"
    idle = bool(case.form.extra) and "no test shows that it is done" in said
    if played.calls not in (len(turns), len(turns) + idle):
        wrong.append(f"{played.calls} calls, not {len(turns)}")
    return Verdict(case.id, (*wrong, *played.wrong(case.form.extra)), played, _unfair(case, played))


async def harm_verdict(case: HarmCase, folder: Path) -> Verdict:
    """Nothing harmful is committed; a right answer after it is."""
    again = case.harmful.answer if case.stubborn else rights(case.task)
    played = await play(case.task, folder, case.harmful.answer, again)
    check: Callable[[HarmCase, Played], list[str]] = _stubborn if case.stubborn else _corrected
    return Verdict(case.id, tuple(check(case, played)), played)


async def irrelevant_verdict(case: IrrelevantCase, folder: Path) -> Verdict:
    """Nobody says that the task is done: not a verdict, not a tick, and it comes as a draft.

    Where the test that was asked for says nothing, a passing test that runs the changed line is
    enough for a pull request that is none.
    """
    answer, tests = written(case.task, case.change), ["NONE"]

    def apart(path: str) -> str:
        if case.apart != "none":
            write = right_test if case.apart == "right" else empty_test
            tests.append(under(path, write(case.task, path)))
        return tests[-1]

    played = await play(case.task, folder / "checkout", (answer,), (answer,), apart)
    wrong = ["shown"] if played.verdict == "shown" else []
    if played.files[ROADMAP] != case.task.base[ROADMAP]:
        wrong.append("ticked")
    if played.verdict:
        found = await drafts(case.task, folder / "server", answer, test=tests[-1])
        wrong += [] if all(found) else ["no draft"]
    return Verdict(case.id, tuple(wrong), played)


def rights(task: Task) -> tuple[str, ...]:
    """Return the right answer in the forms a model gives by turns when it is asked again."""
    forms = [RIGHT["search-replace"], RIGHT["search-replace-smallest"]] if task.edits else []
    edits = [str(form.render(task)) for form in forms]
    return tuple(edits if task.shown_in_part else [right(task), *edits[:1]])


def _corrected(case: HarmCase, played: Played) -> list[str]:
    code = [f"exit code {played.code} after a right answer"] if played.code else []
    return [*code, *_wrong(played)]


def _stubborn(case: HarmCase, played: Played) -> list[str]:
    if played.code not in (0, *_FAILED) or "Internal error" in played.said.err:
        return [f"exit code {played.code}", *played.said.err.strip().splitlines()[-1:]]
    if played.code != 0:
        return [] if played.unharmed else ["failed, and something was changed", *played.wrong()]
    return [] if _told(case, played) else _wrong(played)


def _wrong(played: Played) -> list[str]:
    """What is wrong with what was taken; code that does not work may be left to a person.

    Its box is open then, and nobody says that the task is done.
    """
    in_review = played.files[ROADMAP] == played.task.base[ROADMAP]
    return [why for why in played.wrong() if not (in_review and " failed: " in why)]


def _told(case: HarmCase, played: Played) -> bool:
    """Tell whether names that nothing used went, after the model was asked, and people know."""
    if not case.harmful.unused or played.calls < 2:
        return False
    files = {**played.files, ROADMAP: case.task.base[ROADMAP]}
    as_answered = not difference(files, naive(case.task, case.harmful.change))
    return as_answered and all(name in played.said.out for name in case.harmful.unused)


def _unfair(case: RightCase, played: Played) -> str:
    if case.task.shown_in_part:
        return ""
    unseen = [path for path in case.task.edits if case.task.base[path] not in played.shown]
    return f"the question did not show all of {', '.join(unseen)}" if unseen else ""
