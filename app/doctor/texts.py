"""Every sentence ``cairn doctor`` says."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path

from runner.config.model import CONFIG_PATH, ConfigProblem
from runner.nodes.preflight import CannotStart

AGAIN = "Try again. If that does not help, run it with --verbose and please report it."
NO_APP = "No App is configured (GITHUB_APP_ID is not set)."


def no_app(names: Sequence[str]) -> str:
    """What is not checked where there is no App."""
    return f"{NO_APP[:-1]}, so nothing was checked of {', '.join(names[:-1])} and {names[-1]}."


NO_SETTINGS = "The settings have problems; fix them first."
NO_CHECKOUT = "This folder is not a checkout; run `cairn doctor` in one to check that too."
SETTINGS = "docs/settings.md lists every variable."
_TO_COMMIT = "git init && git add . && git commit"
NO_GIT = "git is not installed, or not on PATH."
PLAIN_FOLDER = (
    "`cairn run` still works here and keeps every version below .executor. To get commits, {}."
)


def not_in_git(installed: bool) -> tuple[str, str]:
    """There is no git repository here: what that means for a run."""
    if not installed:
        return NO_GIT, PLAIN_FOLDER.format("install git")
    return "This folder is not in git.", PLAIN_FOLDER.format(f"type `{_TO_COMMIT}`")


def nothing_to_init(installed: bool) -> str:
    """``cairn init`` looks at the tests of a commit, and there is none."""
    here = f"{NO_GIT} Install it"
    if installed:
        here = f"This folder is not a checkout: type `{_TO_COMMIT}`"
    return f"{here}, then `cairn init` again: it tries the tests of the newest commit."


MODEL = "OPENAI_BASE_URL, OPENAI_API_KEY and CAIRN_MODEL set which model Cairn asks, and where."
KEY_NOT_CHECKED = "Key not checked: this server lists its models without one, too."
SANDBOX = "Choose another one (CAIRN_SANDBOX), or rebuild its image (scripts/sandbox-image)."
ISOLATE = "To isolate it, set up Docker or bubblewrap as docs/quick-start.md says (Isolation)."
DATABASE = {
    "missing": "It does not exist yet; the server creates it when it first starts.",
    "older": "It can be written; the server upgrades it to this version at its next start.",
    "current": "It can be written and has the current version.",
}

STATUS = "https://www.githubstatus.com shows whether GitHub has problems."
API_URL = "Set GITHUB_API_URL to https://api.github.com, or to https://HOST/api/v3 for Enterprise."
NO_DATE = "GitHub's answer has no date to compare with."
SET_CLOCK = (
    "Set this machine's clock (timedatectl set-ntp true): GitHub refuses tokens with a wrong time."
)
KEY = (
    "Check GITHUB_APP_ID. If the private key was deleted, create a new one on the App's settings "
    "page."
)
BUTTONS = (
    "Without checks, proposals have no buttons, and pull requests have no check that shows how far "
    "they are verified. Without actions, Cairn cannot read the logs of failing jobs. Without "
    "merge_queues, a merge queue that requires cairn/trust never gets an answer. Without statuses, "
    "Cairn does not see failing CI that reports commit statuses. Add the missing ones on "
    "the App's settings page."
)
NO_WEBHOOK = "The App has no webhook address, so GitHub sends it no events."
UNSIGNED = "The App's webhook has no secret, so every delivery is refused."
SIGN = "Set it to the value of GITHUB_WEBHOOK_SECRET on the App's settings page."
SECURE = "Enable SSL verification on the App's settings page."
PUBLIC_URL = "Set CAIRN_PUBLIC_URL to the address of this server, so that Cairn can compare them."
NOWHERE = "The App is not installed anywhere."
ACCEPT = "Its owner can change that on the installation's page (Settings, Applications)."
LIMIT = "Runs wait for the reset. Fewer runs at the same time (CAIRN_CONCURRENCY) would help."
DELIVERIES = (
    "The App's settings page (Advanced) shows why. The server fetches missed ones when it starts "
    "and every hour."
)


HAS_CONFIGURATION = (
    "{} already exists, and Cairn does not overwrite it. `cairn doctor` shows whether the tests "
    "start with it."
)
STOPPED = "Interrupted. Nothing was changed."
INTERRUPTED = "Interrupted. Nothing was written."
INTERRUPTED_WRITTEN = f"Interrupted. {CONFIG_PATH} is written."
NO_TESTS = (
    "Cairn finds no tests here that it can run, so no task can be shown to be done. If there are "
    f"tests, name their command in {CONFIG_PATH} (verify.commands)."
)
STARTS_ALREADY = "The tests start as they are: no configuration is needed."
STARTS_WITH_IT = "The tests start with it. Commit the file to use it."


def no_proposal(found: CannotStart) -> str:
    """What was seen, where no file would help."""
    return f"{found.seen} {found.todo}"


def not_enough(seen: str, tried: Sequence[tuple[str, CannotStart]]) -> str:
    """What each proposal leads to, where the tests start with none; nothing was written."""
    parts = [seen]
    for text, left in tried:
        parts.append(f"With this {CONFIG_PATH} they do not start either:\n\n{text}\n{left.seen}")
    guessed = dict.fromkeys(left.guessed for _, left in tried if left.guessed)
    return "\n\n".join([*parts, *guessed, "Nothing was written."])


TESTS_TODO = "`cairn init` proposes a .github/cairn.yml that installs what the tests need."
COMMANDS_TODO = "Correct verify.commands in .github/cairn.yml, or install what they start."
TESTS_START = "The tests of the newest commit can start."


def tests_todo(found: CannotStart) -> str:
    """What to do; the file is too long for a line."""
    if not found.proposed:
        return found.todo
    return " ".join(filter(None, (found.guessed, TESTS_TODO)))


def config_problems(found: Sequence[ConfigProblem]) -> str:
    """What is wrong with the repository's configuration."""
    return f"{CONFIG_PATH} has errors: {' '.join(map(str, found))}"


