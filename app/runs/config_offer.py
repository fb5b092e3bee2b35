"""Offer a ``.github/cairn.yml`` with which a repository's tests can start, as one pull request.

What it proposes is made from the repository's own files and from what its tests print. Nothing of
it is run before a person merged it: its commands may use the network.
"""

from __future__ import annotations

import re
from collections.abc import MutableSet, Sequence

from app.github.one_pull import Offered, OfferedPulls, of_one_file
from app.github.pulls import PREFIX
from runner.config.model import CONFIG_PATH
from runner.errors import Outage, TaskError
from runner.loop.deps import Deps
from runner.nodes.preflight import CannotStart, first_look, has_tests
from runner.ports import Repository
from runner.state.changes import Snapshot, blob_sha
from runner.state.run_state import RunState
from runner.text.sanitize import inert_line, sanitize
from runner.verify.proposed_setup import ProposedLine

BRANCH = f"{PREFIX}setup"
TITLE = "Let Cairn install what the tests need"
_NOT_ASKED = "No model was asked."

STARTS = "The tests start as they are, so no configuration is needed."
NO_TESTS = (
    "Cairn found no tests in this repository, so nothing has to be installed for them. If there "
    f"are tests, name their command in `{CONFIG_PATH}` (`verify.commands`)."
)
STARTS_WITH_FILE = (
    f"`{CONFIG_PATH}` is there already, and nothing keeps the tests from starting, so there is "
    "nothing to propose."
)
NO_TESTS_WITH_FILE = (
    f"`{CONFIG_PATH}` is there already. With it Cairn finds no tests to run, so there is nothing "
    "to propose."
)
HAS_FILE = f"`{CONFIG_PATH}` is there already, and Cairn does not change it."
THERE_NOW = (
    f"`{CONFIG_PATH}` is on the default branch now, so this proposal is not needed any more. Cairn "
    "closes it. The branch stays."
)
NO_APP = (
    "Only Cairn's GitHub App opens a pull request with a configuration. Type `cairn init` in a "
    f"checkout instead: it writes a `{CONFIG_PATH}` if the tests need one."
)


def advice(found: CannotStart) -> str:
    """What was seen and what to do about it, where no pull request does it."""
    todo = sanitize(found.todo, plain=True)
    return f"{_seen(found)}\n\n{todo}\n\n{_file(found)}".strip()


def offer_text(found: CannotStart, offered: Offered) -> str:
    """What was seen, where the proposal is, and what it waits for."""
    url = offered.url
    where = {
        "open": f"Cairn proposes a `{CONFIG_PATH}` in {url}. Read it, change what is wrong, merge "
        "it, and comment `/execute` again. Cairn runs nothing before that.",
        "declined": f"Cairn proposed a `{CONFIG_PATH}` before, and {url} was closed. Comment "
        "`/execute setup` to have it proposed again, or commit the file yourself:",
        "pushed": f"Cairn proposed a `{CONFIG_PATH}` in {url}. Somebody has pushed to it since, so "
        "Cairn leaves it alone, although it would propose something else now. Merge or close it.",
    }[offered.state]
    return f"{_seen(found)}\n\n{_NOT_ASKED}\n\n{where}\n\n{_file(found)}"


def refused(found: CannotStart, why: str) -> str:
    """The proposal could not be published; people can commit it themselves."""
    text = f"Cairn could not open the pull request for it: {sanitize(why, plain=True)}"
    return f"{advice(found)}\n\n{text}"


def _file(found: CannotStart) -> str:
    return f"```yaml\n{found.proposed}```" if found.proposed else ""


def _seen(found: CannotStart) -> str:
    """What the repository's tests printed, as code: an image in it must not load."""
    seen = found.seen.replace("\r\n", "\n").strip()
    fence = "`" * max(3, 1 + max((len(run) for run in re.findall("`+", seen)), default=0))
    return sanitize(f"{fence}text\n{seen}\n{fence}")


