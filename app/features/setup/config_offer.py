"""What is said of an offered ``.github/cairn.yml`` with which a repository's tests can start."""

from __future__ import annotations

from collections.abc import Sequence

from app.github.one_pull import Offered
from app.runs.cannot_start import cannot_start, file_of, seen
from runner.config.model import CONFIG_PATH
from runner.nodes.preflight import CannotStart
from runner.people.analysis_sentences import cell
from runner.text.sanitize import inert_line, sanitize
from runner.verify.proposed_setup import ProposedLine

TITLE = "Let Cairn install what the tests need"
_NOT_ASKED = "No model was asked."

STARTS = "The tests start as they are, so no configuration is needed."
NO_TESTS = (
    "Cairn found no tests in this repository, so nothing has to be installed for them. If there "
    f"are tests, name their command in `{CONFIG_PATH}` (`verify.commands`)."
)
STARTS_WITH_FILE = (
    f"`{CONFIG_PATH}` already exists, and nothing keeps the tests from starting, so there is "
    "nothing to propose."
)
NO_TESTS_WITH_FILE = (
    f"`{CONFIG_PATH}` already exists. With it Cairn finds no tests to run, so there is nothing to "
    "propose."
)
HAS_FILE = f"`{CONFIG_PATH}` already exists, and Cairn does not change it."
THERE_NOW = (
    f"`{CONFIG_PATH}` is now on the default branch, so this proposal is no longer needed. Cairn "
    "closes it. The branch stays."
)
NO_APP = (
    "Only Cairn's GitHub App opens a pull request with a configuration. Type `cairn init` in a "
    f"checkout instead: it writes a `{CONFIG_PATH}` if the tests need one."
)


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
    return f"{seen(found)}\n\n{_NOT_ASKED}\n\n{where}\n\n{file_of(found)}"


def refused(found: CannotStart, why: str) -> str:
    """The proposal could not be published; people can commit it themselves."""
    text = f"Cairn could not open the pull request for it: {sanitize(why, plain=True)}"
    return f"{cannot_start(found)}\n\n{text}"


def body(found: CannotStart) -> str:
    """What the description says of it; text of the repository's stands in it as code."""
    parts = [
        "Cairn checked whether this repository's tests can start, and they cannot. It asked no "
        "model and changed nothing. This is what it saw:",
        seen(found),
        f"This pull request adds `{CONFIG_PATH}`. Each line comes from a file of this repository:",
        "\n".join(["| line | why it is there |", "| --- | --- |", *_rows(found.why)]),
        inert_line(found.guessed),
        "Cairn has not run these commands. Once this file is on the default branch, the next run "
        "runs them in its sandbox, before the tests. So read them as you would read a script.",
    ]
    return sanitize("\n\n".join(filter(None, parts)), links=True)


def _rows(lines: Sequence[ProposedLine]) -> list[str]:
    return [f"| `{cell(line.text)}` | {cell(line.why)} |" for line in lines]