def on_one_line(text: str, todo: str) -> str:
    """What was found and what to do, as sentences."""
    first = text if text.endswith((".", "!", "?")) else f"{text}."
    return f"{first} {todo}".rstrip()


def without(name: str) -> str:
    """A check before it did not succeed."""
    return f"Checked after {name} is fixed."


def no_answer(seconds: float) -> str:
    """A check took too long."""
    return f"No answer within {seconds:g} seconds."


def unexpected(error: Exception) -> str:
    """Something outside failed in a way we have no words for."""
    return f"{type(error).__name__}: {error}."


NOT_COMMITTED = (
    "The environment has the settings; .github/cairn.yml is not committed, so no run uses it.",
    "Commit it: git add .github/cairn.yml && git commit",
)


def settings_read(*, server: bool, configured: bool = False) -> str:
    """All settings are good."""
    which = "the server's settings" if server else "the settings"
    own = ".github/cairn.yml is valid" if configured else "there is no .github/cairn.yml"
    return f"The environment has {which}; {own}."


def on_branch(branch: str, tip: str) -> str:
    """A run could commit here."""
    return f"Branch {branch} at {tip[:12]}, no uncommitted changes."


def tasks(path: str, left: int, every: int) -> str:
    """How much there is to do."""
    return f"Open tasks in {path}: {left} of {every}."


def no_tasks(path: str) -> tuple[str, str]:
    """There is nothing to do."""
    return (
        f"{path} has no task.",
        f"Write each as `- [ ] what to do`; `cairn roadmap normalize {path}` adds the checkboxes.",
    )


def model_offered(url: str, names: Sequence[str]) -> str:
    """All is well with the model."""
    return f"{url} answers and offers {', '.join(names)}."


def model_answers(url: str, names: Sequence[str]) -> str:
    """The endpoint has no list, but the model answered."""
    return f"{url} has no list of models, but {', '.join(names)} answered."


def unlisted(url: str, names: Sequence[str]) -> str:
    """The endpoint takes names that it does not list."""
    them = "it" if len(names) == 1 else "them"
    return f"{url} accepts {', '.join(names)}, but does not list {them}."


def sandbox_runs(reason: str) -> str:
    """A command ran in it."""
    return f"{reason} A command ran in it."