def body(found: CannotStart) -> str:
    """The description of the pull request; text of the repository's stands in it as code."""
    parts = [
        "Cairn checked whether this repository's tests can start, and they cannot. It asked no "
        "model and changed nothing. This is what it saw:",
        _seen(found),
        f"This pull request adds `{CONFIG_PATH}` and nothing else. Each line comes from a file of "
        "this repository or from the message above:",
        "\n".join(["| line | why it is there |", "| --- | --- |", *_rows(found.why)]),
        "Cairn has not run these commands. Once this file is on the default branch, the next run "
        "runs them in its sandbox, before the tests. So read them as you would read a script.",
        "- **To change something**, edit the file on this branch, then merge. Cairn does not "
        "overwrite what people push here.\n"
        "- **To use it**, merge this pull request and comment `/execute` on an issue. Nothing "
        "starts before it is merged, and nothing starts by merging it.\n"
        "- **If you do not want it**, close this pull request. Cairn opens it again only when "
        "somebody comments `/execute setup`.",
    ]
    return sanitize("\n\n".join(parts))


def _rows(lines: Sequence[ProposedLine]) -> list[str]:
    return [f"| `{_cell(line.text)}` | {_cell(line.why)} |" for line in lines]


def _cell(text: str) -> str:
    return inert_line(text).replace("|", "\\|")


class ConfigOffer:
    """The offer to one repository, whose default branch is ``branch``, in the name of a ``run``."""

    def __init__(
        self, repository: Repository, pulls: OfferedPulls, *, branch: str, run: str
    ) -> None:
        self._repository = repository
        self._pulls = pulls
        self._branch = branch
        self._run = run

    async def answer(self, state: RunState, deps: Deps, started: MutableSet[str]) -> str:
        """Say how the tests stand, and offer a configuration where they need one (Markdown).

        ``started`` are bases whose tests were seen to start. Raises ``Outage`` or ``TaskError``.
        """
        there = CONFIG_PATH in (await self._repository.snapshot(state.stack.base)).entries
        if not await has_tests(state, deps):
            return NO_TESTS_WITH_FILE if there else NO_TESTS
        found = await first_look(state, deps, started)
        if found is None:
            return STARTS_WITH_FILE if there else STARTS
        offer = await self.offered(state, found, asked=True)
        return f"{HAS_FILE}\n\n{offer}" if there else offer

    async def offered(self, state: RunState, found: CannotStart, *, asked: bool = False) -> str:
        """Offer what was ``found`` to be needed; return what to tell people (Markdown).

        One that a person closed is offered again only if it was ``asked`` for. Doing it twice
        leaves one. Raises ``Outage`` where GitHub may take it later.
        """
        base = await self._repository.snapshot(state.stack.base)
        if not found.proposed or CONFIG_PATH in base.entries:
            return advice(found)
        try:
            return offer_text(found, await self._offer(state.stack.base, base, found, asked=asked))
        except TaskError as error:
            return refused(found, error.message)
        except Outage as outage:
            if outage.kind != "permission":
                raise
            return refused(found, outage.message)

    async def close_outdated(self, state: RunState) -> None:
        """Close the open offer of a file that somebody has committed meanwhile."""
        base = state.stack.base  # '' where the run ended before its roadmap was read
        if not base or CONFIG_PATH not in (await self._repository.snapshot(base)).entries:
            return
        known = await self._pulls.known(BRANCH)
        if known and known.state == "open":
            await self._pulls.close(known, THERE_NOW)

    async def _offer(
        self, commit: str, base: Snapshot, found: CannotStart, *, asked: bool
    ) -> Offered:
        content = found.proposed.encode()
        source = blob_sha(content)
        known = await self._pulls.known(BRANCH)
        if known and known.state == "declined" and not asked:
            return known
        if known and known.state == "open" and known.source == source:
            return known
        shown = of_one_file(
            CONFIG_PATH,
            content,
            base,
            run=self._run,
            branch=BRANCH,
            below=self._branch,
            parent=commit,
            title=TITLE,
            body=body(found),
        )
        return await self._pulls.offer(shown, source)