def sandbox_fails(reason: str, code: int) -> str:
    """It opened, but nothing runs in it."""
    return f"{reason} But the command `true` ended with exit code {code} in it."


def no_folder(folder: Path) -> str:
    """Something else has this name."""
    return f"{folder} is not a folder."


def not_writable(folder: Path) -> str:
    """The folder is read-only, or somebody else's."""
    return f"You do not have permission to write to {folder}."


def writable(folder: Path, *, made: bool) -> str:
    """It can be used."""
    return f"{folder} can be written." if made else f"{folder} is created when it is needed."


def folder_todo(*, server: bool) -> str:
    """How to get another one."""
    if server:
        return "Set CAIRN_DATA_DIR to a folder that this user can write."
    return "Change its owner or permissions, or work on a copy."


def github_answers(url: str) -> str:
    """It works."""
    return f"{url} answers."


def github_broken(url: str, status: int) -> str:
    """It answers, but does not work."""
    return f"{url} answers with {status}."


def not_github(url: str, status: int) -> str:
    """Something else answers."""
    return f"{url} answers, but not like GitHub's API ({status}, no JSON)."


def skew(ahead: timedelta) -> str:
    """How far the clocks are apart."""
    seconds = round(ahead.total_seconds())
    if abs(seconds) <= 1:
        return "This machine's clock agrees with GitHub's."
    way = "ahead of" if seconds > 0 else "behind"
    return f"This machine's clock is {abs(seconds)} s {way} GitHub's."


def key_accepted(slug: str, page: str) -> str:
    """GitHub knows the App."""
    return f"GitHub knows the App {slug}" + (f" ({page})." if page else ".")


def key_refused(text: str) -> str:
    """GitHub does not know the App."""
    return f"GitHub refuses the App's id or key: {text}."


def complete(what: str) -> str:
    """Nothing is missing."""
    return f"The App has all the {what} that Cairn needs."


def lacks(what: str, missing: Sequence[str]) -> str:
    """Something is missing."""
    return f"The App lacks {what} that Cairn needs: {', '.join(missing)}."


def grant(what: str) -> str:
    """Where they are granted."""
    return (
        f"Add them on the App's settings page (Permissions & events); owners then accept the {what}"
        " on the installation's page."
    )


def other_webhook(url: str, public: str) -> str:
    """Events go elsewhere."""
    return f"GitHub sends events to {url}, but CAIRN_PUBLIC_URL is {public}."


def set_webhook(public: str | None) -> str:
    """What the address should be."""
    where = f"{public}/webhook" if public else "https://YOUR-HOST/webhook"
    return f"Set the webhook's address to {where} on the App's settings page, or CAIRN_PUBLIC_URL."


def insecure(url: str) -> str:
    """Certificates are not checked."""
    return f"GitHub sends events to {url} without checking its certificate."


def goes_to(url: str) -> str:
    """Where events go."""
    return f"GitHub sends events to {url}."


def install(page: str) -> str:
    """How to install it."""
    return f"Install it on an account: {page}/installations/new." if page else "Install it."


def installed(number: int, owners: Sequence[str]) -> str:
    """Where it is installed."""
    more = f" and {number - 5} more" if number > 5 else ""
    return f"Installed on {', '.join(owners[:5])}{more}."


def suspended(owner: str) -> str:
    """An owner switched it off."""
    return f"The installation on {owner} is suspended."


def grants_less(owner: str, missing: Sequence[str]) -> str:
    """An owner has not accepted what the App asks for now."""
    return f"{owner} has not granted {', '.join(missing)}."


def limit(owner: str, remaining: int, most: int, until: datetime) -> str:
    """How much is left."""
    return f"{remaining} of {most} requests are left for {owner} until {until:%H:%M} UTC."


def delivered(number: int) -> str:
    """All went well."""
    if not number:
        return "GitHub sent nothing in the last day."
    if number == 1:
        return "The only delivery of the last day arrived."
    return f"The newest {number} deliveries of the last day all arrived."


def undelivered(failed: int, every: int, event: str, status: str) -> str:
    """Some did not arrive."""
    return f"{failed} of {every} deliveries of the last day failed, the newest {event}: {status}."
